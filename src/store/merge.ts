/**
 * Merges what sources and the operator say into indicator rows: the middle of applying a batch.
 *
 * Every row whose meaning changes takes the batch's next number, is counted, and records an event
 * when its state changes. Reads the batch and the database, nothing else.
 */

import type { Database, Statement } from 'bun:sqlite'
import type { RemovalReason } from '../model/indicator.ts'
import { batchRowsMax, type Operation, type Sighting, type SourceDescription } from './batch.ts'
import type { CounterTable } from './counters.ts'
import type { IndicatorRow, IndicatorTable } from './indicators.ts'
import type { SightingRow, SightingTable } from './sightings.ts'
import type { SourceRow, SourceTable } from './sources.ts'
import { isNews, type Standing, standingOf, stateOf } from './standing.ts'
import { StoreError } from './store-error.ts'

/** Statements that only merging needs, by name. */
export const mergeSql = {
  addEvent: 'INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
} as const

export interface Tables {
  readonly indicators: IndicatorTable
  readonly sightings: SightingTable
  readonly sources: SourceTable
  readonly counters: CounterTable
}

/** The source under which shared-infrastructure apexes are listed, as long as they harbour one. */
export const platformSource: SourceDescription = {
  name: 'shared-infrastructure',
  title: 'Shared infrastructure that harbours a listing',
  home: null,
  licence: 'MIT',
  redistribute: true,
  role: 'weir',
  confidence: 0,
  threatType: 'phishing',
}

/** Microseconds of `date_added` reserved for each row: room for the objects made of it. */
const dateAddedPerRow = 4

/** Why a row changes, for its event. */
interface Cause {
  readonly reason: 'sighted' | RemovalReason
  readonly by: string
}

/** What a row that is not there yet begins with. */
interface NewRow {
  readonly type: IndicatorRow['type']
  readonly value: string
  readonly host: string | undefined
  readonly platform: string | undefined
  readonly doNotBlock: true | undefined
  readonly decision: 'block' | 'allow' | null
}

/** What is being counted up while a batch is applied. */
export interface Progress {
  readonly at: number
  readonly firstSeq: number
  ordinal: number
  nextId: number
  dateAdded: number
  listedChangedAt: number
  added: number
  changed: number
  seenAgain: number
  delisted: number
  run: number | null
  next: number | null
}

/** Merges on one connection, inside the transaction of the batch that `Progress` stands for. */
export class Merger {
  readonly #tables: Tables
  readonly #addEvent: Statement

  constructor(database: Database, tables: Tables) {
    this.#tables = tables
    this.#addEvent = database.prepare(mergeSql.addEvent)
  }

  /** Merges one sighting; says whether it is newly live, and the run's first of its indicator. */
  sight(
    progress: Progress,
    source: SourceRow,
    run: number,
    sighting: Sighting,
  ): { isFresh: boolean; isFirstInRun: boolean } {
    const { indicators, sightings } = this.#tables
    const row = indicators.byValue(sighting.value, sighting.type)
    if (row === null) {
      const said = sightingRow(progress.nextId, source, run, progress.at, sighting, null)
      this.#insert(progress, source, sighting, said)
      return { isFresh: true, isFirstInRun: true }
    }
    const known = sightings.find(row.id, source.id)
    const said = sightingRow(row.id, source, run, progress.at, sighting, known)
    const isFresh = known === null || known.live === 0
    const isFirstInRun = isFresh || known.run_id < run
    const hasMoved =
      row.platform !== (sighting.platform ?? null) ||
      row.do_not_block !== (sighting.doNotBlock === true ? 1 : 0)
    if (known !== null && !hasMoved && saysTheSame(known, said)) {
      sightings.touch(row.id, source.id, said.run_id, progress.at)
      // Where a public source speaks, a private one moves no date that is shown.
      const isShown = source.redistribute === 1 || row.published === 0
      if (isShown) indicators.touch(row.id, progress.at)
      progress.seenAgain++
      return { isFresh, isFirstInRun }
    }
    sightings.put(said)
    const platform = sighting.platform ?? null
    const doNotBlock = sighting.doNotBlock === true ? 1 : 0
    const moved = { ...row, platform, do_not_block: doNotBlock }
    const cause: Cause = { reason: 'sighted', by: source.name }
    if (!this.#reconcile(progress, row, moved, cause)) progress.seenAgain++
    return { isFresh, isFirstInRun }
  }

  #insert(progress: Progress, source: SourceRow, sighting: Sighting, said: SightingRow): void {
    const { type, value, host, platform, doNotBlock } = sighting
    const standing = standingOf([{ ...said, source: source.name }], null, null)
    const words = { type, value, host, platform, doNotBlock, decision: null }
    this.#insertRow(progress, words, standing, { reason: 'sighted', by: source.name })
    this.#tables.sightings.put(said)
  }

