/** What a soak adds up: latencies in bounded memory, answers by kind and status, and how memory moves. */

/** Neighbouring buckets of latencies differ by so much. */
const bucketRatio = 1.02

/** Latencies below this are all the same. */
const bucketFloorMs = 0.05

/** Enough buckets for about ten minutes; what takes longer counts as that. */
const bucketCount = 820

/** Latencies in buckets, so that a quantile is right to 2 % however many there are. */
export class Latencies {
  readonly #buckets = new Float64Array(bucketCount)
  #count = 0
  #maxMs = 0

  add(milliseconds: number): void {
    const over = Math.max(1, milliseconds / bucketFloorMs)
    const bucket = Math.min(bucketCount - 1, Math.floor(Math.log(over) / Math.log(bucketRatio)))
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count++
    this.#maxMs = Math.max(this.#maxMs, milliseconds)
  }

  get count(): number {
    return this.#count
  }

  get maxMs(): number {
    return this.#maxMs
  }

  /** Returns the latency that a part of all calls stayed within. */
  quantileMs(part: number): number {
    let left = this.#count * part
    for (const [bucket, count] of this.#buckets.entries()) {
      left -= count
      if (left <= 0) return Math.min(this.#maxMs, bucketFloorMs * bucketRatio ** (bucket + 1))
    }
    return this.#maxMs
  }
}

/** The first of what went wrong are kept word for word. */
const examplesMax = 10

/** Counts what went wrong, and keeps the first examples. */
export class Complaints {
  readonly examples: string[] = []
  #count = 0

  add(text: string): void {
    this.#count++
    if (this.examples.length < examplesMax) this.examples.push(text)
  }

  get count(): number {
    return this.#count
  }
}

/** Everything the load has seen. */
export class Tally {
  readonly latencies: ReadonlyMap<string, Latencies>
  readonly statuses = new Map<number, number>()
  /** Answers with another status, or another content, than the call should have. */
  readonly unexpected = new Complaints()
  /** Calls without an answer. */
  readonly errors = new Complaints()
  readonly all = new Latencies()
  bytes = 0
  /** The longest that this process was kept from its work: the machine's part in what took long. */
  longestTurnMs = 0

  /** Adds up these kinds of calls. */
  constructor(kinds: readonly { readonly name: string }[]) {
    this.latencies = new Map(kinds.map(({ name }) => [name, new Latencies()]))
  }

  answered(kind: string, status: number, milliseconds: number, bytes: number): void {
    this.latencies.get(kind)?.add(milliseconds)
    this.all.add(milliseconds)
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.bytes += bytes
  }

  turned(milliseconds: number): void {
    this.longestTurnMs = Math.max(this.longestTurnMs, milliseconds)
  }
}

/** Resident memory at a moment of the soak. */
export interface MemorySample {
  readonly minutes: number
  readonly megabytes: number
}

/** Returns how much resident memory grows in a minute, in MB: the slope of the line of least squares. */
export function slopeOf(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(samples.map(({ minutes }) => minutes))
  const meanY = mean(samples.map(({ megabytes }) => megabytes))
  let covariance = 0
  let variance = 0
  for (const { minutes, megabytes } of samples) {
    covariance += (minutes - meanX) * (megabytes - meanY)
    variance += (minutes - meanX) ** 2
  }
  return covariance / variance
}
