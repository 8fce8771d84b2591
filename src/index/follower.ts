/**
 * Keeps a view level with the store: asks for what changed when woken, and looks by itself at short
 * intervals whether another connection (another process's import, say) has committed.
 *
 * Applies changes in slices of about a millisecond, and lets requests in between.
 */

import type { Store } from '../store/store.ts'

/** What a follower keeps level. */
export interface Followed {
  /** The number up to which the view is true. */
  readonly seq: number
  /** Applies what came next, for about `sliceMs`; says whether there is more to apply. */
  advance(sliceMs: number): boolean
}

/** How long one slice may hold the serving thread. */
const sliceMs = 1

/** How often the follower looks whether another connection has committed. */
const pollMs = 100

export class Follower {
  readonly #store: Store
  readonly #view: Followed
  readonly #report: (error: unknown) => void
  #timer: ReturnType<typeof setInterval> | null = null
  #version = -1
  #isAdvancing = false
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []

  constructor(store: Store, view: Followed, report: (error: unknown) => void) {
    this.#store = store
    this.#view = view
    this.#report = report
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), pollMs)
    this.wake()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Says that there may be something new; returns at once. */
  wake(): void {
    if (this.#isAdvancing) return
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
    if (version === this.#version) return
    this.#version = version
    this.wake()
  }

  #advance(): void {
    let hasMore = false
    try {
      hasMore = this.#view.advance(sliceMs)
    } catch (error) {
      // The next poll or wake tries again from the same number.
      this.#version = -1
      this.#report(error)
    }
    this.#settle()
    if (hasMore) setImmediate(() => this.#advance())
    else this.#isAdvancing = false
  }

  #settle(): void {
    if (this.#waiting.length === 0) return
    const { seq } = this.#view
    for (const waiter of this.#waiting) if (waiter.seq <= seq) waiter.resolve()
    this.#waiting = this.#waiting.filter((waiter) => waiter.seq > seq)
  }
}
