/**
 * Keeps a view in sync with the store: reads changes when woken, and checks at short intervals whether
 * another connection (an import by another process, for example) has committed.
 *
 * Changes are applied in slices of about a millisecond, between which requests are answered.
 */

import type { ReadStore } from '../store/store.ts'

/**
 * The state after a slice: there is `more` to apply, the view is `in_sync`, or it is `waiting` for its
 * next generation, which will wake the follower.
 */
export type Advance = 'more' | 'in_sync' | 'waiting'

/** A view that a follower keeps in sync. */
export interface Followed {
  /** The number of the last change that the view has. */
  readonly seq: number
  /** Applies the next changes for about `sliceMs`, and returns the state after them. */
  advance(sliceMs: number): Advance
}

/** How long one slice may occupy the serving thread. */
const sliceMs = 1

/** How often the follower checks whether another connection has committed. */
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
  #syncedAt: number
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []

  /** `now` returns milliseconds; `report` is called with failures, after which following continues. */
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
    this.#syncedAt = now()
  }

  /** Milliseconds since the view was last known to be in sync with the store. */
  get lagMs(): number {
    return this.#now() - this.#syncedAt
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

  /** Has changes read soon; returns at once. */
  wake(): void {
    if (this.#isAdvancing || this.#isStopped) return
    this.#isAdvancing = true
    setImmediate(() => this.#advance())
  }

  /** Resolves once the view has all changes up to `seq`. */
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
      if (!this.#isAdvancing && !this.#isWaiting) this.#syncedAt = this.#now()
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
    if (advance === 'in_sync') this.#syncedAt = this.#now()
    this.#isWaiting = advance === 'waiting'
    this.#resolveWaiting()
    if (advance === 'more') setImmediate(() => this.#advance())
    else this.#isAdvancing = false
  }

  #resolveWaiting(): void {
    if (this.#waiting.length === 0) return
    const { seq } = this.#view
    for (const waiter of this.#waiting) if (waiter.seq <= seq) waiter.resolve()
    this.#waiting = this.#waiting.filter((waiter) => waiter.seq > seq)
  }
}