  /** Writes a row that was not there under the next id and number. */
  #insertRow(progress: Progress, words: NewRow, standing: Standing, cause: Cause): IndicatorRow {
    const seq = this.#nextSeq(progress)
    const row: IndicatorRow = {
      id: progress.nextId++,
      type: words.type,
      value: words.value,
      host: words.host ?? null,
      platform: words.platform ?? null,
      do_not_block: words.doNotBlock === true ? 1 : 0,
      decision: words.decision,
      ...standing,
      listed_at: progress.at,
      seq,
      listed_seq: seq,
      date_added: this.#nextDateAdded(progress),
    }
    this.#tables.indicators.insert(row)
    this.#tables.counters.countRow(null, row, progress.at)
    this.#record(progress, null, row, cause)
    progress.added++
    return row
  }

  /** Rewrites a row after its sightings or its decision changed; says whether that is news. */
  #reconcile(
    progress: Progress,
    before: IndicatorRow,
    wanted: IndicatorRow,
    cause: Cause,
  ): boolean {
    const { indicators, sightings, counters } = this.#tables
    const standing = standingOf(sightings.live(before.id), wanted.decision, before)
    const after: IndicatorRow = { ...wanted, ...standing }
    if (!isNews(before, after)) {
      indicators.refresh(after)
      counters.countRow(before, after, progress.at)
      return false
    }
    after.seq = this.#nextSeq(progress)
    after.date_added = this.#nextDateAdded(progress)
    const isNewlyListed =
      (before.active === 0 && after.active === 1) ||
      (before.published === 0 && after.published === 1)
    if (isNewlyListed) {
      after.listed_seq = after.seq
      after.listed_at = progress.at
    }
    indicators.change(after)
    counters.countRow(before, after, progress.at)
    this.#record(progress, before, after, cause)
    if (before.active === 1 && after.active === 0) progress.delisted++
    else progress.changed++
    return true
  }

  #record(
    progress: Progress,
    before: IndicatorRow | null,
    after: IndicatorRow,
    cause: Cause,
  ): void {
    if (after.type === 'domain' && (before?.published === 1 || after.published === 1)) {
      progress.listedChangedAt = Math.max(progress.listedChangedAt, progress.at)
    }
    const from = stateOf(before)
    const to = stateOf(after)
    if (from === to) return
    const reason: Cause['reason'] =
      from === 'listed' && to === 'private' ? 'unpublished' : cause.reason
    this.#addEvent.run(after.seq, after.id, progress.at, from, to, reason, cause.by)
  }

  /** Ends one source's sighting, and with it perhaps the listing. */
  endSighting(progress: Progress, indicatorId: number, source: SourceRow): void {
    const { indicators, sightings, counters } = this.#tables
    sightings.end(indicatorId, source.id)
    counters.add('source', source.name, -1)
    const row = indicators.byId(indicatorId)
    if (row === null) return
    this.#reconcile(progress, row, row, { reason: 'withdrawn', by: source.name })
  }

  /** Sets or (null) takes back the operator's word; returns the row, or null when there is none. */
  decide(
    progress: Progress,
    operation: Operation & { op: 'decide' },
    decision: 'block' | 'allow' | null,
  ): IndicatorRow | null {
    const row = this.#tables.indicators.byValue(operation.value, operation.type)
    if (row !== null) {
      this.redecide(progress, row, decision, operation.by)
      return row
    }
    if (decision === null) return null
    const { type, value, host, platform, by } = operation
    const words = { type, value, host, platform, doNotBlock: undefined, decision }
    const seen = { first_seen: progress.at, last_seen: progress.at }
    const standing = { ...standingOf([], decision, null), ...seen }
    return this.#insertRow(progress, words, standing, { reason: 'operator', by })
  }

  /** Puts another decision on a row that is there. */
  redecide(
    progress: Progress,
    row: IndicatorRow,
    decision: 'block' | 'allow' | null,
    by: string,
  ): void {
    this.#reconcile(progress, row, { ...row, decision }, { reason: 'operator', by })
  }

  /** Lists each platform apex while something published stands under it, and no longer. */
  followPlatforms(progress: Progress): void {
    const { counters, indicators, sightings, sources } = this.#tables
    const apexes = counters.touched('platform')
    if (apexes.length === 0) return
    const source = sources.byName(platformSource.name) ?? sources.describe(platformSource)
    // What follows from the entries is not counted as entries.
    const { added, changed, delisted } = progress
    for (const apex of apexes) {
      const isHarbouring = counters.current('platform', apex) > 0
      const row = indicators.byValue(apex, 'domain')
      const known = row === null ? null : sightings.find(row.id, source.id)
      const isListed = known?.live === 1
      if (isHarbouring === isListed) continue
      if (isHarbouring) {
        this.sight(progress, source, 0, { type: 'domain', value: apex, doNotBlock: true })
        counters.add('source', source.name, 1)
      } else if (row !== null) {
        this.endSighting(progress, row.id, source)
      }
    }
    Object.assign(progress, { added, changed, delisted })
  }

  #nextSeq(progress: Progress): number {
    if (progress.ordinal === batchRowsMax) {
      throw new StoreError('write', `a batch changed more than ${batchRowsMax} rows`, {
        hint: 'propose smaller batches',
      })
    }
    return progress.firstSeq + progress.ordinal++
  }

  #nextDateAdded(progress: Progress): number {
    const date = progress.dateAdded
    progress.dateAdded += dateAddedPerRow
    return date
  }
}

function sightingRow(
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
  }
}

function saysTheSame(known: SightingRow, said: SightingRow): boolean {
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
