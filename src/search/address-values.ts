/**
 * The listed addresses, each in a slot: its bytes, its id and the number of its listing. Finds those
 * that contain a text.
 *
 *     ids    ┌───┬──────┬───┬─      slots  ┌───────┬────────┬────────┬────┬─────┬─
 *            │   │ slot │   │  ──▶         │ start │ length │ scheme │ id │ seq │
 *            └───┴──────┴───┴─             └───┬───┴────────┴────────┴────┴─────┴─
 *     bytes  ┌─ ─ ─ ─ ─ ─┬──────────────────┬──▼───────────────────┬─ ─ ─
 *            │           │ pay.example.test │ https://evil.test/pay │      pages of 1 MiB; no value
 *            └─ ─ ─ ─ ─ ─┴──────────────────┴───────────────────────┴─ ─    lies in two of them
 *
 * Slots are only appended. A removed value keeps its slot, marked dead, and gets it back if it returns
 * unchanged, as with flapping feeds; a value that is listed again only gets a new number. So only new
 * values take memory; `copy` skips dead slots.
 *
 * - `put`, `delete`: O(length of the value); ids are found by open addressing.
 * - `find`: O(length of the list that is started from), some 15 ns each, 30 where it takes a compare.
 * - Memory: the value, 23 bytes a slot, and 4 for each place of the table, of which up to 0.7 are taken.
 *   Slots grow by half, the table doubles.
 */

import { AddressGrams, type Gram, isSeparator, type Postings } from './address-grams.ts'

/** How well a value matches; lower ranks come first. */
export const matchRank = { exact: 0, start: 1, label: 2, inside: 3 } as const

/** A match is a number: slot × 4 + rank. */
export const rankBits = 2
export const rankMask = 3

/** A text to search for. */
export interface SoughtText {
  /** In lower case. */
  readonly bytes: Uint8Array
  /** Whether it only matches where a label begins. */
  readonly beginsLabel: boolean
  /** Whether values that equal the text or begin with it get a better rank. */
  readonly isLeading: boolean
  /** The result of `findGram`. */
  readonly gram: Gram
}

/** The longest value in bytes; canonical URLs have 8,192 at most. */
export const valueBytesMax = 0xffff

/** A match must fit into 32 bits. */
const slotsMax = 2 ** (32 - rankBits)
const pageBits = 20
const pageBytes = 1 << pageBits
const pageMask = pageBytes - 1
/** A start is a number of 32 bits. */
const pagesMax = 2 ** (32 - pageBits)
const noPage = new Uint8Array(0)

const slotsMin = 16
const growth = 1.5
/** The share of the table of ids that may be in use. */
const fullAt = 0.7
/** The listing number of a dead slot. */
const dead = -1

const slash = '/'.charCodeAt(0)
const colon = ':'.charCodeAt(0)
/** Maximum number of letters of a scheme: more than `https` has. */
const schemeLettersMax = 8
const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a

/** Returns the length of `https://` or the like in a value; 0 when it has no scheme. */
function countSchemeBytes(value: Uint8Array): number {
  let at = 0
  while (at < schemeLettersMax && isLetter(value[at] ?? 0)) at++
  const ends = value[at] === colon && value[at + 1] === slash && value[at + 2] === slash
  return at > 0 && ends ? at + 3 : 0
}

/** Spreads ids, most of which ascend one by one, over the table. */
function hashId(id: number): number {
  const high = Math.imul(Math.floor(id / 2 ** 32), 0x85eb_ca6b)
  const mixed = Math.imul(high ^ (id | 0), 0x9e37_79b1)
  return mixed ^ (mixed >>> 15)
}

/**
 * Keeps the postings of marked slots, and returns their number. Branch-free: the processor could not
 * predict the branch.
 */
function keepMarked({ slots, places }: Postings, marks: Uint8Array): number {
  let kept = 0
  for (let at = 0; at < slots.length; at++) {
    const posting = slots[at] ?? 0
    slots[kept] = posting
    places[kept] = places[at] ?? 0
    kept += ((marks[posting >>> 1] ?? 0) + rankMask) >>> rankBits
  }
  return kept
}

export class AddressValues {
  readonly #grams = new AddressGrams()
  readonly #pages: Uint8Array<ArrayBuffer>[] = []
  #end = 0
  #starts: Uint32Array<ArrayBuffer>
  #lengths: Uint16Array<ArrayBuffer>
  /** The length of the scheme, with `://`. */
  #schemes: Uint8Array<ArrayBuffer>
  #ids: Float64Array<ArrayBuffer>
  #listedSeqs: Float64Array<ArrayBuffer>
  #slotCount = 0
  #deadCount = 0
  /** The latest slot of every id that ever had one, plus 1; 0 is a free place. */
  #slotTable: Uint32Array<ArrayBuffer>
  #idCount = 0
  #changes = 0

