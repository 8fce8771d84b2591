/** The `guard` table: what no list may block, as guard sources say, and every statement over it. */

import type { Database, Statement } from 'bun:sqlite'
import type { PlatformMode } from '../model/platform.ts'
import type { GuardEntry, GuardKind } from './batch.ts'
import type { IndicatorRow } from './indicators.ts'

/** A row as SQLite holds it. */
export interface GuardRow {
  readonly id: number
  readonly source_id: number
  readonly kind: GuardKind
  readonly value: string
  readonly mode: PlatformMode | null
  readonly run_id: number
}

/** What of an indicator's row a guard goes by. */
type GuardedRow = Pick<IndicatorRow, 'type' | 'value' | 'host' | 'do_not_block'>

/** Every statement over `guard`, by name. */
export const guardSql = {
  find: 'SELECT * FROM guard WHERE value = ?1 AND kind = ?2 AND source_id = ?3',
  protects: `SELECT 1 AS found FROM guard JOIN source ON source.id = guard.source_id
    WHERE value = ?1 AND kind = ?2 AND withdrawn = 0 LIMIT 1`,
  naming: `SELECT guard.kind, source.name AS source FROM guard
    JOIN source ON source.id = guard.source_id
    WHERE value = ?1 AND withdrawn = 0 ORDER BY kind, source_id`,
  ofKind: `SELECT guard.* FROM guard CROSS JOIN source ON source.id = guard.source_id
    WHERE kind = ?1 AND guard.id > ?2 AND withdrawn = 0 ORDER BY guard.id LIMIT ?3`,
  ofSource: 'SELECT * FROM guard WHERE source_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3',
  nextId: 'SELECT coalesce(max(id), 0) + 1 AS id FROM guard',
  put: 'INSERT INTO guard VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
  touch: 'UPDATE guard SET run_id = ?2, mode = ?3 WHERE id = ?1',
  remove: 'DELETE FROM guard WHERE id = ?1',
  version: `SELECT count(run.ended_at) AS runs, coalesce(sum(run.seen), 0) AS seen,
      (SELECT coalesce(group_concat(id), '') FROM source
        WHERE role = 'guard' AND withdrawn = 1) AS withdrawn
    FROM source JOIN run ON run.source_id = source.id WHERE source.role = 'guard'`,
} as const

/** Looks guards up and changes them; changing belongs inside a batch's transaction. */
export class GuardTable {
  readonly #find: Statement<GuardRow, [string, string, number]>
  readonly #protects: Statement<{ found: number }, [string, string]>
  readonly #naming: Statement<{ kind: GuardKind; source: string }, [string]>
  readonly #ofKind: Statement<GuardRow, [string, number, number]>
  readonly #ofSource: Statement<GuardRow, [number, number, number]>
  readonly #nextId: Statement<{ id: number }, []>
  readonly #put: Statement
  readonly #touch: Statement
  readonly #remove: Statement
  readonly #version: Statement<{ runs: number; seen: number; withdrawn: string }, []>

  constructor(database: Database) {
    this.#find = database.prepare(guardSql.find)
    this.#protects = database.prepare(guardSql.protects)
    this.#naming = database.prepare(guardSql.naming)
    this.#ofKind = database.prepare(guardSql.ofKind)
    this.#ofSource = database.prepare(guardSql.ofSource)
    this.#nextId = database.prepare(guardSql.nextId)
    this.#put = database.prepare(guardSql.put)
    this.#touch = database.prepare(guardSql.touch)
    this.#remove = database.prepare(guardSql.remove)
    this.#version = database.prepare(guardSql.version)
  }

  /** Reports whether a guard source protects exactly this value. O(log n). */
  protects(value: string, kind: GuardKind): boolean {
    return this.#protects.get(value, kind) !== null
  }

  /**
   * Reports whether a guard keeps lists from this indicator: a protected name, its front page, a
   * platform that is not flagged as one, a digest. Pages and addresses are for whoever judges lists.
   */
  speaksOf({ type, value, host, do_not_block: flag }: GuardedRow): boolean {
    if (type !== 'domain' && type !== 'url') return this.protects(value, 'digest')
    const name = type === 'domain' ? value : host
    if (name === null || (type === 'url' && !value.endsWith(`://${name}/`))) return false
    const bare = name.startsWith('www.') ? name.slice('www.'.length) : name
    return this.protects(bare, 'name') || (flag === 0 && this.protects(bare, 'platform'))
  }

  /** Returns which guard sources name exactly this value, and as what. */
  naming(value: string): { kind: GuardKind; source: string }[] {
    return this.#naming.all(value)
  }

  /** Returns at most `limit` guards of a kind behind the id `after`. */
  ofKind(kind: GuardKind, after: number, limit: number): GuardRow[] {
    return this.#ofKind.all(kind, after, limit)
  }

  /** Returns at most `limit` guards of a source behind the id `after`. */
  ofSource(sourceId: number, after: number, limit: number): GuardRow[] {
    return this.#ofSource.all(sourceId, after, limit)
  }

  /** Returns a text that is another one whenever what is guarded may have changed. */
  version(): string {
    const { runs, seen, withdrawn } = this.#version.get() ?? { runs: 0, seen: 0, withdrawn: '' }
    return `${runs}.${seen}.${withdrawn}`
  }

  /** Notes that the source's run names an entry; says whether it is new, and the run's first of it. */
  put(
    sourceId: number,
    runId: number,
    { kind, value, mode }: GuardEntry,
  ): { isFresh: boolean; isFirstInRun: boolean } {
    const known = this.#find.get(value, kind, sourceId)
    if (known === null) {
      const id = this.#nextId.get()?.id ?? 1
      this.#put.run(id, sourceId, kind, value, mode ?? null, runId)
      return { isFresh: true, isFirstInRun: true }
    }
    this.#touch.run(known.id, Math.max(runId, known.run_id), mode ?? null)
    return { isFresh: false, isFirstInRun: known.run_id < runId }
  }

  remove(id: number): void {
    this.#remove.run(id)
  }
}
