/**
 * Answers searches on another thread: filling the indexes and scanning them takes milliseconds that no
 * check of an address should wait for. The thread follows the store with a short delay and reports the
 * numbers up to which it is in sync.
 */

import type { ReadStore } from '../store/store.ts'
import { connect } from '../threads/connect.ts'
import { ThreadError } from '../threads/thread-error.ts'
import type { SearchQuery } from './query.ts'
import type { OpenSearch, SearchSync } from './search-worker.ts'

/** How long a search waits, for example while the indexes are filled after a start. */
const patienceMs = 10_000

/** Maximum number of missing changes that the lag counts. */
const lagRowsMax = 1_000

/** How far the indexes lag behind the store. */
export interface SearchLag {
  /** The number of missing changes, at most `lagRowsMax` of each kind. */
  readonly rows: number
  /** The time since they were last in sync; 0 while no change is known to be missing. */
  readonly seconds: number
}

export interface SearchThreadParts {
  readonly dataDir: string
  readonly store: ReadStore
  /** Called with errors of the thread. */
  readonly report: (error: unknown) => void
  /** Milliseconds that never go back. */
  readonly now: () => number
}

const nothingRead: SearchSync = { seq: 0, textSeq: 0 }

/** Answers searches. */
export class SearchThread {
  readonly #parts: SearchThreadParts
  readonly #thread
  #sync = nothingRead
  #syncAt: number

  constructor(parts: SearchThreadParts) {
    const { dataDir, report, now } = parts
    this.#parts = parts
    this.#syncAt = now()
    this.#thread = connect<OpenSearch>({
      entry: 'search/search-worker.ts',
      name: 'the search thread',
      opening: { dataDir },
      report,
      onEvent: (sync) => {
        this.#sync = sync
        this.#syncAt = now()
      },
      onLost: () => {
        this.#sync = nothingRead
      },
    })
  }

  get isDegraded(): boolean {
    return this.#thread.isDegraded
  }

  /** Starts the thread, which begins to fill its indexes. */
  start(): void {
    this.#thread.start()
  }

  /** Returns the answer to a query as JSON. Rejects with a `ThreadError`. */
  async ask(query: SearchQuery): Promise<string> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), patienceMs)
    try {
      return await this.#thread.callUntil(patience.signal, 'ask', query)
    } catch (error) {
      // The end of the thread is reported once, not for each search.
      if (error instanceof ThreadError && error.reason === 'failed') this.#parts.report(error)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns how far the indexes lag behind the store. */
  lag(): SearchLag {
    const { store, now } = this.#parts
    const { seq, textSeq } = this.#sync
    const meta = store.meta()
    if (meta.seq <= seq && meta.textSeq <= textSeq) return { rows: 0, seconds: 0 }
    const rows =
      store.searchable.changesAfter(seq, lagRowsMax).length +
      store.news.changesAfter(textSeq, lagRowsMax).length +
      store.reports.changesAfter(textSeq, lagRowsMax).length
    return { rows, seconds: (now() - this.#syncAt) / 1000 }
  }

  /** Ends the thread, once it has closed the database. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
