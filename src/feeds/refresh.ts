/**
 * Keeps sources fresh: fetches what is due, reads what is new, and notes how it went, so that the last
 * success and the last error of every source can be seen. A source that fails keeps its last good list
 * and disturbs no other.
 */

import { join } from 'node:path'
import { Outbound } from '../net/outbound.ts'
import { Resolver } from '../net/resolver.ts'
import type { Committed } from '../store/batch.ts'
import type { FetchState } from '../store/fetches.ts'
import type { WriteStore } from '../store/store.ts'
import { version } from '../version.ts'
import { type FetchedList, fetchSource, removeAbandoned } from './fetcher.ts'
import { loadStoredGuards } from './guards.ts'
import { formatHeldBack, type ImportReport, importFeed } from './importer.ts'
import type { BrandNaming } from './intake.ts'
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

/** Documents wait here, inside the data directory, until they have been read. */
const incomingName = 'incoming'

/** How many sources are fetched side by side; they are read one after the other. */
const fetchesMax = 4

/** How long fetching one source may take, all its parts together. */
const sourceTimeoutMs = 10 * 60_000

const dayMs = 86_400_000

/** What the operator has set about fetching sources. */
export interface FetchSettings extends EndingSettings {
  /** The proxy to fetch through, or null. */
  readonly proxy: string | null
  /** DNS servers; none: the system's. */
  readonly dns: readonly string[]
  readonly keys: ReadonlyMap<string, string>
}

/** Opens the way out by which sources are fetched. */
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
  readonly naming: BrandNaming
  readonly now: () => number
  /** From 0 to 1, for spreading fetches. */
  readonly random: () => number
  readonly onCommit: (committed: Committed) => void
  readonly signal: AbortSignal
}

/** How refreshing one source went. */
export type Refreshed =
  | { readonly source: string; readonly kind: 'unchanged' }
  | { readonly source: string; readonly kind: 'imported'; readonly report: ImportReport }
  /** Read, but not believed to be whole: what it no longer holds stands. */
  | {
      readonly source: string
      readonly kind: 'held_back'
      readonly report: ImportReport
      readonly error: string
    }
  | { readonly source: string; readonly kind: 'failed'; readonly error: string }

/** Refreshes sources on one store; readings queue up behind each other, fetches do not. */
export class Refresher {
  readonly #parts: RefreshParts
  #lastReading: Promise<unknown> = Promise.resolve()

  constructor(parts: RefreshParts) {
    this.#parts = parts
  }

  /** Returns what is known of a source now. */
  findSchedule(source: KnownSource): SourceSchedule {
    const { store } = this.#parts
    return {
      source,
      row: store.sources.byName(source.name),
      state: store.fetches.find(source.name),
    }
  }

  /** Refreshes every source that is due, guards first: they have their say in what follows. */
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
   * Refreshes one source now, due or not; `isForced` takes the list as it is, unchanged, empty or
   * shrunken. Whatever goes wrong is noted of the source and ends no other's turn; rejects with a
   * `StoreError` when not even that can be done.
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
      const error = `it has been withdrawn; "weir sources enable ${source.name}" gives it back`
      return { source: source.name, kind: 'failed', error }
    }
    if (this.#hasChangedRole(source)) {
      const error = `what it held before was of another role; give it another name`
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

  /** A list that becomes a guard, or the other way round, would leave behind what it was. */
  #hasChangedRole({ name, role }: KnownSource): boolean {
    const row = this.#parts.store.sources.byName(name)
    return row !== null && row.role !== role
  }

  /** Says how the source would be read now, by that run; whatever is in it may change the outcome. */
  #readingBy(source: KnownSource, run: number): string {
    const { store, now } = this.#parts
    const how = {
      description: toSourceDescription(source),
      format: source.format,
      platformMode: source.platformMode,
      audiences: source.audiences,
      rowsMax: source.rowsMax,
      // What comes with weir protects as well.
      version,
      guards: source.role === 'guard' ? null : store.guards.version(),
      // Entries of these say until when they hold.
      day: source.format === 'stix' ? Math.floor(now() / dayMs) : null,
    }
    return `${run}.${Bun.hash(JSON.stringify(how)).toString(36)}`
  }

  /** Reports whether what stands is the source's last good list, read as it would be read now. */
  #isCurrent(source: KnownSource, state: FetchState | null): boolean {
    const { sources } = this.#parts.store
    const row = sources.byName(source.name)
    if (row === null || state === null) return false
    return state.reading === this.#readingBy(source, sources.newestRun(row.id))
  }

  /** Runs `reading` when those before it are through. */
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
        const what = formatHeldBack(report.heldBack)
        const error = `${what}, and "weir sources run ${source.name} --force" takes it as it is`
        await this.#fail(source, state, error, null)
        return { source: source.name, kind: 'held_back', report, error }
      }
      await this.#noteSuccess(source, state, list, this.#readingBy(source, report.run))
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

  /** Notes a failure; the validators stay those of the last good list. */
  async #fail(
    source: KnownSource,
    state: FetchState | null,
    error: string,
    retryAfterMs: number | null,
  ): Promise<Refreshed> {
    const { store, now, random, signal } = this.#parts
    // Stopping weir says nothing about the source.
    if (signal.aborted) return { source: source.name, kind: 'failed', error }
    const at = now()
    const failures = (state?.failures ?? 0) + 1
    const nextAt = nextAfterFailure(source, at, failures, retryAfterMs, random())
    await store.noteFetch(toFailureState({ source: source.name, before: state, at, nextAt }, error))
    return { source: source.name, kind: 'failed', error }
  }
}
