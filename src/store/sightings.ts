/** The `sighting` table: what each source lists about each indicator. */

import type { BrandOrigin, ThreatType } from '../model/indicator.ts'
import type { Sighting } from './batch.ts'
import type { StoredSource } from './sources.ts'
import { inserted, Statements, selected } from './statements.ts'

/** What one source lists about one indicator; flags are 0 or 1. */
export type SightingRow = {
  indicatorId: number
  sourceId: number
  runId: number
  live: number
  firstSeen: number
  lastSeen: number
  endsAt: number | null
  redistribute: number
  confidence: number
  threatType: ThreatType
  targetBrand: string | null
  targetBrandOrigin: BrandOrigin | null
  malwareFamily: string | null
  reference: string | null
  withheld: number
}

/** A sighting with the name of its source. */
export interface NamedSighting extends SightingRow {
  source: string
}

/** What a slice of `endRun` reads of a sighting. */
export interface RunSighting {
  readonly indicatorId: number
  readonly runId: number
  readonly live: number
  readonly endsAt: number | null
  readonly withheld: number
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'indicatorId', 'sourceId', 'runId', 'live', 'firstSeen', 'lastSeen', 'endsAt', 'redistribute',
  'confidence', 'threatType', 'targetBrand', 'targetBrandOrigin', 'malwareFamily', 'reference',
  'withheld',
] as const satisfies readonly (keyof SightingRow)[]
const columns = selected('sighting', fields)

const ofSource = 'WHERE indicator_id = ?1 AND source_id = ?2'

/** Looks sightings up. */
export class SightingReader extends Statements {
  /** Returns every sighting of one indicator, ended ones included. */
  all(indicatorId: number): NamedSighting[] {
    const sql = `SELECT ${columns}, source.name AS source FROM sighting
      JOIN source ON source.id = sighting.source_id
      WHERE indicator_id = ?1 ORDER BY source_id`
    return this.queryAll(sql, indicatorId)
  }

  /** Returns sightings whose grace has passed at `at`. */
  ending(at: number, limit: number): { indicatorId: number; sourceId: number }[] {
    const sql = `SELECT indicator_id AS indicatorId, source_id AS sourceId FROM sighting
      WHERE ends_at <= ?1 LIMIT ?2`
    return this.queryAll(sql, at, limit)
  }
}

/** Looks sightings up and changes them; changing belongs inside a batch's transaction. */
export class SightingTable extends SightingReader {
  readonly #find = this.prepare<SightingRow>(`SELECT ${columns} FROM sighting ${ofSource}`)
  readonly #live = this.prepare<SightingRow>(
    `SELECT ${columns} FROM sighting WHERE indicator_id = ?1 AND live = 1`,
  )
  readonly #put = this.prepare(`INSERT OR REPLACE ${inserted('sighting', fields)}`)
  readonly #touch = this.prepare(`UPDATE sighting SET run_id = ?3, last_seen = ?4 ${ofSource}`)
  readonly #end = this.prepare(
    `UPDATE sighting SET live = 0, ends_at = NULL, withheld = ?3 ${ofSource}`,
  )

  find(indicatorId: number, sourceId: number): SightingRow | null {
    return this.#find.get(indicatorId, sourceId)
  }

  /** Returns the live sightings of one indicator, one per source. */
  live(indicatorId: number): SightingRow[] {
    return this.#live.all(indicatorId)
  }

  /** Returns the source's sightings after the indicator `after`, by indicator. */
  ofSource(sourceId: number, after: number, limit: number): RunSighting[] {
    const sql = `SELECT indicator_id AS indicatorId, run_id AS runId, live, ends_at AS endsAt, withheld
      FROM sighting INDEXED BY sighting_by_source
      WHERE source_id = ?1 AND indicator_id > ?2 ORDER BY indicator_id LIMIT ?3`
    return this.queryAll(sql, sourceId, after, limit)
  }

  put(row: SightingRow): void {
    this.#put.run(row)
  }

  /** Notes that the source's run saw the indicator again. */
  touch(indicatorId: number, sourceId: number, runId: number, lastSeen: number): void {
    this.#touch.run(indicatorId, sourceId, runId, lastSeen)
  }

  /** Keeps the sighting live until `endsAt`. */
  grace(indicatorId: number, sourceId: number, endsAt: number): void {
    this.execute(`UPDATE sighting SET ends_at = ?3 ${ofSource}`, indicatorId, sourceId, endsAt)
  }

  /** Ends the sighting; a withheld one comes back with its source. */
  end(indicatorId: number, sourceId: number, isWithheld: boolean): void {
    this.#end.run(indicatorId, sourceId, isWithheld)
  }

  /** Makes a withheld sighting live again. */
  reinstate(indicatorId: number, sourceId: number): void {
    this.execute(`UPDATE sighting SET live = 1, withheld = 0 ${ofSource}`, indicatorId, sourceId)
  }

  /** Sets the brand that the rules name wherever no source has named one; null removes it. */
  nameBrand(indicatorId: number, brand: string | null): void {
    this.execute(
      `UPDATE sighting SET target_brand = ?2, target_brand_origin = ?3
        WHERE indicator_id = ?1 AND target_brand_origin IS NOT 'source'`,
      indicatorId,
      brand,
      brand === null ? null : 'rules',
    )
  }

  /** Deletes every sighting of an indicator. */
  forget(indicatorId: number): void {
    this.execute('DELETE FROM sighting WHERE indicator_id = ?1', indicatorId)
  }
}

/** Returns the row of a new sighting; `known` is the source's row until now. */
export function toSightingRow(
  indicatorId: number,
  source: StoredSource,
  run: number,
  at: number,
  sighting: Sighting,
  known: SightingRow | null,
): SightingRow {
  return {
    indicatorId: indicatorId,
    sourceId: source.id,
    runId: Math.max(run, known?.runId ?? 0),
    live: 1,
    firstSeen: Math.min(known?.firstSeen ?? at, sighting.firstSeenAt ?? at),
    lastSeen: at,
    endsAt: null,
    redistribute: source.redistribute,
    confidence: sighting.confidence ?? source.confidence,
    threatType: sighting.threatType ?? source.threatType,
    targetBrand: sighting.targetBrand ?? null,
    targetBrandOrigin:
      sighting.targetBrand === undefined ? null : (sighting.targetBrandOrigin ?? 'source'),
    malwareFamily: sighting.malwareFamily ?? null,
    reference: sighting.reference ?? null,
    withheld: 0,
  }
}

/** Reports whether a new sighting only confirms the known one. */
export function isSameSighting(known: SightingRow, seen: SightingRow): boolean {
  return (
    known.live === 1 &&
    known.endsAt === null &&
    known.redistribute === seen.redistribute &&
    known.confidence === seen.confidence &&
    known.threatType === seen.threatType &&
    known.targetBrand === seen.targetBrand &&
    known.targetBrandOrigin === seen.targetBrandOrigin &&
    known.malwareFamily === seen.malwareFamily &&
    known.reference === seen.reference
  )
}
