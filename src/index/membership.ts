/**
 * An approximate set of keys (pages, digests, addresses) that saves reading a row for a key that is not
 * in it: `absent` is certain, `maybe` has to be confirmed by the row.
 *
 *     key ─▶ 2 hashes ─▶ 4 bits of the filter:  all set → maybe     one clear → absent
 *
 * A Bloom filter, by the library `bloom-filters`. Its own hashing, a 64-bit hash in plain
 * JavaScript cut down to 32 bits, takes most of its time; it is replaced, here and nowhere else, by
 * Bun's native xxHash32 through the library's public `_hashing.serialize`. The filter is keyed with
 * a secret seed, so that outsiders cannot make keys that look present.
 *
 * - Nothing can be removed, and the filter cannot grow: at capacity, or when a quarter of it is
 *   gone from the rows behind it, the next generation is due.
 * - 2 bytes a key at capacity; of the keys that are absent then, 1 in 400 is a `maybe`.
 * - `test` takes about 0.2 µs, `add` 0.3; figures: `bun bench/membership.ts`.
 *
 * Reference: B. H. Bloom, Space/time trade-offs in hash coding with allowable errors, 1970.
 */

import { BloomFilter, Hashing } from 'bloom-filters'
import type { Result } from '../model/result.ts'
import { type ImageRefusal, type IndexImage, readHeader, writeHeader } from './image.ts'

/** The answers of an approximate set. */
export type Presence = 'absent' | 'maybe'

/** Bits of the filter for each key, and how many of them a key sets: see the head for the rate. */
const bitsPerKey = 16
const hashCount = 4

/** Bit numbers stay below 2^31, where the engine's fast integers end: 134 million keys. */
const capacityMax = 2 ** 31 / bitsPerKey

/** The share of dead keys at which the next generation is due. */
const deadMax = 0.25
/** The minimum number of dead keys for a new generation. */
const deadMin = 1_000

/** "page", for the header of an image. */
const imageKind = 0x6567_6170
const imageVersion = 1

/** The library's hashing with a native hash of strings; `seed` differs for each of the two. */
class NativeHashing extends Hashing {
  override serialize(key: string, seed: number): number {
    return Bun.hash.xxHash32(key, seed >>> 0)
  }
}

export class Membership {
  readonly #capacity: number
  readonly #filter: BloomFilter
  #bits: Uint8Array<ArrayBuffer>
  #count = 0
  #removed = 0

  /** Makes an empty set for `capacity` keys, keyed with a random 32-bit `seed`. */
  constructor(capacity: number, seed: number) {
    if (capacity > capacityMax) {
      throw new RangeError(`membership: ${capacity} keys; one set holds ${capacityMax} at most`)
    }
    this.#capacity = Math.max(1, Math.ceil(capacity))
    this.#filter = new BloomFilter(this.#capacity * bitsPerKey, hashCount)
    this.#filter._hashing = new NativeHashing()
    this.#filter.seed = seed >>> 0
    this.#bits = new Uint8Array((this.#capacity * bitsPerKey) / 8)
    this.#filter._filter.array = this.#bits
  }

  /** How many keys were added since the set was made. */
  get count(): number {
    return this.#count
  }

  get capacity(): number {
    return this.#capacity
  }

  get byteLength(): number {
    return this.#bits.byteLength
  }

  /** The part of absent keys that is answered with `maybe`, as many keys as there are now. */
  get falsePositiveRate(): number {
    const load = (hashCount * this.#count) / (this.#capacity * bitsPerKey)
    return (1 - Math.exp(-load)) ** hashCount
  }

  /** Reports whether the next generation should be built. */
  get isDue(): boolean {
    const isFull = this.#count >= this.#capacity
    return isFull || this.#removed > Math.max(deadMin, this.#count * deadMax)
  }

  /** Adds a key; never in vain, but above capacity the false positives multiply. */
  add(key: string): void {
    this.#filter.add(key)
    this.#count++
  }

  /** Reports whether `key` may have been added; `absent` is certain. */
  test(key: string): Presence {
    return this.#filter.has(key) ? 'maybe' : 'absent'
  }

  /** Notes that a key that was added is gone from the rows; its bits stay. */
  noteRemoved(): void {
    this.#removed++
  }

  /** Returns the set's memory as it is, for `from` to make a set of it again. */
  serialise(): IndexImage {
    const counts = [this.#filter.seed, this.#capacity, this.#count, this.#removed]
    const header = writeHeader(imageKind, imageVersion, counts)
    return { header, buffers: [this.#bits.buffer] }
  }

  /** Takes over the memory of a serialised set without copying it, or says why it cannot. */
  static from({ header, buffers }: IndexImage): Result<Membership, ImageRefusal> {
    const read = readHeader(header, imageKind, imageVersion, 4)
    if (!read.ok) return read
    const [seed = 0, capacity = 0, count = 0, removed = 0] = read.value
    const [bits] = buffers
    const fits = capacity >= 1 && capacity <= capacityMax
    if (!fits || bits?.byteLength !== (capacity * bitsPerKey) / 8) {
      return { ok: false, reason: 'broken' }
    }
    const membership = new Membership(capacity, seed)
    membership.#bits = new Uint8Array(bits)
    membership.#filter._filter.array = membership.#bits
    membership.#count = count
    membership.#removed = removed
    return { ok: true, value: membership }
  }
}
