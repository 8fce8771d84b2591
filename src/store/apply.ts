/**
 * Applies a batch's operations to the tables, inside the transaction the store has opened.
 *
 * Deterministic: it reads the batch and the database, and no clock, random source or setting.
 */

import { SetHash } from '../model/set-hash.ts'
import { type Batch, batchRowsMax, type Committed, type Operation } from './batch.ts'
import { Merger, type Tables } from './merge.ts'
import { followPlatforms } from './platform-rows.ts'
import type { Progress } from './progress.ts'
import { ReportDecisions } from './report-desk.ts'
import type { StoredSource } from './sources.ts'
import { StoreError } from './store-error.ts'
import { Upkeep } from './upkeep.ts'

/** Applies batches on one connection. */
export class Applier {
  readonly #tables: Tables
  readonly #merger: Merger
  readonly #upkeep: Upkeep
  readonly #reportDecisions: ReportDecisions

  constructor(tables: Tables) {
    this.#tables = tables
    this.#merger = new Merger(tables)
    this.#upkeep = new Upkeep(tables, this.#merger)
    this.#reportDecisions = new ReportDecisions(tables, this.#merger)
  }

  /**
   * Applies `batch` under the next number; must run inside a write transaction. `committingAt`: when that
   * began, for a batch may have waited since it was made, and nothing may be dated before others saw the
   * list without it. Like the number, it belongs to the batch from then on.
   */
  apply(batch: Batch, committingAt: number): Committed {
    const meta = this.#tables.meta.read()
    const number = meta.batch + 1
    const progress: Progress = {
      at: batch.at,
      firstSeq: number * batchRowsMax,
      ordinal: 0,
      seq: meta.seq,
      textSeq: meta.textSeq,
      nextId: meta.nextId,
      // Never a whole millisecond, with which the batch before has ended.
      dateAdded: Math.max(meta.dateAdded, Math.max(batch.at, committingAt) * 1000) + 1,
      subjects: new Set(),
      listedChangedAt: meta.listedChangedAt,
      listSeq: meta.listSeq,
      setHash: new SetHash(meta.setHash),
      oldestSeq: meta.oldestSeq,
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
      : meta.dateAdded
    const changedAt = hasChanged ? Math.max(meta.changedAt, batch.at) : meta.changedAt
    const { nextId, listedChangedAt, oldestSeq, listSeq, textSeq } = progress
    this.#tables.meta.advance({
      batch: number,
      seq: progress.seq,
      nextId,
      dateAdded,
      changedAt,
      listedChangedAt,
      oldestSeq,
      listSeq,
      setHash: progress.setHash.hex,
      textSeq,
    })
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
        this.#reportDecisions.save(progress, operation.report)
        break
      case 'settleReport':
        this.#reportDecisions.decide(progress, operation)
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
        this.#tables.meta.noteBrands(operation.rules, operation.next)
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

  #sourceNamed(name: string): StoredSource {
    const source = this.#tables.sources.byName(name)
    if (source !== null) return source
    throw new StoreError('write', `no source is named ${name}`, { hint: 'begin with startRun' })
  }

  /** Returns the source, or throws a `StoreError` when the operator has withdrawn it. */
  #sourceInUse(name: string): StoredSource {
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
