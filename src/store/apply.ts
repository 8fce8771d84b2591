/**
 * Applies a batch's operations to the tables, inside the transaction the store has opened.
 *
 * Deterministic: it reads the batch and the database, and no clock, random source or setting.
 */

import type { Database, Statement } from 'bun:sqlite'
import { SetHash } from '../model/set-hash.ts'
import { type Batch, batchRowsMax, type Committed, type Operation } from './batch.ts'
import { Merger, type Tables } from './merge.ts'
import { followPlatforms } from './platform-rows.ts'
import type { Progress } from './progress.ts'
import { ReportDesk } from './report-desk.ts'
import type { SourceRow } from './sources.ts'
import { StoreError } from './store-error.ts'
import { Upkeep } from './upkeep.ts'

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
  /** The number of the last change of a published domain: the version of the block list. */
  readonly list_seq: number
  /** The hash of the set of published domains, in hex (`SetHash`). */
  readonly set_hash: string
  /** By which look-alike rules brands were last filled in, and where to go on; null: complete. */
  readonly brand_rules: string
  readonly brands_after: number | null
  /** The number of the last change of an article or a report. */
  readonly text_seq: number
}

/** Statements that only applying a batch needs, by name. */
export const applySql = {
  meta: 'SELECT * FROM meta WHERE id = 1',
  advance: `UPDATE meta SET batch = ?1, seq = ?2, next_id = ?3, date_added = ?4,
    changed_at = ?5, listed_changed_at = ?6, oldest_seq = ?7, list_seq = ?8, set_hash = ?9,
    text_seq = ?10 WHERE id = 1`,
  noteBrands: 'UPDATE meta SET brand_rules = ?1, brands_after = ?2 WHERE id = 1',
} as const

/** Applies batches on one connection. */
export class Applier {
  readonly #tables: Tables
  readonly #meta: Statement<Meta, []>
  readonly #advance: Statement
  readonly #noteBrands: Statement
  readonly #merger: Merger
  readonly #upkeep: Upkeep
  readonly #reportDesk: ReportDesk

