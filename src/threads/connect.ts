/**
 * The outside of a thread: typed calls to it, and one policy for when it ends by itself.
 *
 *     call ─▶ start unless it runs ─▶ message with a number ─▶ reply with that number ─▶ resolves
 *
 *               first call                                opened
 *     (none) ──────────────▶ starting ─────────────────────────▶ open
 *                                 ▲                                │ crash, uncaught error, exit,
 *                                 │ after 50 ms, 100 ms … 5 s      ▼ or `open` threw
 *                                 └─────────────────────────────  down: degraded, all that waited rejected
 *
 * However a thread ends, every pending call rejects with a `ThreadError` (`lost`) before another thread
 * starts, and so before a later call is answered. Calls made meanwhile wait for the next thread. The next
 * one starts when the last has really ended: two never have the database open for the same work. The
 * delay doubles with each death until a call is answered again.
 */

import { resolveEntry, type ThreadEntry } from './entries.ts'
import type { EndMessage, FromThread, ToThread, ValueMessage } from './messages.ts'
import type { ThreadContext } from './serve.ts'
import { ThreadError, type ThreadErrorReason } from './thread-error.ts'

const restartMsMin = 50
const restartMsMax = 5_000

/** What a thread is made by: the argument of its `serve`. */
export type ThreadOpen = (opening: never, context: never) => object

type EventFrom<Open> = Open extends (opening: never, context: ThreadContext<infer Event>) => object
  ? Event
  : never

type Inputs<Handler> = Handler extends (call: never, ...inputs: infer Given) => unknown
  ? Given
  : never

type Result<Handler> = Handler extends (...given: never) => infer Returned
  ? Awaited<Returned>
  : never

type Piece<Handler> = Handler extends (...given: never) => AsyncGenerator<infer Yielded>
  ? Yielded
  : never

/** The names of the handlers that return pieces. */
type PieceNames<Handlers> = {
  [Name in keyof Handlers]: Handlers[Name] extends (...given: never) => AsyncGenerator<unknown>
    ? Name & string
    : never
}[keyof Handlers]

/** The names of the handlers that return a result. */
type CallNames<Handlers> = Exclude<keyof Handlers & string, PieceNames<Handlers>>

export interface ThreadParts<Open extends ThreadOpen> {
  /** The entry file; an address is for tests. */
  readonly entry: ThreadEntry | URL
  /** The subject of a sentence: `the search thread`. */
  readonly name: string
  readonly opening: Parameters<Open>[0]
  /** Is called with a `ThreadError` each time the thread ends by itself or cannot start. */
  readonly report: (error: unknown) => void
  readonly onEvent?: (event: EventFrom<Open>) => void
  /** Is called when the thread has ended by itself, before calls reject. */
  readonly onLost?: () => void
  /** Ends the thread whenever no call is pending, for work that is rare: a thread holds some 110 MB. */
  readonly isBrief?: boolean
  /** How long a call may take before the thread counts as stuck and is ended. */
  readonly stuckMs?: number
}

/** Methods, not properties: their parameters are bivariant, so that one map holds the calls of all types. */
interface PendingReply {
  resolve(reply: ValueMessage | EndMessage): void
  reject(error: ThreadError): void
}

export class Thread<Open extends ThreadOpen> {
  readonly #parts: ThreadParts<Open>
  readonly #pending = new Map<number, PendingReply>()
  /** Messages for the next worker, while none runs. */
  #unsent: ToThread[] = []
  #worker: Worker | null = null
  /** Counts threads that have gone: pieces come from one thread only. */
  #lives = 0
  #lastId = 0
  #callCount = 0
  /** Deaths since a call was answered last. */
  #deaths = 0
  #restart: ReturnType<typeof setTimeout> | null = null
  #isDegraded = false
  /** Resolves when the current worker, or the last, has ended. */
  #ended = Promise.resolve()
  #closing: Promise<void> | null = null
  #onClosed = (): void => {}

