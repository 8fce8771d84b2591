/**
 * Keeps a view level with the store: asks for what changed when woken, and looks by itself at short
 * intervals whether another connection (another process's import, say) has committed.
 *
 * Applies changes in slices of about a millisecond, and lets requests in between.
 */

import type { ReadStore } from '../store/store.ts'

/**
 * How far a slice led: there is `more` to apply, the view is `level`, or it is `waiting` for its next
 * generation and asks to be woken by it.
 */
export type Advance = 'more' | 'level' | 'waiting'

/** What a follower keeps level. */
export interface Followed {
  /** The number up to which the view is true. */
  readonly seq: number
  /** Applies what came next, for about `sliceMs`, and says how far that led. */
  advance(sliceMs: number): Advance
}

/** How long one slice may hold the serving thread. */
const sliceMs = 1

/** How often the follower looks whether another connection has committed. */
const pollMs = 100

export class Follower {
  readonly #store: ReadStore
  readonly #view: Followed
  readonly #report: (error: unknown) => void
  #timer: ReturnType<typeof setInterval> | null = null
  readonly #now: () => number
  #version = -1
  #isAdvancing = false
  #isWaiting = false
  #isStopped = false
  #levelAt: number
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []

  /** `now` gives milliseconds, and `report` hears of failures; following goes on after them. */
  constructor(
    store: ReadStore,
    view: Followed,
    report: (error: unknown) => void,
    now: () => number = performance.now.bind(performance),
  ) {
    this.#store = store
    this.#view = view
    this.#report = report
    this.#now = now
    this.#levelAt = now()
  }

  /** How long ago the view was last known to be level with the store. */
  get lagMs(): number {
    return this.#now() - this.#levelAt
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), pollMs)
    this.wake()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#isStopped = true
  }

  /** Says that there may be something new; returns at once. */
  wake(): void {
    if (this.#isAdvancing || this.#isStopped) return
    this.#isAdvancing = true
    setImmediate(() => this.#advance())
  }

  /** Resolves once the view is true up to `seq`. */
  caughtUp(seq: number): Promise<void> {
    if (this.#view.seq >= seq) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ seq, resolve })
    this.wake()
    return promise
  }

  #poll(): void {
    const version = this.#store.dataVersion()
    if (version === this.#version) {
      if (!this.#isAdvancing && !this.#isWaiting) this.#levelAt = this.#now()
      return
    }
    this.#version = version
    this.wake()
  }

  #advance(): void {
    if (this.#isStopped) return
    let advance: Advance = 'waiting'
    try {
      advance = this.#view.advance(sliceMs)
    } catch (error) {
      // The next poll or wake tries again from the same number.
      this.#version = -1
      this.#report(error)
    }
    if (advance === 'level') this.#levelAt = this.#now()
    this.#isWaiting = advance === 'waiting'
    this.#settle()
    if (advance === 'more') setImmediate(() => this.#advance())
    else this.#isAdvancing = false
  }

  #settle(): void {
    if (this.#waiting.length === 0) return
    const { seq } = this.#view
    for (const waiter of this.#waiting) if (waiter.seq <= seq) waiter.resolve()
    this.#waiting = this.#waiting.filter((waiter) => waiter.seq > seq)
  }
}
