/**
 * The entry of the search thread: it fills its indexes from the database, keeps them in sync, and answers.
 * It has its own connection, so neither the server nor an importer needs to know of it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { jsonText } from '../publish/wire.ts'
import { ReadStore } from '../store/store.ts'
import { type Call, serve, type ThreadContext } from '../threads/serve.ts'
import type { SearchQuery } from './query.ts'
import { SearchView } from './view.ts'

/** How often it checks whether another connection has committed. */
const pollMs = 200

/** Rows are read once each, and few of them are shown, so a small cache is enough. */
const cacheKiB = 8_192

/** The numbers of the store that the indexes are in sync with. */
export interface SearchSync {
  readonly seq: number
  readonly textSeq: number
}

class Search implements Disposable {
  readonly #context: ThreadContext<SearchSync>
  readonly #store: ReadStore
  readonly #view: SearchView
  readonly #timer: ReturnType<typeof setInterval>
  /** Resolves when the indexes are filled. */
  readonly #filled: Promise<void>
  #isFollowing = false
  #version = -1

  constructor(dataDir: string, context: ThreadContext<SearchSync>) {
    this.#context = context
    this.#store = ReadStore.open({ dataDir, role: 'background', now: Date.now, cacheKiB })
    this.#view = new SearchView(this.#store)
    this.#filled = this.#follow()
    // An error ends the thread, even while a search waits for it.
    void this.#filled.then()
    this.#timer = setInterval(() => this.#poll(), pollMs)
  }

  /** Returns the answer to a query as JSON, once the indexes are filled. */
  async ask({ signal }: Call, query: SearchQuery): Promise<string> {
    await this.#filled
    signal.throwIfAborted()
    return jsonText(this.#view.answer(query))
  }

  /** Applies changes until the indexes are in sync, in slices between which searches are answered. */
  async #follow(): Promise<void> {
    const { closing } = this.#context
    this.#isFollowing = true
    try {
      // A commit from here on is seen by the next poll.
      this.#version = this.#store.dataVersion()
      while (!closing.aborted && this.#view.advance() === 'more') await nextTurn()
      const { seq, textSeq } = this.#view
      if (!closing.aborted) this.#context.push({ seq, textSeq })
    } finally {
      this.#isFollowing = false
    }
  }

  /** An error is left uncaught: the thread ends, and its successor reads the database from the beginning. */
  #poll(): void {
    if (!this.#isFollowing && this.#store.dataVersion() !== this.#version) void this.#follow()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#view[Symbol.dispose]()
    this.#store.close()
  }
}

const open = (
  { dataDir }: { readonly dataDir: string },
  context: ThreadContext<SearchSync>,
): Search => new Search(dataDir, context)
export type OpenSearch = typeof open

serve(open)
