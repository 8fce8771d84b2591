/**
 * Operations over existing rows, in slices, inside the transaction of a batch: ending what a run did not
 * see, what has run out, what a guard protects; withdrawing a source; forgetting what is old.
 *
 * A slice reads and changes a limited number of rows, and sets `Progress.next` to where to continue.
 */

import type { RemovalReason } from '../model/indicator.ts'
import { formatListingWords, toAudienceBits } from './audience-bits.ts'
import { batchSightingsMax, type Operation } from './batch.ts'
import type { StoredGuard } from './guards.ts'
import type { IndicatorRow } from './indicators.ts'
import type { Merger, Tables } from './merge.ts'
import type { Progress } from './progress.ts'
import type { RunSighting } from './sightings.ts'
import type { SourceRun, StoredSource } from './sources.ts'
import { StoreError } from './store-error.ts'

/** How many rows a slice reads; the most it changes is `batchSightingsMax`. */
const sliceRows = 8_000

/** How many guards a slice enforces: each may end a few listings. */
const enforcedRows = 500

/** How many sightings and decisions a slice lets run out: each may end its platform's row as well. */
const expiredRows = 1_000
const undecidedRows = 500

/** How many delisted rows a slice forgets. */
const forgottenRows = 1_000

/** The digest types, for a guard that names none. */
const digestTypes = ['sha256', 'sha1', 'md5'] as const

/** Carries out operations over existing rows, on one connection. */
export class Upkeep {
  readonly #tables: Tables
  readonly #merger: Merger

  constructor(tables: Tables, merger: Merger) {
    this.#tables = tables
    this.#merger = merger
  }

  /** Ends what the run did not see of its source; after the last slice the run is complete. */
  endRun(progress: Progress, operation: Operation & { op: 'endRun' }): void {
    const { sources } = this.#tables
    const run = sources.run(operation.run)
    const source = run === null ? null : sources.byId(run.sourceId)
    if (run === null || source === null) {
      throw new StoreError('write', `there is no run ${operation.run}`, {
        hint: 'begin with startRun',
      })
    }
    if (source.role === 'guard') this.#endGuards(progress, source, run, operation.after)
    else this.#endMissing(progress, source, run, operation)
    if (progress.next !== null) return
    sources.endRun(run.id, progress.at, operation.read, JSON.stringify(operation.refused))
  }

