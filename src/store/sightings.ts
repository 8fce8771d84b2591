/** The `sighting` table: what each source says of each indicator. */

import type { Database, Statement } from 'bun:sqlite'
import type { BrandOrigin, ThreatType } from '../model/indicator.ts'

/** A row as SQLite holds it. */
export interface SightingRow {
  indicator_id: number
  source_id: number
  run_id: number
  live: number
  first_seen: number
  last_seen: number
  ends_at: number | null
  redistribute: number
  confidence: number
  threat_type: ThreatType
  target_brand: string | null
  target_brand_origin: BrandOrigin | null
  malware_family: string | null
  reference: string | null
}

/** A live sighting with the name of its source. */
export interface LiveSighting extends SightingRow {
  source: string
}

/** What a slice of `endRun` looks at. */
export interface RunSighting {
  readonly indicator_id: number
  readonly run_id: number
  readonly live: number
  readonly ends_at: number | null
}

/** Every statement over `sighting`, by name. */
export const sightingSql = {
  find: 'SELECT * FROM sighting WHERE indicator_id = ?1 AND source_id = ?2',
  live: `SELECT sighting.*, source.name AS source FROM sighting
    JOIN source ON source.id = sighting.source_id
    WHERE indicator_id = ?1 AND live = 1`,
  ofSource: `SELECT indicator_id, run_id, live, ends_at
    FROM sighting INDEXED BY sighting_by_source
    WHERE source_id = ?1 AND indicator_id > ?2 ORDER BY indicator_id LIMIT ?3`,
  ending: 'SELECT indicator_id, source_id FROM sighting WHERE ends_at <= ?1 LIMIT ?2',
  put: `INSERT OR REPLACE INTO sighting VALUES
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
  touch: `UPDATE sighting SET run_id = ?3, last_seen = ?4
    WHERE indicator_id = ?1 AND source_id = ?2`,
  grace: 'UPDATE sighting SET ends_at = ?3 WHERE indicator_id = ?1 AND source_id = ?2',
  end: 'UPDATE sighting SET live = 0, ends_at = NULL WHERE indicator_id = ?1 AND source_id = ?2',
} as const

/** Looks sightings up and changes them; changing belongs inside a batch's transaction. */
export class SightingTable {
  readonly #find: Statement<SightingRow, [number, number]>
  readonly #live: Statement<LiveSighting, [number]>
  readonly #ofSource: Statement<RunSighting, [number, number, number]>
  readonly #ending: Statement<{ indicator_id: number; source_id: number }, [number, number]>
  readonly #put: Statement
  readonly #touch: Statement
  readonly #grace: Statement
  readonly #end: Statement

  constructor(database: Database) {
    this.#find = database.prepare(sightingSql.find)
    this.#live = database.prepare(sightingSql.live)
    this.#ofSource = database.prepare(sightingSql.ofSource)
    this.#ending = database.prepare(sightingSql.ending)
    this.#put = database.prepare(sightingSql.put)
    this.#touch = database.prepare(sightingSql.touch)
    this.#grace = database.prepare(sightingSql.grace)
    this.#end = database.prepare(sightingSql.end)
  }

  find(indicatorId: number, sourceId: number): SightingRow | null {
    return this.#find.get(indicatorId, sourceId)
  }

  /** Returns the live sightings of one indicator, one per source. */
  live(indicatorId: number): LiveSighting[] {
    return this.#live.all(indicatorId)
  }

  /** Returns the source's sightings behind `after`, by indicator. */
  ofSource(sourceId: number, after: number, limit: number): RunSighting[] {
    return this.#ofSource.all(sourceId, after, limit)
  }

  /** Returns sightings whose grace has passed at `at`. */
  ending(at: number, limit: number): { indicator_id: number; source_id: number }[] {
    return this.#ending.all(at, limit)
  }

  put(row: SightingRow): void {
    this.#put.run(
      row.indicator_id,
      row.source_id,
      row.run_id,
      row.live,
      row.first_seen,
      row.last_seen,
      row.ends_at,
      row.redistribute,
      row.confidence,
      row.threat_type,
      row.target_brand,
      row.target_brand_origin,
      row.malware_family,
      row.reference,
    )
  }

  /** Notes that the source's run saw the indicator again. */
  touch(indicatorId: number, sourceId: number, runId: number, lastSeen: number): void {
    this.#touch.run(indicatorId, sourceId, runId, lastSeen)
  }

  /** Lets the sighting live on until `endsAt`. */
  grace(indicatorId: number, sourceId: number, endsAt: number): void {
    this.#grace.run(indicatorId, sourceId, endsAt)
  }

  end(indicatorId: number, sourceId: number): void {
    this.#end.run(indicatorId, sourceId)
  }
}
