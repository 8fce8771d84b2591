/**
 * All that weir knows of one value, gathered from the database and the checks: what `weir show --json`
 * prints. Made for the operator's own terminal: private sources are named here.
 */

import type { Checkers } from '../checkers.ts'
import type { PhoneAnswer } from '../checks/phone.ts'
import { type Guards, parentsOf } from '../feeds/guards.ts'
import { type OperatorValue, spellingsOf, wordAbout } from '../feeds/operator.ts'
import { type Protection, protectionsOf } from '../feeds/protection.ts'
import { parseAddress, toUrlHost } from '../model/address.ts'
import type { AudienceWords } from '../model/audience.ts'
import type { Indicator, IndicatorType } from '../model/indicator.ts'
import { type PlatformMode, platformNote } from '../model/platform.ts'
import { canonicalizeUrl, pathExpressions } from '../model/url.ts'
import type { Verdict } from '../model/verdict.ts'
import { timeText } from '../publish/wire.ts'
import type { IndicatorEvent } from '../store/events.ts'
import type { NamedSighting } from '../store/sightings.ts'
import type { ReadStore } from '../store/store.ts'
import { type WordRecord, wordRecord } from './word.ts'

/** How many events are told. */
const eventsMax = 20

/** How the row stands. Times are RFC 3339. */
export interface ListingRecord
  extends Pick<
    Indicator,
    | 'isActive'
    | 'isPublished'
    | 'doNotBlock'
    | 'threatType'
    | 'threatLevel'
    | 'confidence'
    | 'targetBrand'
    | 'targetBrandOrigin'
    | 'malwareFamily'
    | 'seq'
  > {
  readonly firstSeen: string
  readonly lastSeen: string
  readonly listedAt: string
  /** Whom it concerns, with the words that decided. */
  readonly audiences: AudienceWords
}

/** What one source says, or said. */
export interface SightingRecord
  extends Pick<
    Indicator,
    'threatType' | 'confidence' | 'targetBrand' | 'targetBrandOrigin' | 'malwareFamily'
  > {
  readonly source: string
  /** A `withheld` one comes back with its source. */
  readonly state: 'live' | 'ended' | 'withheld'
  /** When it ends, its source having dropped it. */
  readonly endsAt: string | null
  readonly isPassedOn: boolean
  readonly firstSeen: string
  readonly lastSeen: string
  readonly reference: string | null
}

/** One change of state. */
export interface EventRecord {
  readonly at: string
  readonly from: IndicatorEvent['fromState']
  readonly to: IndicatorEvent['toState']
  readonly reason: IndicatorEvent['reason']
  /** The source, or who decided. */
  readonly by: string
}

/** What a check says of the value; each kind of check has codes of its own. */
interface DossierVerdict extends Pick<Verdict, 'status' | 'confidence' | 'score' | 'note'> {
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
}

/** Something around the value that is listed, or about which a word stands. */
export interface RelatedRecord {
  readonly type: IndicatorType
  readonly value: string
  readonly isListed: boolean
  readonly word: WordRecord['verdict'] | null
}

export interface Dossier {
  readonly query: string
  readonly type: IndicatorType
  readonly value: string
  readonly isKnown: boolean
  /** What the checks answer now; null for what no check asks for. */
  readonly verdict: DossierVerdict | null
  /** The operator's word. */
  readonly word: WordRecord | null
  readonly listing: ListingRecord | null
  readonly platform: {
    readonly apex: string
    readonly mode: PlatformMode
    readonly note: string
  } | null
  readonly protections: readonly Protection[]
  /** The host and the names and directories above it, and a page's other spellings. */
  readonly related: readonly RelatedRecord[]
  /** Some listed page of the host. */
  readonly listedPage: string | null
  readonly sightings: readonly SightingRecord[]
  /** The last of them, oldest first. */
  readonly events: readonly EventRecord[]
}

/** Where a dossier is gathered from. */
export interface Archive {
  readonly store: ReadStore
  readonly checks: Checkers
  readonly guards: Guards
}

/** Gathers all that is known of what was named; `query` is how it was written. */
export function dossierOf(archive: Archive, query: string, named: OperatorValue): Dossier {
  const { store, checks, guards } = archive
  const { type } = named
  const row = rowOf(store, named)
  const value = row?.value ?? named.value
  const verdict = verdictOf(checks, named)
  const word = row === null ? null : store.decisions.find(row.id)
  const host = hostOf(named)
  const platform = host === null ? null : guards.platforms.findPlatform(host)
  const protections = protectionsOf(store, named, guards)
  const related = relatedOf(store, named).filter((known) => known.value !== value)
  const listedPage = host === null ? null : (store.pageOnHost(host)?.value ?? null)
  const isAnswered = verdict !== null && verdict.status !== 'not_found'
  const hasNeighbours = related.length > 0 || listedPage !== null || protections.length > 0
  return {
    query,
    type,
    value,
    isKnown: row !== null || isAnswered || hasNeighbours,
    verdict,
    word: word === null ? null : wordRecord(word),
    listing: row === null ? null : listingRecord(row, store.audiencesOf(row.id)),
    platform: platform === null ? null : { ...platform, note: platformNote(platform) },
    protections,
    related,
    listedPage: listedPage === value ? null : listedPage,
    sightings: row === null ? [] : store.sightings.all(row.id).map(sightingRecord),
    events: row === null ? [] : store.events.of(row.id, eventsMax).map(eventRecord).reverse(),
  }
}

