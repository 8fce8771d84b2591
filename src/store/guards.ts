/** The `guard` table: what no list may block, as guard sources say. */

import type { PlatformMode } from '../model/platform.ts'
import type { GuardEntry, GuardKind } from './batch.ts'
import type { IndicatorRow } from './indicators.ts'
import { inserted, Statements, selected } from './statements.ts'

/** A guard entry of a source. */
export type StoredGuard = {
  readonly id: number
  readonly sourceId: number
  readonly kind: GuardKind
  readonly value: string
  readonly mode: PlatformMode | null
  readonly runId: number
}

/** What of an indicator's row a guard goes by. */
type GuardedRow = Pick<IndicatorRow, 'type' | 'value' | 'host' | 'doNotBlock'>

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'id', 'sourceId', 'kind', 'value', 'mode', 'runId',
] as const satisfies readonly (keyof StoredGuard)[]
const columns = selected('guard', fields)

/** Looks guards up. */
export class GuardReader extends Statements {
  readonly #protects = this.prepare(
    `SELECT 1 AS found FROM guard JOIN source ON source.id = guard.source_id
      WHERE value = ?1 AND kind = ?2 AND withdrawn = 0 LIMIT 1`,
  )

  /** Reports whether a guard source protects exactly this value. O(log n). */
  protects(value: string, kind: GuardKind): boolean {
    return this.#protects.get(value, kind) !== null
  }

  /**
   * Reports whether a guard keeps lists from this indicator: a protected name, its front page, a
   * platform that is not flagged as one, a digest. The importer judges pages and addresses.
   */
  covers({ type, value, host, doNotBlock: flag }: GuardedRow): boolean {
    if (type !== 'domain' && type !== 'url') return this.protects(value, 'digest')
    const name = type === 'domain' ? value : host
    if (name === null || (type === 'url' && !value.endsWith(`://${name}/`))) return false
    const bare = name.startsWith('www.') ? name.slice('www.'.length) : name
    return this.protects(bare, 'name') || (flag === 0 && this.protects(bare, 'platform'))
  }

  /** Returns which guard sources name exactly this value, and as what. */
  naming(value: string): { kind: GuardKind; source: string }[] {
    const sql = `SELECT guard.kind, source.name AS source FROM guard
      JOIN source ON source.id = guard.source_id
      WHERE value = ?1 AND withdrawn = 0 ORDER BY kind, source_id`
    return this.queryAll(sql, value)
  }

  /** Returns at most `limit` guards of a kind after the id `after`. */
  ofKind(kind: GuardKind, after: number, limit: number): StoredGuard[] {
    const sql = `SELECT ${columns} FROM guard CROSS JOIN source ON source.id = guard.source_id
      WHERE kind = ?1 AND guard.id > ?2 AND withdrawn = 0 ORDER BY guard.id LIMIT ?3`
    return this.queryAll(sql, kind, after, limit)
  }

  /** Returns at most `limit` guards of a source after the id `after`. */
  ofSource(sourceId: number, after: number, limit: number): StoredGuard[] {
    const sql = `SELECT ${columns} FROM guard WHERE source_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
    return this.queryAll(sql, sourceId, after, limit)
  }

  /** Returns a text that changes whenever what is guarded may have changed. */
  version(): string {
    const found = this.queryOne<{ runs: number; seen: number; withdrawn: string }>(
      `SELECT count(run.ended_at) AS runs, coalesce(sum(run.seen), 0) AS seen,
          (SELECT coalesce(group_concat(id), '') FROM source
            WHERE role = 'guard' AND withdrawn = 1) AS withdrawn
        FROM source JOIN run ON run.source_id = source.id WHERE source.role = 'guard'`,
    )
    const { runs, seen, withdrawn } = found ?? { runs: 0, seen: 0, withdrawn: '' }
    return `${runs}.${seen}.${withdrawn}`
  }
}

/** Looks guards up and changes them; changing belongs inside a batch's transaction. */
export class GuardTable extends GuardReader {
  readonly #find = this.prepare<StoredGuard>(
    `SELECT ${columns} FROM guard WHERE value = ?1 AND kind = ?2 AND source_id = ?3`,
  )
  readonly #nextId = this.prepare<{ id: number }>(
    'SELECT coalesce(max(id), 0) + 1 AS id FROM guard',
  )
  readonly #insert = this.prepare(`INSERT ${inserted('guard', fields)}`)
  readonly #touch = this.prepare('UPDATE guard SET run_id = ?2, mode = ?3 WHERE id = ?1')

  /** Notes that the source's run names an entry; reports whether it is new, and the run's first of it. */
  put(
    sourceId: number,
    runId: number,
    { kind, value, mode: entryMode }: GuardEntry,
  ): { isFresh: boolean; isFirstInRun: boolean } {
    const mode = entryMode ?? null
    const known = this.#find.get(value, kind, sourceId)
    if (known === null) {
      const id = this.#nextId.get()?.id ?? 1
      this.#insert.run({ id, sourceId, kind, value, mode, runId })
      return { isFresh: true, isFirstInRun: true }
    }
    this.#touch.run(known.id, Math.max(runId, known.runId), mode)
    return { isFresh: false, isFirstInRun: known.runId < runId }
  }

  remove(id: number): void {
    this.execute('DELETE FROM guard WHERE id = ?1', id)
  }
}
