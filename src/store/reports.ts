/** The `report` and `report_event` tables: what strangers report, and how it is decided. */

import type { Audience } from '../model/audience.ts'
import type { IndicatorType } from '../model/indicator.ts'
import type { ReportStatus, ReportType } from '../model/report.ts'
import { audienceBits } from './audience-bits.ts'
import type { ProposedReport } from './batch.ts'
import { assigned, inserted, Statements, selected } from './statements.ts'

/** A report as the store keeps it. */
export type StoredReport = {
  readonly id: number
  readonly name: string
  readonly identity: string | null
  readonly type: ReportType
  readonly value: string | null
  /** What the value is; null: a text, or none. */
  readonly valueType: IndicatorType | null
  readonly description: string | null
  readonly targetBrand: string | null
  readonly contact: string | null
  readonly status: ReportStatus
  /** Why it has this status, in the operator's words. */
  readonly reason: string | null
  /** How often it was reported. */
  readonly count: number
  readonly createdAt: number
  /** When its status changed last. */
  readonly updatedAt: number
  /** When it was last reported. */
  readonly toldAt: number
  readonly audiences: number
  /** JSON: the words that decided, by audience. */
  readonly words: string | null
  /** What was listed by accepting it. */
  readonly indicatorId: number | null
  /** When it was decided; null: it is open, or what was personal in it has been erased. */
  readonly personalSince: number | null
  readonly seq: number
}

/** A change of a report's status. */
export type ReportEvent = {
  readonly reportId: number
  readonly at: number
  readonly status: ReportStatus
  readonly reason: string | null
  readonly by: string
}

/** What a view over reports needs of a changed one. */
export interface ReportChange
  extends Pick<StoredReport, 'id' | 'value' | 'description' | 'targetBrand' | 'seq'> {
  /** 1: it may be shown. */
  readonly shown: number
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'id', 'name', 'identity', 'type', 'value', 'valueType', 'description', 'targetBrand', 'contact',
  'status', 'reason', 'count', 'createdAt', 'updatedAt', 'toldAt', 'audiences', 'words',
  'indicatorId', 'personalSince', 'seq',
] as const satisfies readonly (keyof StoredReport)[]
const columns = selected('report', fields)

// biome-ignore format: columns, as many to a line as fit
const settled = [
  'status', 'reason', 'updatedAt', 'audiences', 'words', 'indicatorId', 'personalSince', 'seq',
] as const satisfies readonly (keyof StoredReport)[]

/** What an operator decides about a report. */
export type Settlement = Pick<StoredReport, 'id' | (typeof settled)[number]>

// biome-ignore format: columns, as many to a line as fit
const eventFields = [
  'reportId', 'at', 'status', 'reason', 'by',
] as const satisfies readonly (keyof ReportEvent)[]

/** Accepted, and what was listed by it is still published: only such a report is shown. */
const shown = `report.status = 'accepted' AND report.type <> 'false_positive'
  AND (indicator_id IS NULL OR EXISTS
    (SELECT 1 FROM indicator WHERE id = report.indicator_id AND published = 1))`

/** Looks reports up. */
export class ReportReader extends Statements {
  byId(id: number): StoredReport | null {
    return this.queryOne(`SELECT ${columns} FROM report WHERE id = ?1`, id)
  }

  byName(name: string): StoredReport | null {
    return this.queryOne(`SELECT ${columns} FROM report WHERE name = ?1`, name)
  }

