/**
 * A million indicators for the benchmarks of TAXII and of the STIX export, and as many as are ended or
 * changed afterwards, so that the youngest part of a collection lies scattered over the file.
 */

import { ownList } from '../src/ingest/sources.ts'
import { batchSightingsMax, type Operation, type Sighting } from '../src/store/batch.ts'
import type { WriteStore } from '../src/store/store.ts'
import { nameAt } from './fixture.ts'
import { seededRandom } from './rounds.ts'
import { digestAt } from './world.ts'

const indicators = 1_000_000
/** Of fifty indicators one is a file and nine are pages; the others are domains. */
const period = 50
const pagesOfPeriod = 9

const brands = 300
const families = 50
/** In a hundred indicators. */
const withBrand = 15
const withFamily = 2

/** More than anything else imitates this brand: a seventh of what imitates any. */
export const commonBrand = brandAt(0)

/** Every tenth indicator is seen again as something surer. */
const changed = indicators / 10
const changedConfidence = 95

/** Domains beside the others that are listed and delisted again. */
const ended = 20_000

const largest = 2 ** 32

function brandAt(index: number): string {
  return `Example Brand ${index}`
}

/** Returns the `index`th indicator; that of the same index is the same each time. */
function sightingAt(index: number): Sighting {
  const random = seededRandom(index)
  const part = (): number => random() / largest
  // Some are imitated often, most seldom.
  const brand = part() * 100 < withBrand ? brandAt(Math.floor(brands * part() ** 3)) : null
  const family = part() * 100 < withFamily ? `Family${Math.floor(families * part())}` : null
  return {
    ...namedAt(index),
    ...(brand === null ? {} : { targetBrand: brand }),
    ...(family === null ? {} : { malwareFamily: family }),
  }
}

function namedAt(index: number): Pick<Sighting, 'type' | 'value' | 'host'> {
  const name = nameAt(index)
  const place = index % period
  if (place === 0) return { type: 'sha256', value: digestAt(index) }
  if (place > pagesOfPeriod) return { type: 'domain', value: name }
  return { type: 'url', value: `https://${name}/account/verify?id=${index}`, host: name }
}

/** Writes batches as an import does. */
class Filler {
  readonly #store: WriteStore
  readonly #source: string
  #run = 0

  private constructor(store: WriteStore, source: string) {
    this.#store = store
    this.#source = source
  }

  static async start(store: WriteStore, name: string): Promise<Filler> {
    const filler = new Filler(store, name)
    await filler.restart()
    return filler
  }

  async restart(): Promise<void> {
    const source = ownList(this.#source, true)
    const { run } = await this.#write([{ op: 'startRun', source, digest: null }])
    this.#run = run ?? 0
  }

  sighted(sightings: readonly Sighting[]): Operation {
    return { op: 'sight', source: this.#source, run: this.#run, sightings }
  }

  async sight(count: number, at: (index: number) => Sighting): Promise<void> {
    for (let first = 0; first < count; first += batchSightingsMax) {
      const length = Math.min(batchSightingsMax, count - first)
      const sightings = Array.from({ length }, (_, index) => at(first + index))
      await this.#write([this.sighted(sightings)])
    }
  }

  /** Ends a slice of what the run has not seen, beside another operation; says where to go on. */
  async end(after: number, beside: Operation): Promise<number | null> {
    const end = { op: 'endRun', run: this.#run, after, graceMs: 0, read: 0, refused: {} } as const
    return (await this.#write([beside, end])).next
  }

  #write(operations: readonly Operation[]) {
    return this.#store.write({ at: Date.now(), operations })
  }
}

/** Returns the `turn`th of what is changed: each once, in no order. */
function changedAt(turn: number): Sighting {
  // A step that has no divisor in common with the count visits everything.
  const index = ((turn * 61_803) % changed) * (indicators / changed) + (turn % 10)
  return { ...sightingAt(index), confidence: changedConfidence }
}

/** Fills a store; takes about a minute. Returns how many indicators it has taken. */
export async function fillForTaxii(store: WriteStore): Promise<number> {
  const passing = await Filler.start(store, 'passing')
  await passing.sight(ended, (index) => ({ type: 'domain', value: `gone-${nameAt(index)}` }))
  const standing = await Filler.start(store, 'standing')
  await standing.sight(indicators, sightingAt)
  // What is ended comes between the last of what is changed; that nothing is left takes a batch of its own.
  const alone = changed - ended - batchSightingsMax
  await standing.sight(alone, changedAt)
  await passing.restart()
  let after: number | null = 0
  for (let first = alone; after !== null; first += batchSightingsMax) {
    const beside = Array.from({ length: batchSightingsMax }, (_, index) => changedAt(first + index))
    after = await passing.end(after, standing.sighted(beside))
  }
  return indicators
}
