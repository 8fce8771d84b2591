/**
 * Applies a batch's operations to the tables, inside the transaction the store has opened.
 *
 * Deterministic: it reads the batch and the database, and no clock, random source or setting.
 */

import type { Database, Statement } from 'bun:sqlite'
import {
  type Batch,
  batchRowsMax,
  batchSightingsMax,
  type Committed,
  type Operation,
} from './batch.ts'
import { Merger, type Progress, type Tables } from './merge.ts'
import { StoreError } from './store-error.ts'

/** The single row of `meta`. */
export interface Meta {
  readonly epoch: string
  readonly born_at: number
  readonly batch: number
  readonly seq: number
  readonly oldest_seq: number
  readonly next_id: number
  readonly date_added: number
  readonly changed_at: number
  readonly listed_changed_at: number
}

/** Statements that only applying a batch needs, by name. */
export const applySql = {
  meta: 'SELECT * FROM meta WHERE id = 1',
  advance: `UPDATE meta SET batch = ?1, seq = ?2, next_id = ?3, date_added = ?4,
    changed_at = ?5, listed_changed_at = ?6 WHERE id = 1`,
  decide: 'INSERT OR REPLACE INTO decision VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
  undecide: 'DELETE FROM decision WHERE indicator_id = ?1',
  decisionsEnding: 'SELECT indicator_id FROM decision WHERE until <= ?1 LIMIT ?2',
} as const

/** How many sightings a slice of `endRun` looks at; the most it ends is `batchSightingsMax`. */
const endRunSliceRows = 8_000

/** Applies batches on one connection. */
export class Applier {
  readonly #tables: Tables
  readonly #meta: Statement<Meta, []>
  readonly #advance: Statement
  readonly #merger: Merger
  readonly #decide: Statement
  readonly #undecide: Statement
  readonly #decisionsEnding: Statement<{ indicator_id: number }, [number, number]>

  constructor(database: Database, tables: Tables) {
    this.#tables = tables
    this.#meta = database.prepare(applySql.meta)
    this.#advance = database.prepare(applySql.advance)
    this.#merger = new Merger(database, tables)
    this.#decide = database.prepare(applySql.decide)
    this.#undecide = database.prepare(applySql.undecide)
    this.#decisionsEnding = database.prepare(applySql.decisionsEnding)
  }

  meta(): Meta {
    const meta = this.#meta.get()
    if (meta === null) {
      throw new StoreError('read', 'the database has lost its first row', {
        hint: 'restore the last backup',
      })
    }
    return meta
  }

  /** Applies `batch` under the next number; must run inside a write transaction. */
  apply(batch: Batch): Committed {
    const meta = this.meta()
    const number = meta.batch + 1
    const progress: Progress = {
      at: batch.at,
      firstSeq: number * batchRowsMax,
      ordinal: 0,
      nextId: meta.next_id,
      dateAdded: Math.max(meta.date_added + 1, batch.at * 1000),
      listedChangedAt: meta.listed_changed_at,
      added: 0,
      changed: 0,
      seenAgain: 0,
      delisted: 0,
      run: null,
      next: null,
    }
    const { counters } = this.#tables
    try {
      for (const operation of batch.operations) this.#perform(progress, operation)
      this.#merger.followPlatforms(progress)
      counters.flush()
    } finally {
      counters.discard()
    }
    const seq = progress.ordinal === 0 ? meta.seq : progress.firstSeq + progress.ordinal - 1
    // Ends on a whole millisecond, so that no two batches share one.
    const dateAdded =
      progress.ordinal === 0 ? meta.date_added : Math.ceil(progress.dateAdded / 1000) * 1000
    const changedAt = progress.ordinal === 0 ? meta.changed_at : Math.max(meta.changed_at, batch.at)
    const { nextId, listedChangedAt } = progress
    this.#advance.run(number, seq, nextId, dateAdded, changedAt, listedChangedAt)
    const { added, changed, seenAgain, delisted, run, next } = progress
    return { seq, added, changed, seenAgain, delisted, run, next }
  }

