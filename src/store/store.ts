/**
 * The truth: one SQLite file, written in batches under one sequence of numbers, read by whoever
 * follows that sequence.
 *
 *     write(batch) ──▶ BEGIN IMMEDIATE ── number ── apply ── COMMIT ──▶ rows with new numbers
 *     changesSince(n) ◀── followers ask, when woken or when `dataVersion` has moved
 *
 * Invariant: numbers ascend in the order of commits, whichever process writes, so nobody who asks
 * for what came after the last number seen can miss a change.
 */

import type { Database, Statement } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AudienceWords } from '../model/audience.ts'
import type { Indicator, IndicatorType } from '../model/indicator.ts'
import { Applier, type Meta } from './apply.ts'
import { listingWordsOf } from './audience-bits.ts'
import { type Batch, batchBytesMax, type Committed } from './batch.ts'
import { CounterTable } from './counters.ts'
import { copyBeforeMigration } from './database-copy.ts'
import { DecisionTable } from './decisions.ts'
import { EventTable } from './events.ts'
import { Exported } from './exported.ts'
import { Exports } from './exports.ts'
import { openingFailed, writingFailed } from './failures.ts'
import { type FetchState, FetchTable } from './fetches.ts'
import { GuardTable } from './guards.ts'
import { type Change, type IndicatorRow, IndicatorTable, toIndicator } from './indicators.ts'
import { ListChanges } from './list-changes.ts'
import { Listings } from './listings.ts'
import type { Tables } from './merge.ts'
import { NewsTable } from './news.ts'
import { ReportedCallTable } from './reported-calls.ts'
import { ReportTable } from './reports.ts'
import {
  busyTimeoutMs,
  isBusy,
  isCorrupt,
  isFull,
  migrate,
  olderVersionOf,
  openDatabase,
  setHashOfRows,
} from './schema.ts'
import { Searchable } from './searchable.ts'
import { SightingTable } from './sightings.ts'
import { SourceTable } from './sources.ts'
import { StoreError } from './store-error.ts'

/** The database's file inside the data directory. */
export const databaseName = 'weir.db'

/** How long `write` keeps asking for the write lock before it gives up. */
const writePatienceMs = 15_000

/** How long a start waits for another process that migrates the file. */
const migrationWaitMs = 60_000

/** Among so many that were delisted first, one is looked for that may be forgotten. */
const forgottenAtOnce = 500

/** Between two attempts to get the write lock, on top of SQLite's own waiting. */
const writeRetryMs = 10

export interface StoreOptions {
  readonly dataDir: string
  /** A serving thread waits briefly for locks; everything else can wait longer. */
  readonly role: keyof typeof busyTimeoutMs
  /** The time, for the birthday of a new database and for dating what is committed. */
  readonly now: () => number
  /** How much of the file it keeps in memory; a connection that seldom reads twice needs little. */
  readonly cacheKiB?: number
  /** For tests of a full disk: the most pages the file may have. */
  readonly pagesMax?: number
}

/** What came after a number, or word that the asker is too far behind. */
export type Changes =
  | { readonly kind: 'changes'; readonly rows: readonly Change[] }
  | { readonly kind: 'resync' }

/** The moment that a reading of all rows is true for. */
export interface Moment {
  readonly seq: number
  readonly epoch: string
}

const pragmas = {
  dataVersion: 'PRAGMA data_version',
  quickCheck: 'PRAGMA quick_check(1)',
} as const

/** Every statement over `snapshot`, by name. */
export const storeSql = {
  snapshotToken: 'SELECT token FROM snapshot WHERE id = 1',
  setSnapshotToken: 'INSERT OR REPLACE INTO snapshot VALUES (1, ?1)',
} as const

/** One connection to the database. Not to be shared between threads: each opens its own. */
export class Store {
  readonly path: string
  readonly #database: Database
  readonly #now: () => number
  readonly #tables: Tables
  readonly #fetches: FetchTable
  readonly listChanges: Pick<ListChanges, 'stretch' | 'departure'>
  readonly listings: Pick<Listings, 'choose' | 'inOrder'>
  readonly exported: Exported
  readonly searchable: Searchable
  readonly #applier: Applier
  readonly #dataVersion: Statement<{ data_version: number }, []>
  readonly #snapshotToken: Statement<{ token: string }, []>
  readonly #setSnapshotToken: Statement

