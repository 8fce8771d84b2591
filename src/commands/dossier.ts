/**
 * All that weir knows of one value, from the database and the checks: the output of `weir show --json`.
 * It names private sources: it is for the operator's own terminal.
 */

import type { Checkers } from '../checkers.ts'
import type { PhoneAnswer } from '../checks/phone.ts'
import { findPublicParents, type Guards } from '../ingest/guards.ts'
import { findDecision, type OperatorValue, toSpellings } from '../ingest/operator.ts'
import { findProtections, type Protection } from '../ingest/protection.ts'
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
import { type DecisionRecord, toDecisionRecord } from './decisions.ts'

/** Maximum number of events. */
const eventsMax = 20

/** The sighting of one source, live or past. Times are RFC 3339. */
export type SightingRecord = ReturnType<typeof toSightingRecord>

/** The answer of a check; each kind of check has its own codes. */
interface DossierVerdict extends Pick<Verdict, 'status' | 'confidence' | 'score' | 'note'> {
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
}

/** A related value that is listed, or about which the operator decided. */
interface RelatedRecord {
  readonly type: IndicatorType
  readonly value: string
  readonly isListed: boolean
  readonly decision: DecisionRecord['verdict'] | null
}

export interface Dossier {
  readonly query: string
  readonly type: IndicatorType
  readonly value: string
  readonly isKnown: boolean
  /** The answer of a check now; null for types that have no check. */
  readonly verdict: DossierVerdict | null
  readonly decision: DecisionRecord | null
  readonly listing: ReturnType<typeof toListingRecord> | null
  readonly platform: {
    readonly apex: string
    readonly mode: PlatformMode
    readonly note: string
  } | null
  readonly protections: readonly Protection[]
  /** The host, the names and directories above it, and a page's other spellings. */
  readonly related: readonly RelatedRecord[]
  /** One listed page of the host. */
  readonly listedPage: string | null
  readonly sightings: readonly SightingRecord[]
  /** The latest events, oldest first. */
  readonly events: readonly ReturnType<typeof toEventRecord>[]
}

/** What a dossier is built from. */
export interface Archive {
  readonly store: ReadStore
  readonly checks: Checkers
  readonly guards: Guards
}

/** Returns all that is known of a value; `query` is how it was written. */
export function createDossier(archive: Archive, query: string, named: OperatorValue): Dossier {
  const { store, checks, guards } = archive
  const { type } = named
  const row = findRow(store, named)
  const value = row?.value ?? named.value
  const verdict = findVerdict(checks, named)
  const decision = row === null ? null : store.decisions.find(row.id)
  const host = findHost(named)
  const platform = host === null ? null : guards.platforms.findPlatform(host)
  const protections = findProtections(store, named, guards)
  const related = findRelated(store, named).filter((known) => known.value !== value)
  const listedPage = host === null ? null : (store.pageOnHost(host)?.value ?? null)
  const isAnswered = verdict !== null && verdict.status !== 'not_found'
  const hasNeighbours = related.length > 0 || listedPage !== null || protections.length > 0
  return {
    query,
    type,
    value,
    isKnown: row !== null || isAnswered || hasNeighbours,
    verdict,
    decision: decision === null ? null : toDecisionRecord(decision),
    listing: row === null ? null : toListingRecord(row, store.audiencesOf(row.id)),
    platform: platform === null ? null : { ...platform, note: platformNote(platform) },
    protections,
    related,
    listedPage: listedPage === value ? null : listedPage,
    sightings: row === null ? [] : store.sightings.all(row.id).map(toSightingRecord),
    events: row === null ? [] : store.events.of(row.id, eventsMax).map(toEventRecord).reverse(),
  }
}

/** Returns the row of a value; of a page's spellings, a listed one is preferred. */
function findRow(store: ReadStore, named: OperatorValue): Indicator | null {
  const rows = toSpellings(named).flatMap((value) => store.byValue(value, named.type) ?? [])
  return rows.find(({ isActive }) => isActive) ?? rows[0] ?? null
}

