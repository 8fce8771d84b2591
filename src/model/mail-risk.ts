/**
 * The risk of a mail and its reasons, as a check of a mail answers them.
 *
 * Each reason has points; the score is their sum, at most 100. No reason calls a mail safe.
 */

/** Ascending. */
export const riskLevels = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof riskLevels)[number]

export const riskScoreMax = 100

/** Returns the level of a score from 0 to 100. */
export function toRiskLevel(score: number): RiskLevel {
  if (score >= 90) return 'critical'
  if (score >= 70) return 'high'
  return score >= 40 ? 'medium' : 'low'
}

/** What phrases in a mail do: press the reader, mention money, or ask for data. */
export const redFlagCategories = ['urgency', 'payment', 'personal_data'] as const
export type RedFlagCategory = (typeof redFlagCategories)[number]

/** Stable codes for reasons; clients may branch on them, so they are never renamed. */
export const mailReasonCodes = [
  'sender_listed',
  'sender_domain_listed',
  'sender_below_listed',
  'sender_domain_suspicious',
  'sender_lookalike',
  'sender_on_platform',
  'sender_unreadable',
  'free_mail',
  'disposable_mail',
  'display_name_address',
  'reply_to_free_mail',
  'mx_null',
  'mx_none',
  'mx_no_domain',
  'mx_implicit',
  'mx_unknown',
  'company_domain',
  'company_mismatch',
  'company_on_free_mail',
  'company_plausible',
  'company_unverified',
  'url_listed',
  'url_suspicious',
  'url_shortened',
  'url_elsewhere',
  'urls_left_out',
  'misleading_link',
  'link_counted',
  'urgency',
  'payment',
  'personal_data',
  'urgency_and_personal_data',
  'urgency_and_payment',
  'payment_and_personal_data',
  'nothing_found',
  'nothing_to_check',
] as const
export type MailReasonCode = (typeof mailReasonCodes)[number]

/** One sentence of explanation, its stable code, and its points. */
export interface MailReason {
  readonly code: MailReasonCode
  readonly points: number
  readonly message: string
}
