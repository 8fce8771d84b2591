/**
 * Finds text anywhere in the listed addresses: the index of GET /api/search (§4) over domains, URLs
 * and IP addresses.
 *
 *     "pay" ──▶ its rarest list ──▶ compare, rank ──▶ of each rank the page, newest first ──▶ ids
 *                AddressGrams        AddressValues                AddressMatches
 *
 * Scanning a single array of bytes takes 4 to 12 ms for 18 MB before anything is ranked, grows with
 * every value, and cannot tell where labels begin. Lists of three characters answer most searches in
 * less than a millisecond. Those that half of all values match are answered by a list alone, or by one
 * compare a match, since a list says where in the value its characters are.
 *
 * Ranks: values that are the text, those that begin with it, those with a label that begins with it, the
 * rest; a URL is and begins with the same as without its scheme, and is the same as without a slash at
 * its end. All parts of a search must match; the first one alone decides about the first two ranks, all
 * must begin a label for the third.
 *
 * A removed or replaced value leaves a dead slot. When more than a quarter of the slots are dead, every
 * change also moves some slots into the next generation, until it can take over; the old one answers
 * meanwhile. Changes go to both, so it does not matter which slots have been moved.
 *
 * - `search`: O(length of the rarest list); of 483,378 real values `paypal` takes 0.03 ms, `weeblysite`
 *   1, `com` and `https` 5, the worst 9; the 500th page up to 4 more. Four times as many take 4 to 5 times
 *   as long.
 * - `set`, `delete`: O(length), some 4 µs, and some 12 µs while a generation is built.
 * - Memory: 225 bytes a value; while a generation is built, 1.6 times as much.
 *
 * Reference: Zobel, Moffat, "Inverted files for text search engines", ACM Computing Surveys 38 (2006).
 */

import {
  AddressValues,
  matchRank,
  rankBits,
  rankMask,
  type SoughtText,
  valueBytesMax,
} from './address-values.ts'

/** One part of a search. */
export interface AddressPart {
  /** In lower case, at least one character. */
  readonly text: string
  /** `label_start` matches only where a label begins; `anywhere` needs at least three characters. */
  readonly where: 'anywhere' | 'label_start'
}

/** The sizes and thresholds of an index; tests set them low. */
export interface AddressIndexOptions {
  /** The initial capacity in values; growing takes some 20 ns for each. */
  readonly capacity: number
  /** The minimum number of dead slots for a new generation. */
  readonly deadMin: number
  /** How many slots a change moves into the next generation: more than the one it may add. */
  readonly slotsPerChange: number
  /** Maximum number of matches that are sorted whole; of more, those around the page are selected first. */
  readonly sortMax: number
}

const usualOptions: AddressIndexOptions = {
  capacity: 0,
  deadMin: 1_000,
  slotsPerChange: 4,
  sortMax: 2_000,
}

/** Maximum number of parts of one search: each may take as long as a search of its own. */
export const addressPartsMax = 5

/** The share of dead slots at which the next generation is due. */
const deadMax = 0.25
/** The capacity of a generation, relative to the live values when it is begun. */
const room = 1.25

/** The number of buckets into which one pass divides listing numbers. */
const bucketCount = 4_096

const noMatches = new Uint32Array(0)

const encoder = new TextEncoder()
const encoding = new Uint8Array(valueBytesMax)

/** Returns a text in UTF-8 and ASCII lower case, valid until the next call; null when it is too long. */
function encode(text: string): Uint8Array | null {
  const { read, written } = encoder.encodeInto(text, encoding)
  if (read < text.length) return null
  for (let at = 0; at < written; at++) {
    const byte = encoding[at] ?? 0
    if (byte >= 0x41 && byte <= 0x5a) encoding[at] = byte | 0x20
  }
  return encoding.subarray(0, written)
}

export class AddressIndex {
  readonly #options: AddressIndexOptions
  #values: AddressValues
  /** The generation that is being built, and how many slots have been moved into it. */
  #next: AddressValues | null = null
  #moved = 0

