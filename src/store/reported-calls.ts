/** The `reported_call` table: how often people reported calls from a number, by day and subject. */

import type { CallSubject } from '../model/phone.ts'
import type { CallCount } from './batch.ts'
import { Statements } from './statements.ts'

/** The calls reported from a number about one subject: by redistributable sources, else by private ones. */
export interface CallSummary {
  readonly subject: CallSubject
  readonly count: number
  /** Midnight UTC of the first and the last day, milliseconds since the epoch. */
  readonly firstDay: number
  readonly lastDay: number
}

/** Looks reported calls up. */
export class ReportedCallReader extends Statements {
  /** Returns what is reported of a number, the most reported subject first. */
  of(indicatorId: number): CallSummary[] {
    // Where a redistributable source counts calls, private ones are left out.
    const sql = `SELECT subject, SUM(count) AS count, MIN(day) AS firstDay, MAX(day) AS lastDay
      FROM reported_call JOIN sighting USING (indicator_id, source_id)
      WHERE indicator_id = ?1 AND live = 1 AND redistribute =
        (SELECT MAX(redistribute) FROM sighting WHERE indicator_id = ?1 AND live = 1)
      GROUP BY subject ORDER BY SUM(count) DESC, subject`
    return this.queryAll(sql, indicatorId)
  }
}

/** Looks reported calls up and changes them; changing belongs inside a batch's transaction. */
export class ReportedCallTable extends ReportedCallReader {
  // The larger count: a source may report a day in parts, and repeatedly.
  readonly #put = this.prepare(`INSERT INTO reported_call VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = max(count, excluded.count)`)

  /** Notes what a source counts for each day and subject; days it does not name stay as they are. */
  put(indicatorId: number, sourceId: number, calls: readonly CallCount[], at: number): void {
    for (const { day, subject, count } of calls) {
      // A day in the future is an error of the source.
      if (day <= at) this.#put.run(indicatorId, sourceId, day, subject, count)
    }
  }

  forget(indicatorId: number): void {
    this.execute('DELETE FROM reported_call WHERE indicator_id = ?1', indicatorId)
  }
}
