/**
 * What weir answers to "is this listed?": a status, how sure it is, and why.
 *
 * Every verdict carries at least one reason in plain words, `not_found` included, and none calls an
 * address safe: weir can know that something is bad, never that it is good.
 */

import type { Indicator } from './indicator.ts'

/** The four answers of the specification (§3). */
export const verdictStatuses = [
  'found',
  'suspicious',
  'shared_infrastructure',
  'not_found',
] as const
export type VerdictStatus = (typeof verdictStatuses)[number]

/** Stable codes for reasons; clients may branch on them, so they are never renamed. */
export const reasonCodes = [
  'self_test',
  'listed_page',
  'listed_path',
  'listed_host',
  'listed_parent',
  'listed_address',
  'listed_digest',
  'low_confidence',
  'shared_platform',
  'other_pages_listed',
  'operator_allowed',
  'userinfo',
  'invisible_char',
  'nested_url',
  'not_listed',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

/** One sentence of explanation with its stable code. */
export interface Reason {
  readonly code: ReasonCode
  readonly message: string
}

/** The short answer, as a bulk check gives it. */
export interface Finding {
  readonly status: VerdictStatus
  /** The listing's confidence, 0 to 100; 0 when nothing is listed. */
  readonly confidence: number
  /** The listing behind the answer; null when there is none, or none that may be passed on. */
  readonly match: Indicator | null
}

/** The answer about one URL, name, address or digest, with its reasons. */
export interface Verdict extends Finding {
  /** How suspicious the name itself looks, 0 to 100. */
  readonly score: number
  readonly reasons: readonly Reason[]
  /** What to keep in mind about a shared platform; null off platforms. */
  readonly note: string | null
}