  /** Returns at most `limit` reports of a status after an id, in the order in which they came. */
  ofStatus(status: ReportStatus, after: number, limit: number): StoredReport[] {
    const sql = `SELECT ${columns} FROM report WHERE status = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
    return this.queryAll(sql, status, after, limit)
  }

  /** Returns reports that name a value, the oldest first. */
  ofValue(value: string, limit: number): StoredReport[] {
    const sql = `SELECT ${columns} FROM report WHERE value = ?1 ORDER BY id LIMIT ?2`
    return this.queryAll(sql, value, limit)
  }

  /** Returns every event of a report, the first first. */
  events(id: number): ReportEvent[] {
    const sql = `SELECT ${selected('report_event', eventFields)} FROM report_event
      WHERE report_id = ?1 ORDER BY rowid`
    return this.queryAll(sql, id)
  }

  /** Returns at most `limit` reports that were decided before a time and still hold what is personal. */
  personal(before: number, limit: number): Pick<StoredReport, 'id' | 'status'>[] {
    const sql = 'SELECT id, status FROM report WHERE personal_since < ?1 LIMIT ?2'
    return this.queryAll(sql, before, limit)
  }

  /** Returns a report that may be shown, or null. */
  shownById(id: number): StoredReport | null {
    return this.queryOne(`SELECT ${columns} FROM report WHERE id = ?1 AND ${shown}`, id)
  }

  /** Returns the reports that were accepted last for an audience. */
  newestFor(audience: Audience, limit: number): StoredReport[] {
    const sql = `SELECT ${columns} FROM report INDEXED BY report_for_${audience}
      WHERE ${shown} AND (audiences & ${audienceBits[audience]}) <> 0
      ORDER BY updated_at DESC, id DESC LIMIT ?1`
    return this.queryAll(sql, limit)
  }

  /** Returns at most `limit` reports changed after a number; from 0 on that is all of them. */
  changesAfter(seq: number, limit: number): ReportChange[] {
    const sql = `SELECT id, value, description, target_brand AS targetBrand, seq, (${shown}) AS shown
      FROM report WHERE seq > ?1 ORDER BY seq LIMIT ?2`
    return this.queryAll(sql, seq, limit)
  }
}

/** Looks reports up and changes them; changing belongs inside a batch's transaction. */
export class ReportTable extends ReportReader {
  /** Returns the report that another of the same identity repeats, or null. */
  byIdentity(identity: string): StoredReport | null {
    return this.queryOne(`SELECT ${columns} FROM report WHERE identity = ?1`, identity)
  }

  /** Returns accepted reports by which an indicator was listed. */
  ofIndicator(indicatorId: number, limit: number): { id: number }[] {
    const sql = `SELECT id FROM report WHERE indicator_id = ?1 AND status = 'accepted' ORDER BY id LIMIT ?2`
    return this.queryAll(sql, indicatorId, limit)
  }

  /** Saves a new report and returns its id. */
  add(report: ProposedReport, at: number, seq: number): number {
    const sql = 'SELECT coalesce(max(id), 0) + 1 AS id FROM report'
    const id = this.queryOne<{ id: number }>(sql)?.id ?? 1
    this.execute(`INSERT ${inserted('report', fields)}`, {
      ...report,
      id,
      status: 'received',
      reason: null,
      count: 1,
      createdAt: at,
      updatedAt: at,
      toldAt: at,
      audiences: 0,
      words: null,
      indicatorId: null,
      personalSince: null,
      seq,
    })
    return id
  }

  repeat(id: number, at: number, seq: number): void {
    const sql = 'UPDATE report SET count = count + 1, told_at = ?2, seq = ?3 WHERE id = ?1'
    this.execute(sql, id, at, seq)
  }

  settle(settlement: Settlement): void {
    this.execute(`UPDATE report SET ${assigned(settled)} WHERE id = $id`, settlement)
  }

  /** Notes that what a report names has been listed or delisted. */
  follow(id: number, seq: number): void {
    this.execute('UPDATE report SET seq = ?2 WHERE id = ?1', id, seq)
  }

  addEvent(event: ReportEvent): void {
    this.execute(`INSERT ${inserted('report_event', eventFields)}`, event)
  }

  /** Lets the next report of the same thing be a new one, not a repetition of this. */
  free(id: number): void {
    this.execute('UPDATE report SET identity = NULL WHERE id = ?1', id)
  }

  /** Erases how its reporter can be reached, and the text of a rejected report. */
  erase({ id, status }: Pick<StoredReport, 'id' | 'status'>): void {
    this.execute(
      'UPDATE report SET contact = NULL, identity = NULL, personal_since = NULL WHERE id = ?1',
      id,
    )
    if (status !== 'rejected') return
    this.execute(
      `UPDATE report SET value = NULL, value_type = NULL, description = NULL, target_brand = NULL
        WHERE id = ?1`,
      id,
    )
  }
}
