/** Scam reports: what they contain, and their status. */

/** What a report can be about. */
export const reportTypes = ['url', 'email', 'phone', 'message', 'other', 'false_positive'] as const
export type ReportType = (typeof reportTypes)[number]

/** The status of a report; `accepted` and `rejected` are decisions of an operator. */
export const reportStatuses = ['received', 'in_review', 'accepted', 'rejected'] as const
export type ReportStatus = (typeof reportStatuses)[number]

/**
 * How long the contact of a reporter, and the content of a rejected report, are kept after the decision: for
 * questions, or to revise it.
 */
export const personalKeptMs = 30 * 86_400_000

/** Maximum number of reports waiting for an operator; further ones are refused. */
export const openReportsMax = 100_000

/** The fields of a report as sent; null for a field left out. */
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

/** The status of a report for its reporter. Times are milliseconds since the epoch. */
export interface ReportProgress {
  readonly id: string
  readonly status: ReportStatus
  /** The operator's reason; null when there is none. */
  readonly reason: string | null
  readonly createdAt: number
  readonly updatedAt: number
}
