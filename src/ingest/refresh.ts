/**
 * Refreshes sources: fetches those that are due, imports what is new, and stores the outcome of each attempt.
 * A source that fails keeps its last good list, and does not affect the others.
 */

import { join } from 'node:path'
import type { BrandNamer } from '../model/brand.ts'
import { Outbound } from '../net/outbound.ts'
import { Resolver } from '../net/resolver.ts'
import type { Committed } from '../store/batch.ts'
import type { FetchState } from '../store/fetches.ts'
import type { WriteStore } from '../store/store.ts'
import { version } from '../version.ts'
import { type FetchedList, fetchSource, removeAbandoned } from './fetcher.ts'
import { loadStoredGuards } from './guards.ts'
import { formatHeldBack, type ImportReport, importFeed } from './importer.ts'
import { toFailureState, toSuccessState } from './outcome.ts'
import {
  isDue,
  isEnabled,
  nextAfterFailure,
  nextAfterSuccess,
  type SourceSchedule,
} from './schedule.ts'
import {
  type EndingSettings,
  findGraceMs,
  type KnownSource,
  toSourceDescription,
} from './sources.ts'

/** The directory for fetched documents, inside the data directory. */
const incomingName = 'incoming'

/** How many sources are fetched at once; they are imported one after another. */
const fetchesMax = 4

/** The time limit for fetching all parts of a source. */
const sourceTimeoutMs = 10 * 60_000

const dayMs = 86_400_000

/** The settings for fetching sources. */
export interface FetchSettings extends EndingSettings {
  /** The proxy to fetch through, or null. */
  readonly proxy: string | null
  /** DNS servers; the system's when empty. */
  readonly dns: readonly string[]
  readonly keys: ReadonlyMap<string, string>
}

/** Returns the HTTP client that fetches sources. */
export function openOutbound({ proxy, dns }: Pick<FetchSettings, 'proxy' | 'dns'>): Outbound {
  const resolver = new Resolver({ servers: dns })
  return new Outbound({ resolver, proxy, userAgent: `weir/${version}` })
}

export interface RefreshParts extends EndingSettings {
  readonly store: WriteStore
  readonly dataDir: string
  readonly outbound: Pick<Outbound, 'get'>
  readonly sources: readonly KnownSource[]
  readonly keys: ReadonlyMap<string, string>
  readonly naming: BrandNamer
  readonly now: () => number
  /** Returns a number from 0 to 1, to spread fetches. */
  readonly random: () => number
  readonly onCommit: (committed: Committed) => void
  readonly signal: AbortSignal
}

/** The outcome of refreshing one source. */
export type Refreshed =
  | { readonly source: string; readonly kind: 'unchanged' }
  | { readonly source: string; readonly kind: 'imported'; readonly report: ImportReport }
  /** Imported, but considered incomplete, so that missing listings remain. */
  | {
      readonly source: string
      readonly kind: 'held_back'
      readonly report: ImportReport
      readonly error: string
    }
  | { readonly source: string; readonly kind: 'failed'; readonly error: string }

/** Refreshes sources; fetches run at once, imports one after another. */
export class Refresher {
  readonly #parts: RefreshParts
  #lastReading: Promise<unknown> = Promise.resolve()

  constructor(parts: RefreshParts) {
    this.#parts = parts
  }

  /** Returns the schedule of a source as stored now. */
  findSchedule(source: KnownSource): SourceSchedule {
    const { store } = this.#parts
    return {
      source,
      row: store.sources.byName(source.name),
      state: store.fetches.find(source.name),
    }
  }

  /** Refreshes every source that is due, guards first, so that they apply to the lists after them. */
  async refreshDue(): Promise<readonly Refreshed[]> {
    const { sources, keys, now, dataDir } = this.#parts
    await removeAbandoned(join(dataDir, incomingName), now())
    const due = sources.filter((source) => isDue(this.findSchedule(source), keys, now()))
    const guards = due.filter(({ role }) => role === 'guard')
    const lists = due.filter(({ role }) => role !== 'guard')
    return [...(await this.refreshAll(guards, false)), ...(await this.refreshAll(lists, false))]
  }

  /** Returns the sources that are enabled. */
  enabled(): readonly KnownSource[] {
    return this.#parts.sources.filter((source) => isEnabled(this.findSchedule(source)))
  }

  /** Refreshes these sources now, due or not, a few at a time. */
  async refreshAll(sources: readonly KnownSource[], isForced: boolean): Promise<Refreshed[]> {
    const waiting = [...sources]
    const done: Refreshed[] = []
    const work = async (): Promise<void> => {
      for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
        if (this.#parts.signal.aborted) return
        done.push(await this.refresh(source, isForced))
      }
    }
    await Promise.all(Array.from({ length: fetchesMax }, work))
    return done
  }

  /**
   * Refreshes one source now, due or not; `isForced` imports the list even when it is unchanged, empty or much
   * smaller. A failure is stored with the source; rejects with a `StoreError` only when that fails too.
   */
  async refresh(source: KnownSource, isForced: boolean): Promise<Refreshed> {
    try {
      return await this.#refresh(source, isForced)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return await this.#fail(source, this.#parts.store.fetches.find(source.name), message, null)
    }
  }

