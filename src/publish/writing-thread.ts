/**
 * Has long texts written by another thread, which starts with the first of them and then stays: what is
 * thrown away while they are written makes neither this thread wait nor its memory grow.
 *
 * A text is written no faster than it is taken, a piece at a time. Should the thread end by itself, the texts
 * under way fail, and the next one starts another.
 */

import { workerUrl } from '../worker-url.ts'
import type { ObjectWriter, Pieces, Writing } from './object-writing.ts'
import type { WritingReply, WritingRequest } from './writing-messages.ts'

/** So few objects are written at once here: sooner than they are asked for there. */
const fewObjects = 50

/** Whoever waits for a piece. */
interface Waiting {
  readonly resolve: (piece: Uint8Array | null) => void
  readonly reject: (error: Error) => void
}

/** Writes objects, many of them on a thread of its own. */
export class WritingThread implements ObjectWriter {
  readonly #dataDir: string
  readonly #here: ObjectWriter
  readonly #report: (error: unknown) => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #lastId = 0
  #isClosed = false

  /** `here` writes on this thread; `report` hears of what goes wrong on the other. */
  constructor(dataDir: string, here: ObjectWriter, report: (error: unknown) => void) {
    this.#dataDir = dataDir
    this.#here = here
    this.#report = report
  }

  write(writing: Writing): Pieces {
    const { objects } = writing
    const isShort = objects === null || (objects.kind === 'stretch' && objects.count <= fewObjects)
    // A filter by ids holds but what is named.
    const isNamed = objects?.kind === 'stretch' && objects.filter.ids !== null
    return isShort || isNamed ? this.#here.write(writing) : this.#there(writing)
  }

  /** Ends the thread, once it has let go of the database. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    worker.addEventListener('message', ({ data }: MessageEvent<WritingReply>) => {
      if (data.kind === 'closed') resolve()
    })
    worker.addEventListener('close', () => resolve())
    tell(worker, { kind: 'close' })
    await promise
    worker.terminate()
    this.#lose(worker, 'weir is stopping')
  }

  async *#there(writing: Writing): Pieces {
    const id = ++this.#lastId
    const worker = this.#running()
    try {
      let piece = await this.#ask(worker, { kind: 'begin', id, writing })
      while (piece !== null) {
        yield piece
        piece = await this.#ask(worker, { kind: 'next', id })
      }
    } finally {
      if (worker === this.#worker) tell(worker, { kind: 'end', id })
    }
  }

  #running(): Worker {
    if (this.#isClosed) throw new Error('weir is stopping')
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(workerUrl('publish/writing-worker.ts'))
    worker.onmessage = ({ data }: MessageEvent<WritingReply>) => this.#hear(data)
    worker.onerror = ({ message }) => this.#lose(worker, message)
    worker.addEventListener('close', () => this.#lose(worker, 'it has ended'))
    tell(worker, { kind: 'open', dataDir: this.#dataDir })
    this.#worker = worker
    return worker
  }

  #ask(
    worker: Worker,
    request: WritingRequest & { readonly id: number },
  ): Promise<Uint8Array | null> {
    if (worker !== this.#worker) return Promise.reject(lost('it has ended'))
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>()
    this.#waiting.set(request.id, { resolve, reject })
    tell(worker, request)
    return promise
  }

  #hear(reply: WritingReply): void {
    if (reply.kind === 'closed') return
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.kind === 'piece') {
      waiting?.resolve(reply.piece)
      return
    }
    const error = lost(reply.message)
    this.#report(error)
    waiting?.reject(error)
  }

  /** Lets everybody down who waits for a thread that is gone. */
  #lose(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    this.#worker = null
    worker.terminate()
    const error = lost(why)
    if (!this.#isClosed) this.#report(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

const tell = (worker: Worker, request: WritingRequest): void => worker.postMessage(request)

const lost = (why: string): Error => new Error(`the thread that writes objects: ${why}`)