function findVerdict(checks: Checkers, { type, value }: OperatorValue): Dossier['verdict'] {
  switch (type) {
    case 'domain':
    case 'url':
    case 'ip': {
      const answer = checks.urls.check(value)
      return answer.ok ? toVerdictRecord(answer.value.verdict) : null
    }
    case 'sha256':
    case 'sha1':
    case 'md5': {
      const answer = checks.digests.check(value)
      return answer.ok ? toVerdictRecord(answer.value) : null
    }
    case 'phone': {
      const answer = checks.phones.check(value)
      return answer.ok ? toPhoneRecord(answer.value) : null
    }
    case 'email':
      return null
  }
}

/** A check of a number gives neither confidence nor score. */
function toPhoneRecord({ status, reasons }: PhoneAnswer): Dossier['verdict'] {
  return { status, confidence: 0, score: 0, reasons, note: null }
}

function toVerdictRecord(verdict: Verdict): Dossier['verdict'] {
  const { status, confidence, score, reasons, note } = verdict
  return { status, confidence, score, reasons, note }
}

/** Returns the state of a row, with its audiences and the words that decided them. */
function toListingRecord(row: Indicator, audiences: AudienceWords) {
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

/** Returns a sighting: a `withheld` one is restored when its source is enabled. */
function toSightingRecord(row: NamedSighting) {
  const { source, threatType, confidence, targetBrand, targetBrandOrigin, malwareFamily } = row
  const notLive = row.withheld === 1 ? 'withheld' : 'ended'
  return {
    source,
    state: row.live === 1 ? 'live' : notLive,
    /** When it ends, if its source has dropped it. */
    endsAt: row.endsAt === null ? null : timeText(row.endsAt),
    isRedistributable: row.redistribute === 1,
    threatType,
    confidence,
    targetBrand,
    targetBrandOrigin,
    malwareFamily,
    firstSeen: timeText(row.firstSeen),
    lastSeen: timeText(row.lastSeen),
    reference: row.reference,
  }
}

/** Returns a change of state; `by` is the source, or who decided. */
function toEventRecord({ at, fromState: from, toState: to, reason, by }: IndicatorEvent) {
  return { at: timeText(at), from, to, reason, by }
}

type Neighbour = Pick<OperatorValue, 'type' | 'value'>

/** Returns the related values that are listed, or about which the operator decided. */
function findRelated(store: ReadStore, named: OperatorValue): RelatedRecord[] {
  return findNeighbours(named).flatMap(({ type, value }): RelatedRecord[] => {
    const isListed = store.byValue(value, type)?.isActive === true
    const decision = findDecision(store, type, value)?.verdict ?? null
    return isListed || decision !== null ? [{ type, value, isListed, decision }] : []
  })
}

/** Returns the values, nearest first, whose listing also covers this one. */
function findNeighbours(named: OperatorValue): Neighbour[] {
  const host = findHost(named)
  if (host === null) return []
  const address = parseAddress(host)
  const hosts: Neighbour[] =
    address === null
      ? [host, ...findPublicParents(host)].map((value) => ({ type: 'domain', value }))
      : [{ type: 'ip', value: address.text }]
  const pages = toPageKeys(named, host).flatMap((key) =>
    toSpellings({ type: 'url', value: `http://${key}` }),
  )
  return [...pages.map((value): Neighbour => ({ type: 'url', value })), ...hosts]
}

/** Returns the host as URLs contain it; null when there is none. */
function findHost({ type, value, host }: OperatorValue): string | null {
  if (type === 'domain') return value
  const address = type === 'ip' ? parseAddress(value) : null
  return address === null ? (host ?? null) : toUrlHost(address)
}

function toPageKeys({ type, value }: OperatorValue, host: string): string[] {
  if (type === 'email') return []
  // A listed root page is a listing of its host.
  if (type !== 'url') return [`${host}/`]
  const url = canonicalizeUrl(value)
  return url.ok ? pathExpressions(url.value) : []
}