  private constructor(path: string, database: Database, now: () => number) {
    this.path = path
    this.#database = database
    this.#now = now
    const counters = new CounterTable(database)
    this.#tables = {
      indicators: new IndicatorTable(database),
      sightings: new SightingTable(database),
      sources: new SourceTable(database),
      counters,
      decisions: new DecisionTable(database),
      events: new EventTable(database),
      guards: new GuardTable(database),
      reportedCalls: new ReportedCallTable(database),
      exports: new Exports(database, counters),
      news: new NewsTable(database),
      reports: new ReportTable(database),
    }
    this.#fetches = new FetchTable(database)
    this.listChanges = new ListChanges(database)
    this.listings = new Listings(database)
    this.exported = new Exported(database)
    this.searchable = new Searchable(database)
    this.#applier = new Applier(database, this.#tables)
    this.#dataVersion = database.prepare(pragmas.dataVersion)
    this.#snapshotToken = database.prepare(storeSql.snapshotToken)
    this.#setSnapshotToken = database.prepare(storeSql.setSnapshotToken)
  }

  /**
   * Opens the database in a data directory, creating and migrating it as needed.
   *
   * Throws a `StoreError` for a damaged, foreign or newer file, which is left exactly as it is.
   */
  static open(options: StoreOptions): Store {
    const path = join(options.dataDir, databaseName)
    try {
      mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
      const isNew = !existsSync(path)
      const database = openDatabase(path, busyTimeoutMs[options.role], true, options.cacheKiB)
      // It holds private lists too; the files beside it take its mode.
      if (isNew) chmodSync(path, 0o600)
      if (options.pagesMax !== undefined) {
        database.run(`PRAGMA max_page_count = ${options.pagesMax}`)
      }
      const now = options.now()
      const version = olderVersionOf(database)
      if (version !== null) {
        // Another process may be about it already, and it takes as long as the file is large.
        database.run(`PRAGMA busy_timeout = ${migrationWaitMs}`)
        // So that the version of weir that wrote the file can be gone back to.
        copyBeforeMigration(database, options.dataDir, version, now)
      }
      migrate(database, crypto.randomUUID(), now)
      database.run(`PRAGMA busy_timeout = ${busyTimeoutMs[options.role]}`)
      return new Store(path, database, options.now)
    } catch (error) {
      throw openingFailed(path, error)
    }
  }

  get sources(): Pick<SourceTable, 'all' | 'byName' | 'run' | 'hasRead' | 'lastRun' | 'newestRun'> {
    return this.#tables.sources
  }

  get counters(): Pick<CounterTable, 'get' | 'scope' | 'sumFrom'> {
    return this.#tables.counters
  }

  get guards(): Pick<GuardTable, 'protects' | 'naming' | 'ofKind' | 'version'> {
    return this.#tables.guards
  }

  get sightings(): Pick<SightingTable, 'all'> {
    return this.#tables.sightings
  }

  get decisions(): Pick<DecisionTable, 'find' | 'all'> {
    return this.#tables.decisions
  }

  get events(): Pick<EventTable, 'of'> {
    return this.#tables.events
  }

  get fetches(): Pick<FetchTable, 'find'> {
    return this.#fetches
  }

  get reportedCalls(): Pick<ReportedCallTable, 'of'> {
    return this.#tables.reportedCalls
  }

  get news(): Pick<NewsTable, 'byId' | 'newestFor'> {
    return this.#tables.news
  }

  get reports(): Pick<
    ReportTable,
    'byId' | 'byName' | 'ofStatus' | 'ofValue' | 'events' | 'shownById' | 'newestFor'
  > {
    return this.#tables.reports
  }

  get indicators(): Pick<
    IndicatorTable,
    'blacklist' | 'blacklistAfter' | 'nameable' | 'newestFor' | 'newestListed'
  > {
    return this.#tables.indicators
  }

  /**
   * Applies one batch of operations in one transaction under the next number.
   *
   * Resolves once the batch is on disk. Rejects with a `StoreError`, having changed nothing, when
   * the batch is too large, the disk is full, or others hold the write lock for too long.
   */
  async write(batch: Batch): Promise<Committed> {
    const bytes = Buffer.byteLength(JSON.stringify(batch))
    if (bytes > batchBytesMax) {
      throw new StoreError('write', `a batch of ${bytes} bytes is over ${batchBytesMax}`, {
        hint: 'propose smaller batches',
      })
    }
    return await this.#commit(() => this.#applier.apply(batch, this.#now()))
  }

  /** Returns the name of the snapshot that was written last, or null. */
  snapshotToken(): string | null {
    return this.#snapshotToken.get()?.token ?? null
  }

  /** Notes the name of a snapshot, before it is written. */
  async setSnapshotToken(token: string): Promise<void> {
    await this.#commit(() => this.#setSnapshotToken.run(token))
  }

  /** Reports whether `forgetTexts` with these times would do anything. */
  hasOldTexts(newsBefore: number, reportsBefore: number): boolean {
    const { news, reports } = this.#tables
    return news.hasOld(newsBefore) || reports.personal(reportsBefore, 1).length > 0
  }

  /** Reports whether `expire` at `now` or `prune` of what is older than `before` would do anything. */
  hasRunOut(now: number, before: number): boolean {
    const { sightings, decisions, indicators } = this.#tables
    return (
      sightings.ending(now, 1).length > 0 ||
      decisions.ending(now, 1).length > 0 ||
      indicators.delisted(before * 1000, forgottenAtOnce).length > 0
    )
  }

  /** Notes how fetching a source went. */
  async noteFetch(state: FetchState): Promise<void> {
    await this.#commit(() => this.#fetches.put(state))
  }

  /** Runs `change` in one write transaction, waiting for other writers as long as is reasonable. */
  async #commit<Result>(change: () => Result): Promise<Result> {
    const transaction = this.#database.transaction(change)
    const givesUpAt = performance.now() + writePatienceMs
    for (;;) {
      try {
        return transaction.immediate()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= givesUpAt) throw writingFailed(this.path, error)
      }
      await Bun.sleep(writeRetryMs)
    }
  }

  /** Returns at most `limit` rows changed after `seq`, ascending, tombstones included. O(limit). */
  changesSince(seq: number, limit: number): Changes {
    if (seq < this.meta().oldest_seq) return { kind: 'resync' }
    return { kind: 'changes', rows: this.#tables.indicators.changesAfter(seq, limit) }
  }

  /** Returns the sequence, the epoch and the times that go with them. */
  meta(): Meta {
    return this.#applier.meta()
  }

  /** Returns a number that moves when another connection has committed. Under a microsecond. */
  dataVersion(): number {
    return this.#dataVersion.get()?.data_version ?? 0
  }

  /** Calls `look` so that all it reads is of one moment; it must not wait for anything. */
  atOnce<Result>(look: () => Result): Result {
    return this.#database.transaction(look).deferred()
  }

  /** Returns the indicator with this id, or null. */
  byId(id: number): Indicator | null {
    return indicatorOrNull(this.#tables.indicators.byId(id))
  }

  /** Returns whom an indicator concerns, and by which words; nobody when there is none of this id. */
  audiencesOf(id: number): AudienceWords {
    const row = this.#tables.indicators.byId(id)
    return row === null ? {} : listingWordsOf(row)
  }

  /** Returns the indicator with this canonical value, or null. */
  byValue(value: string, type: IndicatorType): Indicator | null {
    return indicatorOrNull(this.#tables.indicators.byValue(value, type))
  }

  /** Returns one listed page of exactly this host, or null. */
  pageOnHost(host: string): Indicator | null {
    return indicatorOrNull(this.#tables.indicators.pageOnHost(host))
  }

  /**
   * Calls `visit` with every row in slices, all from one moment, and returns the number they are
   * true for. Holds a read transaction throughout, so `visit` must not wait for anything.
   */
  readAll(sliceRows: number, visit: (rows: readonly Change[]) => void): Moment {
    const read = this.#database.transaction((): Moment => {
      const { seq, epoch } = this.meta()
      for (let after = 0; ; ) {
        const rows = this.#tables.indicators.rowsAfter(after, sliceRows)
        if (rows.length > 0) visit(rows)
        if (rows.length < sliceRows) return { seq, epoch }
        after = rows.at(-1)?.id ?? after
      }
    })
    try {
      return read.deferred()
    } catch (error) {
      throw isCorrupt(error) ? openingFailed(this.path, error) : error
    }
  }

  /** Throws a `StoreError` when the file is damaged. Reads all of it: about 0.4 s a million rows. */
  checkIntegrity(): void {
    let finding: unknown
    try {
      finding = Object.values(
        this.#database.query<Record<string, unknown>, []>(pragmas.quickCheck).get() ?? {},
      )[0]
    } catch (error) {
      throw openingFailed(this.path, error)
    }
    if (finding !== 'ok') throw openingFailed(this.path, new Error(String(finding)))
  }

  /**
   * Reports whether the set hash is that of the listed domains: with a wrong one nobody who follows the
   * list is ever level with it. O(domains), 0.5 s a million.
   */
  hasRightSetHash(): boolean {
    return this.atOnce(() => this.meta().set_hash === setHashOfRows(this.#database))
  }

  /** Returns the size of the write-ahead log in bytes. */
  walBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Copies the write-ahead log into the database as far as readers allow, and closes. */
  close(): void {
    try {
      this.#database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // On a full disk the log stays, and whoever opens the file next goes on from it.
      if (!isFull(error) && !isBusy(error)) throw error
    } finally {
      this.#database.close(false)
    }
  }
}

const indicatorOrNull = (row: IndicatorRow | null): Indicator | null =>
  row === null ? null : toIndicator(row)
