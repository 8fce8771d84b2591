/** The words for reports: what a stranger can tell weir of, and how a report fares. */

/** What a report can be about (api.md, POST /api/report-scam). */
export const reportTypes = ['url', 'email', 'phone', 'message', 'other', 'false_positive'] as const
export type ReportType = (typeof reportTypes)[number]

/** How a report fares: `accepted` and `rejected` are an operator's word. */
export const reportStatuses = ['received', 'in_review', 'accepted', 'rejected'] as const
export type ReportStatus = (typeof reportStatuses)[number]

/**
 * After a report was settled, how to reach its reporter, and what a rejected one said, are kept for so long:
 * for a question, or a change of mind.
 */
export const personalKeptMs = 30 * 86_400_000

/** So many reports may wait for an operator; more are not taken. */
export const openReportsMax = 100_000

/** What a report is sent as; null is what was left out. */
export interface ReportFields {
  readonly type: ReportType
  readonly value: string | null
  readonly description: string | null
  readonly targetBrand: string | null
  readonly contact: string | null
}

export type ReportField = keyof ReportFields

/** The maximum number of characters of each field. */
export const reportLengthsMax = {
  value: 8_192,
  description: 10_000,
  targetBrand: 100,
  contact: 300,
} as const satisfies Readonly<Record<Exclude<ReportField, 'type'>, number>>

/** How a report fares, for whoever has sent it. Times are milliseconds since the epoch. */
export interface ReportStanding {
  readonly id: string
  readonly status: ReportStatus
  /** The operator's words; null while there are none. */
  readonly reason: string | null
  readonly createdAt: number
  readonly updatedAt: number
}