/** Returns the row of what was named: of a page's spellings, one that is listed comes first. */
function rowOf(store: ReadStore, named: OperatorValue): Indicator | null {
  const rows = spellingsOf(named).flatMap((value) => store.byValue(value, named.type) ?? [])
  return rows.find(({ isActive }) => isActive) ?? rows[0] ?? null
}

function verdictOf(checks: Checkers, { type, value }: OperatorValue): Dossier['verdict'] {
  switch (type) {
    case 'domain':
    case 'url':
    case 'ip': {
      const answer = checks.urls.check(value)
      return answer.ok ? verdictRecord(answer.value.verdict) : null
    }
    case 'sha256':
    case 'sha1':
    case 'md5': {
      const answer = checks.digests.check(value)
      return answer.ok ? verdictRecord(answer.value) : null
    }
    case 'phone': {
      const answer = checks.phones.check(value)
      return answer.ok ? phoneRecord(answer.value) : null
    }
    case 'email':
      return null
  }
}

/** What a check of the number says; it knows neither confidence nor score. */
function phoneRecord({ status, reasons }: PhoneAnswer): Dossier['verdict'] {
  return { status, confidence: 0, score: 0, reasons, note: null }
}

function verdictRecord(verdict: Verdict): Dossier['verdict'] {
  const { status, confidence, score, reasons, note } = verdict
  return { status, confidence, score, reasons, note }
}

function listingRecord(row: Indicator, audiences: AudienceWords): ListingRecord {
  const { isActive, isPublished, doNotBlock, threatType, threatLevel, confidence } = row
  const { targetBrand, targetBrandOrigin, malwareFamily, seq } = row
  return {
    isActive,
    isPublished,
    doNotBlock,
    threatType,
    threatLevel,
    confidence,
    targetBrand,
    targetBrandOrigin,
    malwareFamily,
    firstSeen: timeText(row.firstSeen),
    lastSeen: timeText(row.lastSeen),
    listedAt: timeText(row.listedAt),
    seq,
    audiences,
  }
}

function sightingRecord(row: NamedSighting): SightingRecord {
  return {
    source: row.source,
    state: row.live === 1 ? 'live' : row.withheld === 1 ? 'withheld' : 'ended',
    endsAt: row.endsAt === null ? null : timeText(row.endsAt),
    isPassedOn: row.redistribute === 1,
    threatType: row.threatType,
    confidence: row.confidence,
    targetBrand: row.targetBrand,
    targetBrandOrigin: row.targetBrandOrigin,
    malwareFamily: row.malwareFamily,
    firstSeen: timeText(row.firstSeen),
    lastSeen: timeText(row.lastSeen),
    reference: row.reference,
  }
}

function eventRecord({
  at,
  fromState: from,
  toState: to,
  reason,
  by,
}: IndicatorEvent): EventRecord {
  return { at: timeText(at), from, to, reason, by }
}

type Neighbour = Pick<OperatorValue, 'type' | 'value'>

/** Returns what around the value is listed, or has a word about it. */
function relatedOf(store: ReadStore, named: OperatorValue): RelatedRecord[] {
  return neighboursOf(named).flatMap(({ type, value }): RelatedRecord[] => {
    const isListed = store.byValue(value, type)?.isActive === true
    const word = wordAbout(store, type, value)?.verdict ?? null
    return isListed || word !== null ? [{ type, value, isListed, word }] : []
  })
}

/** Returns the values, nearest first, whose listing is also about what was named. */
function neighboursOf(named: OperatorValue): Neighbour[] {
  const host = hostOf(named)
  if (host === null) return []
  const address = parseAddress(host)
  const hosts: Neighbour[] =
    address === null
      ? [host, ...parentsOf(host)].map((value) => ({ type: 'domain', value }))
      : [{ type: 'ip', value: address.text }]
  const pages = pageKeysOf(named, host).flatMap((key) =>
    spellingsOf({ type: 'url', value: `http://${key}` }),
  )
  return [...pages.map((value): Neighbour => ({ type: 'url', value })), ...hosts]
}

/** Returns the host as it stands in URLs; null for what has none. */
function hostOf({ type, value, host }: OperatorValue): string | null {
  if (type === 'domain') return value
  const address = type === 'ip' ? parseAddress(value) : null
  return address === null ? (host ?? null) : toUrlHost(address)
}

function pageKeysOf({ type, value }: OperatorValue, host: string): string[] {
  if (type === 'email') return []
  // A listed root page is a listing of its host.
  if (type !== 'url') return [`${host}/`]
  const url = canonicalizeUrl(value)
  return url.ok ? pathExpressions(url.value) : []
}
