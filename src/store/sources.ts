/** The `source` and `run` tables: where sightings come from, and each reading of a full list. */

import type { Database, Statement } from 'bun:sqlite'
import type { ThreatType } from '../model/indicator.ts'
import type { SourceDescription } from './batch.ts'

/** A source's row as SQLite holds it. */
export interface SourceRow {
  readonly id: number
  readonly name: string
  readonly title: string
  readonly home: string | null
  readonly licence: string | null
  readonly redistribute: number
  readonly role: SourceDescription['role']
  readonly confidence: number
  readonly threat_type: ThreatType
  readonly listing: 'full' | 'recent'
  /** The operator's word: is it fetched by itself? Null: as its description says. */
  readonly enabled: number | null
  /** The operator has taken back all it lists. */
  readonly withdrawn: number
}

/** A run's row as SQLite holds it. */
export interface RunRow {
  readonly id: number
  readonly source_id: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly digest: string | null
  readonly seen: number
  readonly read: number
  /** JSON: how many entries were refused, by reason. */
  readonly refused: string
}

/** Every statement over `source` and `run`, by name. */
export const sourceSql = {
  all: 'SELECT * FROM source ORDER BY id',
  byName: 'SELECT * FROM source WHERE name = ?1',
  byId: 'SELECT * FROM source WHERE id = ?1',
  nextSourceId: 'SELECT coalesce(max(id), 0) + 1 AS id FROM source',
  put: `INSERT INTO source (id, name, title, home, licence, redistribute, role, confidence,
      threat_type, listing) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (id) DO UPDATE SET title = ?3, home = ?4, licence = ?5, redistribute = ?6,
      role = ?7, confidence = ?8, threat_type = ?9, listing = ?10`,
  switch: 'UPDATE source SET enabled = ?2, withdrawn = ?3 WHERE id = ?1',
  run: 'SELECT * FROM run WHERE id = ?1',
  nextRunId: 'SELECT coalesce(max(id), 0) + 1 AS id FROM run',
  startRun: `INSERT INTO run (id, source_id, started_at, digest) VALUES (?1, ?2, ?3, ?4)`,
  addSeen: 'UPDATE run SET seen = seen + ?2 WHERE id = ?1',
  endRun: 'UPDATE run SET ended_at = ?2, read = ?3, refused = ?4 WHERE id = ?1',
  hasRead: `SELECT 1 AS found FROM run
    WHERE source_id = ?1 AND digest = ?2 AND ended_at IS NOT NULL LIMIT 1`,
  lastRun: `SELECT * FROM run WHERE source_id = ?1 AND ended_at IS NOT NULL
    ORDER BY id DESC LIMIT 1`,
  newestRun: 'SELECT max(id) AS id FROM run WHERE source_id = ?1',
  forgetRuns: `DELETE FROM run WHERE started_at < ?1 AND id <> (SELECT max(id) FROM run) AND id NOT IN
    (SELECT max(id) FROM run WHERE ended_at IS NOT NULL GROUP BY source_id)`,
} as const

/** Looks sources and runs up and changes them; changing belongs inside a batch's transaction. */
export class SourceTable {
  readonly #all: Statement<SourceRow, []>
  readonly #byName: Statement<SourceRow, [string]>
  readonly #byId: Statement<SourceRow, [number]>
  readonly #nextSourceId: Statement<{ id: number }, []>
  readonly #put: Statement
  readonly #switch: Statement
  readonly #run: Statement<RunRow, [number]>
  readonly #nextRunId: Statement<{ id: number }, []>
  readonly #startRun: Statement
  readonly #addSeen: Statement
  readonly #endRun: Statement
  readonly #hasRead: Statement<{ found: number }, [number, string]>
  readonly #lastRun: Statement<RunRow, [number]>
  readonly #newestRun: Statement<{ id: number | null }, [number]>
  readonly #forgetRuns: Statement
  readonly #names = new Map<number, string>()

  constructor(database: Database) {
    this.#all = database.prepare(sourceSql.all)
    this.#byName = database.prepare(sourceSql.byName)
    this.#byId = database.prepare(sourceSql.byId)
    this.#nextSourceId = database.prepare(sourceSql.nextSourceId)
    this.#put = database.prepare(sourceSql.put)
    this.#switch = database.prepare(sourceSql.switch)
    this.#run = database.prepare(sourceSql.run)
    this.#nextRunId = database.prepare(sourceSql.nextRunId)
    this.#startRun = database.prepare(sourceSql.startRun)
    this.#addSeen = database.prepare(sourceSql.addSeen)
    this.#endRun = database.prepare(sourceSql.endRun)
    this.#hasRead = database.prepare(sourceSql.hasRead)
    this.#lastRun = database.prepare(sourceSql.lastRun)
    this.#newestRun = database.prepare(sourceSql.newestRun)
    this.#forgetRuns = database.prepare(sourceSql.forgetRuns)
  }

  all(): SourceRow[] {
    return this.#all.all()
  }

  byName(name: string): SourceRow | null {
    return this.#byName.get(name)
  }

  byId(id: number): SourceRow | null {
    return this.#byId.get(id)
  }

  /** Returns a source's name by its id; no id ever gets another. */
  nameOf(id: number): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const name = this.#byId.get(id)?.name ?? ''
    this.#names.set(id, name)
    return name
  }

  /** Writes the source's description and returns its row; a new name gets the next number. */
  describe(source: SourceDescription): SourceRow {
    const known = this.#byName.get(source.name)
    const row: SourceRow = {
      id: known?.id ?? this.#nextSourceId.get()?.id ?? 1,
      name: source.name,
      title: source.title,
      home: source.home,
      licence: source.licence,
      redistribute: source.redistribute ? 1 : 0,
      role: source.role,
      confidence: source.confidence,
      threat_type: source.threatType,
      listing: source.listing ?? 'full',
      enabled: known?.enabled ?? null,
      withdrawn: known?.withdrawn ?? 0,
    }
    this.#put.run(
      row.id,
      row.name,
      row.title,
      row.home,
      row.licence,
      row.redistribute,
      row.role,
      row.confidence,
      row.threat_type,
      row.listing,
    )
    return row
  }

  /** Notes the operator's word about a source. */
  switch(sourceId: number, enabled: boolean | null, isWithdrawn: boolean): void {
    this.#switch.run(sourceId, enabled === null ? null : enabled ? 1 : 0, isWithdrawn ? 1 : 0)
  }

  run(id: number): RunRow | null {
    return this.#run.get(id)
  }

  startRun(sourceId: number, at: number, digest: string | null): number {
    const id = this.#nextRunId.get()?.id ?? 1
    this.#startRun.run(id, sourceId, at, digest)
    return id
  }

  addSeen(runId: number, count: number): void {
    this.#addSeen.run(runId, count)
  }

  endRun(runId: number, at: number, read: number, refused: string): void {
    this.#endRun.run(runId, at, read, refused)
  }

  /** Reports whether a complete run of the source has read content of this digest. */
  hasRead(sourceId: number, digest: string): boolean {
    return this.#hasRead.get(sourceId, digest) !== null
  }

  /** Returns the source's last complete run, or null. */
  lastRun(sourceId: number): RunRow | null {
    return this.#lastRun.get(sourceId)
  }

  /** Returns the id of the source's newest run, complete or not; 0 when it has none. */
  newestRun(sourceId: number): number {
    return this.#newestRun.get(sourceId)?.id ?? 0
  }

  /** Deletes runs that began before `before`, but for each source's last complete one. */
  forgetRuns(before: number): void {
    this.#forgetRuns.run(before)
  }
}
