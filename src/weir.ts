/**
 * Builds the parts of weir from a `Config`, starts them in order and stops them in reverse. It holds no
 * logic of its own, only which part needs which.
 *
 *     lock ─▶ store ─▶ views, at the same time the embedded list ─▶ follower ─▶ ready ─▶ integrity check
 *
 * A thread that ends by itself starts again (`threads/connect.ts`); weir is `degraded` meanwhile. Work of
 * weir's own that it interrupts is repeated, work for a client is answered with the error.
 */

import { buildCheckers, type Checkers } from './checkers.ts'
import type { Config } from './config.ts'
import { Catalog } from './index/catalog.ts'
import { type Followed, Follower } from './index/follower.ts'
import { FollowedPlatforms } from './index/platforms.ts'
import { loadGuards } from './ingest/guards.ts'
import type { Refreshed } from './ingest/refresh.ts'
import { isOverdue } from './ingest/schedule.ts'
import { type KnownSource, starter, toSourceDescription } from './ingest/sources.ts'
import type { OpenWriter } from './ingest/writer.ts'
import { type BlacklistReader, createBlacklistReader } from './publish/lists/blacklist.ts'
import { type ChangesReader, createChangesReader } from './publish/lists/changes.ts'
import { FullLists } from './publish/lists/full-lists.ts'
import { RssFeeds } from './publish/rss/rss.ts'
import { createSerializer } from './publish/stix/object-writing.ts'
import { createStixExport, type StixExport } from './publish/stix/stix-export.ts'
import { StixThread } from './publish/stix/stix-thread.ts'
import { TaxiiReader } from './publish/stix/taxii.ts'
import { ReportIntake } from './reports/intake.ts'
import { type SearchLag, SearchThread } from './search/search.ts'
import type { ProposedReport } from './store/batch.ts'
import { instanceKey } from './store/instance-key.ts'
import { type ServeLock, takeServeLock } from './store/serve-lock.ts'
import type { StoredSource } from './store/sources.ts'
import { WriteStore } from './store/store.ts'
import { isUntidy } from './store/tidy.ts'
import { connect } from './threads/connect.ts'
import { repeatWhenLost, ThreadError } from './threads/thread-error.ts'

/** The parts that weir answers from once it is ready, its state, and its scheduled work. */
export interface Weir {
  readonly checkers: Checkers
  readonly blacklist: BlacklistReader
  readonly changes: ChangesReader
  readonly lists: FullLists
  readonly stixExport: StixExport
  readonly taxii: TaxiiReader
  readonly search: SearchThread
  readonly feeds: RssFeeds
  readonly reports: ReportIntake
  /** Resolves when the views answer; rejects when weir cannot start. */
  readonly ready: Promise<void>
  /** Reports whether the views are still being built. */
  isLoading(): boolean
  state(): WeirState
  /** Fetches and reads every source that is due. */
  refresh(): Promise<readonly Refreshed[]>
  /** Ends what has expired, and forgets what was delisted long ago. */
  tidy(): Promise<void>
  /** Copies the database when the last copy is older than the setting says. */
  backUp(): Promise<void>
  /** Waits for running work, writes a snapshot of the views, and closes everything. */
  stop(): Promise<void>
}

export interface WeirState {
  readonly status: 'ready' | 'loading' | 'degraded'
  readonly seq: number
  /** Active indicators, published or not. */
  readonly indicators: number
  /** How far the views lag behind the store: changes, and seconds since they were last in sync. */
  readonly viewLag: { readonly rows: number; readonly seconds: number }
  /** How far search lags behind the store. */
  readonly searchLag: SearchLag
  readonly sources: readonly {
    readonly name: string
    readonly lastSuccess: number | null
    readonly isOverdue: boolean
  }[]
  readonly walBytes: number
}

const isRedistributable = (source: { readonly redistribute: number }): boolean =>
  source.redistribute === 1

/** How many scheduled copies of the database are kept. */
const backupsKept = 7

/** How many missing changes `viewLag` counts exactly. */
const lagRowsMax = 1_000

/** Returns how long a client of the delta feed that is in sync should wait, to stay within the limit. */
function minWaitSeconds({ limits }: Config): number {
  const limit = limits.BLACKLIST_CHANGES
  return limit === null ? 1 : Math.ceil(limit.windowMs / limit.quota / 1_000)
}