  #perform(progress: Progress, operation: Operation): void {
    switch (operation.op) {
      case 'startRun':
        this.#startRun(progress, operation)
        break
      case 'sight':
        this.#sightAll(progress, operation)
        break
      case 'endRun':
        this.#endRun(progress, operation)
        break
      case 'decide':
        this.#applyDecision(progress, operation)
        break
      case 'expire':
        this.#expire(progress)
        break
    }
  }

  #startRun(progress: Progress, operation: Operation & { op: 'startRun' }): void {
    const { sources } = this.#tables
    const source = sources.describe(operation.source)
    progress.run = sources.startRun(source.id, progress.at, operation.digest)
  }

  #sightAll(progress: Progress, operation: Operation & { op: 'sight' }): void {
    const { sources, counters } = this.#tables
    const source = sources.byName(operation.source)
    if (source === null) {
      throw new StoreError('write', `no source is named ${operation.source}`, {
        hint: 'begin with startRun',
      })
    }
    let seen = 0
    let fresh = 0
    for (const sighting of operation.sightings) {
      const outcome = this.#merger.sight(progress, source, operation.run, sighting)
      if (outcome.isFresh) fresh++
      if (outcome.isFirstInRun) seen++
    }
    counters.add('source', source.name, fresh)
    sources.addSeen(operation.run, seen)
  }

  #endRun(progress: Progress, operation: Operation & { op: 'endRun' }): void {
    const { sources, sightings, counters } = this.#tables
    const run = sources.run(operation.run)
    const source = run === null ? null : sources.byId(run.source_id)
    if (run === null || source === null) {
      throw new StoreError('write', `there is no run ${operation.run}`, {
        hint: 'begin with startRun',
      })
    }
    // When the run saw every live sighting of its source there is nothing to look for.
    const isComplete = run.seen === counters.current('source', source.name)
    const slice = isComplete ? [] : sightings.ofSource(source.id, operation.after, endRunSliceRows)
    let ended = 0
    // A later run of the same source that is under way has the last word on what it has seen.
    for (const sighting of slice) {
      if (ended === batchSightingsMax) break
      progress.next = sighting.indicator_id
      if (sighting.live === 0 || sighting.run_id >= run.id || sighting.ends_at !== null) continue
      ended++
      if (operation.graceMs > 0) {
        sightings.grace(sighting.indicator_id, source.id, progress.at + operation.graceMs)
      } else {
        this.#merger.endSighting(progress, sighting.indicator_id, source)
      }
    }
    const isLast = slice.length < endRunSliceRows && ended < batchSightingsMax
    if (!isLast) return
    progress.next = null
    sources.endRun(run.id, progress.at, operation.read, JSON.stringify(operation.refused))
  }

  #applyDecision(progress: Progress, operation: Operation & { op: 'decide' }): void {
    const decision = operation.verdict === 'clear' ? null : operation.verdict
    const row = this.#merger.decide(progress, operation, decision)
    if (row === null) return
    if (decision === null) {
      this.#undecide.run(row.id)
      return
    }
    const { reason, by, until } = operation
    this.#decide.run(row.id, decision, reason, by, progress.at, until)
  }

  #expire(progress: Progress): void {
    const { sources, sightings, indicators } = this.#tables
    const ending = sightings.ending(progress.at, batchSightingsMax)
    for (const { indicator_id, source_id } of ending) {
      const source = sources.byId(source_id)
      if (source !== null) this.#merger.endSighting(progress, indicator_id, source)
    }
    const decided = this.#decisionsEnding.all(progress.at, batchSightingsMax / 2)
    for (const { indicator_id } of decided) {
      this.#undecide.run(indicator_id)
      const row = indicators.byId(indicator_id)
      if (row !== null) this.#merger.redecide(progress, row, null, 'expiry')
    }
    const isDone = ending.length < batchSightingsMax && decided.length < batchSightingsMax / 2
    progress.next = isDone ? null : 0
  }
}
