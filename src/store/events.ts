/** The `event` table: the append-only history of every indicator's states. */

import type { Database, Statement } from 'bun:sqlite'
import type { RemovalReason } from '../model/indicator.ts'
import type { State } from './standing.ts'

/** A row as SQLite holds it. */
export interface EventRow {
  readonly seq: number
  readonly indicator_id: number
  readonly at: number
  readonly from_state: State
  readonly to_state: State
  readonly reason: 'sighted' | RemovalReason
  /** The source, or who decided. */
  readonly by: string
}

/** Every statement over `event`, by name. */
export const eventSql = {
  add: 'INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
  of: 'SELECT * FROM event WHERE indicator_id = ?1 ORDER BY seq DESC LIMIT ?2',
  forget: 'DELETE FROM event WHERE indicator_id = ?1',
} as const

/** Reads and appends events; changing belongs inside a batch's transaction. */
export class EventTable {
  readonly #add: Statement
  readonly #of: Statement<EventRow, [number, number]>
  readonly #forget: Statement

  constructor(database: Database) {
    this.#add = database.prepare(eventSql.add)
    this.#of = database.prepare(eventSql.of)
    this.#forget = database.prepare(eventSql.forget)
  }

  add(event: EventRow): void {
    const { seq, indicator_id: id, at, from_state: from, to_state: to, reason, by } = event
    this.#add.run(seq, id, at, from, to, reason, by)
  }

  /** Returns the last events of an indicator, the newest first. */
  of(indicatorId: number, limit: number): EventRow[] {
    return this.#of.all(indicatorId, limit)
  }

  /** Deletes every event of an indicator that is forgotten. */
  forget(indicatorId: number): void {
    this.#forget.run(indicatorId)
  }
}
