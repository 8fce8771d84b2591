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
  readonly #classes = new Map<string, ClassCount>()
  readonly #clients = new Map<string, number>()

  /** Throws when two endpoints give their class different maxima. */
  constructor(classes: readonly CostlyClass[]) {
    for (const { class: name, inFlightMax: max, clientInFlightMax: clientMax } of classes) {
      const own = clientMax === undefined ? null : { max: clientMax, counts: new Map() }
      const known = this.#classes.get(name) ?? { count: 0, max, own }
      if (known.max !== max) throw new Error(`give the class ${name} one maximum, not two`)
      this.#classes.set(name, known)
    }
  }

  /** Returns what refuses a call, or null when it may begin; a `client` of null has no maximum. */
  fullGate(name: string, client: string | null): FullGate | null {
    if (client !== null && (this.#clients.get(client) ?? 0) >= clientInFlightMax) return 'client'
    const known = this.#classes.get(name)
    if (known === undefined) return null
    const { own } = known
    if (own !== null && client !== null && (own.counts.get(client) ?? 0) >= own.max) return 'client'
    return known.count >= known.max ? 'class' : null
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
    return [...this.#classes].map(([name, { count, max }]) => ({ class: name, count, max }))
  }

  /** The number of clients with a call in flight. */
  get clientCount(): number {
    return this.#clients.size
  }

  #count(name: string, client: string | null, calls: 1 | -1): void {
    const known = this.#classes.get(name)
    if (known !== undefined) known.count += calls
    if (client === null) return
    add(this.#clients, client, calls)
    if (known?.own != null) add(known.own.counts, client, calls)
  }
}

/** The calls of a class in flight, and those of each client where that is limited. */
interface ClassCount {
  count: number
  readonly max: number
  readonly own: { readonly max: number; readonly counts: Map<string, number> } | null
}

/** Adds to the count of a client, which is forgotten at zero. */
function add(counts: Map<string, number>, client: string, calls: 1 | -1): void {
  const count = (counts.get(client) ?? 0) + calls
  if (count === 0) counts.delete(client)
  else counts.set(client, count)
}