  constructor(database: Database, tables: Tables) {
    this.#tables = tables
    this.#meta = database.prepare(applySql.meta)
    this.#advance = database.prepare(applySql.advance)
    this.#noteBrands = database.prepare(applySql.noteBrands)
    this.#merger = new Merger(tables)
    this.#upkeep = new Upkeep(tables, this.#merger)
    this.#reportDesk = new ReportDesk(tables, this.#merger)
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

  /**
   * Applies `batch` under the next number; must run inside a write transaction. `committingAt`: when that
   * began, for a batch may have waited since it was made, and nothing may be dated before others saw the
   * list without it. Like the number, it belongs to the batch from then on.
   */
  apply(batch: Batch, committingAt: number): Committed {
    const meta = this.meta()
    const number = meta.batch + 1
    const progress: Progress = {
      at: batch.at,
      firstSeq: number * batchRowsMax,
      ordinal: 0,
      seq: meta.seq,
      textSeq: meta.text_seq,
      nextId: meta.next_id,
      // Never a whole millisecond, with which the batch before has ended.
      dateAdded: Math.max(meta.date_added, Math.max(batch.at, committingAt) * 1000) + 1,
      subjects: new Set(),
      listedChangedAt: meta.listed_changed_at,
      listSeq: meta.list_seq,
      setHash: new SetHash(meta.set_hash),
      oldestSeq: meta.oldest_seq,
      added: 0,
      changed: 0,
      seenAgain: 0,
      delisted: 0,
      run: null,
      next: null,
      report: null,
    }
    const { counters } = this.#tables
    try {
      for (const operation of batch.operations) this.#perform(progress, operation)
      followPlatforms(this.#merger, this.#tables, progress)
      this.#tables.exports.followSubjects(progress)
      counters.flush()
    } finally {
      counters.discard()
    }
    const hasChanged = progress.seq !== meta.seq
    // Ends on a whole millisecond, so that no two batches share one.
    const dateAdded = hasChanged
      ? Math.ceil((progress.dateAdded - 1) / 1000) * 1000
      : meta.date_added
    const changedAt = hasChanged ? Math.max(meta.changed_at, batch.at) : meta.changed_at
    this.#advance.run(
      number,
      progress.seq,
      progress.nextId,
      dateAdded,
      changedAt,
      progress.listedChangedAt,
      progress.oldestSeq,
      progress.listSeq,
      progress.setHash.hex,
      progress.textSeq,
    )
    const { seq, added, changed, seenAgain, delisted, run, next, report } = progress
    return { seq, added, changed, seenAgain, delisted, run, next, report }
  }

  #perform(progress: Progress, operation: Operation): void {
    const upkeep = this.#upkeep
    switch (operation.op) {
      case 'startRun':
        this.#startRun(progress, operation)
        break
      case 'sight':
        this.#sightAll(progress, operation)
        break
      case 'guard':
        this.#guardAll(operation)
        break
      case 'publishNews':
        this.#publishAll(progress, operation)
        break
      case 'report':
        this.#reportDesk.take(progress, operation.report)
        break
      case 'settleReport':
        this.#reportDesk.settle(progress, operation)
        break
      case 'forgetTexts':
        upkeep.forgetTexts(progress, operation)
        break
      case 'endRun':
        upkeep.endRun(progress, operation)
        break
      case 'enforce':
        upkeep.enforce(progress, this.#sourceNamed(operation.source), operation.after)
        break
      case 'decide':
        this.#merger.decide(
          progress,
          operation,
          operation.verdict === 'clear' ? null : operation.verdict,
        )
        break
      case 'nameBrands':
        upkeep.nameBrands(progress, operation)
        this.#noteBrands.run(operation.rules, operation.next)
        break
      case 'expire':
        upkeep.expire(progress)
        break
      case 'switchSource':
        this.#switchSource(operation)
        break
      case 'withhold':
        upkeep.withhold(progress, this.#sourceNamed(operation.source), operation.after)
        break
      case 'reinstate':
        upkeep.reinstate(progress, this.#sourceNamed(operation.source), operation.after)
        break
      case 'prune':
        upkeep.prune(progress, operation.before)
        break
    }
  }

  #sourceNamed(name: string): SourceRow {
    const source = this.#tables.sources.byName(name)
    if (source !== null) return source
    throw new StoreError('write', `no source is named ${name}`, { hint: 'begin with startRun' })
  }

  /** Returns the source, or throws a `StoreError` when the operator has taken it back. */
  #sourceInUse(name: string): SourceRow {
    const source = this.#sourceNamed(name)
    if (source.withdrawn === 0) return source
    throw new StoreError('write', `${name} has been withdrawn`, {
      hint: `"weir sources enable ${name}" gives back what it lists`,
    })
  }

  #startRun(progress: Progress, operation: Operation & { op: 'startRun' }): void {
    const { sources } = this.#tables
    sources.describe(operation.source)
    const source = this.#sourceInUse(operation.source.name)
    progress.run = sources.startRun(source.id, progress.at, operation.digest)
  }

  #sightAll(progress: Progress, operation: Operation & { op: 'sight' }): void {
    const { sources, counters } = this.#tables
    const source = this.#sourceInUse(operation.source)
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

  #guardAll(operation: Operation & { op: 'guard' }): void {
    const { sources, counters, guards } = this.#tables
    const source = this.#sourceInUse(operation.source)
    let seen = 0
    let fresh = 0
    for (const entry of operation.entries) {
      const outcome = guards.put(source.id, operation.run, entry)
      if (outcome.isFresh) fresh++
      if (outcome.isFirstInRun) seen++
    }
    counters.add('source', source.name, fresh)
    sources.addSeen(operation.run, seen)
  }

  #publishAll(progress: Progress, operation: Operation & { op: 'publishNews' }): void {
    const { sources, counters, news } = this.#tables
    const source = this.#sourceInUse(operation.source)
    let fresh = 0
    for (const article of operation.articles) {
      if (news.put(progress, source.id, article)) fresh++
    }
    counters.add('source', source.name, fresh)
    sources.addSeen(operation.run, operation.articles.length)
  }

  #switchSource(operation: Operation & { op: 'switchSource' }): void {
    const { sources } = this.#tables
    const source = sources.describe(operation.source)
    sources.switch(source.id, operation.enabled, operation.isWithdrawn)
  }
}
