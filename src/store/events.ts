/** The `event` table: the append-only history of every indicator's states. */

import type { RemovalReason } from '../model/indicator.ts'
import type { RecordedState } from './indicator-state.ts'
import { inserted, Statements, selected } from './statements.ts'

/** A change of an indicator's state. */
export type IndicatorEvent = {
  readonly seq: number
  readonly indicatorId: number
  readonly at: number
  readonly fromState: RecordedState
  readonly toState: RecordedState
  readonly reason: 'sighted' | RemovalReason
  /** The source, or who decided. */
  readonly by: string
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'seq', 'indicatorId', 'at', 'fromState', 'toState', 'reason', 'by',
] as const satisfies readonly (keyof IndicatorEvent)[]

/** Reads events. */
export class EventReader extends Statements {
  /** Returns the last events of an indicator, the newest first. */
  of(indicatorId: number, limit: number): IndicatorEvent[] {
    const sql = `SELECT ${selected('event', fields)} FROM event
      WHERE indicator_id = ?1 ORDER BY seq DESC LIMIT ?2`
    return this.queryAll(sql, indicatorId, limit)
  }
}

/** Reads and appends events; changing belongs inside a batch's transaction. */
export class EventTable extends EventReader {
  readonly #add = this.prepare(`INSERT ${inserted('event', fields)}`)

  add(event: IndicatorEvent): void {
    this.#add.run(event)
  }

  /** Deletes every event of an indicator. */
  forget(indicatorId: number): void {
    this.execute('DELETE FROM event WHERE indicator_id = ?1', indicatorId)
  }
}
