/**
 * Counts the listed names related to a name: names below the same registered one (siblings), and names
 * that differ only in their digits (a family): `pay17jp.example` and `pay63jp.example`.
 *
 *     keys     evil.example   pay##jp.example            what names have in common
 *                   │ hash, keyed with a secret
 *     slots    ┌────────────┬───────┐
 *              │ hash       │ count │                    open addressing, 5 bytes a slot
 *              └────────────┴───────┘
 *
 * Related names are counted by hash, of 32 bits: of a million keys two in ten thousand share a slot with
 * another, which makes a name a little more suspicious than it is, and never `found`. A full table
 * counts no new keys; the next generation has more room. O(1), no allocation.
 */

import { isAsciiDigit } from '../model/characters.ts'
import { registrableDomain } from '../model/domain.ts'
import type { Result } from '../model/result.ts'
import { type ImageRefusal, type IndexImage, readHeader, writeHeader } from './image.ts'

/** The number of listed names that are related to a name. */
export interface RelatedCounts {
  /** Names below the same registered one, which may not be listed itself. */
  readonly siblings: number
  /** Names that differ from it only in their digits. */
  readonly family: number
}

/** "kin ", for the header of an image. */
const imageKind = 0x206e_696b
const imageVersion = 1

/** The number of slots for each key at capacity. */
const slotsPerKey = 1.5
/** The share of the slots that may be in use. */
const fullAt = 0.9
const countMax = 0xff

/** Minimum number of characters besides the digits for a label to have a family. */
const familyLettersMin = 4

/** Seeds that separate the two kinds of keys. */
const siblingKind = 0x9e37_79b9
const familyKind = 0x85eb_ca6b

const hash = '#'.charCodeAt(0)
const dot = '.'.charCodeAt(0)

/** Returns the registered name; a name of two labels is nearly always registered itself. */
function findRegistered(host: string): string | null {
  const dotAt = host.indexOf('.')
  return dotAt > 0 && dotAt === host.lastIndexOf('.') ? host : registrableDomain(host)
}

/** Reports whether the label of a registered name has digits and enough other characters. */
function hasFamily(registrable: string): boolean {
  if (registrable.startsWith('xn--')) return false
  let digits = 0
  let at = 0
  for (; at < registrable.length && registrable.charCodeAt(at) !== dot; at++) {
    if (isAsciiDigit(registrable.charCodeAt(at))) digits++
  }
  return digits > 0 && at - digits >= familyLettersMin
}

/** Returns the hash of a name; if `isMasked`, all digits of its first label hash alike. */
function hashName(text: string, seed: number, isMasked: boolean): number {
  let sum = seed
  let masks = isMasked
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === dot) masks = false
    sum = Math.imul(sum ^ (masks && isAsciiDigit(code) ? hash : code), 0x0100_0193)
    sum ^= sum >>> 15
  }
  // 0 marks a free slot.
  return sum >>> 0 || 1
}

export class RelatedNames {
  readonly #seed: number
  readonly #hashes: Uint32Array<ArrayBuffer>
  readonly #counts: Uint8Array<ArrayBuffer>
  #taken: number

  private constructor(
    seed: number,
    hashes: Uint32Array<ArrayBuffer>,
    counts: Uint8Array<ArrayBuffer>,
    taken: number,
  ) {
    this.#seed = seed
    this.#hashes = hashes
    this.#counts = counts
    this.#taken = taken
  }

  /** Makes an empty count with room for `capacity` keys, keyed with a random 32-bit `seed`. */
  static withCapacity(capacity: number, seed: number): RelatedNames {
    const slots = Math.max(16, Math.ceil(capacity * slotsPerKey))
    return new RelatedNames(seed >>> 0, new Uint32Array(slots), new Uint8Array(slots), 0)
  }

  /** Adds a listed name (`change` 1) or removes it (-1). */
  note(host: string, change: 1 | -1): void {
    const registrable = findRegistered(host)
    if (registrable === null) return
    if (registrable !== host) this.#add(this.#hashSiblings(registrable), change)
    if (hasFamily(registrable)) this.#add(this.#hashFamily(registrable), change)
  }

  /** Returns the number of listed names that are related to `host`. */
  count(host: string): RelatedCounts {
    if (this.#taken === 0) return noRelated
    const registrable = findRegistered(host)
    if (registrable === null) return noRelated
    return {
      siblings: this.#count(this.#hashSiblings(registrable)),
      family: hasFamily(registrable) ? this.#count(this.#hashFamily(registrable)) : 0,
    }
  }

  #hashSiblings(registrable: string): number {
    return hashName(registrable, this.#seed ^ siblingKind, false)
  }

  #hashFamily(registrable: string): number {
    return hashName(registrable, this.#seed ^ familyKind, true)
  }

  /** Returns the slot of a hash, or the free slot for it; -1 when there is neither. */
  #findSlot(hash: number): number {
    const slots = this.#hashes.length
    for (let step = 0, slot = hash % slots; step < slots; step++, slot = (slot + 1) % slots) {
      const there = this.#hashes[slot]
      if (there === hash || there === 0) return slot
    }
    return -1
  }

  #count(hash: number): number {
    const slot = this.#findSlot(hash)
    return slot === -1 || this.#hashes[slot] !== hash ? 0 : (this.#counts[slot] ?? 0)
  }

  #add(hash: number, change: 1 | -1): void {
    const slot = this.#findSlot(hash)
    if (slot === -1) return
    if (this.#hashes[slot] !== hash) {
      if (change === -1 || this.#taken >= this.#hashes.length * fullAt) return
      this.#hashes[slot] = hash
      this.#taken++
    }
    const count = this.#counts[slot] ?? 0
    // A count that has reached its maximum is no longer exact, and stays.
    if (count < countMax) this.#counts[slot] = Math.max(0, count + change)
  }

  /** Returns the memory as it is, for `from` to make the same of it again. */
  serialise(): IndexImage {
    const header = writeHeader(imageKind, imageVersion, [this.#seed, this.#taken])
    return { header, buffers: [this.#hashes.buffer, this.#counts.buffer] }
  }

  /** Takes over the memory of a serialised count, or says why it cannot. */
  static from({ header, buffers }: IndexImage): Result<RelatedNames, ImageRefusal> {
    const read = readHeader(header, imageKind, imageVersion, 2)
    if (!read.ok) return read
    const [seed = 0, taken = 0] = read.value
    const [hashes, counts] = buffers
    const fits = hashes !== undefined && counts?.byteLength === hashes.byteLength / 4
    if (!fits || hashes.byteLength === 0) return { ok: false, reason: 'broken' }
    const value = new RelatedNames(seed, new Uint32Array(hashes), new Uint8Array(counts), taken)
    return { ok: true, value }
  }
}

const noRelated: RelatedCounts = { siblings: 0, family: 0 }
