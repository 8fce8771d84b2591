/**
 * The truth: one SQLite file, written in batches under one sequence of numbers, read by all that
 * follow that sequence.
 *
 *     write(batch) ──▶ BEGIN IMMEDIATE ── number ── apply ── COMMIT ──▶ rows with new numbers
 *     changesSince(n) ◀── followers ask, when woken or when `dataVersion` has moved
 *
 * Invariant: numbers ascend in the order of commits, whichever process writes, so a reader
 * that asks for what came after the last number it has seen misses no change.
 */

import type { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AudienceWords } from '../model/audience.ts'
import type { Indicator, IndicatorType } from '../model/indicator.ts'
import { Applier } from './apply.ts'
import { readListingWords } from './audience-bits.ts'
import { type Batch, batchBytesMax, type Committed } from './batch.ts'
import { CounterReader, CounterTable } from './counters.ts'
import { copyBeforeMigration } from './database-copy.ts'
import { DecisionReader, DecisionTable } from './decisions.ts'
import { EventReader, EventTable } from './events.ts'
import { Exported } from './exported.ts'
import { Exports } from './exports.ts'
import { openingFailed, writingFailed } from './failures.ts'
import { FetchReader, type FetchState, FetchTable } from './fetches.ts'
import { GuardReader, GuardTable } from './guards.ts'
import {
  type IndicatorChange,
  IndicatorReader,
  type IndicatorRow,
  IndicatorRows,
  IndicatorTable,
  toIndicator,
} from './indicators.ts'
import { ListChanges } from './list-changes.ts'
import { ListedValues } from './listings.ts'
import type { Tables } from './merge.ts'
import { type Meta, MetaReader, MetaTable } from './meta.ts'
import { NewsReader, NewsTable } from './news.ts'
import { ReportedCallReader, ReportedCallTable } from './reported-calls.ts'
import { ReportReader, ReportTable } from './reports.ts'
import {
  busyTimeoutMs,
  hashListedDomains,
  isBusy,
  isCorrupt,
  isFull,
  migrate,
  openDatabase,
  readOlderVersion,
} from './schema.ts'
import { SearchableAddresses } from './searchable.ts'
import { SightingReader, SightingTable } from './sightings.ts'
import { SourceReader, SourceTable } from './sources.ts'
import { Statements } from './statements.ts'
import { StoreError } from './store-error.ts'

/** The database's file inside the data directory. */
export const databaseName = 'weir.db'

/** How long `write` keeps asking for the write lock before it gives up. */
const writePatienceMs = 15_000

/** How long a start waits for another process that migrates the file. */
const migrationWaitMs = 60_000

/** How many of the rows delisted first are searched for one that may be forgotten. */
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

/** What came after a number, or that the number is too old to tell. */
export type ChangesSince =
  | { readonly kind: 'changes'; readonly rows: readonly IndicatorChange[] }
  | { readonly kind: 'resync' }

/** The moment that a reading of all rows is true for. */
export interface Moment {
  readonly seq: number
  readonly epoch: string
}

/**
 * Opens the database in a data directory, creating and migrating it as needed.
 *
 * Throws a `StoreError` for a damaged, foreign or newer file, which is left exactly as it is.
 */
