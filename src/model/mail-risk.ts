/**
 * How risky a mail is, and what speaks for it: the words in which a check of a mail answers.
 *
 * Each reason has its points; the score is their sum, at most 100. No reason calls a mail safe.
 */

/** From the least to the greatest (api.md, POST /api/check-email). */
export const riskLevels = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof riskLevels)[number]

export const riskScoreMax = 100

/** Returns the level of a score from 0 to 100. */
export function riskLevelOf(score: number): RiskLevel {
  if (score >= 90) return 'critical'
  if (score >= 70) return 'high'
  return score >= 40 ? 'medium' : 'low'
}

/** One sentence of explanation, its stable code, and what it adds to the score. */
export interface MailReason {
  readonly code: string
  readonly points: number
  readonly message: string
}
