/**
 * Costly calls in flight, per class and per client, so that neither one client nor many slow ones can use
 * up memory and threads. A call counts from when its handler returns a promise until that promise settles,
 * and, when the answer is written while it is sent, until it has been sent or aborted.
 *
 * Memory is bounded by the maxima of the classes: a client is forgotten when its last call ends.
 */

/** A group of costly endpoints that share one maximum. */
export interface CostlyClass {
  readonly class: string
  /** How many calls of the class may be in flight at once. */
  readonly inFlightMax: number
  /** How many of those may belong to one client, when that is fewer than `clientInFlightMax`. */
  readonly clientInFlightMax?: number
}

/** How many calls of a class are in flight. */
export interface ClassOccupancy {
  readonly class: string
  readonly count: number
  readonly max: number
}

/** What refuses a call: too many calls of its client, or too many of its class. */
export type FullGate = 'client' | 'class'

/** How many costly calls of one client may be in flight at once, over all classes. */
export const clientInFlightMax = 4

/** Counts the costly calls in flight. */
export class InFlight {
  readonly #classes = new Map<string, CostlyClass>()
  /** Calls by class, by client, and by both; without zeros. */
  readonly #counts = new Map<string, number>()

  /** Throws when two endpoints give their class different maxima. */
  constructor(classes: readonly CostlyClass[]) {
    for (const costly of classes) {
      const { class: name, inFlightMax, clientInFlightMax } = costly
      const known = this.#classes.get(name) ?? costly
      const isSame =
        known.inFlightMax === inFlightMax && known.clientInFlightMax === clientInFlightMax
      if (!isSame) throw new Error(`give the class ${name} one maximum, not two`)
      this.#classes.set(name, known)
    }
  }

  /** Returns what refuses a call, or null when it may begin; a `client` of null has no maximum. */
  fullGate(name: string, client: string | null): FullGate | null {
    const costly = this.#classes.get(name)
    if (costly === undefined) return null
    const clientMax = costly.clientInFlightMax ?? clientInFlightMax
    const isClientFull =
      client !== null &&
      (this.#get(client) >= clientInFlightMax || this.#get(`${name} ${client}`) >= clientMax)
    if (isClientFull) return 'client'
    return this.#get(name) >= costly.inFlightMax ? 'class' : null
  }

  /**
   * Returns the outcome of `answer`, counting a call until it settles, or until the later end that
   * `findEnd` returns for it.
   */
  async during<Answer>(
    name: string,
    client: string | null,
    answer: Promise<Answer>,
    findEnd: (answer: Answer) => Promise<void> | undefined = () => undefined,
  ): Promise<Answer> {
    this.#count(name, client, 1)
    let end: Promise<void> | undefined
    try {
      const settled = await answer
      end = findEnd(settled)
      return settled
    } finally {
      if (end === undefined) this.#count(name, client, -1)
      else void end.finally(() => this.#count(name, client, -1))
    }
  }

  /** Reports how many calls of each class are in flight; O(classes). */
  occupancy(): ClassOccupancy[] {
    return [...this.#classes].map(([name, { inFlightMax: max }]) => {
      return { class: name, count: this.#get(name), max }
    })
  }

  /** The number of counters held; zero when no call is in flight. */
  get size(): number {
    return this.#counts.size
  }

  #get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #count(name: string, client: string | null, calls: 1 | -1): void {
    for (const key of client === null ? [name] : [name, client, `${name} ${client}`]) {
      const count = this.#get(key) + calls
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }
}
