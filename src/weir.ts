/**
 * Builds the parts of weir from a `Config`, starts them in order and stops them in reverse. No logic
 * of its own: who needs whom is all there is to read here.
 *
 *     lock ─▶ store ─▶ views, and beside them the embedded list ─▶ follower ─▶ ready ─▶ look-through
 */

import {
  type BulkChecker,
  createBulkChecker,
  createDigestChecker,
  type DigestChecker,
} from './checks/bulk.ts'
import { createUrlChecker, type UrlChecker } from './checks/url.ts'
import type { Config } from './config.ts'
import { loadGuards } from './feeds/guards.ts'
import { describeSource, knownSources, starter } from './feeds/sources.ts'
import { Writer } from './feeds/writer.ts'
import { Catalog } from './index/catalog.ts'
import { Follower } from './index/follower.ts'
import { type BlacklistReader, createBlacklistReader } from './publish/blacklist.ts'
import { type ServeLock, takeServeLock } from './store/serve-lock.ts'
import { Store } from './store/store.ts'

/** What weir can be asked once it is ready, and how it is. */
export interface Weir {
  readonly urls: UrlChecker
  readonly bulk: BulkChecker
  readonly blacklist: BlacklistReader
  /** Resolves when the views answer; rejects when weir cannot start. */
  readonly ready: Promise<void>
  /** Are the views still being built? */
  isLoading(): boolean
  state(): WeirState
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
  readonly sources: readonly { readonly name: string; readonly lastSuccess: number | null }[]
  readonly walBytes: number
}

const isPassable = (source: { readonly redistribute: number }): boolean => source.redistribute === 1

/** How many changes behind `viewLag` counts exactly. */
const lagRowsMax = 1_000

/** Checks without a server, for the command line. */
export interface LocalChecks {
  readonly urls: UrlChecker
  readonly digests: DigestChecker
  close(): void
}

/** Opens the database beside whoever serves it and builds the views of it. */
export function openLocalChecks(config: Config, report: (error: unknown) => void): LocalChecks {
  const store = Store.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
  const catalog = Catalog.build({ store, dataDir: config.dataDir, wake: () => {}, report })
  const { platforms } = loadGuards()
  return {
    urls: createUrlChecker(catalog, platforms, config.foundAt),
    digests: createDigestChecker(catalog, config.foundAt),
    close: () => store.close(),
  }
}

/**
 * Starts weir on the config's data directory; `report` hears of failures that stop nothing.
 *
 * Throws a `StoreError` at once when another server holds the directory or the file cannot be
 * opened.
 */
export function startWeir(config: Config, report: (error: unknown) => void): Weir {
  const lock = takeServeLock(config.dataDir)
  try {
    const store = Store.open({ dataDir: config.dataDir, role: 'serving', now: Date.now })
    if (lock.wasUnclean) store.checkIntegrity()
    return new RunningWeir(config, report, lock, store)
  } catch (error) {
    // After an unclean stop the lock stays, so that the next start looks for damage again.
    if (!lock.wasUnclean) lock.release()
    throw error
  }
}

class RunningWeir implements Weir {
  readonly urls: UrlChecker
  readonly bulk: BulkChecker
  readonly blacklist: BlacklistReader
  readonly ready: Promise<void>
  readonly #config: Config
  readonly #report: (error: unknown) => void
  readonly #lock: ServeLock
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #follower: Follower
  #writer: Promise<Writer> | null = null
  #isLoading = true
  #isDegraded = false

  constructor(config: Config, report: (error: unknown) => void, lock: ServeLock, store: Store) {
    this.#config = config
    this.#report = report
    this.#lock = lock
    this.#store = store
    const wake = (): void => this.#follower.wake()
    this.#catalog = Catalog.empty({ store, dataDir: config.dataDir, wake, report })
    this.#follower = new Follower(store, this.#catalog, report)
    const { platforms } = loadGuards()
    const digests = createDigestChecker(this.#catalog, config.foundAt)
    const urls = createUrlChecker(this.#catalog, platforms, config.foundAt)
    this.urls = urls
    this.bulk = createBulkChecker(urls, digests, this.#catalog)
    this.blacklist = createBlacklistReader(store)
    this.ready = this.#start()
  }

  async #start(): Promise<void> {
    await Promise.all([this.#catalog.load(), this.#config.starter ? this.#readStarter() : null])
    this.#follower.start()
    await this.#follower.caughtUp(this.#store.meta().seq)
    this.#isLoading = false
    // A clean stop makes damage unlikely: the file is read through after the first answer.
    if (!this.#lock.wasUnclean) this.#lookThrough().catch((error) => this.#degrade(error))
  }

  /** Returns the handle on the writer's thread, which starts when it is first needed. */
  #writerThread(): Promise<Writer> {
    const wake = (): void => {
      if (!this.#isLoading) this.#follower.wake()
    }
    this.#writer ??= Writer.start(this.#config.dataDir, wake)
    return this.#writer
  }

  async #lookThrough(): Promise<void> {
    const writer = await this.#writerThread()
    await writer.checkIntegrity()
  }

  /** Reads the embedded list unless its content has been read before. */
  async #readStarter(): Promise<void> {
    const { source, path } = starter
    const digest = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')
    const known = this.#store.sources.byName(source)
    const lastRun = known === null ? null : this.#store.sources.lastRun(known.id)
    const isRead = known !== null && this.#store.sources.hasRead(known.id, digest)
    // A run without a digest is the operator's own import, which is newer than what is embedded.
    const isTakenOver = lastRun !== null && lastRun.digest === null
    const format = knownSources.find(({ name }) => name === source)?.format
    if (isRead || isTakenOver || format === undefined) return
    try {
      const writer = await this.#writerThread()
      await writer.import({ path, format, digest, source: describeSource(source, true) })
    } catch (error) {
      this.#degrade(error)
    }
  }

  #degrade(error: unknown): void {
    this.#isDegraded = true
    this.#report(error)
  }

  isLoading(): boolean {
    return this.#isLoading
  }

  state(): WeirState {
    const { seq } = this.#catalog
    const changes = this.#store.changesSince(seq, lagRowsMax)
    const rows = changes.kind === 'changes' ? changes.rows.length : lagRowsMax
    const seconds = rows === 0 ? 0 : this.#follower.lagMs / 1000
    return {
      status: this.#isLoading ? 'loading' : this.#isDegraded ? 'degraded' : 'ready',
      seq,
      indicators: this.#store.counters.scope('active').reduce((sum, { n }) => sum + n, 0),
      viewLag: { rows, seconds },
      // A source that may not be passed on is named nowhere.
      sources: this.#store.sources
        .all()
        .filter(isPassable)
        .map(({ id, name }) => ({
          name,
          lastSuccess: this.#store.sources.lastRun(id)?.ended_at ?? null,
        })),
      walBytes: this.#store.walBytes(),
    }
  }

  async stop(): Promise<void> {
    this.#follower.stop()
    try {
      const writer = await this.#writer
      await writer?.close()
      // Without a snapshot the next start builds the views: slower, and nothing is lost.
      if (!this.#isLoading) await this.#catalog.save()
    } catch (error) {
      this.#report(error)
    } finally {
      this.#store.close()
      this.#lock.release()
    }
  }
}
