/**
 * Costly calls that are under way, per class and per client, so that neither one client nor many
 * slow ones can take all there is. A call counts from when its answer turns out to be a promise
 * until that has settled, whichever way, and where the answer is written while it is sent, until it has
 * been sent or given up.
 *
 * Memory is bounded by the maxima of the classes: a client is forgotten when its last call ends.
 */

/** What costly endpoints share with others like them. */
export interface CostlyClass {
  readonly class: string
  /** How many calls of the class may be under way at once. */
  readonly inFlightMax: number
  /** How many of those may be one client's, where that is less than of all classes together. */
  readonly clientInFlightMax?: number
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
  readonly #classes = new Map<string, ClassCount>()
  readonly #clients = new Map<string, number>()

  /** Throws when endpoints disagree about the maximum of their class. */
  constructor(classes: readonly CostlyClass[]) {
    for (const { class: name, inFlightMax: max, clientInFlightMax: clientMax } of classes) {
      const own = clientMax === undefined ? null : { max: clientMax, counts: new Map() }
      const known = this.#classes.get(name) ?? { count: 0, max, own }
      if (known.max !== max) throw new Error(`give the class ${name} one maximum, not two`)
      this.#classes.set(name, known)
    }
  }

  /** Returns what keeps a call out, or null when it may begin; `null` is a client without a gate. */
  fullGate(name: string, client: string | null): FullGate | null {
    if (client !== null && (this.#clients.get(client) ?? 0) >= clientInFlightMax) return 'client'
    const known = this.#classes.get(name)
    if (known === undefined) return null
    const { own } = known
    if (own !== null && client !== null && (own.counts.get(client) ?? 0) >= own.max) return 'client'
    return known.count >= known.max ? 'class' : null
  }

  /**
   * Counts a call from now until `answer` has settled, and settles as that does; where `endOf` knows of an
   * end that is still to come, until then.
   */
  async during<Answer>(
    name: string,
    client: string | null,
    answer: Promise<Answer>,
    endOf: (answer: Answer) => Promise<void> | undefined = () => undefined,
  ): Promise<Answer> {
    this.#count(name, client, 1)
    let end: Promise<void> | undefined
    try {
      const settled = await answer
      end = endOf(settled)
      return settled
    } finally {
      if (end === undefined) this.#count(name, client, -1)
      else void end.finally(() => this.#count(name, client, -1))
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
    add(this.#clients, client, calls)
    if (known?.own != null) add(known.own.counts, client, calls)
  }
}

/** How many calls of a class are under way, and of which clients where that is limited. */
interface ClassCount {
  count: number
  readonly max: number
  readonly own: { readonly max: number; readonly counts: Map<string, number> } | null
}

/** Counts for a client, who is forgotten when nothing of his is left. */
function add(counts: Map<string, number>, client: string, calls: 1 | -1): void {
  const count = (counts.get(client) ?? 0) + calls
  if (count === 0) counts.delete(client)
  else counts.set(client, count)
}
