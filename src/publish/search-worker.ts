/**
 * The thread that searches: fills its indexes from the database, keeps them level, and answers. It has a
 * connection of its own, so that whoever serves and whoever imports need not know of it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Store } from '../store/store.ts'
import type { SearchReply, SearchRequest } from './search-messages.ts'
import type { SearchQuery } from './search-query.ts'
import { SearchView } from './search-view.ts'
import { jsonText } from './wire.ts'

declare const self: Worker

/** How often it looks whether somebody has committed. */
const pollMs = 200

/** Rows are read once each, and what is shown of them is few. */
const cacheKiB = 8_192

const say = (reply: SearchReply): void => self.postMessage(reply)

let store: Store | null = null
let view: SearchView | null = null
let timer: ReturnType<typeof setInterval> | null = null
let isFollowing = false
let version = -1

/** Resolves when the indexes are filled. */
let filled: Promise<void> = Promise.resolve()

async function open(dataDir: string): Promise<void> {
  store = Store.open({ dataDir, role: 'background', now: Date.now, cacheKiB })
  view = new SearchView(store)
  await follow(store, view)
  timer = setInterval(poll, pollMs)
}

/** Brings the indexes level, in slices between which searches are answered. */
async function follow(from: Store, to: SearchView): Promise<void> {
  if (isFollowing) return
  isFollowing = true
  try {
    // Whoever commits from here on is seen the next time.
    version = from.dataVersion()
    while (store !== null && to.advance() === 'more') await nextTurn()
    const { seq, textSeq } = to
    say({ kind: 'level', seq, textSeq })
  } finally {
    isFollowing = false
  }
}

function poll(): void {
  if (store === null || view === null || store.dataVersion() === version) return
  follow(store, view).catch(fail)
}

/** Without a database nothing can be found: whoever waits is told by the end of this thread. */
function fail(error: unknown): never {
  throw error
}

async function answer(id: number, query: SearchQuery): Promise<void> {
  await filled
  if (view === null) return
  try {
    say({ kind: 'answer', id, json: jsonText(view.answer(query)) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    say({ kind: 'failed', id, message })
  }
}

function close(): void {
  if (timer !== null) clearInterval(timer)
  view?.[Symbol.dispose]()
  store?.close()
  view = null
  store = null
  say({ kind: 'closed' })
}

self.onmessage = ({ data }: MessageEvent<SearchRequest>): void => {
  switch (data.kind) {
    case 'open':
      filled = open(data.dataDir)
      filled.catch(fail)
      return
    case 'ask':
      answer(data.id, data.query).catch(fail)
      return
    case 'close':
      close()
  }
}