function openStore<Opened>(
  options: StoreOptions,
  create: (path: string, database: Database) => Opened,
): Opened {
  const path = join(options.dataDir, databaseName)
  try {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
    const isNew = !existsSync(path)
    const database = openDatabase(path, busyTimeoutMs[options.role], true, options.cacheKiB)
    // It holds private lists too; SQLite gives its companion files the same mode.
    if (isNew) chmodSync(path, 0o600)
    if (options.pagesMax !== undefined) {
      database.run(`PRAGMA max_page_count = ${options.pagesMax}`)
    }
    const now = options.now()
    const version = readOlderVersion(database)
    if (version !== null) {
      // Another process may be migrating it already, which takes as long as the file is large.
      database.run(`PRAGMA busy_timeout = ${migrationWaitMs}`)
      // So that the version of weir that wrote the file can be used again.
      copyBeforeMigration(database, options.dataDir, version, now)
    }
    migrate(database, crypto.randomUUID(), now)
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs[options.role]}`)
    return create(path, database)
  } catch (error) {
    throw openingFailed(path, error)
  }
}

/** One connection that reads. Not to be shared between threads: each opens its own. */
export class ReadStore extends Statements {
  readonly path: string
  readonly #meta = new MetaReader(this.database)
  readonly #rows = new IndicatorRows(this.database)
  readonly indicators = new IndicatorReader(this.database)
  readonly sightings = new SightingReader(this.database)
  readonly sources = new SourceReader(this.database)
  readonly counters = new CounterReader(this.database)
  readonly decisions = new DecisionReader(this.database)
  readonly events = new EventReader(this.database)
  readonly guards = new GuardReader(this.database)
  readonly fetches = new FetchReader(this.database)
  readonly reportedCalls = new ReportedCallReader(this.database)
  readonly news = new NewsReader(this.database)
  readonly reports = new ReportReader(this.database)
  readonly listChanges = new ListChanges(this.database)
  readonly listedValues = new ListedValues(this.database)
  readonly exported = new Exported(this.database)
  readonly searchable = new SearchableAddresses(this.database)

  protected constructor(path: string, database: Database) {
    super(database)
    this.path = path
  }

  static open(options: StoreOptions): ReadStore {
    return openStore(options, (path, database) => new ReadStore(path, database))
  }

  /** Returns the name of the snapshot that was written last, or null. */
  snapshotToken(): string | null {
    return this.#meta.snapshotToken()
  }

  /** Reports whether `forgetTexts` with these times would do anything. */
  hasOldTexts(newsBefore: number, reportsBefore: number): boolean {
    return this.news.hasOld(newsBefore) || this.reports.personal(reportsBefore, 1).length > 0
  }

  /** Reports whether `expire` at `now` or `prune` of what is older than `before` would do anything. */
  hasRunOut(now: number, before: number): boolean {
    return (
      this.sightings.ending(now, 1).length > 0 ||
      this.decisions.ending(now, 1).length > 0 ||
      this.#rows.delisted(before * 1000, forgottenAtOnce).length > 0
    )
  }

  /** Returns at most `limit` rows changed after `seq`, ascending, tombstones included. O(limit). */
  changesSince(seq: number, limit: number): ChangesSince {
    if (seq < this.meta().oldestSeq) return { kind: 'resync' }
    return { kind: 'changes', rows: this.#rows.changesAfter(seq, limit) }
  }

  /** Returns the sequence, the epoch and the times that go with them. */
  meta(): Meta {
    return this.#meta.read()
  }

  /** Returns a number that moves when another connection has committed. Under a microsecond. */
  dataVersion(): number {
    return this.queryOne<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
  }

  /** Calls `read` in one read transaction, so that all it reads is of one moment; it must not be async. */
  atOnce<Result>(read: () => Result): Result {
    return this.database.transaction(read).deferred()
  }

  /** Returns the indicator with this id, or null. */
  byId(id: number): Indicator | null {
    return indicatorOrNull(this.#rows.byId(id))
  }

  /** Returns whom an indicator concerns, and by which words; none when there is no such indicator. */
  audiencesOf(id: number): AudienceWords {
    const row = this.#rows.byId(id)
    return row === null ? {} : readListingWords(row)
  }

  /** Returns the indicator with this canonical value, or null. */
  byValue(value: string, type: IndicatorType): Indicator | null {
    return indicatorOrNull(this.#rows.byValue(value, type))
  }

  /** Returns one listed page of exactly this host, or null. */
  pageOnHost(host: string): Indicator | null {
    return indicatorOrNull(this.#rows.pageOnHost(host))
  }

  /**
   * Calls `visit` with every row in slices, all from one moment, and returns the number they are
   * true for. Holds a read transaction throughout, so `visit` must not wait for anything.
   */
  readAll(sliceRows: number, visit: (rows: readonly IndicatorChange[]) => void): Moment {
    const read = this.database.transaction((): Moment => {
      const { seq, epoch } = this.meta()
      for (let after = 0; ; ) {
        const rows = this.#rows.rowsAfter(after, sliceRows)
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
      finding = Object.values(this.queryOne<object>('PRAGMA quick_check(1)') ?? {})[0]
    } catch (error) {
      throw openingFailed(this.path, error)
    }
    if (finding !== 'ok') throw openingFailed(this.path, new Error(String(finding)))
  }

  /**
   * Reports whether the set hash is that of the listed domains: with a wrong one no follower of the list
   * ever matches it. O(domains), 0.5 s a million.
   */
  hasRightSetHash(): boolean {
    return this.atOnce(() => this.meta().setHash === hashListedDomains(this.database))
  }

  /** Returns the size of the write-ahead log in bytes. */
  walBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Copies the write-ahead log into the database as far as readers allow, and closes. */
  close(): void {
    try {
      this.database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // On a full disk the log stays, and the next process that opens the file continues from it.
      if (!isFull(error) && !isBusy(error)) throw error
    } finally {
      this.database.close(false)
    }
  }
}

/** One connection that reads and writes. */
export class WriteStore extends ReadStore {
  readonly #now: () => number
  readonly #tables = openTables(this.database)
  readonly #fetches = new FetchTable(this.database)
  readonly #applier = new Applier(this.#tables)

  private constructor(path: string, database: Database, now: () => number) {
    super(path, database)
    this.#now = now
  }

  static override open(options: StoreOptions): WriteStore {
    return openStore(options, (path, database) => new WriteStore(path, database, options.now))
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

  /** Notes the name of a snapshot, before it is written. */
  async setSnapshotToken(token: string): Promise<void> {
    await this.#commit(() => this.#tables.meta.setSnapshotToken(token))
  }

  /** Notes how fetching a source went. */
  async noteFetch(state: FetchState): Promise<void> {
    await this.#commit(() => this.#fetches.put(state))
  }

  /** Runs `change` in one write transaction, waiting for other writers as long as is reasonable. */
  async #commit<Result>(change: () => Result): Promise<Result> {
    const transaction = this.database.transaction(change)
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
}

function openTables(database: Database): Tables {
  const counters = new CounterTable(database)
  return {
    meta: new MetaTable(database),
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
}

const indicatorOrNull = (row: IndicatorRow | null): Indicator | null =>
  row === null ? null : toIndicator(row)
