/**
 * Has searches answered by a thread of its own: filling its indexes and scanning them takes milliseconds that
 * nobody who checks an address should wait for. It follows the store by itself, some moments behind, and says
 * how far.
 */

import type { Store } from '../store/store.ts'
import { LazyThread } from './lazy-thread.ts'
import type { SearchReply, SearchRequest } from './search-messages.ts'
import type { SearchQuery } from './search-query.ts'

/** How long a search waits, as while the indexes are still being filled after a start. */
const patienceMs = 10_000

/** How many changes behind the lag counts exactly. */
const lagRowsMax = 1_000

/** How far the indexes are behind the store. */
export interface SearchLag {
  /** Changes they do not know of, at most `lagRowsMax` of each kind. */
  readonly rows: number
  /** Since they were level; while nothing is known to be missing 0. */
  readonly seconds: number
}

export interface SearchThreadParts {
  readonly dataDir: string
  readonly store: Pick<Store, 'meta' | 'searchable'>
  /** Hears of what goes wrong in the thread. */
  readonly report: (error: unknown) => void
  /** Milliseconds that never go back. */
  readonly now: () => number
}

/** Up to where the indexes are true. */
type Level = Pick<SearchReply & { kind: 'level' }, 'seq' | 'textSeq'>

const nothingKnown: Level = { seq: 0, textSeq: 0 }

/** Answers searches. */
export class SearchThread {
  readonly #parts: SearchThreadParts
  readonly #thread: LazyThread<SearchRequest, SearchReply>
  #lastId = 0
  #level = nothingKnown
  #levelAt: number

  constructor(parts: SearchThreadParts) {
    const { dataDir, report, now } = parts
    this.#parts = parts
    this.#levelAt = now()
    this.#thread = new LazyThread({
      entry: 'publish/search-worker.ts',
      name: 'the thread that searches',
      opening: { kind: 'open', dataDir },
      closing: { kind: 'close' },
      report,
      onNews: (reply) => {
        if (reply.kind !== 'level') return
        this.#level = reply
        this.#levelAt = now()
      },
      onLost: () => {
        this.#level = nothingKnown
      },
    })
  }

  /** Starts the thread, which begins to fill its indexes. */
  start(): void {
    this.#thread.start()
  }

  /** Returns the answer to a query as JSON. Rejects with a `ThreadError`. */
  async ask(query: SearchQuery): Promise<string> {
    const id = ++this.#lastId
    const worker = this.#thread.start()
    const timer = setTimeout(() => this.#thread.giveUp(id, 'it took too long'), patienceMs)
    try {
      const reply = await this.#thread.ask(worker, id, { kind: 'ask', id, query })
      return reply.kind === 'answer' ? reply.json : '{}'
    } finally {
      clearTimeout(timer)
    }
  }

  /** Says how far the indexes are behind. */
  lag(): SearchLag {
    const { store, now } = this.#parts
    const { seq, textSeq } = this.#level
    const meta = store.meta()
    if (meta.seq <= seq && meta.text_seq <= textSeq) return { rows: 0, seconds: 0 }
    const { searchable } = store
    const rows =
      searchable.addressChangesAfter(seq, lagRowsMax).length +
      searchable.newsChangesAfter(textSeq, lagRowsMax).length +
      searchable.reportChangesAfter(textSeq, lagRowsMax).length
    return { rows, seconds: (now() - this.#levelAt) / 1000 }
  }

  /** Ends the thread, once it has let go of the database. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