/**
 * Starts weir on the config's data directory; `report` is called with failures that stop nothing. The
 * caller schedules refreshing, tidying and copying.
 *
 * Throws a `StoreError` at once when another server holds the directory or the file cannot be
 * opened.
 */
export function startWeir(
  config: Config,
  sources: readonly KnownSource[],
  report: (error: unknown) => void,
): Weir {
  const lock = takeServeLock(config.dataDir)
  try {
    const store = WriteStore.open({ dataDir: config.dataDir, role: 'serving', now: Date.now })
    if (lock.wasUnclean) store.checkIntegrity()
    return new RunningWeir(config, sources, report, lock, store)
  } catch (error) {
    // After an unclean stop the lock stays, so that the next start checks for damage again.
    if (!lock.wasUnclean) lock.release()
    throw error
  }
}

class RunningWeir implements Weir {
  readonly checkers: Checkers
  readonly blacklist: BlacklistReader
  readonly changes: ChangesReader
  readonly lists: FullLists
  readonly stixExport: StixExport
  readonly taxii: TaxiiReader
  readonly search: SearchThread
  readonly feeds: RssFeeds
  readonly reports: ReportIntake
  readonly ready: Promise<void>
  readonly #config: Config
  readonly #sources: readonly KnownSource[]
  readonly #report: (error: unknown) => void
  readonly #lock: ServeLock
  readonly #store: WriteStore
  readonly #catalog: Catalog
  readonly #platforms: FollowedPlatforms
  readonly #follower: Follower
  readonly #stix: StixThread
  readonly #writer
  #isLoading = true
  #isDegraded = false
  /** Whether the last report that reached the writer was written. */
  #canWrite = true

  constructor(
    config: Config,
    sources: readonly KnownSource[],
    report: (error: unknown) => void,
    lock: ServeLock,
    store: WriteStore,
  ) {
    this.#config = config
    this.#sources = sources
    this.#report = report
    this.#lock = lock
    this.#store = store
    const wake = (): void => this.#follower.wake()
    this.#catalog = Catalog.empty({ store, dataDir: config.dataDir, wake, report })
    this.#platforms = new FollowedPlatforms(store, loadGuards().platforms)
    this.#follower = new Follower(store, this.#followed(), report)
    this.blacklist = createBlacklistReader(store)
    this.changes = createChangesReader(store, minWaitSeconds(config))
    const { dataDir, suspiciousAt, proxy, dns, keys, graceMs, expireMs } = config
    this.#writer = connect<OpenWriter>({
      entry: 'writer-worker.ts',
      name: "the writer's thread",
      opening: { dataDir, fetching: { proxy, dns, keys, graceMs, expireMs }, suspiciousAt },
      report,
      onEvent: () => {
        if (!this.#isLoading) wake()
      },
    })
    const monotonicMs = performance.now.bind(performance)
    this.#stix = new StixThread(dataDir, createSerializer(store), report)
    this.taxii = new TaxiiReader(store, this.#stix)
    this.search = new SearchThread({ dataDir, store, report, now: monotonicMs })
    this.feeds = new RssFeeds(store)
    this.reports = new ReportIntake({
      store,
      platforms: this.#platforms,
      key: instanceKey(dataDir),
      write: (proposed) => this.#writeReport(proposed),
    })
    this.lists = new FullLists({ store, dataDir, report, monotonicMs })
    this.ready = this.#start()
    // While other threads build the views, this one reads what is known of names.
    this.checkers = buildCheckers(config, store, this.#catalog, this.#platforms)
    this.stixExport = createStixExport(store, this.#stix, this.checkers.brandNamed)
  }

  /** What follows the store: the catalog, and whenever it is in sync, the platforms. */
  #followed(): Followed {
    const catalog = this.#catalog
    return {
      get seq() {
        return catalog.seq
      },
      advance: (sliceMs) => {
        const advance = catalog.advance(sliceMs)
        if (advance === 'in_sync') this.#platforms.refresh().catch(this.#report)
        return advance
      },
    }
  }

  async #start(): Promise<void> {
    await Promise.all([
      this.#catalog.load(),
      this.#platforms.refresh(),
      this.#config.starter ? this.#readStarter() : null,
    ])
    this.#follower.start()
    await this.#follower.caughtUp(this.#store.meta().seq)
    this.#isLoading = false
    // Its indexes are filled while the first answers are given.
    this.search.start()
    void this.#insist(() => this.#writer.call('fillBrands'))
    // A clean stop makes damage unlikely: the file is checked after the first answer.
    if (!this.#lock.wasUnclean) void this.#insist(() => this.#writer.call('checkIntegrity'))
  }

  /** Does weir's own work, again when the thread ends under it; a failure leaves weir degraded. */
  async #insist(work: () => Promise<unknown>): Promise<void> {
    try {
      await repeatWhenLost(work)
    } catch (error) {
      if (error instanceof ThreadError && error.reason === 'stopping') return
      this.#isDegraded = true
      this.#report(error)
    }
  }

