/**
 * Builds the parts of weir from a `Config`, starts them in order and stops them in reverse. No logic
 * of its own: who needs whom is all there is to read here.
 *
 *     lock ─▶ store ─▶ views, and beside them the embedded list ─▶ follower ─▶ ready ─▶ look-through
 */

import { buildCheckers, type Checkers } from './checkers.ts'
import type { Config } from './config.ts'
import { loadGuards, loadStoredGuards } from './feeds/guards.ts'
import type { FetchSettings, Refreshed } from './feeds/refresh.ts'
import { ReportIntake } from './feeds/reports.ts'
import { isOverdue } from './feeds/schedule.ts'
import { descriptionOf, type KnownSource, starter } from './feeds/sources.ts'
import { Writer } from './feeds/writer.ts'
import { Catalog } from './index/catalog.ts'
import { type Followed, Follower } from './index/follower.ts'
import { FollowedPlatforms } from './index/platforms.ts'
import { type BlacklistReader, createBlacklistReader } from './publish/blacklist.ts'
import { type ChangesReader, createChangesReader } from './publish/changes.ts'
import { FullLists } from './publish/full-lists.ts'
import { writerOver } from './publish/object-writing.ts'
import { FeedReader } from './publish/rss.ts'
import { type SearchLag, SearchThread } from './publish/search.ts'
import { createStixExport, type StixExport } from './publish/stix-export.ts'
import { TaxiiReader } from './publish/taxii.ts'
import { WritingThread } from './publish/writing-thread.ts'
import type { ProposedReport } from './store/batch.ts'
import { instanceKey } from './store/instance-key.ts'
import { type ServeLock, takeServeLock } from './store/serve-lock.ts'
import type { SourceRow } from './store/sources.ts'
import { Store } from './store/store.ts'
import { isUntidy } from './store/tidy.ts'

/** What weir can be asked once it is ready, and how it is. */
export interface Weir {
  readonly checkers: Checkers
  readonly blacklist: BlacklistReader
  readonly changes: ChangesReader
  readonly lists: FullLists
  readonly stixExport: StixExport
  readonly taxii: TaxiiReader
  readonly search: SearchThread
  readonly feeds: FeedReader
  readonly reports: ReportIntake
  /** Resolves when the views answer; rejects when weir cannot start. */
  readonly ready: Promise<void>
  /** Are the views still being built? */
  isLoading(): boolean
  state(): WeirState
  /** Fetches and reads every source that is due. */
  refresh(): Promise<readonly Refreshed[]>
  /** Ends what has run out, and forgets what was delisted long ago. */
  tidy(): Promise<void>
  /** Copies the database when the last copy is older than the setting says. */
  backUp(): Promise<void>
  /** Lets the work under way end, writes a snapshot of the views, and closes everything. */
  stop(): Promise<void>
}

export interface WeirState {
  readonly status: 'ready' | 'loading' | 'degraded'
  readonly seq: number
  /** Active indicators, published or not. */
  readonly indicators: number
  /** How far the views are behind the store: changes, and seconds since they were level. */
  readonly viewLag: { readonly rows: number; readonly seconds: number }
  /** How far search is behind. */
  readonly searchLag: SearchLag
  readonly sources: readonly {
    readonly name: string
    readonly lastSuccess: number | null
    readonly isOverdue: boolean
  }[]
  readonly walBytes: number
}

const isPassable = (source: { readonly redistribute: number }): boolean => source.redistribute === 1

/** How many scheduled copies of the database are kept. */
const backupsKept = 7

/** How many changes behind `viewLag` counts exactly. */
const lagRowsMax = 1_000

/** Returns what of a `Config` concerns fetching sources. */
export function fetchSettingsOf(config: Config): FetchSettings {
  const { proxy, dns, keys, graceMs, expireMs } = config
  return { proxy, dns, keys, graceMs: graceMs ?? 0, expireMs }
}

/** Returns how long a follower of the list who is level should wait, to stay within the limit. */
function minWaitSeconds({ limits }: Config): number {
  const limit = limits.BLACKLIST_CHANGES
  return limit === null ? 1 : Math.ceil(limit.windowMs / limit.quota / 1_000)
}

/** Opens the database beside whoever serves it and builds the views of it. */
export function openLocalChecks(config: Config, report: (error: unknown) => void): Checkers {
  const store = Store.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
  const catalog = Catalog.build({ store, dataDir: config.dataDir, wake: () => {}, report })
  const { platforms } = loadStoredGuards(store)
  const checkers = buildCheckers(config, store, catalog, platforms)
  return {
    ...checkers,
    close: () => {
      checkers.close()
      store.close()
    },
  }
}

