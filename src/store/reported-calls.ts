/** The `reported_call` table: how often people reported calls from a number, by day and subject. */

import type { Database, Statement } from 'bun:sqlite'
import type { CallSubject } from '../model/phone.ts'
import type { CallCount } from './batch.ts'

/** What the sources that may be passed on, else the private ones, report of a number about one subject. */
export interface CallSummary {
  readonly subject: CallSubject
  readonly count: number
  /** Midnight UTC of the first and the last day, milliseconds since the epoch. */
  readonly firstDay: number
  readonly lastDay: number
}

/** Every statement over `reported_call`, by name. */
export const reportedCallSql = {
  // The larger count: a day may be told in parts, and again.
  put: `INSERT INTO reported_call VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = max(count, excluded.count)`,
  // Where a public source speaks, a private one is not counted.
  summary: `SELECT subject, SUM(count) AS count, MIN(day) AS firstDay, MAX(day) AS lastDay
    FROM reported_call JOIN sighting USING (indicator_id, source_id)
    WHERE indicator_id = ?1 AND live = 1 AND redistribute =
      (SELECT MAX(redistribute) FROM sighting WHERE indicator_id = ?1 AND live = 1)
    GROUP BY subject ORDER BY SUM(count) DESC, subject`,
  forget: 'DELETE FROM reported_call WHERE indicator_id = ?1',
} as const

/** Looks reported calls up and changes them; changing belongs inside a batch's transaction. */
export class ReportedCallTable {
  readonly #put: Statement
  readonly #summary: Statement<CallSummary, [number]>
  readonly #forget: Statement

  constructor(database: Database) {
    this.#put = database.prepare(reportedCallSql.put)
    this.#summary = database.prepare(reportedCallSql.summary)
    this.#forget = database.prepare(reportedCallSql.forget)
  }

  /** Notes what a source counts for each day and subject; days it does not name stay as they are. */
  put(indicatorId: number, sourceId: number, calls: readonly CallCount[], at: number): void {
    for (const { day, subject, count } of calls) {
      // Nobody reports a call of tomorrow.
      if (day <= at) this.#put.run(indicatorId, sourceId, day, subject, count)
    }
  }

  /** Returns what is reported of a number, the most reported subject first. */
  of(indicatorId: number): CallSummary[] {
    return this.#summary.all(indicatorId)
  }

  forget(indicatorId: number): void {
    this.#forget.run(indicatorId)
  }
}
