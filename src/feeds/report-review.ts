/**
 * An operator's word about what strangers have reported. Accepting a report lists what it names, by the
 * source `reports` and under the same guards as any list; accepting an appeal takes the listing away, and
 * no list brings it back.
 */

import type { AudienceWords } from '../model/audience.ts'
import type { ThreatType } from '../model/indicator.ts'
import type { Platforms } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import type { CallCount, Operation, Sighting } from '../store/batch.ts'
import { reportSource } from '../store/report-desk.ts'
import type { StoredReport } from '../store/reports.ts'
import type { WriteStore } from '../store/store.ts'
import { findListingAudiences, findReportAudiences } from './audiences.ts'
import type { Guards } from './guards.ts'
import type { BrandNaming } from './intake.ts'
import { judgeIndicator, type Refusal } from './judge.ts'
import {
  type DecisionRequest,
  findDecision,
  readOperatorValue,
  toDecideOperations,
} from './operator.ts'

/** Why a word about a report was not written. */
export type ReviewRefusal =
  | { readonly kind: 'unknown' }
  /** It says so already. */
  | { readonly kind: 'settled' }
  /** What it said has been erased. */
  | { readonly kind: 'erased' }
  /** It appeals what the operator has blocked by a word of his own. */
  | { readonly kind: 'blocked' }
  /** No list may list what it names. */
  | { readonly kind: 'guarded'; readonly reason: Refusal }

export interface ReviewParts {
  readonly store: WriteStore
  readonly guards: Guards
  readonly platforms: Platforms
  readonly naming: BrandNaming
  readonly now: () => number
}

/** What an operator says of a report. */
export interface Review {
  /** For the reporter to read as well. */
  readonly reason: string | null
  readonly by: string
}

/** What became of a review. */
export interface Reviewed {
  readonly report: StoredReport
  /** The number to which views must come to answer so. */
  readonly seq: number
  /** What was listed or taken from the lists; null: nothing. */
  readonly value: string | null
}

type Outcome = Result<Reviewed, ReviewRefusal>

const refused = (reason: ReviewRefusal): Outcome => ({ ok: false, reason })

const dayMs = 86_400_000

/** A call or a letter is no page to type a password into. */
const toThreatType = ({ valueType: type }: StoredReport): ThreatType =>
  type === 'phone' ? 'scam' : reportSource.threatType

/** Whoever asks about a number is told how often calls from it were reported. */
function toCallCounts({ createdAt: at, count }: StoredReport): readonly CallCount[] {
  return [{ day: Math.floor(at / dayMs) * dayMs, subject: 'none_given', count }]
}

/** A name of letters, digits and what companies put between them. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{N} &'’+-]{0,59}$/u

/** Returns the brand that a stranger names: one that weir knows, or at least a plain name. */
function findNamedBrand(said: string | null, naming: BrandNaming): string | null {
  if (said === null) return null
  const name = naming.toKnownName(said)
  return name !== said || plainName.test(said) ? name : null
}

/** Returns what an accepted report lists: null when it names nothing that could be. */
function buildListing(report: StoredReport, parts: ReviewParts): Result<Sighting | null, Refusal> {
  const { value, valueType: type, targetBrand: said } = report
  if (value === null || type === null) return { ok: true, value: null }
  const judged = judgeIndicator({ type, value }, parts.guards)
  if (!judged.ok) return judged
  // It would be flagged and not blocked, and a whole platform is nobody's scam.
  if (judged.value.doNotBlock === true) return { ok: false, reason: 'whole_platform' }
  const told = findNamedBrand(said, parts.naming)
  const targetBrand = told ?? parts.naming.findBrand(judged.value)
  const branded: Sighting = {
    ...judged.value,
    threatType: toThreatType(report),
    ...(type === 'phone' ? { calls: toCallCounts(report) } : {}),
    ...(targetBrand === null
      ? {}
      : { targetBrand, targetBrandOrigin: told === null ? 'rules' : 'source' }),
  }
  const { confidence } = reportSource
  const audiences = findListingAudiences({
    ...branded,
    threatType: toThreatType(report),
    confidence,
  })
  return { ok: true, value: { ...branded, audiences } }
}

type Decide = Operation & { op: 'decide' }

/** Returns the words about what an appeal has named. */
function appealOperations(
  report: StoredReport,
  word: Pick<DecisionRequest, 'verdict' | 'reason' | 'by'>,
  { store, platforms }: ReviewParts,
): readonly Decide[] {
  const named = readOperatorValue(report.value ?? '', platforms)
  if (!named.ok) return []
  return toDecideOperations(store, named.value, { ...word, until: null, isAppeal: true })
}

