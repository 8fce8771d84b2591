/** What happened to the list of published domains after a number. */

import type { Indicator, RemovalReason } from '../model/indicator.ts'
import { type IndicatorRow, indicatorColumns, toIndicator } from './indicators.ts'
import { Statements } from './statements.ts'

/** How and when a domain left the list. */
export interface Departure {
  readonly at: number
  readonly reason: RemovalReason
}

/** A stretch of the sequence: the domains that changed last in it. */
export interface Stretch {
  readonly indicators: readonly Indicator[]
  /** Its last number. */
  readonly end: number
  /** Does nothing come after it? */
  readonly isLast: boolean
}

/** Reads changes of the list. */
export class ListChanges extends Statements {
  /**
   * Returns the domains among the next `limit` changes of any kind after a number. O(limit), also where
   * nearly all that changed are no domains.
   */
  stretch(after: number, limit: number): Stretch {
    const endSql = 'SELECT seq FROM indicator WHERE seq > ?1 ORDER BY seq LIMIT 1 OFFSET ?2'
    const end = this.queryOne<{ seq: number }>(endSql, after, limit - 1)?.seq ?? null
    const rows = this.queryAll<IndicatorRow>(
      `SELECT ${indicatorColumns} FROM indicator
        WHERE seq > ?1 AND seq <= ?2 AND type = 'domain' ORDER BY seq`,
      after,
      end ?? Number.MAX_SAFE_INTEGER,
    )
    const indicators = rows.map(toIndicator)
    return { indicators, end: end ?? rows.at(-1)?.seq ?? after, isLast: end === null }
  }

  /** Returns how a domain that is not listed left the list after a number, or null when it did not. */
  departure(id: number, after: number): Departure | null {
    const sql = `SELECT at, reason FROM event WHERE indicator_id = ?1 AND seq > ?2
      AND from_state = 'listed' AND to_state <> 'listed' ORDER BY seq DESC LIMIT 1`
    return this.queryOne(sql, id, after)
  }
}
