/**
 * Writes an operator's review of a report. Accepting a report lists what it names, as the source `reports`
 * and under the same guards as any list; accepting an appeal allows the value, so that no list lists it
 * again.
 */

import { findListingAudiences, findReportAudiences } from '../ingest/audiences.ts'
import type { Guards } from '../ingest/guards.ts'
import { judgeIndicator, type Refusal } from '../ingest/judge.ts'
import {
  type DecisionRequest,
  findDecision,
  readOperatorValue,
  toDecideOperations,
} from '../ingest/operator.ts'
import type { AudienceWords } from '../model/audience.ts'
import type { BrandNamer } from '../model/brand.ts'
import type { ThreatType } from '../model/indicator.ts'
import type { Platforms } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import type { CallCount, Operation, Sighting } from '../store/batch.ts'
import { reportSource } from '../store/report-desk.ts'
import type { StoredReport } from '../store/reports.ts'
import type { WriteStore } from '../store/store.ts'

/** Why a review was not written. */
export type ReviewRefusal =
  | { readonly kind: 'unknown' }
  /** It has this status already. */
  | { readonly kind: 'settled' }
  /** Its text has been erased. */
  | { readonly kind: 'erased' }
  /** It appeals against a block of the operator. */
  | { readonly kind: 'blocked' }
  /** A guard keeps every list from listing what it names. */
  | { readonly kind: 'guarded'; readonly reason: Refusal }

export interface ReviewParts {
  readonly store: WriteStore
  readonly guards: Guards
  readonly platforms: Platforms
  readonly naming: BrandNamer
  readonly now: () => number
}

/** Who reviews a report, and why. */
export interface Review {
  /** The reporter can read it as well. */
  readonly reason: string | null
  readonly by: string
}

/** What a review changed. */
export interface Reviewed {
  readonly report: StoredReport
  /** The sequence number from which views answer accordingly. */
  readonly seq: number
  /** The value that was listed or delisted; null: none. */
  readonly value: string | null
}

type Outcome = Result<Reviewed, ReviewRefusal>

const refused = (reason: ReviewRefusal): Outcome => ({ ok: false, reason })

const dayMs = 86_400_000

/** Returns the threat of a report; a phone number is listed as a scam, not as phishing. */
const toThreatType = ({ valueType: type }: StoredReport): ThreatType =>
  type === 'phone' ? 'scam' : reportSource.threatType

/** Returns how often calls were reported, for checks of the number. */
function toCallCounts({ createdAt: at, count }: StoredReport): readonly CallCount[] {
  return [{ day: Math.floor(at / dayMs) * dayMs, subject: 'none_given', count }]
}

/** A name of letters, digits and the punctuation of company names. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{N} &'’+-]{0,59}$/u

/** Returns the brand that a stranger names if weir knows it or the name is plain; else null. */
function findNamedBrand(brand: string | null, naming: BrandNamer): string | null {
  if (brand === null) return null
  const name = naming.toKnownName(brand)
  return name !== brand || plainName.test(brand) ? name : null
}

/** Returns what an accepted report lists; null when it names nothing that can be listed. */
function buildListing(report: StoredReport, parts: ReviewParts): Result<Sighting | null, Refusal> {
  const { value, valueType: type } = report
  if (value === null || type === null) return { ok: true, value: null }
  const judged = judgeIndicator({ type, value }, parts.guards)
  if (!judged.ok) return judged
  // It would be flagged and not blocked, and a whole platform is not a scam.
  if (judged.value.doNotBlock === true) return { ok: false, reason: 'whole_platform' }
  const reported = findNamedBrand(report.targetBrand, parts.naming)
  const targetBrand = reported ?? parts.naming.findBrand(judged.value)
  const branded: Sighting = {
    ...judged.value,
    threatType: toThreatType(report),
    ...(type === 'phone' ? { calls: toCallCounts(report) } : {}),
    ...(targetBrand === null
      ? {}
      : { targetBrand, targetBrandOrigin: reported === null ? 'rules' : 'source' }),
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

/** Returns the operations that decide about what an appeal names. */
function toAppealOperations(
  report: StoredReport,
  decision: Pick<DecisionRequest, 'verdict' | 'reason' | 'by'>,
  { store, platforms }: ReviewParts,
): readonly Decide[] {
  const named = readOperatorValue(report.value ?? '', platforms)
  if (!named.ok) return []
  return toDecideOperations(store, named.value, { ...decision, until: null, isAppeal: true })
}

/** Marks an allow that answers a report: rejecting the appeal must not clear the operator's own decisions. */
const reasonByReport = (id: number, reason: string): string => `report ${id}: ${reason}`
const isByReport = (reason: string): boolean => /^report \d+: /.test(reason)

/** Maximum number of reports of one value that are searched for another accepted appeal. */
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

/** Accepts a report; with `isListed` false its text is published and nothing is listed. */
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
    const allow = { verdict: 'allow', reason, by: review.by } as const
    const allows = toAppealOperations(report, allow, parts)
    const verdicts = allows.map(
      ({ type, value: text }) => findDecision(parts.store, type, text)?.verdict,
    )
    if (verdicts.includes('block')) return refused({ kind: 'blocked' })
    // An older allow remains as it is.
    const added = allows.filter((_, index) => verdicts[index] !== 'allow')
    return await write(parts, report, value, [
      toSettleOperation(report, 'accepted', review, nothing),
      ...added,
    ])
  }
  const listing = isListed ? buildListing(report, parts) : ({ ok: true, value: null } as const)
  if (!listing.ok) return refused({ kind: 'guarded', reason: listing.reason })
  const audiences = findReportAudiences({ value, description, targetBrand })
  return await write(parts, report, listing.value?.value ?? null, [
    toSettleOperation(report, 'accepted', review, { audiences, listing: listing.value }),
  ])
}

/** Rejects a report; if it had been accepted, undoes what it listed or delisted. */
export async function rejectReport(
  parts: ReviewParts,
  id: number,
  review: Review,
): Promise<Outcome> {
  const report = parts.store.reports.byId(id)
  if (report === null) return refused({ kind: 'unknown' })
  if (report.status === 'rejected') return refused({ kind: 'settled' })
  const operations: Operation[] = [toSettleOperation(report, 'rejected', review, nothing)]
  let isUndone = report.indicatorId !== null
  if (report.status === 'accepted' && report.type === 'false_positive') {
    const clear = { verdict: 'clear', reason: review.reason ?? '', by: review.by } as const
    const clears = toAppealOperations(report, clear, parts)
    const isByAppeal = ({ type, value }: Decide): boolean => {
      const decision = findDecision(parts.store, type, value)
      return decision?.verdict === 'allow' && isByReport(decision.reason)
    }
    const cleared = hasOtherAppeal(parts.store, report) ? [] : clears.filter(isByAppeal)
    isUndone = cleared.length > 0
    operations.push(...cleared)
  }
  return await write(parts, report, isUndone ? report.value : null, operations)
}

/** Marks a new report as in review; any other status remains. */
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