/**
 * Starts weir on the config's data directory; `report` hears of failures that stop nothing. What is to
 * be done by the clock (refreshing, tidying, copying) is the caller's to ask for.
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
    const store = Store.open({ dataDir: config.dataDir, role: 'serving', now: Date.now })
    if (lock.wasUnclean) store.checkIntegrity()
    return new RunningWeir(config, sources, report, lock, store)
  } catch (error) {
    // After an unclean stop the lock stays, so that the next start looks for damage again.
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
  readonly feeds: FeedReader
  readonly reports: ReportIntake
  readonly ready: Promise<void>
  readonly #config: Config
  readonly #sources: readonly KnownSource[]
  readonly #report: (error: unknown) => void
  readonly #lock: ServeLock
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #platforms: FollowedPlatforms
  readonly #follower: Follower
  readonly #writing: WritingThread
  #writer: Promise<Writer> | null = null
  #isLoading = true
  #isDegraded = false
  #canWrite = true

  constructor(
    config: Config,
    sources: readonly KnownSource[],
    report: (error: unknown) => void,
    lock: ServeLock,
    store: Store,
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
    const { dataDir } = config
    const monotonicMs = performance.now.bind(performance)
    this.#writing = new WritingThread(dataDir, writerOver(store), report)
    this.taxii = new TaxiiReader(store, this.#writing)
    this.search = new SearchThread({ dataDir, store, report, now: monotonicMs })
    this.feeds = new FeedReader(store)
    this.reports = new ReportIntake({
      store,
      platforms: this.#platforms,
      key: instanceKey(dataDir),
      write: (proposed) => this.#writeReport(proposed),
    })
    this.lists = new FullLists({ store, dataDir, report, monotonicMs })
    this.ready = this.#start()
    // While other threads build and read the views, this one reads what is known of names.
    this.checkers = buildCheckers(config, store, this.#catalog, this.#platforms)
    this.stixExport = createStixExport(store, this.#writing, this.checkers.brandNamed)
  }

  /** What follows the store: the catalog, and whenever it is level, the platforms. */
  #followed(): Followed {
    const catalog = this.#catalog
    return {
      get seq() {
        return catalog.seq
      },
      advance: (sliceMs) => {
        const advance = catalog.advance(sliceMs)
        if (advance === 'level') this.#platforms.refresh().catch(this.#report)
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
    // Its indexes are filled beside the first answers.
    this.search.start()
    this.#nameBrands().catch((error) => this.#degrade(error))
    // A clean stop makes damage unlikely: the file is read through after the first answer.
    if (!this.#lock.wasUnclean) this.#lookThrough().catch((error) => this.#degrade(error))
  }

  /** Returns the handle on the writer's thread, which starts when it is first needed. */
  #writerThread(): Promise<Writer> {
    const wake = (): void => {
      if (!this.#isLoading) this.#follower.wake()
    }
    const { dataDir, suspiciousAt } = this.#config
    const settings = { fetching: fetchSettingsOf(this.#config), suspiciousAt }
    this.#writer ??= Writer.start(dataDir, settings, wake)
    return this.#writer
  }

  /** Writes a report; while that fails, weir is degraded. */
  async #writeReport(report: ProposedReport): Promise<string | null> {
    try {
      const writer = await this.#writerThread()
      const name = await writer.report(report)
      this.#canWrite = true
      return name
    } catch (error) {
      this.#canWrite = false
      throw error
    }
  }

  /** Has brands named on what stands; on a database that is named already it is done at once. */
  async #nameBrands(): Promise<void> {
    const writer = await this.#writerThread()
    await writer.fillBrands()
  }

  async #lookThrough(): Promise<void> {
    const writer = await this.#writerThread()
    await writer.checkIntegrity()
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
    // A run without a digest is the operator's own import, which is newer than what is embedded.
    const isTakenOver = lastRun !== null && lastRun.digest === null
    if (isRead || isTakenOver || known?.withdrawn === 1) return
    try {
      const writer = await this.#writerThread()
      await writer.import({ path, format: source.format, digest, source: descriptionOf(source) })
    } catch (error) {
      this.#degrade(error)
    }
  }

  #degrade(error: unknown): void {
    this.#isDegraded = true
    this.#report(error)
  }

  get #isWell(): boolean {
    return this.#canWrite && !this.#isDegraded
  }

  isLoading(): boolean {
    return this.#isLoading
  }

  async refresh(): Promise<readonly Refreshed[]> {
    const writer = await this.#writerThread()
    return await writer.refresh()
  }

  async tidy(): Promise<void> {
    const { keepDelistedMs } = this.#config
    if (!isUntidy(this.#store, Date.now(), keepDelistedMs)) return
    const writer = await this.#writerThread()
    await writer.tidy(keepDelistedMs)
  }

  async backUp(): Promise<void> {
    const { backupEveryMs } = this.#config
    if (backupEveryMs === null) return
    const writer = await this.#writerThread()
    await writer.backUp(backupEveryMs, backupsKept)
  }

  state(): WeirState {
    const { seq } = this.#catalog
    const changes = this.#store.changesSince(seq, lagRowsMax)
    const rows = changes.kind === 'changes' ? changes.rows.length : lagRowsMax
    const seconds = rows === 0 ? 0 : this.#follower.lagMs / 1000
    return {
      status: this.#isLoading ? 'loading' : this.#isWell ? 'ready' : 'degraded',
      seq,
      indicators: this.#store.counters.scope('active').reduce((sum, { n }) => sum + n, 0),
      viewLag: { rows, seconds },
      searchLag: this.search.lag(),
      // A source that may not be passed on is named nowhere.
      sources: this.#store.sources
        .all()
        .filter(isPassable)
        .map((row) => this.#freshnessOf(row)),
      walBytes: this.#store.walBytes(),
    }
  }

  #freshnessOf(row: SourceRow): WeirState['sources'][number] {
    const { name } = row
    const state = this.#store.fetches.find(name)
    const source = this.#sources.find((known) => known.name === name)
    return {
      name,
      lastSuccess: state?.succeeded_at ?? this.#store.sources.lastRun(row.id)?.ended_at ?? null,
      isOverdue: source !== undefined && isOverdue({ source, row, state }, Date.now()),
    }
  }

  async stop(): Promise<void> {
    this.#follower.stop()
    this.checkers.close()
    try {
      await this.lists.close()
      await this.#writing.close()
      await this.search.close()
      await this.#platforms.refresh()
      const writer = await this.#writer
      await writer?.close()
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
