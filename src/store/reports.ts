/** The `report` and `report_event` tables: what strangers tell, and how it fares. */

import type { Database, Statement } from 'bun:sqlite'
import type { Audience } from '../model/audience.ts'
import type { IndicatorType } from '../model/indicator.ts'
import type { ReportStatus, ReportType } from '../model/report.ts'
import { audienceBits } from './audience-bits.ts'
import type { ProposedReport } from './batch.ts'

/** A row as SQLite holds it. */
export interface ReportRow {
  readonly id: number
  readonly name: string
  readonly identity: string | null
  readonly type: ReportType
  readonly value: string | null
  /** What the value is; null: a text, or none. */
  readonly value_type: IndicatorType | null
  readonly description: string | null
  readonly target_brand: string | null
  readonly contact: string | null
  readonly status: ReportStatus
  /** Why it has this status, in the operator's words. */
  readonly reason: string | null
  /** How often it was told. */
  readonly count: number
  readonly created_at: number
  readonly updated_at: number
  /** When it was told last. */
  readonly told_at: number
  readonly audiences: number
  /** JSON: the words that decided, by audience. */
  readonly words: string | null
  /** What was listed by accepting it. */
  readonly indicator_id: number | null
  /** Since when it is settled; null: it is open, or what was personal in it has been erased. */
  readonly personal_since: number | null
  readonly seq: number
}

/** A step in the life of a report. */
export interface ReportEventRow {
  readonly report_id: number
  readonly at: number
  readonly status: ReportStatus
  readonly reason: string | null
  readonly by: string
}

/** Accepted, and what was listed by it still stands: only such a report is shown. */
const shown = `report.status = 'accepted' AND report.type <> 'false_positive'
  AND (indicator_id IS NULL OR EXISTS
    (SELECT 1 FROM indicator WHERE id = report.indicator_id AND published = 1))`

const newestFor = (
  audience: Audience,
): string => `SELECT * FROM report INDEXED BY report_for_${audience}
  WHERE ${shown} AND (audiences & ${audienceBits[audience]}) <> 0
  ORDER BY updated_at DESC, id DESC LIMIT ?1`