  constructor(options: Partial<AddressIndexOptions> = {}) {
    this.#options = { ...usualOptions, ...options }
    this.#values = new AddressValues(this.#options.capacity)
  }

  /** The number of addresses. */
  get size(): number {
    return this.#values.size
  }

  /** The memory of the arrays in bytes. */
  get bytes(): number {
    return this.#values.bytes + (this.#next?.bytes ?? 0)
  }

  /** Adds an address, or updates its value or number: an address that is listed again is the newest. */
  set(id: number, value: string, listedSeq: number): void {
    assertInteger('id', id)
    assertInteger('listing number', listedSeq)
    const bytes = encode(value)
    if (bytes === null) {
      throw new RangeError(`address index: the value of ${id} has more than ${valueBytesMax} bytes`)
    }
    this.#values.put(id, bytes, listedSeq)
    this.#next?.put(id, bytes, listedSeq)
    this.#move()
  }

  /** Removes an address, if it is present. */
  delete(id: number): void {
    this.#values.delete(id)
    this.#next?.delete(id)
    this.#move()
  }

  /** Returns the addresses that match every one of 1 to `addressPartsMax` parts. */
  search(parts: readonly AddressPart[]): AddressMatches {
    if (parts.length < 1 || parts.length > addressPartsMax) {
      throw new RangeError(`address index: ${parts.length} parts, not 1 to ${addressPartsMax}`)
    }
    return new AddressMatches(this.#values, this.#find(parts), this.#options.sortMax)
  }

  #find(parts: readonly AddressPart[]): Uint32Array {
    const values = this.#values
    const texts: SoughtText[] = []
    for (const { text, where } of parts) {
      const bytes = encode(text)?.slice()
      if (bytes === undefined) return noMatches
      const beginsLabel = where === 'label_start'
      const gram = values.findGram(bytes, beginsLabel)
      texts.push({ bytes, beginsLabel, isLeading: texts.length === 0, gram })
    }
    texts.sort((a, b) => a.gram.count - b.gram.count)
    let found: Uint32Array | null = null
    for (const text of texts) {
      if (found === null) {
        found = values.find(text, null)
      } else {
        const marks = markRanks(found, values.slotCount)
        found = joined(values.find(text, marks), marks)
      }
      if (found.length === 0) break
    }
    return found ?? noMatches
  }

  /** Begins the next generation when it is due, moves some slots into it, and switches to it when it is complete. */
  #move(): void {
    const values = this.#values
    const { deadMin, slotsPerChange } = this.#options
    if (this.#next === null) {
      if (values.deadCount <= Math.max(deadMin, values.slotCount * deadMax)) return
      this.#next = new AddressValues(values.size * room)
      this.#moved = 0
    }
    const next = this.#next
    const end = Math.min(values.slotCount, this.#moved + slotsPerChange)
    for (; this.#moved < end; this.#moved++) values.copy(this.#moved, next)
    if (end < values.slotCount) return
    if (next.size !== values.size) {
      throw new Error(`address index: ${next.size} of ${values.size} values were moved`)
    }
    this.#values = next
    this.#next = null
  }
}

/** Returns for each slot the rank of its match, plus 1; 0 for no match. */
function markRanks(matches: Uint32Array, slotCount: number): Uint8Array {
  const marks = new Uint8Array(slotCount)
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at] ?? 0
    marks[match >>> rankBits] = (match & rankMask) + 1
  }
  return marks
}

/** Returns matches with the rank of both parts: the leading part's rank where it is at a start. */
function joined(matches: Uint32Array<ArrayBuffer>, marks: Uint8Array): Uint32Array {
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at] ?? 0
    const slot = match >>> rankBits
    const one = match & rankMask
    const other = (marks[slot] ?? 1) - 1
    const best = Math.min(one, other)
    const rank = best <= matchRank.start ? best : Math.max(one, other)
    matches[at] = (slot << rankBits) | rank
  }
  return matches
}

/** The result of a search. */
export class AddressMatches {
  readonly #values: AddressValues
  readonly #matches: Uint32Array
  readonly #sortMax: number
  /** The number of matches of each rank. */
  readonly #totals: readonly number[]
  /** The version of the values at the time of the search. */
  readonly #changes: number