  constructor(parts: ThreadParts<Open>) {
    this.#parts = parts
  }

  /** Has the thread ended by itself, and not been opened since? */
  get isDegraded(): boolean {
    return this.#isDegraded
  }

  /** Starts the thread unless it runs, or is about to. */
  start(): void {
    if (this.#closing === null && this.#worker === null && this.#restart === null) this.#spawn()
  }

  /** Resolves to the result of a handler. Rejects with a `ThreadError`. */
  call<Name extends CallNames<ReturnType<Open>>>(
    name: Name,
    ...inputs: Inputs<ReturnType<Open>[Name]>
  ): Promise<Result<ReturnType<Open>[Name]>> {
    return this.callUntil(null, name, ...inputs)
  }

  /** Does what `call` does until `signal` aborts: then the handler's signal does too. */
  async callUntil<Name extends CallNames<ReturnType<Open>>>(
    signal: AbortSignal | null,
    name: Name,
    ...inputs: Inputs<ReturnType<Open>[Name]>
  ): Promise<Result<ReturnType<Open>[Name]>> {
    const id = ++this.#lastId
    const abort = (): void => this.#abort(id)
    this.#callCount++
    signal?.addEventListener('abort', abort)
    try {
      if (signal?.aborted === true) throw this.#error('aborted', 'the caller gave it up')
      const message = { kind: 'call', id, name, inputs } as const
      const reply = await this.#exchange<Result<ReturnType<Open>[Name]>>(message)
      if (reply.kind === 'end') throw this.#error('failed', `"${name}" returns pieces`)
      return reply.value
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#leave()
    }
  }

  /** Yields the pieces of a handler, each made when it is asked for. Throws a `ThreadError`. */
  async *pieces<Name extends PieceNames<ReturnType<Open>>>(
    name: Name,
    ...inputs: Inputs<ReturnType<Open>[Name]>
  ): AsyncGenerator<Piece<ReturnType<Open>[Name]>, void> {
    const id = ++this.#lastId
    const life = this.#lives
    this.#callCount++
    let message: ToThread & { id: number } = { kind: 'call', id, name: String(name), inputs }
    let isOver = false
    try {
      for (;;) {
        const reply = await this.#exchange<Piece<ReturnType<Open>[Name]>>(message)
        if (reply.kind === 'end') break
        yield reply.value
        if (life !== this.#lives && this.#closing === null) throw this.#error('lost', 'it ended')
        message = { kind: 'next', id }
      }
      isOver = true
    } finally {
      if (!isOver && life === this.#lives) this.#abort(id)
      this.#leave()
    }
  }

  /** Ends the thread: what runs is aborted, and has ended when this resolves. */
  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    if (this.#restart !== null) clearTimeout(this.#restart)
    const worker = this.#worker
    if (worker !== null) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onClosed = resolve
      worker.postMessage({ kind: 'close' } satisfies ToThread)
      await promise
      this.#forget(worker)
    }
    this.#rejectAll(this.#error('stopping', 'weir is stopping'))
  }

  /** Sends a message about a call, and resolves to its reply. */
  #exchange<Value>(message: ToThread & { id: number }): Promise<ValueMessage<Value> | EndMessage> {
    if (this.#closing !== null) {
      return Promise.reject(this.#error('stopping', 'weir is stopping'))
    }
    this.start()
    if (this.#worker === null) this.#unsent.push(message)
    else this.#worker.postMessage(message)
    type Reply = ValueMessage<Value> | EndMessage
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    this.#pending.set(message.id, { resolve: (reply: Reply) => resolve(reply), reject })
    return this.#parts.stuckMs === undefined ? promise : this.#endWhenStuck(promise)
  }

  async #endWhenStuck<Reply>(reply: Promise<Reply>): Promise<Reply> {
    const { stuckMs = 0 } = this.#parts
    const end = (): void => {
      if (this.#worker !== null) this.#lose(this.#worker, `a call took over ${stuckMs / 1_000} s`)
    }
    const timer = setTimeout(end, stuckMs)
    try {
      return await reply
    } finally {
      clearTimeout(timer)
    }
  }

  #spawn(): void {
    const { entry, opening } = this.#parts
    const worker = new Worker((entry instanceof URL ? entry : resolveEntry(entry)).href)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#worker = worker
    this.#ended = ended
    worker.onmessage = ({ data }: MessageEvent<FromThread<EventFrom<Open>>>): void => {
      if (worker === this.#worker) this.#receive(worker, data)
    }
    worker.onerror = ({ message }) => this.#lose(worker, readErrorMessage(message))
    // An exit is no error; and after an error this comes as well.
    worker.addEventListener('close', () => {
      end()
      this.#lose(worker, 'it ended')
    })
    worker.postMessage({ kind: 'open', opening } satisfies ToThread)
    for (const message of this.#unsent) worker.postMessage(message)
    this.#unsent = []
  }

  #receive(worker: Worker, message: FromThread<EventFrom<Open>>): void {
    switch (message.kind) {
      case 'opened':
        this.#isDegraded = false
        this.#endWhenIdle()
        break
      case 'unopened':
        this.#lose(worker, `it cannot start: ${message.message}`)
        break
      case 'value':
      case 'end':
        this.#deaths = 0
        this.#take(message.id)?.resolve(message)
        break
      case 'failed': {
        this.#deaths = 0
        const reason = this.#closing === null ? 'failed' : 'stopping'
        this.#take(message.id)?.reject(this.#error(reason, message.message, message.code))
        break
      }
      case 'event':
        this.#parts.onEvent?.(message.event)
        break
      case 'closed':
        this.#onClosed()
    }
  }

  /** Applies the policy to a thread that ended by itself, or is as good as ended. */
  #lose(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    this.#forget(worker)
    const error = this.#error('lost', why)
    if (this.#closing === null) {
      this.#isDegraded = true
      this.#parts.onLost?.()
      const delayMs = Math.min(restartMsMin * 2 ** this.#deaths++, restartMsMax)
      const ended = this.#ended
      this.#restart = setTimeout(() => void ended.then(() => this.#startAgain()), delayMs)
    }
    this.#rejectAll(error)
    this.#onClosed()
    this.#parts.report(error)
  }

  #startAgain(): void {
    this.#restart = null
    this.start()
  }

  #forget(worker: Worker): void {
    this.#worker = null
    this.#lives++
    worker.terminate()
  }

  #leave(): void {
    this.#callCount--
    this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    const isIdle = this.#callCount === 0 && !this.#isDegraded && this.#closing === null
    if (this.#parts.isBrief === true && isIdle && this.#worker !== null) this.#forget(this.#worker)
  }

  #abort(id: number): void {
    this.#take(id)?.reject(this.#error('aborted', 'the caller gave it up'))
    this.#unsent = this.#unsent.filter((message) => !('id' in message) || message.id !== id)
    this.#worker?.postMessage({ kind: 'abort', id } satisfies ToThread)
  }

  #take(id: number): PendingReply | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #rejectAll(error: ThreadError): void {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    this.#unsent = []
    for (const { reject } of pending) reject(error)
  }

  #error(reason: ThreadErrorReason, why: string, code: string | null = null): ThreadError {
    return new ThreadError(reason, `${this.#parts.name}: ${why}`, code)
  }
}

/** Returns the message of an uncaught error, without the lines of source that Bun prints above it. */
function readErrorMessage(text: string): string {
  return /^(?:\w*Error|error): (.+)$/m.exec(text)?.[1] ?? text
}

/** Returns a handle on a thread, which starts with the first call; `Open` is the argument of its `serve`. */
export function connect<Open extends ThreadOpen>(parts: ThreadParts<Open>): Thread<Open> {
  return new Thread(parts)
}