  async #refresh(source: KnownSource, isForced: boolean): Promise<Refreshed> {
    const { store, dataDir, outbound, keys, signal, now } = this.#parts
    const state = store.fetches.find(source.name)
    if (store.sources.byName(source.name)?.withdrawn === 1) {
      const error = `it has been withdrawn; "weir sources enable ${source.name}" restores it`
      return { source: source.name, kind: 'failed', error }
    }
    if (this.#hasChangedRole(source)) {
      const error = 'it had another role before; give it another name'
      return await this.#fail(source, state, error, null)
    }
    const directory = join(dataDir, incomingName)
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(sourceTimeoutMs)])
    const fetched = await fetchSource(
      { outbound, directory, keys, signal: deadline, now: now() },
      source,
      state,
      { isForced, isConditional: this.#isCurrent(source, state) },
    )
    switch (fetched.kind) {
      case 'unchanged':
        await this.#noteSuccess(source, state, null, state?.reading ?? null)
        return { source: source.name, kind: 'unchanged' }
      case 'failed':
        return await this.#fail(source, state, fetched.error, fetched.retryAfterMs)
      case 'list':
        return await this.#inTurn(() => this.#read(source, state, fetched.list, isForced))
    }
  }

  /** Reports whether the role has changed; the entries of the old role would remain. */
  #hasChangedRole({ name, role }: KnownSource): boolean {
    const row = this.#parts.store.sources.byName(name)
    return row !== null && row.role !== role
  }

  /** Returns an identifier of everything that decides the outcome of importing the source in that run. */
  #toReadingId(source: KnownSource, run: number): string {
    const { store, now } = this.#parts
    const how = {
      description: toSourceDescription(source),
      format: source.format,
      platformMode: source.platformMode,
      audiences: source.audiences,
      rowsMax: source.rowsMax,
      // The facts that ship with weir protect as well.
      version,
      guards: source.role === 'guard' ? null : store.guards.version(),
      // STIX entries expire.
      day: source.format === 'stix' ? Math.floor(now() / dayMs) : null,
    }
    return `${run}.${Bun.hash(JSON.stringify(how)).toString(36)}`
  }

  /** Reports whether the last good list was imported as it would be imported now. */
  #isCurrent(source: KnownSource, state: FetchState | null): boolean {
    const { sources } = this.#parts.store
    const row = sources.byName(source.name)
    if (row === null || state === null) return false
    return state.reading === this.#toReadingId(source, sources.newestRun(row.id))
  }

  /** Runs `reading` after the earlier ones. */
  #inTurn(reading: () => Promise<Refreshed>): Promise<Refreshed> {
    const result = this.#lastReading.then(reading)
    this.#lastReading = result.catch(() => {})
    return result
  }

  async #read(
    source: KnownSource,
    state: FetchState | null,
    list: FetchedList,
    isForced: boolean,
  ): Promise<Refreshed> {
    const { store, naming, now, onCommit, signal } = this.#parts
    try {
      const row = store.sources.byName(source.name)
      const lastDigest = row === null ? null : (store.sources.lastRun(row.id)?.digest ?? null)
      if (!isForced && lastDigest === list.digest && this.#isCurrent(source, state)) {
        await this.#noteSuccess(source, state, list, state?.reading ?? null)
        return { source: source.name, kind: 'unchanged' }
      }
      const report = await importFeed(
        { store, guards: loadStoredGuards(store), naming, now, onCommit, signal },
        {
          source: toSourceDescription(source),
          format: source.format,
          parts: list.files.map((file) => () => Bun.file(file).stream()),
          digest: list.digest,
          force: isForced,
          graceMs: findGraceMs(source, this.#parts),
          platformMode: source.platformMode,
          rowsMax: source.rowsMax,
          audiences: source.audiences,
          isArchive: source.archive === 'misp' || source.archive === 'daily',
        },
      )
      if (report.heldBack !== null) {
        const why = formatHeldBack(report.heldBack)
        const error = `${why}; "weir sources run ${source.name} --force" imports it as it is`
        await this.#fail(source, state, error, null)
        return { source: source.name, kind: 'held_back', report, error }
      }
      await this.#noteSuccess(source, state, list, this.#toReadingId(source, report.run))
      return { source: source.name, kind: 'imported', report }
    } finally {
      await list.remove()
    }
  }

  async #noteSuccess(
    source: KnownSource,
    state: FetchState | null,
    list: FetchedList | null,
    reading: string | null,
  ): Promise<void> {
    const { store, now, random } = this.#parts
    const at = now()
    const nextAt = nextAfterSuccess(source, at, random())
    const attempt = { source: source.name, before: state, at, nextAt }
    const { validators = null, position = null } = list ?? {}
    await store.noteFetch(
      toSuccessState(attempt, { url: source.url, validators, position, reading }),
    )
  }

  async #fail(
    source: KnownSource,
    state: FetchState | null,
    error: string,
    retryAfterMs: number | null,
  ): Promise<Refreshed> {
    const { store, now, random, signal } = this.#parts
    // Stopping weir is not a failure of the source.
    if (signal.aborted) return { source: source.name, kind: 'failed', error }
    const at = now()
    const failures = (state?.failures ?? 0) + 1
    const nextAt = nextAfterFailure(source, at, failures, retryAfterMs, random())
    await store.noteFetch(toFailureState({ source: source.name, before: state, at, nextAt }, error))
    return { source: source.name, kind: 'failed', error }
  }
}