  /** Makes an empty store with room for `capacity` values. */
  constructor(capacity: number) {
    const slots = Math.max(slotsMin, Math.ceil(capacity))
    this.#starts = new Uint32Array(slots)
    this.#lengths = new Uint16Array(slots)
    this.#schemes = new Uint8Array(slots)
    this.#ids = new Float64Array(slots)
    this.#listedSeqs = new Float64Array(slots)
    this.#slotTable = new Uint32Array(2 ** Math.ceil(Math.log2(slots / fullAt)))
  }

  /** The number of live values. */
  get size(): number {
    return this.#slotCount - this.#deadCount
  }

  get slotCount(): number {
    return this.#slotCount
  }

  get deadCount(): number {
    return this.#deadCount
  }

  /** Increases with every change that may change a result. */
  get changes(): number {
    return this.#changes
  }

  get bytes(): number {
    const perSlot = [this.#starts, this.#lengths, this.#schemes, this.#ids, this.#listedSeqs]
    const slots = perSlot.reduce((sum, array) => sum + array.byteLength, 0)
    const values = this.#pages.length * pageBytes
    return values + slots + this.#slotTable.byteLength + this.#grams.bytes
  }

  readId(slot: number): number {
    return this.#ids[slot] ?? 0
  }

  readListedSeq(slot: number): number {
    return this.#listedSeqs[slot] ?? dead
  }

  /** Sets the value of an id, in lower case; an equal value only gets the new number. */
  put(id: number, value: Uint8Array, listedSeq: number): void {
    const place = this.#findPlace(id)
    const slot = (this.#slotTable[place] ?? 0) - 1
    const before = slot < 0 ? dead : this.readListedSeq(slot)
    if (slot >= 0 && this.#is(slot, value)) {
      if (before === listedSeq) return
      if (before === dead) this.#deadCount--
      this.#listedSeqs[slot] = listedSeq
    } else {
      if (before !== dead) this.#kill(slot)
      this.#slotTable[place] = this.#append(id, value, listedSeq) + 1
      if (slot < 0) this.#idCount++
      if (this.#idCount > this.#slotTable.length * fullAt) this.#growTable()
    }
    this.#changes++
  }

  /** Removes the value of an id, if it has one. */
  delete(id: number): void {
    const slot = (this.#slotTable[this.#findPlace(id)] ?? 0) - 1
    if (slot < 0 || this.readListedSeq(slot) === dead) return
    this.#kill(slot)
    this.#changes++
  }

  /** Copies a slot into `other`, unless it is dead. */
  copy(slot: number, other: AddressValues): void {
    const listedSeq = this.readListedSeq(slot)
    if (listedSeq === dead) return
    const start = this.#starts[slot] ?? 0
    const page = this.#pages[start >>> pageBits] ?? noPage
    const from = start & pageMask
    const value = page.subarray(from, from + (this.#lengths[slot] ?? 0))
    other.put(this.readId(slot), value, listedSeq)
  }

  /** Returns the list from which the search for a text starts. */
  findGram(bytes: Uint8Array, beginsLabel: boolean): Gram {
    return this.#grams.rarest(bytes, beginsLabel)
  }

  /** Returns the matches of a text by ascending slot; with marks, only those of marked slots. */
  find(text: SoughtText, marks: Uint8Array | null): Uint32Array<ArrayBuffer> {
    const postings = this.#grams.read(text.gram.key)
    let count = marks === null ? postings.slots.length : keepMarked(postings, marks)
    if (!text.gram.isProof) count = this.#keepEqual(postings, count, text)
    return this.#rank(postings, count, text)
  }

  /** Keeps the postings at which the whole text matches, and returns their number. */
  #keepEqual({ slots, places }: Postings, count: number, { bytes, gram }: SoughtText): number {
    const starts = this.#starts
    const lengths = this.#lengths
    const length = bytes.length
    const offset = gram.offset + 1
    let kept = 0
    for (let at = 0; at < count; at++) {
      const slot = (slots[at] ?? 0) >>> 1
      const before = (places[at] ?? 0) - offset
      if (before < 0 || before + length > (lengths[slot] ?? 0)) continue
      const start = starts[slot] ?? 0
      const page = this.#pages[start >>> pageBits] ?? noPage
      const from = (start & pageMask) + before
      let step = 0
      while (step < length && page[from + step] === bytes[step]) step++
      if (step < length) continue
      const begins = before === 0 ? 1 : (isSeparator[page[from - 1] ?? 0] ?? 0)
      slots[kept] = (slot << 1) | begins
      places[kept++] = before + 1
    }
    return kept
  }

  /** Overwrites the postings with matches: of each live slot the best. */
  #rank({ slots, places }: Postings, count: number, text: SoughtText): Uint32Array<ArrayBuffer> {
    const schemes = this.#schemes
    const listedSeqs = this.#listedSeqs
    const { beginsLabel, isLeading } = text
    const length = text.bytes.length
    let kept = 0
    let latest = -1
    for (let at = 0; at < count; at++) {
      const posting = slots[at] ?? 0
      const slot = posting >>> 1
      let rank: number = matchRank.inside
      if ((posting & 1) === 1) {
        const place = places[at] ?? 0
        const isStart = isLeading && (place === 1 || place === (schemes[slot] ?? 0) + 1)
        rank = isStart ? this.#rankAtStart(slot, place, length) : matchRank.label
      } else if (beginsLabel) continue
      if (slot !== latest) {
        if (listedSeqs[slot] === dead) continue
        slots[kept++] = (slot << rankBits) | rank
        latest = slot
      } else if (rank < ((slots[kept - 1] ?? 0) & rankMask)) {
        slots[kept - 1] = (slot << rankBits) | rank
      }
    }
    return slots.subarray(0, kept)
  }

  /** Returns the rank of a value that begins with the text: better if it equals it, but for scheme and last slash. */
  #rankAtStart(slot: number, place: number, length: number): number {
    const left = (this.#lengths[slot] ?? 0) + 1 - place - length
    if (left === 0) return matchRank.exact
    if (left > 1 || this.#schemes[slot] === 0) return matchRank.start
    const start = this.#starts[slot] ?? 0
    const last = (start & pageMask) + (this.#lengths[slot] ?? 0) - 1
    return this.#pages[start >>> pageBits]?.[last] === slash ? matchRank.exact : matchRank.start
  }

  #is(slot: number, value: Uint8Array): boolean {
    if (this.#lengths[slot] !== value.length) return false
    const start = this.#starts[slot] ?? 0
    const page = this.#pages[start >>> pageBits] ?? noPage
    const from = start & pageMask
    let step = 0
    while (step < value.length && page[from + step] === value[step]) step++
    return step === value.length
  }

  #kill(slot: number): void {
    this.#listedSeqs[slot] = dead
    this.#deadCount++
  }

  #append(id: number, value: Uint8Array, listedSeq: number): number {
    const left = pageBytes - (this.#end & pageMask)
    const start = this.#end + (value.length > left ? left : 0)
    if (this.#slotCount === slotsMax || start >>> pageBits >= pagesMax - 1) {
      throw new RangeError(`address values: no room for more than ${this.#slotCount} values`)
    }
    if (start >>> pageBits >= this.#pages.length) this.#pages.push(new Uint8Array(pageBytes))
    if (this.#slotCount === this.#starts.length) this.#growSlots()
    const slot = this.#slotCount++
    const page = this.#pages[start >>> pageBits] ?? noPage
    page.set(value, start & pageMask)
    this.#end = start + value.length
    this.#starts[slot] = start
    this.#lengths[slot] = value.length
    this.#schemes[slot] = countSchemeBytes(value)
    this.#ids[slot] = id
    this.#listedSeqs[slot] = listedSeq
    this.#grams.add(slot, page, start & pageMask, value.length)
    return slot
  }

  /** Returns the place of an id in the table, or the free place for it. */
  #findPlace(id: number): number {
    const table = this.#slotTable
    const mask = table.length - 1
    for (let place = hashId(id) & mask; ; place = (place + 1) & mask) {
      const slot = (table[place] ?? 0) - 1
      if (slot < 0 || this.#ids[slot] === id) return place
    }
  }

  #growTable(): void {
    const before = this.#slotTable
    const table = new Uint32Array(2 * before.length)
    const mask = table.length - 1
    for (let at = 0; at < before.length; at++) {
      const entry = before[at] ?? 0
      if (entry === 0) continue
      let place = hashId(this.#ids[entry - 1] ?? 0) & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = entry
    }
    this.#slotTable = table
  }

  #growSlots(): void {
    const slots = Math.ceil(this.#starts.length * growth)
    const starts = new Uint32Array(slots)
    const lengths = new Uint16Array(slots)
    const schemes = new Uint8Array(slots)
    const ids = new Float64Array(slots)
    const listedSeqs = new Float64Array(slots)
    starts.set(this.#starts)
    lengths.set(this.#lengths)
    schemes.set(this.#schemes)
    ids.set(this.#ids)
    listedSeqs.set(this.#listedSeqs)
    this.#starts = starts
    this.#lengths = lengths
    this.#schemes = schemes
    this.#ids = ids
    this.#listedSeqs = listedSeqs
  }
}
