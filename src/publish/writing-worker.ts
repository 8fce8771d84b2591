/**
 * Writes objects away from the serving thread, on a connection of its own: a piece of a text whenever it is
 * asked for one. Started by `writing-thread`.
 */

import { Store } from '../store/store.ts'
import { type Writing, writtenObjects } from './object-writing.ts'
import type { WritingReply, WritingRequest } from './writing-messages.ts'

declare const self: Worker

/** It reads along the records' dates: what it has read it seldom needs again. */
const cacheKiB = 8_192

/**
 * After so many bytes of text what they were made of is thrown away. By itself the collector would wait until
 * that is more than all that is in use; here it takes some milliseconds, and keeps nobody waiting.
 */
const bytesPerCollection = 8_388_608

const encoder = new TextEncoder()
let bytesSinceCollection = 0
const texts = new Map<number, AsyncGenerator<string, void>>()
let store: Store | null = null

function say(reply: WritingReply): void {
  const bytes = reply.kind === 'piece' ? reply.piece?.buffer : undefined
  self.postMessage(reply, bytes === undefined ? [] : [bytes])
}

function begin(id: number, writing: Writing): Promise<void> {
  if (store === null) throw new Error('the thread that writes objects has no database')
  texts.set(id, writtenObjects(store, writing))
  return next(id)
}

async function next(id: number): Promise<void> {
  const piece = await texts.get(id)?.next()
  if (piece === undefined || piece.done === true) texts.delete(id)
  const isOver = piece === undefined || piece.done === true
  if (isOver) return say({ kind: 'piece', id, piece: null })
  const bytes = encoder.encode(piece.value)
  bytesSinceCollection += bytes.length
  say({ kind: 'piece', id, piece: bytes })
  if (bytesSinceCollection < bytesPerCollection) return
  bytesSinceCollection = 0
  Bun.gc(true)
}

async function end(id: number): Promise<void> {
  await texts.get(id)?.return()
  texts.delete(id)
}

async function handle(request: WritingRequest): Promise<void> {
  switch (request.kind) {
    case 'open': {
      const { dataDir } = request
      store = Store.open({ dataDir, role: 'background', now: Date.now, cacheKiB })
      return
    }
    case 'begin':
      return begin(request.id, request.writing)
    case 'next':
      return next(request.id)
    case 'end':
      return end(request.id)
    case 'close':
      store?.close()
      say({ kind: 'closed' })
  }
}

self.onmessage = ({ data }: MessageEvent<WritingRequest>): void => {
  handle(data).catch((error: unknown) => {
    // Without a database nothing can be written: whoever waits is told by the end of this thread.
    if (!('id' in data)) throw error
    texts.delete(data.id)
    const message = error instanceof Error ? error.message : String(error)
    say({ kind: 'failed', id: data.id, message })
  })
}
