/**
 * The answer to "is this listed?": a status, a confidence, and reasons.
 *
 * Every verdict has at least one reason in plain words, `not_found` included, and none calls an address safe:
 * weir can know that something is bad, never that it is good.
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

/**
 * Codes of the rules for look-alike addresses; `userinfo` and `invisible_char` apply to any address that
 * contains these.
 */
export const lookalikeCodes = [
  'brand_domain_embedded',
  'brand_domain_joined',
  'brand_homoglyph',
  'brand_with_keyword',
  'brand_joined_keyword',
  'brand_on_hosting',
  'brand_with_words',
  'brand_inside',
  'brand_misspelt',
  'brand_other_ending',
  'brand_in_subdomain',
  'ending_in_name',
  'ending_in_subdomain',
  'mixed_scripts',
  'wallet_lure',
  'crypto_lure',
  'lure_words',
  'keywords',
  'machine_made',
  'risky_ending',
  'many_labels',
  'many_hyphens',
  'listed_siblings',
  'listed_family',
  'address_as_host',
  'odd_port',
  'kit_path',
  'script_in_query',
  'brand_in_userinfo',
  'brand_in_path',
  'userinfo',
  'invisible_char',
] as const
export type LookalikeCode = (typeof lookalikeCodes)[number]

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
  'nested_url',
  'not_listed',
  ...lookalikeCodes,
] as const
export type ReasonCode = (typeof reasonCodes)[number]

/** One sentence of explanation with its stable code. */
export interface Reason {
  readonly code: ReasonCode
  readonly message: string
}

/** The short answer, as in a bulk check. */
export interface Finding {
  readonly status: VerdictStatus
  /** The listing's confidence, 0 to 100; 0 when nothing is listed. */
  readonly confidence: number
  /** The listing behind the answer; null when there is none, or none that is published. */
  readonly match: Indicator | null
}

/** The answer about one URL, name, address or digest, with its reasons. */
export interface Verdict extends Finding {
  /** The look-alike score of the name, 0 to 100. */
  readonly score: number
  readonly reasons: readonly Reason[]
  /** Advice about a shared platform; null when the host is on none. */
  readonly note: string | null
}
