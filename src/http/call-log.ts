/**
 * The calls of each client within the window of one policy, in bounded memory.
 *
 * Each client has a log of the times of its admitted calls. The logs form a ring by when their clients
 * were last seen, so that the least recently seen one is always at hand:
 *
 *     ring ⇄ least recently seen ⇄ … ⇄ most recently seen ⇄ ring
 *
 * A client that calls moves to the end. Clients leave at the start: those that were not seen for a whole
 * window, and, when there are too many clients or calls, the next in turn. Everything is O(1) amortised:
 * no timer, no scan.
 */

/** The times of one client's admitted calls, ascending. */
export class CallLog {
  readonly client: string
  seenAt = 0
  older: CallLog = this
  newer: CallLog = this
  readonly #times: number[] = []
  /** The index of the first time that is still inside the window. */
  #first = 0

  constructor(client: string) {
    this.client = client
  }

  /** The number of calls inside the window, as of the last `forget`. */
  get count(): number {
    return this.#times.length - this.#first
  }

  /** The time of the oldest call; meaningless when there is none. */
  get oldest(): number {
    return this.#times[this.#first] ?? 0
  }

  /** Drops the calls at or before `time` and returns how many they were. */
  forget(time: number): number {
    const before = this.#first
    while (this.count > 0 && this.oldest <= time) this.#first++
    const dropped = this.#first - before
    // Moves no more times than have been dropped since the last move, which keeps this O(1) amortised.
    if (this.#first > 0 && this.#first >= this.count) {
      this.#times.copyWithin(0, this.#first)
      this.#times.length = this.count
      this.#first = 0
    }
    return dropped
  }

  add(time: number): void {
    this.#times.push(time)
  }

  /** Moves this log in front of `next` in its ring. */
  moveBefore(next: CallLog): void {
    this.leave()
    this.older = next.older
    this.newer = next
    this.older.newer = this
    next.older = this
  }

  /** Takes this log out of its ring. */
  leave(): void {
    this.older.newer = this.newer
    this.newer.older = this.older
    // Otherwise each log that has left keeps its neighbours alive until the next full garbage collection.
    this.older = this
    this.newer = this
  }
}

/** The logs of all clients of one policy. */
export class CallLogs {
  readonly clientsMax: number
  readonly #callsMax: number
  readonly #windowMs: number
  readonly #logs = new Map<string, CallLog>()
  /** Where the ring starts and ends; not a client. */
  readonly #ring = new CallLog('')
  #calls = 0

  constructor(windowMs: number, clientsMax: number, callsMax: number) {
    this.#windowMs = windowMs
    this.clientsMax = clientsMax
    this.#callsMax = callsMax
  }

  /** Returns the log of a client that is calling, with only the calls inside the window. */
  see(client: string, now: number): CallLog {
    this.#forgetUnseen(now)
    let log = this.#logs.get(client)
    if (log === undefined) {
      if (this.#logs.size >= this.clientsMax) this.#remove(this.#ring.newer)
      log = new CallLog(client)
      this.#logs.set(client, log)
    }
    log.moveBefore(this.#ring)
    log.seenAt = now
    this.#calls -= log.forget(now - this.#windowMs)
    return log
  }

  /** Adds a call to the log that `see` returned. */
  add(log: CallLog, now: number): void {
    if (this.#calls >= this.#callsMax && this.#ring.newer !== log) this.#remove(this.#ring.newer)
    log.add(now)
    this.#calls++
  }

  /** Returns the number of clients seen within the last window. */
  countClients(now: number): number {
    this.#forgetUnseen(now)
    return this.#logs.size
  }

  #forgetUnseen(now: number): void {
    for (;;) {
      const log = this.#ring.newer
      if (log === this.#ring || log.seenAt > now - this.#windowMs) return
      this.#remove(log)
    }
  }

  #remove(log: CallLog): void {
    log.leave()
    this.#logs.delete(log.client)
    this.#calls -= log.count
  }
}
