/**
 * The inside of a thread: answers calls with the methods of an object.
 *
 *     open ─▶ `open(opening, context)` ─▶ the object whose methods are the handlers
 *     call ─▶ handler(call, ...inputs) ─▶ a result, or an async generator whose pieces are pulled one by one
 *     close ─▶ every call is aborted ─▶ what runs has ended ─▶ the object is disposed of
 *
 * An error that a handler throws fails its call alone. An error thrown outside of any call ends the
 * thread, and `connect` starts another.
 */

import type { FromThread, ToThread } from './messages.ts'

declare const self: Worker

/** What a handler learns of its call. */
export interface Call {
  /** Aborts when the caller gives the call up and when the thread closes. */
  readonly signal: AbortSignal
  /** Moves buffers with the next result or piece, which would copy them otherwise. */
  transfer(...buffers: readonly ArrayBuffer[]): void
}

/** What a thread is given when it opens. */
export interface ThreadContext<Event = never> {
  /** Sends an event to the thread's owner. */
  push(event: Event): void
  /** Aborts when the thread closes. */
  readonly closing: AbortSignal
}

/** One call while it is answered. */
class RunningCall implements Call {
  readonly #controller = new AbortController()
  #buffers: ArrayBuffer[] = []
  pieces: AsyncIterator<unknown> | null = null

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  transfer(...buffers: readonly ArrayBuffer[]): void {
    this.#buffers.push(...buffers)
  }

  /** Returns the buffers to be moved with the message that is about to be sent. */
  takeBuffers(): ArrayBuffer[] {
    const buffers = this.#buffers
    this.#buffers = []
    return buffers
  }

  async abort(): Promise<void> {
    this.#controller.abort()
    await this.pieces?.return?.()
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const messageFrom = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const codeFrom = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

class ServedThread<Opening, Event> implements ThreadContext<Event> {
  readonly #open: (opening: Opening, context: ThreadContext<Event>) => object
  readonly #closing = new AbortController()
  readonly #calls = new Map<number, RunningCall>()
  /** What is being done for calls at this moment. */
  readonly #busy = new Set<Promise<void>>()
  #handlers: object = {}

  constructor(open: (opening: Opening, context: ThreadContext<Event>) => object) {
    this.#open = open
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  push(event: Event): void {
    this.#post({ kind: 'event', event })
  }

  receive(message: ToThread<Opening>): void {
    switch (message.kind) {
      case 'open':
        this.#start(message.opening)
        break
      case 'call':
        this.#track(this.#answer(message.id, message.name, message.inputs))
        break
      case 'next': {
        const call = this.#calls.get(message.id)
        if (call !== undefined) this.#track(this.#sendPiece(message.id, call))
        break
      }
      case 'abort':
        this.#abort(message.id)
        break
      case 'close':
        void this.#close()
    }
  }

  #start(opening: Opening): void {
    try {
      this.#handlers = this.#open(opening, this)
      this.#post({ kind: 'opened' })
    } catch (error) {
      this.#post({ kind: 'unopened', message: messageFrom(error) })
    }
  }

  #post(message: FromThread, buffers: ArrayBuffer[] = []): void {
    self.postMessage(message, buffers)
  }

  #track(work: Promise<void>): void {
    this.#busy.add(work)
    void work.finally(() => this.#busy.delete(work))
  }

  async #answer(id: number, name: string, inputs: readonly unknown[]): Promise<void> {
    const call = new RunningCall()
    this.#calls.set(id, call)
    try {
      const handler: unknown = Reflect.get(this.#handlers, name)
      if (typeof handler !== 'function') throw new Error(`the thread has no handler "${name}"`)
      const result: unknown = await handler.call(this.#handlers, call, ...inputs)
      if (isAsyncIterable(result)) {
        call.pieces = result[Symbol.asyncIterator]()
        return await this.#sendPiece(id, call)
      }
      this.#post({ kind: 'value', id, value: result }, call.takeBuffers())
      this.#calls.delete(id)
    } catch (error) {
      this.#fail(id, error)
    }
  }

  async #sendPiece(id: number, call: RunningCall): Promise<void> {
    try {
      const next = await call.pieces?.next()
      if (next === undefined || next.done === true) {
        this.#calls.delete(id)
        this.#post({ kind: 'end', id })
      } else {
        this.#post({ kind: 'value', id, value: next.value }, call.takeBuffers())
      }
    } catch (error) {
      this.#fail(id, error)
    }
  }

  #fail(id: number, error: unknown): void {
    this.#calls.delete(id)
    this.#post({ kind: 'failed', id, message: messageFrom(error), code: codeFrom(error) })
  }

  #abort(id: number): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (call !== undefined) this.#track(call.abort())
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    for (const id of [...this.#calls.keys()]) this.#abort(id)
    await Promise.allSettled(this.#busy)
    const handlers: Partial<Disposable> = this.#handlers
    handlers[Symbol.dispose]?.()
    this.#post({ kind: 'closed' })
  }
}

/** Answers calls with the methods of what `open` returns, which are public by their names. */
export function serve<Opening, Event>(
  open: (opening: Opening, context: ThreadContext<Event>) => object,
): void {
  const thread = new ServedThread(open)
  self.onmessage = ({ data }: MessageEvent<ToThread<Opening>>) => thread.receive(data)
}
