/**
 * The `counter` table: every number that a page, header or answer shows, kept by the writer.
 *
 * Within a batch changes add up in memory and are written once at its end.
 */

import type { IndicatorRow } from './indicators.ts'
import { Statements } from './statements.ts'

/**
 * What is counted, and by which key:
 * - `active`, `published`: indicators in that state, by type
 * - `listed_day`: published domains, by the UTC day they were listed
 * - `added`, `removed`: indicators that became or ceased to be published, by UTC day
 * - `brand`, `platform`: published indicators, by target brand and by shared-infrastructure apex
 * - `source`: live sightings, by source
 * - `report`: reports, by status
 * - `exported_brand`, `exported_family`: exported indicators, by the key of their brand or family
 */
export const counterScopes = [
  'active',
  'published',
  'listed_day',
  'added',
  'removed',
  'brand',
  'platform',
  'source',
  'report',
  'exported_brand',
  'exported_family',
] as const
export type CounterScope = (typeof counterScopes)[number]

/** Returns the UTC day of a time as `YYYY-MM-DD`. */
export function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Reads counters as they were committed. */
export class CounterReader extends Statements {
  readonly #get = this.prepare<{ n: number }>('SELECT n FROM counter WHERE scope = ?1 AND key = ?2')

  get(scope: CounterScope, key: string): number {
    return this.#get.get(scope, key)?.n ?? 0
  }

  /** Returns every count of a scope that is not zero, by key. */
  scope(scope: CounterScope): { key: string; n: number }[] {
    return this.queryAll('SELECT key, n FROM counter WHERE scope = ?1 AND n <> 0', scope)
  }

  /** Returns the sum of a scope's counts whose key is `key` or sorts after it. */
  sumFrom(scope: CounterScope, key: string): number {
    const sql = 'SELECT coalesce(sum(n), 0) AS n FROM counter WHERE scope = ?1 AND key >= ?2'
    return this.queryOne<{ n: number }>(sql, scope, key)?.n ?? 0
  }
}

/** Reads counters, and adds up and writes a batch's changes to them. */
export class CounterTable extends CounterReader {
  readonly #pending = new Map<CounterScope, Map<string, number>>()

  add(scope: CounterScope, key: string, n: number): void {
    const counts = this.#pending.get(scope) ?? new Map<string, number>()
    this.#pending.set(scope, counts)
    counts.set(key, (counts.get(key) ?? 0) + n)
  }

  /** Returns a count with what this batch has added so far. */
  current(scope: CounterScope, key: string): number {
    return this.get(scope, key) + (this.#pending.get(scope)?.get(key) ?? 0)
  }

  /** Counts a row that went from `before` (null: was not there) to `after` at the time `at`. */
  countRow(before: IndicatorRow | null, after: IndicatorRow, at: number): void {
    if (before !== null) this.#tally(before, -1)
    this.#tally(after, 1)
    const wasPublished = before?.published === 1
    const isPublished = after.published === 1
    if (wasPublished !== isPublished) this.add(isPublished ? 'added' : 'removed', toDay(at), 1)
  }

  #tally(row: IndicatorRow, sign: 1 | -1): void {
    if (row.active === 1) this.add('active', row.type, sign)
    if (row.published === 0) return
    this.add('published', row.type, sign)
    if (row.type === 'domain') this.add('listed_day', toDay(row.listedAt), sign)
    if (row.targetBrand !== null) this.add('brand', row.targetBrand, sign)
    if (row.platform !== null) this.add('platform', row.platform, sign)
  }

  /** Returns the keys of a scope that this batch has touched so far. */
  touched(scope: CounterScope): string[] {
    return [...(this.#pending.get(scope)?.keys() ?? [])]
  }

  readonly #add = this.prepare(`INSERT INTO counter VALUES (?1, ?2, ?3)
    ON CONFLICT (scope, key) DO UPDATE SET n = n + ?3`)

  /** Writes what the batch has added up. */
  flush(): void {
    for (const [scope, counts] of this.#pending) {
      for (const [key, n] of counts) if (n !== 0) this.#add.run(scope, key, n)
    }
    this.#pending.clear()
  }

  /** Forgets what a batch that failed has added up. */
  discard(): void {
    this.#pending.clear()
  }
}
