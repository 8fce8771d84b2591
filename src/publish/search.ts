/**
 * Has searches answered by a thread of its own: filling its indexes and scanning them takes milliseconds that
 * nobody who checks an address should wait for. It follows the store by itself, some moments behind, and says
 * how far.
 *
 * Should it end by itself, the searches under way fail, and the next one starts another.
 */

import type { Store } from '../store/store.ts'
import { workerUrl } from '../worker-url.ts'
import type { SearchReply, SearchRequest } from './search-messages.ts'
import type { SearchQuery } from './search-query.ts'

/** How long a search waits, as while the indexes are still being filled after a start. */
const patienceMs = 10_000

/** How many changes behind the lag counts exactly. */
const lagRowsMax = 1_000

/** Thrown when a search could not be answered; the message says why. */
export class SearchError extends Error {
  override readonly name = 'SearchError'
}

/** How far the indexes are behind the store. */
export interface SearchLag {
  /** Changes they do not know of, at most `lagRowsMax` of each kind. */
  readonly rows: number
  /** Since they were level; while nothing is known to be missing 0. */
  readonly seconds: number
}

/** Whoever waits for an answer. */
interface Waiting {
  readonly resolve: (json: string) => void
  readonly reject: (error: Error) => void
}

export interface SearchThreadParts {
  readonly dataDir: string
  readonly store: Pick<Store, 'meta' | 'searchable'>
  /** Hears of what goes wrong in the thread. */
  readonly report: (error: unknown) => void
  /** Milliseconds that never go back. */
  readonly now: () => number
}

/** Answers searches. */
export class SearchThread {
  readonly #parts: SearchThreadParts
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #lastId = 0
  #isClosed = false
  #level = { seq: 0, textSeq: 0, bytes: 0 }
  #levelAt: number

  constructor(parts: SearchThreadParts) {
    this.#parts = parts
    this.#levelAt = parts.now()
  }

  /** Starts the thread, which begins to fill its indexes. */
  start(): void {
    if (!this.#isClosed) this.#running()
  }

  /** Returns the answer to a query as JSON. Rejects with a `SearchError`. */
  async ask(query: SearchQuery): Promise<string> {
    if (this.#isClosed) throw new SearchError('weir is stopping')
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#waiting.set(id, { resolve, reject })
    const timer = setTimeout(() => {
      if (this.#waiting.delete(id)) reject(new SearchError('it took too long'))
    }, patienceMs)
    try {
      tell(this.#running(), { kind: 'ask', id, query })
      return await promise
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

  /** The memory that the indexes of addresses take. */
  get bytes(): number {
    return this.#level.bytes
  }

  /** Ends the thread, once it has let go of the database. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    worker.addEventListener('message', ({ data }: MessageEvent<SearchReply>) => {
      if (data.kind === 'closed') resolve()
    })
    worker.addEventListener('close', () => resolve())
    tell(worker, { kind: 'close' })
    await promise
    worker.terminate()
    this.#lose(worker, 'weir is stopping')
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(workerUrl('publish/search-worker.ts'))
    worker.onmessage = ({ data }: MessageEvent<SearchReply>) => this.#hear(data)
    worker.onerror = ({ message }) => this.#lose(worker, message)
    worker.addEventListener('close', () => this.#lose(worker, 'it has ended'))
    tell(worker, { kind: 'open', dataDir: this.#parts.dataDir })
    this.#worker = worker
    return worker
  }

  #hear(reply: SearchReply): void {
    switch (reply.kind) {
      case 'level':
        this.#level = reply
        this.#levelAt = this.#parts.now()
        return
      case 'answer':
        this.#take(reply.id)?.resolve(reply.json)
        return
      case 'failed': {
        const error = new SearchError(reply.message)
        this.#parts.report(error)
        this.#take(reply.id)?.reject(error)
        return
      }
      case 'closed':
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  /** Lets everybody down who waits for a thread that is gone. */
  #lose(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    this.#worker = null
    worker.terminate()
    const error = new SearchError(`the thread that searches: ${why}`)
    if (!this.#isClosed) this.#parts.report(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#level = { seq: 0, textSeq: 0, bytes: 0 }
  }
}

const tell = (worker: Worker, request: SearchRequest): void => worker.postMessage(request)
