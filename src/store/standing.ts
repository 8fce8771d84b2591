/**
 * How an indicator stands, given everything its live sources and the operator say: the one place
 * where several opinions become one row. Pure.
 *
 * Decision: what is shown (threat, confidence, brand, family, reference, sources, dates) comes from
 * sources that may be passed on whenever there is one: a private source colours no public answer.
 */

import {
  type BrandOrigin,
  type ThreatLevel,
  type ThreatType,
  toThreatLevel,
} from '../model/indicator.ts'
import type { IndicatorRow } from './indicators.ts'
import type { NamedSighting } from './sightings.ts'

/** What each further independent source adds to the confidence. */
const corroboration = 10

/** The confidence from which a band begins; only crossing into another band is news. */
const bandStarts = [50, 75, 90] as const

export interface Standing {
  readonly active: number
  readonly published: number
  readonly threat_type: ThreatType
  readonly threat_level: ThreatLevel
  readonly confidence: number
  readonly target_brand: string | null
  readonly target_brand_origin: BrandOrigin | null
  readonly malware_family: string | null
  readonly sources: string
  readonly reference: string | null
  readonly first_seen: number
  readonly last_seen: number
}

const byWeight = (a: NamedSighting, b: NamedSighting): number =>
  b.confidence - a.confidence || a.first_seen - b.first_seen || a.source_id - b.source_id

const byAge = (a: NamedSighting, b: NamedSighting): number =>
  a.first_seen - b.first_seen || a.source_id - b.source_id

function confidenceOf(sightings: readonly NamedSighting[]): number {
  // A source of confidence 0 says where something stands, not that it is bad.
  const opinions = sightings.filter((sighting) => sighting.confidence > 0)
  const strongest = Math.max(0, ...opinions.map((sighting) => sighting.confidence))
  return Math.min(100, strongest + corroboration * Math.max(0, opinions.length - 1))
}

type Known = Omit<Standing, 'active' | 'published' | 'threat_level'>

const nothingKnown: Known = {
  threat_type: 'phishing',
  confidence: 0,
  target_brand: null,
  target_brand_origin: null,
  malware_family: null,
  sources: '',
  reference: null,
  first_seen: 0,
  last_seen: 0,
}

function whatSourcesSay(
  shownInAnyOrder: readonly NamedSighting[],
  passable: readonly NamedSighting[],
): Known {
  const shown = [...shownInAnyOrder].sort(byWeight)
  const named = shown.filter((sighting) => sighting.target_brand !== null)
  const branded = named.find((sighting) => sighting.target_brand_origin === 'source') ?? named[0]
  return {
    threat_type: shown[0]?.threat_type ?? nothingKnown.threat_type,
    confidence: confidenceOf(shown),
    target_brand: branded?.target_brand ?? null,
    target_brand_origin: branded?.target_brand_origin ?? null,
    malware_family:
      shown.find((sighting) => sighting.malware_family !== null)?.malware_family ?? null,
    sources: [...passable]
      .sort(byAge)
      .map((sighting) => sighting.source)
      .join(' '),
    reference: passable.find((sighting) => sighting.reference !== null)?.reference ?? null,
    first_seen: Math.min(...shown.map((sighting) => sighting.first_seen)),
    last_seen: Math.max(...shown.map((sighting) => sighting.last_seen)),
  }
}

/** Under this name the operator's own `block` stands among the sources. */
export const operatorSource = 'operator'

/**
 * Returns how an indicator stands with these live sightings and this decision.
 *
 * With nothing live, what was last known is kept (`last`), so that a tombstone still says what it
 * was. What the operator blocks is published as the operator's word, with whatever sources that may
 * be passed on say of it. O(n log n) in the number of sources.
 */
export function standingOf(
  sightings: readonly NamedSighting[],
  decision: IndicatorRow['decision'],
  last: Known | null,
): Standing {
  const isActive = decision === 'block' || (decision !== 'allow' && sightings.length > 0)
  const passable = sightings.filter((sighting) => sighting.redistribute === 1)
  const isBlocked = decision === 'block'
  const shown = passable.length > 0 || isBlocked ? passable : sightings
  const known = shown.length === 0 ? unsaid(last, isBlocked) : whatSourcesSay(shown, passable)
  const confidence = isBlocked ? 100 : known.confidence
  const names = passable.length > 0 ? known.sources : ''
  return {
    active: isActive ? 1 : 0,
    published: isBlocked || (isActive && passable.length > 0) ? 1 : 0,
    threat_type: known.threat_type,
    threat_level: toThreatLevel(known.threat_type, confidence),
    confidence,
    // Each by name: `last` may be a whole row.
    target_brand: known.target_brand,
    target_brand_origin: known.target_brand_origin,
    malware_family: known.malware_family,
    sources: isBlocked ? `${names} ${operatorSource}`.trim() : known.sources,
    reference: known.reference,
    first_seen: known.first_seen,
    last_seen: known.last_seen,
  }
}

/** What is known when no source's word is to be shown: what was last known, or only when. */
function unsaid(last: Known | null, isBlocked: boolean): Known {
  if (last === null || !isBlocked) return last ?? nothingKnown
  const { first_seen, last_seen, target_brand, target_brand_origin } = last
  // What the rules read out of the name itself is nobody's secret.
  const brand = target_brand_origin === 'rules' ? { target_brand, target_brand_origin } : {}
  return { ...nothingKnown, ...brand, first_seen, last_seen }
}

const bandOf = (confidence: number): number =>
  bandStarts.findLastIndex((start) => confidence >= start)

/** Reports whether weir says something else of `after` than of `before`. */
export function isNews(before: IndicatorRow, after: IndicatorRow): boolean {
  return (
    before.active !== after.active ||
    before.published !== after.published ||
    before.do_not_block !== after.do_not_block ||
    before.decision !== after.decision ||
    before.threat_type !== after.threat_type ||
    before.threat_level !== after.threat_level ||
    before.target_brand !== after.target_brand ||
    before.malware_family !== after.malware_family ||
    bandOf(before.confidence) !== bandOf(after.confidence)
  )
}

/** The states that events record. */
export type State = 'absent' | 'listed' | 'private' | 'delisted'

/** Returns a row's state; null is a row that is not there yet. */
export function stateOf(row: IndicatorRow | null): State {
  if (row === null) return 'absent'
  if (row.active === 0) return 'delisted'
  return row.published === 1 ? 'listed' : 'private'
}