  constructor(values: AddressValues, matches: Uint32Array, sortMax: number) {
    this.#values = values
    this.#matches = matches
    this.#sortMax = sortMax
    this.#changes = values.changes
    const totals = [0, 0, 0, 0]
    for (let at = 0; at < matches.length; at++) {
      const rank = (matches[at] ?? 0) & rankMask
      totals[rank] = (totals[rank] ?? 0) + 1
    }
    this.#totals = totals
  }

  get total(): number {
    return this.#matches.length
  }

  /** The number of matches that equal the first part or begin with it: they come first. */
  get leading(): number {
    const [exact = 0, start = 0] = this.#totals
    return exact + start
  }

  /**
   * Returns the ids of at most `count` matches after the first `from`: by rank, then newest listing
   * first, then highest id. Throws once the index has changed.
   */
  ids(from: number, count: number): number[] {
    if (this.#values.changes !== this.#changes) {
      throw new Error('address matches: the index has changed since the search')
    }
    const ids: number[] = []
    let before = 0
    for (const [rank, total] of this.#totals.entries()) {
      const low = Math.max(0, from - before)
      const high = Math.min(total, from + count - before)
      if (low < high) for (const id of this.#newest(rank, low, high)) ids.push(id)
      before += total
    }
    return ids
  }

  /** Returns the ids of the matches of a rank from the `low`-th newest to before the `high`-th. */
  #newest(rank: number, low: number, high: number): number[] {
    const values = this.#values
    let slots = this.#findSlots(rank)
    let newer = 0
    while (slots.length > this.#sortMax) {
      const picked = pick(values, slots, low - newer, high - newer)
      if (picked.slots.length === slots.length) break
      slots = picked.slots
      newer += picked.newer
    }
    const order = Array.from(slots).sort((a, b) => {
      const later = values.readListedSeq(b) - values.readListedSeq(a)
      return later === 0 ? values.readId(b) - values.readId(a) : later
    })
    return order.slice(low - newer, high - newer).map((slot) => values.readId(slot))
  }

  #findSlots(rank: number): Uint32Array {
    const slots = new Uint32Array(this.#totals[rank] ?? 0)
    let count = 0
    for (let at = 0; at < this.#matches.length; at++) {
      const match = this.#matches[at] ?? 0
      if ((match & rankMask) === rank) slots[count++] = match >>> rankBits
    }
    return slots
  }
}

/**
 * Returns slots among which are those from the `low`-th newest to before the `high`-th, and how many
 * are left out as newer. Listing numbers are counted in buckets of one width: slots have no order, and
 * finding the page by comparing takes ten times as long.
 */
function pick(
  values: AddressValues,
  slots: Uint32Array,
  low: number,
  high: number,
): { slots: Uint32Array; newer: number } {
  let newest = 0
  let oldest = Number.MAX_SAFE_INTEGER
  for (let at = 0; at < slots.length; at++) {
    const seq = values.readListedSeq(slots[at] ?? 0)
    if (seq > newest) newest = seq
    if (seq < oldest) oldest = seq
  }
  const bucketsPerSeq = bucketCount / Math.max(1, newest - oldest)
  const toBucket = (slot: number): number =>
    ((newest - values.readListedSeq(slot)) * bucketsPerSeq) | 0
  const counts = new Uint32Array(bucketCount + 1)
  for (let at = 0; at < slots.length; at++) {
    const bucket = toBucket(slots[at] ?? 0)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  let first = 0
  let newer = 0
  for (; newer + (counts[first] ?? 0) <= low; first++) newer += counts[first] ?? 0
  let last = first
  let end = newer + (counts[first] ?? 0)
  while (end < high) end += counts[++last] ?? 0

  const picked = new Uint32Array(end - newer)
  let count = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] ?? 0
    const bucket = toBucket(slot)
    if (bucket >= first && bucket <= last) picked[count++] = slot
  }
  return { slots: picked, newer }
}

function assertInteger(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`address index: ${name} is ${value}, not an integer from 0 to 2^53 - 1`)
  }
}
