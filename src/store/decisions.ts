/** The `decision` table: what the operator has decided about indicators, above every feed. */

import type { IndicatorType } from '../model/indicator.ts'
import { inserted, Statements, selected } from './statements.ts'

/** An operator's decision about an indicator. */
export type Decision = {
  readonly indicatorId: number
  readonly verdict: 'block' | 'allow'
  readonly reason: string
  readonly by: string
  readonly at: number
  readonly until: number | null
  /** The indicator's flag before the decision. */
  readonly doNotBlock: number
}

/** A decision with the indicator it is about. */
export interface NamedDecision extends Decision {
  readonly type: IndicatorType
  readonly value: string
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'indicatorId', 'verdict', 'reason', 'by', 'at', 'until', 'doNotBlock',
] as const satisfies readonly (keyof Decision)[]
const columns = selected('decision', fields)

/** Looks decisions up. */
export class DecisionReader extends Statements {
  readonly #find = this.prepare<Decision>(`SELECT ${columns} FROM decision WHERE indicator_id = ?1`)

  find(indicatorId: number): Decision | null {
    return this.#find.get(indicatorId)
  }

  /** Returns at most `limit` decisions after the indicator `after`. */
  all(after: number, limit: number): NamedDecision[] {
    const sql = `SELECT ${columns}, indicator.type, indicator.value FROM decision
      CROSS JOIN indicator ON indicator.id = decision.indicator_id
      WHERE indicator_id > ?1 ORDER BY indicator_id LIMIT ?2`
    return this.queryAll(sql, after, limit)
  }

  /** Returns decisions whose time has passed at `at`. */
  ending(at: number, limit: number): Decision[] {
    return this.queryAll(`SELECT ${columns} FROM decision WHERE until <= ?1 LIMIT ?2`, at, limit)
  }
}

/** Looks decisions up and changes them; changing belongs inside a batch's transaction. */
export class DecisionTable extends DecisionReader {
  put(decision: Decision): void {
    this.execute(`INSERT OR REPLACE ${inserted('decision', fields)}`, decision)
  }

  /** Notes the flag that the indicator would have without the decision. */
  noteFlag(indicatorId: number, doNotBlock: number): void {
    this.execute(
      'UPDATE decision SET do_not_block = ?2 WHERE indicator_id = ?1',
      indicatorId,
      doNotBlock,
    )
  }

  remove(indicatorId: number): void {
    this.execute('DELETE FROM decision WHERE indicator_id = ?1', indicatorId)
  }
}
