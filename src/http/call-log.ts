/**
 * Memory of who called when, for exact sliding windows, within fixed bounds.
 *
 * A `CallLog` holds one client's calls of the last window; `CallLogs` holds the logs of many and
 * forgets each when its window has passed. Forgetting costs O(1) amortised: no timer, no scan.
 *
 *     previous      current        A log that is touched moves to `current`. When a window has
 *   ├────────────┼────────────┤    passed, `previous` is dropped whole: everything in it was last
 *                            now   touched more than one window ago.
 */

/** How many calls every log has room for; it doubles up to the quota as its client calls on. */
const initialCapacity = 4

/**
 * Room for calls that the logs of a policy share beyond the first few of each, so that their memory
 * has one bound and no client can take what others need to start with.
 */
export class CallBudget {
  #left: number

  constructor(calls: number) {
    this.#left = calls
  }

  /** Takes room for `calls`, or reports that there is none. */
  take(calls: number): boolean {
    if (calls > this.#left) return false
    this.#left -= calls
    return true
  }

  giveBack(calls: number): void {
    this.#left += calls
  }
}

/** Logs that are forgotten together. */
interface Generation {
  readonly logs: Map<string, CallLog>
  /** For how many calls its logs have taken room from the budget. */
  taken: number
}

const newGeneration = (): Generation => ({ logs: new Map(), taken: 0 })

/** Where logs belong that are in no `CallLogs`. */
const loose = newGeneration()

/** The times of one client's calls inside the window: a ring, oldest first. */
export class CallLog {
  generation = loose
  #times: Float64Array
  #head = 0
  #count = 0

  constructor(capacity = initialCapacity) {
    this.#times = new Float64Array(capacity)
  }

  /** For how many calls it has room. */
  get capacity(): number {
    return this.#times.length
  }

  /** For how many calls it has taken room from the budget. */
  get taken(): number {
    return this.#times.length - initialCapacity
  }

  /** How many calls it holds, those included that have left the window since `forget`. */
  get count(): number {
    return this.#count
  }

  /** The time of the oldest call; meaningless when there is none. */
  get oldest(): number {
    return this.#times[this.#head] ?? 0
  }

  /** Drops the calls at or before `time`. */
  forget(time: number): void {
    const { length } = this.#times
    while (this.#count > 0 && this.oldest <= time) {
      this.#head = this.#head + 1 === length ? 0 : this.#head + 1
      this.#count--
    }
  }

  /** Adds a call; the caller has made sure that there is room. */
  add(time: number): void {
    const { length } = this.#times
    const at = this.#head + this.#count
    this.#times[at < length ? at : at - length] = time
    this.#count++
  }

  /** Doubles the room, up to `quota` calls, or reports that the budget has none. */
  grow(quota: number, budget: CallBudget): boolean {
    const { length } = this.#times
    const capacity = Math.min(length * 2, quota)
    if (!budget.take(capacity - length)) return false
    this.generation.taken += capacity - length
    const times = new Float64Array(capacity)
    for (let i = 0; i < this.#count; i++) times[i] = this.#times[(this.#head + i) % length] ?? 0
    this.#times = times
    this.#head = 0
    return true
  }

  /** Returns a log of its own with the same calls. */
  copy(): CallLog {
    const log = new CallLog(this.capacity)
    log.#times.set(this.#times)
    log.#head = this.#head
    log.#count = this.#count
    return log
  }
}

/** Logs by key: at most `keysMax`, each kept for at least a window after its last touch. */
export class CallLogs {
  readonly keysMax: number
  readonly #windowMs: number
  readonly #budget: CallBudget
  #current = newGeneration()
  #previous = newGeneration()
  #rotateAt = 0

  constructor(windowMs: number, keysMax: number, budget: CallBudget) {
    this.#windowMs = windowMs
    this.keysMax = keysMax
    this.#budget = budget
  }

  get size(): number {
    return this.#current.logs.size + this.#previous.logs.size
  }

  /** Returns how many keys have a log at `now`. */
  sizeAt(now: number): number {
    if (now >= this.#rotateAt) this.#rotate(now)
    return this.size
  }

  get isFull(): boolean {
    return this.size >= this.keysMax
  }

  /** Returns the log of `key`, or undefined when it has none. */
  get(key: string, now: number): CallLog | undefined {
    if (now >= this.#rotateAt) this.#rotate(now)
    const log = this.#current.logs.get(key)
    if (log !== undefined || this.#previous.logs.size === 0) return log
    return this.#renew(key)
  }

  /** Puts a log under a key that has none, or reports that there is no room for it. */
  add(key: string, log: CallLog): boolean {
    if (this.isFull || !this.#budget.take(log.taken)) return false
    this.#putIntoCurrent(key, log)
    return true
  }

  #renew(key: string): CallLog | undefined {
    const log = this.#previous.logs.get(key)
    if (log === undefined) return undefined
    this.#previous.logs.delete(key)
    this.#previous.taken -= log.taken
    this.#putIntoCurrent(key, log)
    return log
  }

  #putIntoCurrent(key: string, log: CallLog): void {
    log.generation = this.#current
    this.#current.logs.set(key, log)
    this.#current.taken += log.taken
  }

  #rotate(now: number): void {
    this.#budget.giveBack(this.#previous.taken)
    this.#previous = this.#current
    this.#current = newGeneration()
    if (now >= this.#rotateAt + this.#windowMs) {
      // A whole window without a call: what was current has passed as well.
      this.#budget.giveBack(this.#previous.taken)
      this.#previous = newGeneration()
    }
    this.#rotateAt = now + this.#windowMs
  }
}
