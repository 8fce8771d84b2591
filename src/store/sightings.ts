/** The `sighting` table: what each source says of each indicator. */

import type { Database, Statement } from 'bun:sqlite'
import type { BrandOrigin, ThreatType } from '../model/indicator.ts'
import type { Sighting } from './batch.ts'
import type { SourceRow } from './sources.ts'

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
  withheld: number
}

/** A sighting with the name of its source. */
export interface NamedSighting extends SightingRow {
  source: string
}

/** What a slice of `endRun` looks at. */
export interface RunSighting {
  readonly indicator_id: number
  readonly run_id: number
  readonly live: number
  readonly ends_at: number | null
  readonly withheld: number
}

/** Every statement over `sighting`, by name. */
export const sightingSql = {
  find: 'SELECT * FROM sighting WHERE indicator_id = ?1 AND source_id = ?2',
  live: 'SELECT * FROM sighting WHERE indicator_id = ?1 AND live = 1',
  all: `SELECT sighting.*, source.name AS source FROM sighting
    JOIN source ON source.id = sighting.source_id
    WHERE indicator_id = ?1 ORDER BY source_id`,
  ofSource: `SELECT indicator_id, run_id, live, ends_at, withheld
    FROM sighting INDEXED BY sighting_by_source
    WHERE source_id = ?1 AND indicator_id > ?2 ORDER BY indicator_id LIMIT ?3`,
  ending: 'SELECT indicator_id, source_id FROM sighting WHERE ends_at <= ?1 LIMIT ?2',
  put: `INSERT OR REPLACE INTO sighting VALUES
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
     ?15)`,
  touch: `UPDATE sighting SET run_id = ?3, last_seen = ?4
    WHERE indicator_id = ?1 AND source_id = ?2`,
  grace: 'UPDATE sighting SET ends_at = ?3 WHERE indicator_id = ?1 AND source_id = ?2',
  end: `UPDATE sighting SET live = 0, ends_at = NULL, withheld = ?3
    WHERE indicator_id = ?1 AND source_id = ?2`,
  reinstate: `UPDATE sighting SET live = 1, withheld = 0
    WHERE indicator_id = ?1 AND source_id = ?2`,
  nameBrand: `UPDATE sighting SET target_brand = ?2, target_brand_origin = ?3
    WHERE indicator_id = ?1 AND target_brand_origin IS NOT 'source'`,
  forget: 'DELETE FROM sighting WHERE indicator_id = ?1',
} as const

/** Looks sightings up and changes them; changing belongs inside a batch's transaction. */
export class SightingTable {
  readonly #find: Statement<SightingRow, [number, number]>
  readonly #live: Statement<SightingRow, [number]>
  readonly #all: Statement<NamedSighting, [number]>
  readonly #ofSource: Statement<RunSighting, [number, number, number]>
  readonly #ending: Statement<{ indicator_id: number; source_id: number }, [number, number]>
  readonly #put: Statement
  readonly #touch: Statement
  readonly #grace: Statement
  readonly #end: Statement
  readonly #reinstate: Statement
  readonly #nameBrand: Statement
  readonly #forget: Statement

  constructor(database: Database) {
    this.#find = database.prepare(sightingSql.find)
    this.#live = database.prepare(sightingSql.live)
    this.#all = database.prepare(sightingSql.all)
    this.#ofSource = database.prepare(sightingSql.ofSource)
    this.#ending = database.prepare(sightingSql.ending)
    this.#put = database.prepare(sightingSql.put)
    this.#touch = database.prepare(sightingSql.touch)
    this.#grace = database.prepare(sightingSql.grace)
    this.#end = database.prepare(sightingSql.end)
    this.#reinstate = database.prepare(sightingSql.reinstate)
    this.#nameBrand = database.prepare(sightingSql.nameBrand)
    this.#forget = database.prepare(sightingSql.forget)
  }

  find(indicatorId: number, sourceId: number): SightingRow | null {
    return this.#find.get(indicatorId, sourceId)
  }

  /** Returns the live sightings of one indicator, one per source. */
  live(indicatorId: number): SightingRow[] {
    return this.#live.all(indicatorId)
  }

  /** Returns every sighting of one indicator, ended ones included. */
  all(indicatorId: number): NamedSighting[] {
    return this.#all.all(indicatorId)
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
      row.withheld,
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

  /** Ends the sighting; a withheld one comes back with its source. */
  end(indicatorId: number, sourceId: number, isWithheld: boolean): void {
    this.#end.run(indicatorId, sourceId, isWithheld ? 1 : 0)
  }

  /** Brings a withheld sighting back to life. */
  reinstate(indicatorId: number, sourceId: number): void {
    this.#reinstate.run(indicatorId, sourceId)
  }

  /** Sets the brand that the rules name wherever no source has named one; null takes it away. */
  nameBrand(indicatorId: number, brand: string | null): void {
    this.#nameBrand.run(indicatorId, brand, brand === null ? null : 'rules')
  }

  /** Deletes every sighting of an indicator. */
  forget(indicatorId: number): void {
    this.#forget.run(indicatorId)
  }
}

/** Makes the row of what a source says now; `known` is what it said before. */
export function sightingRow(
  indicatorId: number,
  source: SourceRow,
  run: number,
  at: number,
  sighting: Sighting,
  known: SightingRow | null,
): SightingRow {
  return {
    indicator_id: indicatorId,
    source_id: source.id,
    run_id: Math.max(run, known?.run_id ?? 0),
    live: 1,
    first_seen: Math.min(known?.first_seen ?? at, sighting.firstSeenAt ?? at),
    last_seen: at,
    ends_at: null,
    redistribute: source.redistribute,
    confidence: sighting.confidence ?? source.confidence,
    threat_type: sighting.threatType ?? source.threat_type,
    target_brand: sighting.targetBrand ?? null,
    target_brand_origin:
      sighting.targetBrand === undefined ? null : (sighting.targetBrandOrigin ?? 'source'),
    malware_family: sighting.malwareFamily ?? null,
    reference: sighting.reference ?? null,
    withheld: 0,
  }
}

/** Reports whether a source that speaks again only confirms what it said. */
export function saysTheSame(known: SightingRow, said: SightingRow): boolean {
  return (
    known.live === 1 &&
    known.ends_at === null &&
    known.redistribute === said.redistribute &&
    known.confidence === said.confidence &&
    known.threat_type === said.threat_type &&
    known.target_brand === said.target_brand &&
    known.target_brand_origin === said.target_brand_origin &&
    known.malware_family === said.malware_family &&
    known.reference === said.reference
  )
}
