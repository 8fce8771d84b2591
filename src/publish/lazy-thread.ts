/**
 * A thread that starts with the first request, then stays and answers. Should it end by itself, whoever waits is
 * let down, and the next request starts another.
 *
 *     ask ─▶ (open first) ─▶ request with a number ─▶ reply with that number ─▶ resolves
 *                                                    reply without one ──────▶ `onNews`
 */

import { workerUrl } from '../worker-url.ts'

/** A reply by which a thread gives a request up. */
interface FailedReply {
  readonly kind: 'failed'
  readonly id: number
  readonly message: string
}

/** Replies tell what they answer by `id`; one of the kind `closed` is the last. */
type AnyReply =
  | { readonly kind: string; readonly id: number }
  | { readonly kind: string; readonly id?: never }

/** Thrown at whoever waits for a thread that fails or ends; the message names it and says why. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError'
}

export interface LazyThreadParts<Request, Reply> {
  readonly entry: Parameters<typeof workerUrl>[0]
  /** As the subject of a sentence: `the thread that searches`. */
  readonly name: string
  /** The first thing that is said to it, and the last. */
  readonly opening: Request
  readonly closing: Request
  /** Hears of what goes wrong in the thread. */
  readonly report: (error: unknown) => void
  /** Hears of replies that answer no request. */
  readonly onNews?: (reply: Reply) => void
  /** Called when a thread has ended by itself. */
  readonly onLost?: () => void
}

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

export class LazyThread<Request, Reply extends AnyReply> {
  readonly #parts: LazyThreadParts<Request, Reply>
  readonly #waiting = new Map<number, Waiting<Reply>>()
  #worker: Worker | null = null
  #isClosed = false

  constructor(parts: LazyThreadParts<Request, Reply>) {
    this.#parts = parts
  }

  /** Starts the thread unless it runs, and returns it. Throws a `ThreadError` once it is closed. */
  start(): Worker {
    if (this.#isClosed) throw new ThreadError('weir is stopping')
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(workerUrl(this.#parts.entry))
    worker.onmessage = ({ data }: MessageEvent<Reply | FailedReply>) => this.#hear(data)
    worker.onerror = ({ message }) => this.#lose(worker, message)
    worker.addEventListener('close', () => this.#lose(worker, 'it has ended'))
    worker.postMessage(this.#parts.opening)
    this.#worker = worker
    return worker
  }

  /** Resolves to the reply to a request of this number; rejects with a `ThreadError`. */
  ask(worker: Worker, id: number, request: Request): Promise<Reply> {
    if (worker !== this.#worker) return Promise.reject(this.#error('it has ended'))
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    this.#waiting.set(id, { resolve, reject })
    worker.postMessage(request)
    return promise
  }

  /** Says something that needs no reply, unless that thread is gone. */
  tell(worker: Worker, request: Request): void {
    if (worker === this.#worker) worker.postMessage(request)
  }

  /** Lets whoever waits for a reply down. */
  giveUp(id: number, why: string): void {
    this.#take(id)?.reject(this.#error(why))
  }

  /** Ends the thread, once it has let go of what it holds. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    worker.addEventListener('message', ({ data }: MessageEvent<AnyReply>) => {
      if (data.kind === 'closed') resolve()
    })
    worker.addEventListener('close', () => resolve())
    worker.postMessage(this.#parts.closing)
    await promise
    worker.terminate()
    this.#lose(worker, 'weir is stopping')
  }

  #error(why: string): ThreadError {
    return new ThreadError(`${this.#parts.name}: ${why}`)
  }

  #take(id: number): Waiting<Reply> | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #hear(reply: Reply | FailedReply): void {
    if (isFailed(reply)) {
      const error = this.#error(reply.message)
      this.#parts.report(error)
      this.#take(reply.id)?.reject(error)
      return
    }
    if (reply.id === undefined) this.#parts.onNews?.(reply)
    else this.#take(reply.id)?.resolve(reply)
  }

  /** Lets everybody down who waits for a thread that is gone. */
  #lose(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    this.#worker = null
    worker.terminate()
    const error = this.#error(why)
    if (!this.#isClosed) {
      this.#parts.report(error)
      this.#parts.onLost?.()
    }
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

const isFailed = (reply: AnyReply | FailedReply): reply is FailedReply => reply.kind === 'failed'
