/**
 * The state of an indicator, given all its live sightings and the operator's decision: the one place
 * where several opinions become one row. Pure.
 *
 * Decision: what is shown (threat, confidence, brand, family, reference, sources, dates) comes from
 * redistributable sources whenever there is one: a private source affects no public answer.
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

/** The confidence from which a band begins; only crossing into another band changes the meaning. */
const bandStarts = [50, 75, 90] as const

export interface IndicatorState {
  readonly active: number
  readonly published: number
  readonly threatType: ThreatType
  readonly threatLevel: ThreatLevel
  readonly confidence: number
  readonly targetBrand: string | null
  readonly targetBrandOrigin: BrandOrigin | null
  readonly malwareFamily: string | null
  readonly sources: string
  readonly reference: string | null
  readonly firstSeen: number
  readonly lastSeen: number
}

const byWeight = (a: NamedSighting, b: NamedSighting): number =>
  b.confidence - a.confidence || a.firstSeen - b.firstSeen || a.sourceId - b.sourceId

const byAge = (a: NamedSighting, b: NamedSighting): number =>
  a.firstSeen - b.firstSeen || a.sourceId - b.sourceId

function combineConfidence(sightings: readonly NamedSighting[]): number {
  // A source of confidence 0 says where something is hosted, not that it is bad.
  const opinions = sightings.filter((sighting) => sighting.confidence > 0)
  const strongest = Math.max(0, ...opinions.map((sighting) => sighting.confidence))
  return Math.min(100, strongest + corroboration * Math.max(0, opinions.length - 1))
}

type Known = Omit<IndicatorState, 'active' | 'published' | 'threatLevel'>

const nothingKnown: Known = {
  threatType: 'phishing',
  confidence: 0,
  targetBrand: null,
  targetBrandOrigin: null,
  malwareFamily: null,
  sources: '',
  reference: null,
  firstSeen: 0,
  lastSeen: 0,
}

function combineSightings(
  shownInAnyOrder: readonly NamedSighting[],
  redistributable: readonly NamedSighting[],
): Known {
  const shown = [...shownInAnyOrder].sort(byWeight)
  const named = shown.filter((sighting) => sighting.targetBrand !== null)
  const branded = named.find((sighting) => sighting.targetBrandOrigin === 'source') ?? named[0]
  return {
    threatType: shown[0]?.threatType ?? nothingKnown.threatType,
    confidence: combineConfidence(shown),
    targetBrand: branded?.targetBrand ?? null,
    targetBrandOrigin: branded?.targetBrandOrigin ?? null,
    malwareFamily: shown.find((sighting) => sighting.malwareFamily !== null)?.malwareFamily ?? null,
    sources: [...redistributable]
      .sort(byAge)
      .map((sighting) => sighting.source)
      .join(' '),
    reference: redistributable.find((sighting) => sighting.reference !== null)?.reference ?? null,
    firstSeen: Math.min(...shown.map((sighting) => sighting.firstSeen)),
    lastSeen: Math.max(...shown.map((sighting) => sighting.lastSeen)),
  }
}

/** The name of the operator's own `block` among the sources. */
export const operatorSource = 'operator'

/**
 * Returns the state of an indicator with these live sightings and this decision.
 *
 * With nothing live, what was last known is kept (`last`), so that a tombstone still tells what it
 * was. What the operator blocks is published as the operator's decision, with what redistributable
 * sources list about it. O(n log n) in the number of sources.
 */
export function mergeSightings(
  sightings: readonly NamedSighting[],
  decision: IndicatorRow['decision'],
  last: Known | null,
): IndicatorState {
  const isActive = decision === 'block' || (decision !== 'allow' && sightings.length > 0)
  const redistributable = sightings.filter((sighting) => sighting.redistribute === 1)
  const isBlocked = decision === 'block'
  const shown = redistributable.length > 0 || isBlocked ? redistributable : sightings
  const known =
    shown.length === 0 ? keepKnown(last, isBlocked) : combineSightings(shown, redistributable)
  const confidence = isBlocked ? 100 : known.confidence
  const names = redistributable.length > 0 ? known.sources : ''
  return {
    active: isActive ? 1 : 0,
    published: isBlocked || (isActive && redistributable.length > 0) ? 1 : 0,
    threatType: known.threatType,
    threatLevel: toThreatLevel(known.threatType, confidence),
    confidence,
    // Each by name: `last` may be a whole row.
    targetBrand: known.targetBrand,
    targetBrandOrigin: known.targetBrandOrigin,
    malwareFamily: known.malwareFamily,
    sources: isBlocked ? `${names} ${operatorSource}`.trim() : known.sources,
    reference: known.reference,
    firstSeen: known.firstSeen,
    lastSeen: known.lastSeen,
  }
}

/** What is known when no source may be shown: what was last known, or only when it was seen. */
function keepKnown(last: Known | null, isBlocked: boolean): Known {
  if (last === null || !isBlocked) return last ?? nothingKnown
  const { firstSeen, lastSeen, targetBrand, targetBrandOrigin } = last
  // What the rules find in the name itself is no source's secret.
  const brand = targetBrandOrigin === 'rules' ? { targetBrand, targetBrandOrigin } : {}
  return { ...nothingKnown, ...brand, firstSeen, lastSeen }
}

const findBand = (confidence: number): number =>
  bandStarts.findLastIndex((start) => confidence >= start)

/** Reports whether the meaning of `after` differs from that of `before`. */
export function changesMeaning(before: IndicatorRow, after: IndicatorRow): boolean {
  return (
    before.active !== after.active ||
    before.published !== after.published ||
    before.doNotBlock !== after.doNotBlock ||
    before.decision !== after.decision ||
    before.threatType !== after.threatType ||
    before.threatLevel !== after.threatLevel ||
    before.targetBrand !== after.targetBrand ||
    before.malwareFamily !== after.malwareFamily ||
    findBand(before.confidence) !== findBand(after.confidence)
  )
}

/** The states that events record. */
export type RecordedState = 'absent' | 'listed' | 'private' | 'delisted'

/** Returns a row's state; null is a row that is not there yet. */
export function toState(row: IndicatorRow | null): RecordedState {
  if (row === null) return 'absent'
  if (row.active === 0) return 'delisted'
  return row.published === 1 ? 'listed' : 'private'
}
