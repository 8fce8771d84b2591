/**
 * Costly calls that are under way, per class and per client, so that neither one client nor many
 * slow ones can take all there is. A call counts from when its answer turns out to be a promise
 * until that has settled, whichever way.
 *
 * Memory is bounded by the maxima of the classes: a client is forgotten when its last call ends.
 */

/** What costly endpoints share with others like them. */
export interface CostlyClass {
  readonly class: string
  /** How many calls of the class may be under way at once. */
  readonly inFlightMax: number
}

/** How many calls of a class are under way. */
export interface ClassOccupancy {
  readonly class: string
  readonly count: number
  readonly max: number
}

/** What keeps a call out: too many of its client, or too many of its class. */
export type FullGate = 'client' | 'class'

/** How many costly calls of one client may be under way at once, over all classes. */
export const clientInFlightMax = 4

/** Counts the costly calls under way. */
export class InFlight {
  readonly #classes = new Map<string, { count: number; readonly max: number }>()
  readonly #clients = new Map<string, number>()

  /** Throws when endpoints disagree about the maximum of their class. */
  constructor(classes: readonly CostlyClass[]) {
    for (const { class: name, inFlightMax: max } of classes) {
      const known = this.#classes.get(name) ?? { count: 0, max }
      if (known.max !== max) throw new Error(`give the class ${name} one maximum, not two`)
      this.#classes.set(name, known)
    }
  }

  /** Returns what keeps a call out, or null when it may begin; `null` is a client without a gate. */
  fullGate(name: string, client: string | null): FullGate | null {
    if (client !== null && (this.#clients.get(client) ?? 0) >= clientInFlightMax) return 'client'
    const known = this.#classes.get(name)
    return known !== undefined && known.count >= known.max ? 'class' : null
  }

  /** Counts a call from now until `answer` has settled, and settles as that does. */
  async during<Answer>(
    name: string,
    client: string | null,
    answer: Promise<Answer>,
  ): Promise<Answer> {
    this.#count(name, client, 1)
    try {
      return await answer
    } finally {
      this.#count(name, client, -1)
    }
  }

  /** Tells how many calls of each class are under way; O(classes). */
  occupancy(): ClassOccupancy[] {
    return [...this.#classes].map(([name, { count, max }]) => ({ class: name, count, max }))
  }

  /** How many clients have a call under way. */
  get clientCount(): number {
    return this.#clients.size
  }

  #count(name: string, client: string | null, calls: 1 | -1): void {
    const known = this.#classes.get(name)
    if (known !== undefined) known.count += calls
    if (client === null) return
    const count = (this.#clients.get(client) ?? 0) + calls
    if (count === 0) this.#clients.delete(client)
    else this.#clients.set(client, count)
  }
}
