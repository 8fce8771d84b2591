/** The `source` and `run` tables: where sightings come from, and each reading of a full list. */

import type { ThreatType } from '../model/indicator.ts'
import type { SourceDescription } from './batch.ts'
import { assigned, inserted, Statements, selected } from './statements.ts'

/** A source as the store keeps it. */
export type StoredSource = {
  readonly id: number
  readonly name: string
  readonly title: string
  readonly home: string | null
  readonly licence: string | null
  readonly redistribute: number
  readonly role: SourceDescription['role']
  readonly confidence: number
  readonly threatType: ThreatType
  readonly listing: 'full' | 'recent'
  /** 1 or 0 when the operator has decided whether it is fetched by itself; null: as its description says. */
  readonly enabled: number | null
  /** 1: the operator has taken back all it lists. */
  readonly withdrawn: number
}

/** One reading of a source's list. */
export interface SourceRun {
  readonly id: number
  readonly sourceId: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly digest: string | null
  readonly seen: number
  readonly read: number
  /** JSON: the number of refused entries by reason. */
  readonly refused: string
}

// biome-ignore format: columns, as many to a line as fit
const described = [
  'title', 'home', 'licence', 'redistribute', 'role', 'confidence', 'threatType', 'listing',
] as const satisfies readonly (keyof StoredSource)[]
const columns = selected('source', ['id', 'name', ...described, 'enabled', 'withdrawn'])

// biome-ignore format: columns, as many to a line as fit
const runColumns = selected('run', [
  'id', 'sourceId', 'startedAt', 'endedAt', 'digest', 'seen', 'read', 'refused',
] as const satisfies readonly (keyof SourceRun)[])

/** Looks sources and runs up. */
export class SourceReader extends Statements {
  readonly #byId = this.prepare<StoredSource>(`SELECT ${columns} FROM source WHERE id = ?1`)
  readonly #names = new Map<number, string>()

  all(): StoredSource[] {
    return this.queryAll(`SELECT ${columns} FROM source ORDER BY id`)
  }

  byName(name: string): StoredSource | null {
    return this.queryOne(`SELECT ${columns} FROM source WHERE name = ?1`, name)
  }

  byId(id: number): StoredSource | null {
    return this.#byId.get(id)
  }

  /** Returns a source's name by its id; ids are never reused. */
  nameOf(id: number): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const name = this.#byId.get(id)?.name ?? ''
    this.#names.set(id, name)
    return name
  }

  run(id: number): SourceRun | null {
    return this.queryOne(`SELECT ${runColumns} FROM run WHERE id = ?1`, id)
  }

  /** Reports whether a complete run of the source has read content of this digest. */
  hasRead(sourceId: number, digest: string): boolean {
    const found = this.queryOne(
      `SELECT 1 AS found FROM run
        WHERE source_id = ?1 AND digest = ?2 AND ended_at IS NOT NULL LIMIT 1`,
      sourceId,
      digest,
    )
    return found !== null
  }

  /** Returns the source's last complete run, or null. */
  lastRun(sourceId: number): SourceRun | null {
    const sql = `SELECT ${runColumns} FROM run
      WHERE source_id = ?1 AND ended_at IS NOT NULL ORDER BY id DESC LIMIT 1`
    return this.queryOne(sql, sourceId)
  }

  /** Returns the id of the source's newest run, complete or not; 0 when it has none. */
  newestRun(sourceId: number): number {
    const sql = 'SELECT max(id) AS id FROM run WHERE source_id = ?1'
    return this.queryOne<{ id: number | null }>(sql, sourceId)?.id ?? 0
  }
}

/** Looks sources and runs up and changes them; changing belongs inside a batch's transaction. */
export class SourceTable extends SourceReader {
  /** Writes the source's description and returns the source; a new name gets the next id. */
  describe({ listing = 'full', redistribute, ...source }: SourceDescription): StoredSource {
    const known = this.byName(source.name)
    const row: StoredSource = {
      ...source,
      id: known?.id ?? this.#nextId('source'),
      listing,
      redistribute: redistribute ? 1 : 0,
      enabled: known?.enabled ?? null,
      withdrawn: known?.withdrawn ?? 0,
    }
    this.execute(
      `INSERT ${inserted('source', ['id', 'name', ...described])}
        ON CONFLICT (id) DO UPDATE SET ${assigned(described)}`,
      row,
    )
    return row
  }

  #nextId(table: 'source' | 'run'): number {
    const sql = `SELECT coalesce(max(id), 0) + 1 AS id FROM ${table}`
    return this.queryOne<{ id: number }>(sql)?.id ?? 1
  }

  /** Notes the operator's decision about a source. */
  switch(sourceId: number, enabled: boolean | null, isWithdrawn: boolean): void {
    const sql = 'UPDATE source SET enabled = ?2, withdrawn = ?3 WHERE id = ?1'
    this.execute(sql, sourceId, enabled, isWithdrawn)
  }

  startRun(sourceId: number, at: number, digest: string | null): number {
    const id = this.#nextId('run')
    const sql = 'INSERT INTO run (id, source_id, started_at, digest) VALUES (?1, ?2, ?3, ?4)'
    this.execute(sql, id, sourceId, at, digest)
    return id
  }

  addSeen(runId: number, count: number): void {
    this.execute('UPDATE run SET seen = seen + ?2 WHERE id = ?1', runId, count)
  }

  endRun(runId: number, at: number, read: number, refused: string): void {
    const sql = 'UPDATE run SET ended_at = ?2, read = ?3, refused = ?4 WHERE id = ?1'
    this.execute(sql, runId, at, read, refused)
  }

  /** Deletes runs that began before `before`, but for each source's last complete one. */
  forgetRuns(before: number): void {
    this.execute(
      `DELETE FROM run WHERE started_at < ?1 AND id <> (SELECT max(id) FROM run) AND id NOT IN
        (SELECT max(id) FROM run WHERE ended_at IS NOT NULL GROUP BY source_id)`,
      before,
    )
  }
}