  /** Writes a report; after a failure weir is degraded until one succeeds. */
  async #writeReport(report: ProposedReport): Promise<string | null> {
    try {
      const name = await this.#writer.call('report', report)
      this.#canWrite = true
      return name
    } catch (error) {
      // The end of the thread is part of the state already, until the thread is back.
      if (error instanceof ThreadError && error.reason === 'failed') this.#canWrite = false
      throw error
    }
  }

  /** Reads the embedded list unless its content has been read before. */
  async #readStarter(): Promise<void> {
    const { path } = starter
    const source = this.#sources.find(({ name }) => name === starter.source)
    if (source === undefined) return
    const digest = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')
    const known = this.#store.sources.byName(source.name)
    const lastRun = known === null ? null : this.#store.sources.lastRun(known.id)
    const isRead = known !== null && this.#store.sources.hasRead(known.id, digest)
    // A run without a digest is the operator's own import, which is newer than the embedded list.
    const isTakenOver = lastRun !== null && lastRun.digest === null
    if (isRead || isTakenOver || known?.withdrawn === 1) return
    const file = { path, format: source.format, digest, source: toSourceDescription(source) }
    await this.#insist(() => this.#writer.call('import', file))
  }

  get #status(): WeirState['status'] {
    if (this.#isLoading) return 'loading'
    const threads = [this.#writer, this.#catalog, this.#stix, this.search, this.lists]
    const isWell = this.#canWrite && !this.#isDegraded
    return isWell && !threads.some(({ isDegraded }) => isDegraded) ? 'ready' : 'degraded'
  }

  isLoading(): boolean {
    return this.#isLoading
  }

  refresh(): Promise<readonly Refreshed[]> {
    return this.#writer.call('refresh')
  }

  async tidy(): Promise<void> {
    const { keepDelistedMs } = this.#config
    if (!isUntidy(this.#store, Date.now(), keepDelistedMs)) return
    await this.#writer.call('tidy', keepDelistedMs)
  }

  async backUp(): Promise<void> {
    const { backupEveryMs } = this.#config
    if (backupEveryMs !== null) await this.#writer.call('backUp', backupEveryMs, backupsKept)
  }

  state(): WeirState {
    const { seq } = this.#catalog
    const changes = this.#store.changesSince(seq, lagRowsMax)
    const rows = changes.kind === 'changes' ? changes.rows.length : lagRowsMax
    const seconds = rows === 0 ? 0 : this.#follower.lagMs / 1000
    return {
      status: this.#status,
      seq,
      indicators: this.#store.counters.scope('active').reduce((sum, { n }) => sum + n, 0),
      viewLag: { rows, seconds },
      searchLag: this.search.lag(),
      // A source that is not redistributable is not named.
      sources: this.#store.sources
        .all()
        .filter(isRedistributable)
        .map((row) => this.#readFreshness(row)),
      walBytes: this.#store.walBytes(),
    }
  }

  #readFreshness(row: StoredSource): WeirState['sources'][number] {
    const { name } = row
    const state = this.#store.fetches.find(name)
    const source = this.#sources.find((known) => known.name === name)
    return {
      name,
      lastSuccess: state?.succeededAt ?? this.#store.sources.lastRun(row.id)?.endedAt ?? null,
      isOverdue: source !== undefined && isOverdue({ source, row, state }, Date.now()),
    }
  }

  async stop(): Promise<void> {
    this.#follower.stop()
    this.checkers.close()
    try {
      await this.lists.close()
      await this.#stix.close()
      await this.search.close()
      await this.#platforms.refresh()
      await this.#writer.close()
      await this.#catalog.close()
      // Without a snapshot the next start builds the views: slower, and nothing is lost.
      if (!this.#isLoading) await this.#catalog.save()
    } catch (error) {
      this.#report(error)
    } finally {
      try {
        this.#store.close()
      } finally {
        this.#lock.release()
      }
    }
  }
}