  #endMissing(
    progress: Progress,
    source: StoredSource,
    run: SourceRun,
    { after, graceMs }: Operation & { op: 'endRun' },
  ): void {
    // A later run of the same source that is under way decides about what it has seen.
    const endsAt = progress.at + graceMs
    const isMissing = (sighting: RunSighting): boolean =>
      sighting.live === 1 &&
      sighting.runId < run.id &&
      (sighting.endsAt === null || sighting.endsAt > endsAt)
    this.#forEach(progress, source, after, isMissing, ({ indicatorId: id }) => {
      if (graceMs > 0) this.#tables.sightings.grace(id, source.id, endsAt)
      else this.#merger.endSighting(progress, id, source)
    })
  }

  /** Visits what is `wanted` of a slice of a source's sightings, and sets where to continue. */
  #forEach(
    progress: Progress,
    source: StoredSource,
    after: number,
    wanted: (sighting: RunSighting) => boolean,
    visit: (sighting: RunSighting) => void,
  ): void {
    const slice = this.#tables.sightings.ofSource(source.id, after, sliceRows)
    let visited = 0
    for (const sighting of slice) {
      if (visited === batchSightingsMax) return
      progress.next = sighting.indicatorId
      if (!wanted(sighting)) continue
      visited++
      visit(sighting)
    }
    if (slice.length < sliceRows && visited < batchSightingsMax) progress.next = null
  }

  #endGuards(progress: Progress, source: StoredSource, run: SourceRun, after: number): void {
    const { guards, counters } = this.#tables
    const slice = guards.ofSource(source.id, after, sliceRows)
    for (const guard of slice) {
      if (guard.runId >= run.id) continue
      guards.remove(guard.id)
      counters.add('source', source.name, -1)
    }
    progress.next = slice.length < sliceRows ? null : (slice.at(-1)?.id ?? null)
  }

  /** Ends sightings by lists of what a guard source protects. */
  enforce(progress: Progress, source: StoredSource, after: number): void {
    const slice = this.#tables.guards.ofSource(source.id, after, enforcedRows)
    for (const guard of slice) {
      for (const row of this.#guardedRows(guard)) this.#merger.endLists(progress, row, source.name)
    }
    progress.next = slice.length < enforcedRows ? null : (slice.at(-1)?.id ?? null)
  }

  /** Returns the active rows that a guard covers. */
  #guardedRows({ kind, value }: StoredGuard): IndicatorRow[] {
    const { indicators } = this.#tables
    const find = (name: string, types: readonly IndicatorRow['type'][]): IndicatorRow[] =>
      types.flatMap((type) => indicators.byValue(name, type) ?? [])
    const hosts = [value, `www.${value}`]
    // A listed root page lists its host.
    const roots = hosts.flatMap((host) => [`https://${host}/`, `http://${host}/`])
    const rootRows = (): IndicatorRow[] => roots.flatMap((root) => find(root, ['url']))
    const rows = {
      name: () => [...hosts.flatMap((host) => find(host, ['domain'])), ...rootRows()],
      platform: () => [
        ...find(value, ['domain']).filter((row) => row.doNotBlock === 0),
        ...rootRows(),
      ],
      digest: () => find(value, digestTypes),
      // An address inside a network is refused when its list is next read.
      network: () => [],
    }
    return rows[kind]().filter((row) => row.active === 1)
  }

  /** Writes what the rules find about the rows of a slice: which brand they imitate, whom they concern. */
  nameBrands(progress: Progress, { names }: Operation & { op: 'nameBrands' }): void {
    for (const { id, brand, audiences } of names) {
      if (brand !== undefined) this.#merger.nameBrand(progress, id, brand)
      if (audiences === undefined) continue
      this.#tables.indicators.address(id, toAudienceBits(audiences), formatListingWords(audiences))
    }
  }

  /** Ends sightings and decisions whose time has passed. */
  expire(progress: Progress): void {
    const { sources, sightings, indicators, decisions } = this.#tables
    const ending = sightings.ending(progress.at, expiredRows)
    for (const { indicatorId, sourceId } of ending) {
      const source = sources.byId(sourceId)
      if (source === null) continue
      const reason: RemovalReason = source.listing === 'recent' ? 'expired' : 'withdrawn'
      const cause = { reason, by: source.name }
      this.#merger.endSighting(progress, indicatorId, source, { cause, isWithheld: false })
    }
    const decided = decisions.ending(progress.at, undecidedRows)
    for (const { indicatorId } of decided) {
      const row = indicators.byId(indicatorId)
      if (row !== null) this.#merger.undecide(progress, row, 'expiry')
    }
    const isDone = ending.length < expiredRows && decided.length < undecidedRows
    progress.next = isDone ? null : 0
  }

  /** Ends every sighting of a source, each to come back with it; of a source of news, hides its articles. */
  withhold(progress: Progress, source: StoredSource, after: number): void {
    if (source.role === 'news') {
      this.#withholdNews(progress, source, 1)
      return
    }
    const cause = { reason: 'operator', by: source.name } as const
    this.#forEach(
      progress,
      source,
      after,
      ({ live }) => live === 1,
      ({ indicatorId: id }) =>
        this.#merger.endSighting(progress, id, source, { cause, isWithheld: true }),
    )
  }

  /** Brings back what was withheld of a source, but for what is protected by now. */
  reinstate(progress: Progress, source: StoredSource, after: number): void {
    if (source.role === 'news') {
      this.#withholdNews(progress, source, 0)
      return
    }
    this.#forEach(
      progress,
      source,
      after,
      ({ withheld }) => withheld === 1,
      ({ indicatorId: id }) => {
        const row = this.#tables.indicators.byId(id)
        if (row !== null && this.#tables.guards.covers(row)) {
          this.#tables.sightings.end(id, source.id, false)
        } else {
          this.#merger.reinstate(progress, id, source)
        }
      },
    )
  }

  #withholdNews(progress: Progress, source: StoredSource, withheld: 0 | 1): void {
    const { news, counters } = this.#tables
    const count = news.withhold(progress, source.id, withheld, batchSightingsMax)
    counters.add('source', source.name, withheld === 1 ? -count : count)
    progress.next = count < batchSightingsMax ? null : 0
  }

  /** Forgets articles from before a time, and what is personal in reports that were decided before one. */
  forgetTexts(
    progress: Progress,
    { newsBefore, reportsBefore }: Operation & { op: 'forgetTexts' },
  ): void {
    const { news, reports, sources, counters } = this.#tables
    const { hidden, gone } = news.forget(progress, newsBefore, forgottenRows)
    for (const sourceId of hidden) counters.add('source', sources.nameOf(sourceId), -1)
    const settled = reports.personal(reportsBefore, forgottenRows)
    for (const report of settled) reports.erase(report)
    progress.next = hidden.length + gone + settled.length === 0 ? null : 0
  }

  /** Forgets what was delisted, and which runs were made, before a time. */
  prune(progress: Progress, before: number): void {
    const { indicators, sightings, events, sources, reportedCalls, exports } = this.#tables
    const rows = indicators.delisted(before * 1000, forgottenRows)
    for (const { id, seq } of rows) {
      const row = indicators.byId(id)
      if (row !== null) exports.forget(row)
      indicators.forget(id)
      sightings.forget(id)
      reportedCalls.forget(id)
      events.forget(id)
      progress.oldestSeq = Math.max(progress.oldestSeq, seq)
    }
    sources.forgetRuns(before)
    progress.next = rows.length === 0 ? null : 0
  }
}
