/** What happened to the list of published domains after a number; every statement for that. */

import type { Database, Statement } from 'bun:sqlite'
import type { RemovalReason } from '../model/indicator.ts'
import type { IndicatorRow } from './indicators.ts'

/** How and when a domain left the list. */
export interface Departure {
  readonly at: number
  readonly reason: RemovalReason
}

/** A stretch of the sequence: the domains that changed last in it. */
export interface Stretch {
  readonly rows: readonly IndicatorRow[]
  /** Its last number. */
  readonly end: number
  /** Does nothing come after it? */
  readonly isLast: boolean
}

/** Every statement over the list's changes, by name. */
export const listChangesSql = {
  end: 'SELECT seq FROM indicator WHERE seq > ?1 ORDER BY seq LIMIT 1 OFFSET ?2',
  domains: `SELECT * FROM indicator
    WHERE seq > ?1 AND seq <= ?2 AND type = 'domain' ORDER BY seq`,
  departure: `SELECT at, reason FROM event WHERE indicator_id = ?1 AND seq > ?2
    AND from_state = 'listed' AND to_state <> 'listed' ORDER BY seq DESC LIMIT 1`,
} as const

/** Reads changes of the list. */
export class ListChanges {
  readonly #end: Statement<{ seq: number }, [number, number]>
  readonly #domains: Statement<IndicatorRow, [number, number]>
  readonly #departure: Statement<Departure, [number, number]>

  constructor(database: Database) {
    this.#end = database.prepare(listChangesSql.end)
    this.#domains = database.prepare(listChangesSql.domains)
    this.#departure = database.prepare(listChangesSql.departure)
  }

  /**
   * Returns the domains among the next `limit` changes of any kind after a number. O(limit), also where
   * nearly all that changed are no domains.
   */
  stretch(after: number, limit: number): Stretch {
    const end = this.#end.get(after, limit - 1)?.seq ?? null
    const rows = this.#domains.all(after, end ?? Number.MAX_SAFE_INTEGER)
    return { rows, end: end ?? rows.at(-1)?.seq ?? after, isLast: end === null }
  }

  /** Returns how a domain that is not listed left the list after a number, or null when it did not. */
  departure(id: number, after: number): Departure | null {
    return this.#departure.get(id, after)
  }
}
