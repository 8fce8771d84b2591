/** The `decision` table: the operator's word about indicators, above every feed. */

import type { Database, Statement } from 'bun:sqlite'
import type { IndicatorType } from '../model/indicator.ts'

/** A row as SQLite holds it. */
export interface DecisionRow {
  readonly indicator_id: number
  readonly verdict: 'block' | 'allow'
  readonly reason: string
  readonly by: string
  readonly at: number
  readonly until: number | null
  /** What the indicator's flag was before the word. */
  readonly do_not_block: number
}

/** A decision with what it is about. */
export interface NamedDecision extends DecisionRow {
  readonly type: IndicatorType
  readonly value: string
}

/** Every statement over `decision`, by name. */
export const decisionSql = {
  find: 'SELECT * FROM decision WHERE indicator_id = ?1',
  all: `SELECT decision.*, indicator.type, indicator.value FROM decision
    CROSS JOIN indicator ON indicator.id = decision.indicator_id
    WHERE indicator_id > ?1 ORDER BY indicator_id LIMIT ?2`,
  put: `INSERT OR REPLACE INTO decision (indicator_id, verdict, reason, by, at, until, do_not_block)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  noteFlag: 'UPDATE decision SET do_not_block = ?2 WHERE indicator_id = ?1',
  remove: 'DELETE FROM decision WHERE indicator_id = ?1',
  ending: 'SELECT * FROM decision WHERE until <= ?1 LIMIT ?2',
} as const

/** Looks decisions up and changes them; changing belongs inside a batch's transaction. */
export class DecisionTable {
  readonly #find: Statement<DecisionRow, [number]>
  readonly #all: Statement<NamedDecision, [number, number]>
  readonly #put: Statement
  readonly #noteFlag: Statement
  readonly #remove: Statement
  readonly #ending: Statement<DecisionRow, [number, number]>

  constructor(database: Database) {
    this.#find = database.prepare(decisionSql.find)
    this.#all = database.prepare(decisionSql.all)
    this.#put = database.prepare(decisionSql.put)
    this.#noteFlag = database.prepare(decisionSql.noteFlag)
    this.#remove = database.prepare(decisionSql.remove)
    this.#ending = database.prepare(decisionSql.ending)
  }

  find(indicatorId: number): DecisionRow | null {
    return this.#find.get(indicatorId)
  }

  /** Returns at most `limit` decisions behind the indicator `after`. */
  all(after: number, limit: number): NamedDecision[] {
    return this.#all.all(after, limit)
  }

  put(row: DecisionRow): void {
    const { indicator_id: id, verdict, reason, by, at, until, do_not_block: flag } = row
    this.#put.run(id, verdict, reason, by, at, until, flag)
  }

  /** Notes the flag that the indicator would have without the word. */
  noteFlag(indicatorId: number, doNotBlock: number): void {
    this.#noteFlag.run(indicatorId, doNotBlock)
  }

  remove(indicatorId: number): void {
    this.#remove.run(indicatorId)
  }

  /** Returns decisions whose time has passed at `at`. */
  ending(at: number, limit: number): DecisionRow[] {
    return this.#ending.all(at, limit)
  }
}
