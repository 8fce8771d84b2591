/**
 * Answers many indicators in one call, from local data only (specification §4, POST
 * /api/v1/check/bulk). URLs and names are judged exactly as `url` judges them.
 */

import type { Listings } from '../index/catalog.ts'
import { type DigestRefusal, digestRefusalMessages, parseDigest } from '../model/digest.ts'
import type { Indicator } from '../model/indicator.ts'
import type { Result } from '../model/result.ts'
import { urlRefusalMessages } from '../model/url.ts'
import type { Finding, Reason, Verdict, VerdictStatus } from '../model/verdict.ts'
import type { UrlFinder } from './url.ts'

/** The most items one request may hold, over its three lists together (specification §8). */
export const bulkItemsMax = 500

export interface BulkRequest {
  readonly urls: readonly string[]
  readonly domains: readonly string[]
  readonly hashes: readonly string[]
}

/** One item's answer, or why the value could not be read. */
export type BulkItemAnswer =
  | { readonly value: string; readonly verdict: Finding }
  | { readonly value: string; readonly error: string }

/** Every list in the order and length of its request list. */
export interface BulkAnswer {
  readonly counts: Readonly<Record<VerdictStatus | 'invalid', number>>
  readonly urls: readonly BulkItemAnswer[]
  readonly domains: readonly BulkItemAnswer[]
  readonly hashes: readonly BulkItemAnswer[]
  readonly updatedAt: number
}

export interface BulkChecker {
  check(request: BulkRequest): BulkAnswer
}

/** Looks up digests of files. */
export interface DigestChecker {
  /** Returns the verdict about a digest in hex, or why the value is not a digest. */
  check(value: string): Result<Verdict, DigestRefusal>
}

/** Builds the checker for digests; `foundAt` as for URLs. */
export function createDigestChecker(listings: Listings, foundAt: number): DigestChecker {
  return {
    check(value) {
      const digest = parseDigest(value)
      if (!digest.ok) return digest
      const indicator = listings.digest(digest.value.value, digest.value.type)
      return { ok: true, value: digestVerdict(indicator, foundAt) }
    },
  }
}

const unlistedDigest: Verdict = {
  status: 'not_found',
  confidence: 0,
  score: 0,
  reasons: [{ code: 'not_listed', message: 'This digest is on none of the lists.' }],
  match: null,
  note: null,
}

const listedReason: Reason = { code: 'listed_digest', message: 'This digest is listed.' }
const weakReason: Reason = {
  code: 'low_confidence',
  message: 'This digest is listed with low confidence.',
}

function digestVerdict(indicator: Indicator | null, foundAt: number): Verdict {
  if (indicator === null) return unlistedDigest
  const isFound = indicator.confidence >= foundAt
  return {
    status: isFound ? 'found' : 'suspicious',
    confidence: indicator.confidence,
    score: 0,
    reasons: [isFound ? listedReason : weakReason],
    match: indicator.isPublished ? indicator : null,
    note: null,
  }
}

/** Builds the checker for many items of all kinds. */
export function createBulkChecker(
  urls: UrlFinder,
  digests: DigestChecker,
  listings: Listings,
): BulkChecker {
  const checkUrl = (value: string): BulkItemAnswer => {
    const found = urls.find(value)
    return found.ok
      ? { value, verdict: found.value }
      : { value, error: urlRefusalMessages[found.reason] }
  }
  const checkDigest = (value: string): BulkItemAnswer => {
    const checked = digests.check(value)
    return checked.ok
      ? { value, verdict: checked.value }
      : { value, error: digestRefusalMessages[checked.reason] }
  }
  return {
    check(request) {
      const lists = {
        urls: request.urls.map(checkUrl),
        domains: request.domains.map(checkUrl),
        hashes: request.hashes.map(checkDigest),
      }
      return { counts: countStatuses(lists), ...lists, updatedAt: listings.updatedAt }
    },
  }
}

function countStatuses(
  lists: Pick<BulkAnswer, 'urls' | 'domains' | 'hashes'>,
): Record<VerdictStatus | 'invalid', number> {
  const counts = { found: 0, suspicious: 0, shared_infrastructure: 0, not_found: 0, invalid: 0 }
  for (const list of [lists.urls, lists.domains, lists.hashes]) {
    for (const item of list) counts['verdict' in item ? item.verdict.status : 'invalid']++
  }
  return counts
}
