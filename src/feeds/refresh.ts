/**
 * Keeps sources fresh: fetches what is due, reads what is new, and notes how it went, so that the last
 * success and the last error of every source can be seen. A source that fails keeps its last good list
 * and disturbs no other.
 */

import { join } from 'node:path'
import type { Outbound } from '../net/outbound.ts'
import type { Committed } from '../store/batch.ts'
import type { FetchState } from '../store/fetches.ts'
import type { Store } from '../store/store.ts'
import { StoreError } from '../store/store-error.ts'
import { type FetchedList, fetchSource } from './fetcher.ts'
import { loadStoredGuards } from './guards.ts'
import { type HeldBack, type ImportReport, importFeed } from './importer.ts'
import { InputError } from './input-error.ts'
import { failureOf, successOf } from './outcome.ts'
import {
  isDue,
  isEnabled,
  nextAfterFailure,
  nextAfterSuccess,
  type SourceStanding,
} from './schedule.ts'
import { descriptionOf, type KnownSource } from './sources.ts'

/** Documents wait here, inside the data directory, until they have been read. */
const incomingName = 'incoming'

/** How many sources are fetched side by side; they are read one after the other. */
const fetchesMax = 4

export interface RefreshParts {
  readonly store: Store
  readonly dataDir: string
  readonly outbound: Pick<Outbound, 'get'>
  readonly sources: readonly KnownSource[]
  readonly keys: ReadonlyMap<string, string>
  readonly graceMs: number
  readonly expireMs: number
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

/** Says why a list was not believed. */
export function heldBackText(heldBack: HeldBack): string {
  return heldBack.kind === 'empty'
    ? 'the list holds nothing that can be read; what it held stands'
    : `the list shrank from ${heldBack.from} to ${heldBack.to}; what it held stands`
}

/** Refreshes sources on one store; readings queue up behind each other, fetches do not. */
export class Refresher {
  readonly #parts: RefreshParts
  #lastReading: Promise<unknown> = Promise.resolve()

  constructor(parts: RefreshParts) {
    this.#parts = parts
  }

  /** Returns what is known of a source now. */
  standingOf(source: KnownSource): SourceStanding {
    const { store } = this.#parts
    return {
      source,
      row: store.sources.byName(source.name),
      state: store.fetches.find(source.name),
    }
  }

  /** Refreshes every source that is due, guards first: they have their say in what follows. */
  async refreshDue(): Promise<readonly Refreshed[]> {
    const { sources, keys, now } = this.#parts
    const due = sources.filter((source) => isDue(this.standingOf(source), keys, now()))
    const guards = due.filter(({ role }) => role === 'guard')
    const lists = due.filter(({ role }) => role !== 'guard')
    return [...(await this.refreshAll(guards, false)), ...(await this.refreshAll(lists, false))]
  }

  /** Returns the sources that are enabled. */
  enabled(): readonly KnownSource[] {
    return this.#parts.sources.filter((source) => isEnabled(this.standingOf(source)))
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
   * shrunken. Rejects with a `StoreError` when not even the outcome can be noted.
   */
  async refresh(source: KnownSource, isForced: boolean): Promise<Refreshed> {
    const { store, dataDir, outbound, keys, signal } = this.#parts
    const state = store.fetches.find(source.name)
    if (store.sources.byName(source.name)?.withdrawn === 1) {
      const error = `it has been withdrawn; "weir sources enable ${source.name}" gives it back`
      return { source: source.name, kind: 'failed', error }
    }
    const directory = join(dataDir, incomingName)
    const fetched = await fetchSource(
      { outbound, directory, keys, signal },
      source,
      state,
      isForced,
    )
    switch (fetched.kind) {
      case 'unchanged':
        await this.#noteSuccess(source, state, null)
        return { source: source.name, kind: 'unchanged' }
      case 'failed':
        return await this.#fail(source, state, fetched.error, fetched.retryAfterMs)
      case 'list':
        return await this.#inTurn(() => this.#read(source, state, fetched.list, isForced))
    }
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
    const { store, now, onCommit, signal, graceMs, expireMs } = this.#parts
    try {
      const row = store.sources.byName(source.name)
      const lastDigest = row === null ? null : (store.sources.lastRun(row.id)?.digest ?? null)
      if (!isForced && lastDigest === list.digest) {
        await this.#noteSuccess(source, state, list)
        return { source: source.name, kind: 'unchanged' }
      }
      const report = await importFeed(
        { store, guards: loadStoredGuards(store), now, onCommit, signal },
        {
          source: descriptionOf(source),
          format: source.format,
          parts: list.files.map((file) => () => Bun.file(file).stream()),
          digest: list.digest,
          force: isForced,
          graceMs: source.listing === 'recent' ? (source.expireMs ?? expireMs) : graceMs,
          platformMode: source.platformMode,
          rowsMax: source.rowsMax,
        },
      )
      if (report.heldBack !== null) {
        const what = heldBackText(report.heldBack)
        const error = `${what}, and "weir sources run ${source.name} --force" takes it as it is`
        await this.#fail(source, state, error, null)
        return { source: source.name, kind: 'held_back', report, error }
      }
      await this.#noteSuccess(source, state, list)
      return { source: source.name, kind: 'imported', report }
    } catch (error) {
      if (!(error instanceof InputError) && !(error instanceof StoreError)) throw error
      return await this.#fail(source, state, error.message, null)
    } finally {
      await list.remove()
    }
  }

  async #noteSuccess(
    source: KnownSource,
    state: FetchState | null,
    list: FetchedList | null,
  ): Promise<void> {
    const { store, now, random } = this.#parts
    const at = now()
    const nextAt = nextAfterSuccess(source, at, random())
    const attempt = { source: source.name, before: state, at, nextAt }
    const { validators = null, position = null } = list ?? {}
    await store.noteFetch(successOf(attempt, { url: source.url, validators, position }))
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
    await store.noteFetch(failureOf({ source: source.name, before: state, at, nextAt }, error))
    return { source: source.name, kind: 'failed', error }
  }
}
