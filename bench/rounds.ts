/**
 * What the benchmarks have in common: medians of interleaved rounds, repeatable random numbers, and
 * the rows of the table they print.
 *
 * Contenders run in turn within each round, so that a busy machine slows all of them alike: ratios
 * hold where absolute figures drift.
 */

/** One line of a benchmark's table. */
export interface BenchRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What the value is compared with. */
  readonly yardstick: string
  /** How many times better than the yardstick the value is. */
  readonly ratio: number
  /** The least ratio that is wanted, as `≥ 2`; empty where none is. */
  readonly goal: string
}

/** Returns the middle of `values`, of which there is an odd number. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >>> 1] ?? Number.NaN
}

/** What interleaved rounds measured, by contender. */
export class Rounds<Name extends string> {
  readonly #values: ReadonlyMap<Name, readonly number[]>

  constructor(values: ReadonlyMap<Name, readonly number[]>) {
    this.#values = values
  }

  /** The median of what a contender measured. */
  median(name: Name): number {
    return median(this.#values.get(name) ?? [])
  }

  /** How many times `name` goes into `yardstick`: the median of the rounds' own ratios. */
  ratio(yardstick: Name, name: Name): number {
    const values = this.#values.get(name) ?? []
    const others = this.#values.get(yardstick) ?? []
    return median(others.map((other, round) => other / (values[round] ?? Number.NaN)))
  }
}

/**
 * Runs each of `contenders` once in each of an odd number of rounds, beginning with another one
 * each time. A contender is told the round, and returns what it measured.
 */
export function interleave<Name extends string>(
  rounds: number,
  contenders: readonly (readonly [Name, (round: number) => number])[],
): Rounds<Name> {
  const values = new Map<Name, number[]>(contenders.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const [name, run] = contenders[(round + turn) % contenders.length] ?? []
      if (name !== undefined && run !== undefined) values.get(name)?.push(run(round))
    }
  }
  return new Rounds(values)
}

/**
 * A round uses one of so many parts of the texts, so that none comes twice in rounds that follow.
 */
const parts = 2
/** How many texts are decoded at once before they are used; few enough to stay in the cache. */
const batchSize = 500

/**
 * Texts as bytes, to be decoded again for each use, as those of requests are: a string that is used
 * twice knows its hash already, which flatters a `Set`.
 */
export class FreshTexts {
  readonly #bytes: Buffer
  readonly #ends: number[] = [0]

  constructor(texts: readonly string[]) {
    const encoded = texts.map((text) => Buffer.from(text, 'latin1'))
    for (const bytes of encoded) this.#ends.push((this.#ends.at(-1) ?? 0) + bytes.length)
    this.#bytes = Buffer.concat(encoded)
  }

  /**
   * Uses every text of the round's part once, newly decoded, and returns the nanoseconds that a use
   * took, without the decoding.
   */
  time(round: number, use: (text: string, index: number) => void): number {
    const count = Math.floor((this.#ends.length - 1) / parts)
    const start = (round % parts) * count
    let milliseconds = 0
    for (let first = start; first < start + count; first += batchSize) {
      const batch: string[] = []
      for (let index = first; index < Math.min(start + count, first + batchSize); index++) {
        batch.push(this.#bytes.toString('latin1', this.#ends[index], this.#ends[index + 1]))
      }
      const from = performance.now()
      for (let index = 0; index < batch.length; index++) use(batch[index] ?? '', first + index)
      milliseconds += performance.now() - from
    }
    return (milliseconds * 1e6) / count
  }
}

/** Makes a source of repeatable 32-bit numbers (mulberry32, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Prints rows as a table, with a mark where a goal is missed. */
export function printRows(rows: readonly BenchRow[]): void {
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  for (const { name, value, unit, yardstick, ratio, goal } of rows) {
    const isMissed = goal !== '' && ratio < Number(goal.replace('≥', ''))
    const amount = `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ${unit}`
    const times = `${ratio.toFixed(ratio < 10 ? 2 : 1)} × ${yardstick}`
    const wanted = goal === '' ? '' : `(goal ${goal})${isMissed ? ' MISSED' : ''}`
    console.log(`${name.padEnd(nameWidth)}  ${amount.padStart(12)}  ${times} ${wanted}`)
  }
}