/** What was allowed because of a report says so: the operator's own words are not an appeal's to take back. */
const reasonByReport = (id: number, reason: string): string => `report ${id}: ${reason}`
const isByReport = (reason: string): boolean => /^report \d+: /.test(reason)

/** So many reports of one value are looked at for another appeal that stands. */
const othersMax = 100

function hasOtherAppeal(store: WriteStore, { id, value }: StoredReport): boolean {
  const others = value === null ? [] : store.reports.ofValue(value, othersMax)
  return others.some(
    (other) => other.id !== id && other.type === 'false_positive' && other.status === 'accepted',
  )
}

const toSettleOperation = (
  report: StoredReport,
  status: 'in_review' | 'accepted' | 'rejected',
  { reason, by }: Review,
  accepted: { readonly audiences: AudienceWords; readonly listing: Sighting | null },
): Operation => {
  const { id, status: from } = report
  return { op: 'settleReport', id, from, status, reason, by, ...accepted }
}

const nothing = { audiences: {}, listing: null } as const

/** Accepts a report; with `isListed` false nothing is listed, and only what it tells is shown. */
export async function acceptReport(
  parts: ReviewParts,
  id: number,
  review: Review,
  isListed: boolean,
): Promise<Outcome> {
  const report = parts.store.reports.byId(id)
  if (report === null) return refused({ kind: 'unknown' })
  if (report.status === 'accepted') return refused({ kind: 'settled' })
  const { value, description, targetBrand } = report
  if (value === null && description === null) return refused({ kind: 'erased' })
  if (report.type === 'false_positive') {
    const reason = reasonByReport(id, review.reason ?? 'an appeal was accepted')
    const word = { verdict: 'allow', reason, by: review.by } as const
    const words = appealOperations(report, word, parts)
    const verdicts = words.map(
      (about) => findDecision(parts.store, about.type, about.value)?.verdict,
    )
    if (verdicts.includes('block')) return refused({ kind: 'blocked' })
    // What is allowed already stays so by the word that is older.
    const fresh = words.filter((_, index) => verdicts[index] !== 'allow')
    return await write(parts, report, value, [
      toSettleOperation(report, 'accepted', review, nothing),
      ...fresh,
    ])
  }
  const listing = isListed ? buildListing(report, parts) : ({ ok: true, value: null } as const)
  if (!listing.ok) return refused({ kind: 'guarded', reason: listing.reason })
  const audiences = findReportAudiences({ value, description, targetBrand })
  return await write(parts, report, listing.value?.value ?? null, [
    toSettleOperation(report, 'accepted', review, { audiences, listing: listing.value }),
  ])
}

/** Rejects a report; of one that had been accepted, what it has listed or delisted is taken back. */
export async function rejectReport(
  parts: ReviewParts,
  id: number,
  review: Review,
): Promise<Outcome> {
  const report = parts.store.reports.byId(id)
  if (report === null) return refused({ kind: 'unknown' })
  if (report.status === 'rejected') return refused({ kind: 'settled' })
  const operations: Operation[] = [toSettleOperation(report, 'rejected', review, nothing)]
  let isTakenBack = report.indicatorId !== null
  if (report.status === 'accepted' && report.type === 'false_positive') {
    const word = { verdict: 'clear', reason: review.reason ?? '', by: review.by } as const
    const about = appealOperations(report, word, parts)
    const isAppeals = ({ type, value }: Decide): boolean => {
      const standing = findDecision(parts.store, type, value)
      return standing?.verdict === 'allow' && isByReport(standing.reason)
    }
    const cleared = hasOtherAppeal(parts.store, report) ? [] : about.filter(isAppeals)
    isTakenBack = cleared.length > 0
    operations.push(...cleared)
  }
  return await write(parts, report, isTakenBack ? report.value : null, operations)
}

/** Notes that somebody looks at a report; one that is settled stays so. */
export async function beginReview(
  { store, now }: Pick<ReviewParts, 'store' | 'now'>,
  report: StoredReport,
  by: string,
): Promise<void> {
  if (report.status !== 'received') return
  const operations = [toSettleOperation(report, 'in_review', { reason: null, by }, nothing)]
  await store.write({ at: now(), operations })
}

async function write(
  { store, now }: ReviewParts,
  report: StoredReport,
  value: string | null,
  operations: readonly Operation[],
): Promise<Outcome> {
  const { seq } = await store.write({ at: now(), operations })
  return { ok: true, value: { report: store.reports.byId(report.id) ?? report, seq, value } }
}