/** Every statement over `report` and `report_event`, by name. */
export const reportSql = {
  byId: 'SELECT * FROM report WHERE id = ?1',
  byName: 'SELECT * FROM report WHERE name = ?1',
  byIdentity: 'SELECT * FROM report WHERE identity = ?1',
  ofStatus: 'SELECT * FROM report WHERE status = ?1 AND id > ?2 ORDER BY id LIMIT ?3',
  ofValue: 'SELECT * FROM report WHERE value = ?1 ORDER BY id LIMIT ?2',
  ofIndicator: `SELECT id FROM report WHERE indicator_id = ?1 AND status = 'accepted'
    ORDER BY id LIMIT ?2`,
  add: `INSERT INTO report VALUES ((SELECT coalesce(max(id), 0) + 1 FROM report),
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'received', NULL, 1, ?9, ?9, ?9, 0, NULL, NULL, NULL, ?10)
    RETURNING id`,
  repeat: 'UPDATE report SET count = count + 1, told_at = ?2, seq = ?3 WHERE id = ?1',
  settle: `UPDATE report SET status = ?2, reason = ?3, updated_at = ?4, audiences = ?5, words = ?6,
    indicator_id = ?7, personal_since = ?8, seq = ?9 WHERE id = ?1`,
  follow: 'UPDATE report SET seq = ?2 WHERE id = ?1',
  addEvent: 'INSERT INTO report_event VALUES (?1, ?2, ?3, ?4, ?5)',
  events: 'SELECT * FROM report_event WHERE report_id = ?1 ORDER BY rowid',
  personal: 'SELECT id, status FROM report WHERE personal_since < ?1 LIMIT ?2',
  free: 'UPDATE report SET identity = NULL WHERE id = ?1',
  erase: `UPDATE report SET contact = NULL, identity = NULL, personal_since = NULL WHERE id = ?1`,
  eraseWords: `UPDATE report SET value = NULL, value_type = NULL, description = NULL,
    target_brand = NULL WHERE id = ?1`,
  shownById: `SELECT * FROM report WHERE id = ?1 AND ${shown}`,
  changes: `SELECT id, value, description, target_brand, seq, (${shown}) AS shown FROM report
    WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
  newest_professional: newestFor('professional'),
  newest_elder: newestFor('elder'),
  newest_general: newestFor('general'),
} as const

/** What a view over reports needs of a changed one. */
export interface ReportChange
  extends Pick<ReportRow, 'id' | 'value' | 'description' | 'target_brand' | 'seq'> {
  /** 1: it may be shown. */
  readonly shown: number
}

/** What an operator says of a report. */
export type Settlement = Pick<
  ReportRow,
  | 'id'
  | 'status'
  | 'reason'
  | 'updated_at'
  | 'audiences'
  | 'words'
  | 'indicator_id'
  | 'personal_since'
  | 'seq'
>

/** Looks reports up and changes them; changing belongs inside a batch's transaction. */
export class ReportTable {
  readonly #byId: Statement<ReportRow, [number]>
  readonly #byName: Statement<ReportRow, [string]>
  readonly #byIdentity: Statement<ReportRow, [string]>
  readonly #ofStatus: Statement<ReportRow, [string, number, number]>
  readonly #ofValue: Statement<ReportRow, [string, number]>
  readonly #ofIndicator: Statement<{ id: number }, [number, number]>
  readonly #add: Statement<{ id: number }, (string | number | null)[]>
  readonly #repeat: Statement
  readonly #settle: Statement
  readonly #follow: Statement
  readonly #addEvent: Statement
  readonly #events: Statement<ReportEventRow, [number]>
  readonly #personal: Statement<Pick<ReportRow, 'id' | 'status'>, [number, number]>
  readonly #free: Statement
  readonly #erase: Statement
  readonly #eraseWords: Statement
  readonly #shownById: Statement<ReportRow, [number]>
  readonly #newest: Readonly<Record<Audience, Statement<ReportRow, [number]>>>

  constructor(database: Database) {
    this.#byId = database.prepare(reportSql.byId)
    this.#byName = database.prepare(reportSql.byName)
    this.#byIdentity = database.prepare(reportSql.byIdentity)
    this.#ofStatus = database.prepare(reportSql.ofStatus)
    this.#ofValue = database.prepare(reportSql.ofValue)
    this.#ofIndicator = database.prepare(reportSql.ofIndicator)
    this.#add = database.prepare(reportSql.add)
    this.#repeat = database.prepare(reportSql.repeat)
    this.#settle = database.prepare(reportSql.settle)
    this.#follow = database.prepare(reportSql.follow)
    this.#addEvent = database.prepare(reportSql.addEvent)
    this.#events = database.prepare(reportSql.events)
    this.#personal = database.prepare(reportSql.personal)
    this.#free = database.prepare(reportSql.free)
    this.#erase = database.prepare(reportSql.erase)
    this.#eraseWords = database.prepare(reportSql.eraseWords)
    this.#shownById = database.prepare(reportSql.shownById)
    this.#newest = {
      professional: database.prepare(reportSql.newest_professional),
      elder: database.prepare(reportSql.newest_elder),
      general: database.prepare(reportSql.newest_general),
    }
  }

  byId(id: number): ReportRow | null {
    return this.#byId.get(id)
  }

  byName(name: string): ReportRow | null {
    return this.#byName.get(name)
  }

  /** Returns the report that another of the same identity repeats, or null. */
  byIdentity(identity: string): ReportRow | null {
    return this.#byIdentity.get(identity)
  }

  /** Returns at most `limit` reports of a status behind an id, in the order in which they came. */
  ofStatus(status: ReportStatus, after: number, limit: number): ReportRow[] {
    return this.#ofStatus.all(status, after, limit)
  }

  /** Returns reports that name a value, the oldest first. */
  ofValue(value: string, limit: number): ReportRow[] {
    return this.#ofValue.all(value, limit)
  }

  /** Returns accepted reports by which an indicator was listed. */
  ofIndicator(indicatorId: number, limit: number): { id: number }[] {
    return this.#ofIndicator.all(indicatorId, limit)
  }

  /** Takes a report down and returns its id. */
  add(report: ProposedReport, at: number, seq: number): number {
    const { name, identity, type, value, valueType, description, targetBrand, contact } = report
    const row = this.#add.get(
      name,
      identity,
      type,
      value,
      valueType,
      description,
      targetBrand,
      contact,
      at,
      seq,
    )
    return row?.id ?? 0
  }

  repeat(id: number, at: number, seq: number): void {
    this.#repeat.run(id, at, seq)
  }

  settle(said: Settlement): void {
    this.#settle.run(
      said.id,
      said.status,
      said.reason,
      said.updated_at,
      said.audiences,
      said.words,
      said.indicator_id,
      said.personal_since,
      said.seq,
    )
  }

  /** Notes that what a report names has been listed or delisted. */
  follow(id: number, seq: number): void {
    this.#follow.run(id, seq)
  }

  addEvent({ report_id: id, at, status, reason, by }: ReportEventRow): void {
    this.#addEvent.run(id, at, status, reason, by)
  }

  /** Returns every step of a report, the first first. */
  events(id: number): ReportEventRow[] {
    return this.#events.all(id)
  }

  /** Returns at most `limit` reports that were settled before a time and still hold what is personal. */
  personal(before: number, limit: number): Pick<ReportRow, 'id' | 'status'>[] {
    return this.#personal.all(before, limit)
  }

  /** From now on nothing counts as a repetition of it. */
  free(id: number): void {
    this.#free.run(id)
  }

  /** Erases how its reporter can be reached; of a rejected one also what it said. */
  erase({ id, status }: Pick<ReportRow, 'id' | 'status'>): void {
    this.#erase.run(id)
    if (status === 'rejected') this.#eraseWords.run(id)
  }

  /** Returns a report that may be shown, or null. */
  shownById(id: number): ReportRow | null {
    return this.#shownById.get(id)
  }

  /** Returns the reports that were accepted last for an audience. */
  newestFor(audience: Audience, limit: number): ReportRow[] {
    return this.#newest[audience].all(limit)
  }
}
