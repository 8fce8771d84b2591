/**
 * An exact set of host names that answers for a host and all its parents in one pass over the text,
 * without allocating: the index behind every check of a URL or a name.
 *
 * A name below a listed name is listed too. So names are compared from the right, label by label:
 *
 *     right                                   wrong
 *                     evil.example                  evil.example
 *                                │                             │
 *           login.pay.evil.example               not-evil.example
 *
 * A `Set` has to be asked once for every parent, each time with a new string. A trie of objects
 * costs some cache misses a label and hundreds of bytes a name. uBlock Origin's HNTrie takes the
 * least memory, but walks siblings one by one, keeps no record for a name, cannot remove, and ends
 * at 16 MiB of labels. This trie is a hash table of suffixes (`SuffixTable`) over an arena of
 * nodes, one for each label (`HostNodes`), and a hash that rolls from suffix to suffix:
 *
 *     text   l o g i n . e v i l . e x a m p l e       from the right, for each suffix:
 *                       ◀─ 2 ────┤◀── 1 ────────┤      hash ─▶ home ─▶ edge ─▶ node
 *
 *     homes  ┌┬┬┬┬┬┬┬─ ─ ─   4 bits a slot: may such a suffix be there?
 *     edges  ┌───┬───┬───┬─   4 bytes a slot: part of the hash, and the node
 *     nodes  ┌────────┬────────┬───────┬────────┬─────────┬─ ─ ─
 *            │ parent │ record │ flags │ length │ label … │ next node …
 *            └────────┴────────┴───────┴────────┴─────────┴─ ─ ─
 *
 * A node counts only if its parent and every byte of its label agree, so no answer is false. The
 * walk ends at the first suffix that has no node: a miss costs one byte of `homes`, however many
 * labels are before it.
 *
 * Removing a name takes its flags; its node stays for the same name to use again, as flapping feeds
 * will. Dead nodes are counted, and left behind when the next generation is built (`isDue`). Hence
 * there are no tombstones, no counts of children, and no byte that changes its meaning inside a
 * generation.
 *
 * - `match`, `set`, `clear`: O(length of the host), at most 127 labels, no recursion.
 * - Memory: at capacity 5.6 bytes of slots a node, and 10 of node, the label, up to 3 to round up.
 *   Real lists have 1.26 nodes a name. Figures: `bun bench/trie.ts`.
 * - The hash is keyed with 64 secret bits, so that outsiders cannot aim names at one group.
 * - No byte of a name changes once it can be found, so one writer and many readers could share the
 *   buffers: readers would load `homes` atomically, and flags are written after the record.
 *
 * Reference: HNTrie, https://github.com/gorhill/uBlock/blob/master/src/js/hntrie.js
 */

import type { Result } from '../model/result.ts'
import {
  everyHostFlag,
  type HostEntry,
  type HostMatch,
  noRecord,
  noteHostEntry,
  recordMax,
  resetHostMatch,
} from './host-match.ts'
import { anyNode, countLabels, dot, hostLengthMax, noNode } from './host-nodes.ts'
import { type ImageRefusal, type IndexImage, readHeader, writeHeader } from './image.ts'
import { SuffixTable } from './suffix-table.ts'

/** Two random 32-bit numbers that key the hash of one trie; never shown to anyone. */
export type HashSecret = readonly [number, number]

/** The estimated number of nodes for each name: its own and new parents. */
export const nodesPerName = 1.3

/** The share of dead nodes at which the next generation is due. */
const deadMax = 0.25
/** The minimum number of dead nodes for a new generation. */
const deadMin = 1_000

/** The record of a removed name's node, unlike that of a parent that was never a name. */
const removedRecord = 0xffff_ffff

/** What an IPv6 address ends in. */
const closingBracket = 0x5d

/** "trie", for the header of an image. */
const imageKind = 0x6569_7274
const imageVersion = 1

/**
 * What every multiplier has set: it is odd, and carries the lowest bit to the middle and the top.
 */
const multiplierBits = 0x8001_0001

export class SuffixTrie {
  readonly #secret: HashSecret
  readonly #seed: number
  readonly #multiplier: number
  #table: SuffixTable
  #size = 0
  /**
   * How many of them are top-level labels (addresses in brackets, which have no names below,
   * aside).
   */
  #topSize = 0
  #deadCount = 0
  #deadBytes = 0
  /** The hash of the suffix scanned last. */
  #hash = 0

  /** Makes an empty trie for `capacity` nodes: names × `nodesPerName`. */
  constructor(capacity: number, secret: HashSecret) {
    this.#secret = secret
    this.#seed = secret[0] | 0
    this.#multiplier = secret[1] | multiplierBits
    this.#table = SuffixTable.withCapacity(capacity)
  }

  /** The number of names with a flag. */
  get size(): number {
    return this.#size
  }

  /** The number of nodes: names, parents between them, and removed names. */
  get nodeCount(): number {
    return this.#table.nodeCount
  }

  /** The number of nodes at which the next generation is due. */
  get capacity(): number {
    return this.#table.capacity
  }

  get byteLength(): number {
    return this.#table.byteLength
  }

  /** The bytes of nodes whose names were removed; the next generation keeps only needed parents. */
  get deadBytes(): number {
    return this.#deadBytes
  }

  /** Reports whether the next generation should be built, larger or cleaner, before `set` must. */
  get isDue(): boolean {
    const isFull = this.nodeCount >= this.capacity
    return isFull || this.#deadCount > Math.max(deadMin, this.nodeCount * deadMax)
  }

  /**
   * Fills `found` with what is known of the host `text.slice(start, end)` and of its parents, and
   * returns all flags met on the way: 0 means that neither the host nor a parent has an entry.
   *
   * The host must be canonical; anything else finds nothing, or the parents it happens to end in.
   */
  match(text: string, start: number, end: number, found: HostMatch): number {
    resetHostMatch(found)
    if (end - start > hostLengthMax) return 0
    const table = this.#table
    const nodes = table.nodes
    let skipsTop = this.#topSize === 0 && text.charCodeAt(end - 1) !== closingBracket
    let topStart = end
    let parent = noNode
    let labelEnd = end
    let met = 0
    this.#hash = this.#seed
    for (;;) {
      const labelStart = this.#scan(text, start, labelEnd)
      if (skipsTop && labelEnd === end && labelStart > start) {
        // No top-level label is an entry, so a miss need not look for it; a hit does so later.
        topStart = labelStart
        parent = anyNode
        labelEnd = labelStart - 1
        continue
      }
      const node = table.find(this.#hash, parent, text, labelStart, labelEnd - labelStart)
      if (node === noNode) return met
      if (
        parent === anyNode &&
        !nodes.is(nodes.readParent(node), noNode, text, topStart, end - topStart)
      ) {
        // Two top-level labels share one hash: begin again, and look at the top first.
        skipsTop = false
        parent = noNode
        labelEnd = end
        this.#hash = this.#seed
        continue
      }
      const flags = nodes.readFlags(node)
      if (flags !== 0) {
        met |= flags
        const record = nodes.readRecord(node)
        noteHostEntry(found, labelStart, flags, record)
        if (labelStart === start) {
          found.hostFlags = flags
          found.hostRecord = record
        }
      }
      if (labelStart === start) return met
      parent = node
      labelEnd = labelStart - 1
    }
  }

  /** Returns the entry of exactly `host`, or null. */
  get(host: string): HostEntry | null {
    const node = this.#walk(host, false)
    const flags = node === noNode ? 0 : this.#table.nodes.readFlags(node)
    return flags === 0 ? null : { flags, record: this.#table.nodes.readRecord(node) }
  }

  /**
   * Adds `flags` to those of `host`; a `record` other than `noRecord` replaces the one it has.
   *
   * Returns false, and holds nothing, for what no canonical host can be: an empty or too long
   * label, more than 253 characters, or one that is not lower-case printable ASCII. A full trie
   * grows at once, which takes long: a server builds the next generation on another thread when
   * `isDue`.
   */
  set(host: string, flags: number, record: number): boolean {
    assertInteger('flags', flags, 1, everyHostFlag)
    assertInteger('record', record, noRecord, recordMax)
    const labels = countLabels(host)
    if (labels === 0) return false
    while (!this.#table.hasRoomFor(labels)) this.#grow(labels)

    const node = this.#walk(host, true)
    const nodes = this.#table.nodes
    const flagsBefore = nodes.readFlags(node)
    let recordBefore = nodes.readRecord(node)
    if (flagsBefore === 0) this.#count(host, 1)
    if (recordBefore === removedRecord) {
      this.#deadCount--
      this.#deadBytes -= nodes.readByteLength(node)
      recordBefore = noRecord
    }
    nodes.write(node, flagsBefore | flags, record === noRecord ? recordBefore : record)
    return true
  }

  /** Takes `flags` from `host` and reports whether it had any of them; its last flag is its end. */
  clear(host: string, flags: number = everyHostFlag): boolean {
    const nodes = this.#table.nodes
    const node = this.#walk(host, false)
    const flagsBefore = node === noNode ? 0 : nodes.readFlags(node)
    if ((flagsBefore & flags) === 0) return false
    const flagsAfter = flagsBefore & ~flags
    if (flagsAfter === 0) {
      this.#count(host, -1)
      this.#deadCount++
      this.#deadBytes += nodes.readByteLength(node)
    }
    nodes.write(node, flagsAfter, flagsAfter === 0 ? removedRecord : nodes.readRecord(node))
    return true
  }

  /** Visits every name that carries a flag, in the order of first addition. */
  forEach(visit: (host: string, flags: number, record: number) => void): void {
    const nodes = this.#table.nodes
    for (let node = nodes.first; node < nodes.end; node = nodes.next(node)) {
      const flags = nodes.readFlags(node)
      if (flags !== 0) visit(nodes.readHost(node), flags, nodes.readRecord(node))
    }
  }

  /** Builds a trie of the same entries for `capacity` nodes, without what is dead in this one. */
  rebuilt(capacity: number, secret: HashSecret): SuffixTrie {
    const next = new SuffixTrie(capacity, secret)
    this.forEach((host, flags, record) => {
      next.set(host, flags, record)
    })
    return next
  }

  /** Returns the trie's memory as it is, for `from` to make a trie of it again. */
  serialise(): IndexImage {
    const { homes, edges, nodes, nodeBits, nodesEnd, nodeCount, reach } = this.#table.image()
    const counts = [
      nodeBits,
      nodesEnd,
      nodeCount,
      reach,
      this.#size,
      this.#topSize,
      this.#deadCount,
    ]
    const header = writeHeader(imageKind, imageVersion, [
      ...this.#secret,
      ...counts,
      this.#deadBytes,
    ])
    return { header, buffers: [homes, edges, nodes] }
  }

  /**
   * Takes over the memory of a serialised trie without copying it, or says why it cannot.
   *
   * Sizes and counts are checked, contents are not: a file needs a checksum of its own. Whatever
   * the contents, look-ups end and stay within the buffers.
   */
  static from({ header, buffers }: IndexImage): Result<SuffixTrie, ImageRefusal> {
    const read = readHeader(header, imageKind, imageVersion, 10)
    if (!read.ok) return read
    const [seed = 0, multiplier = 0, ...rest] = read.value
    const [nodeBits = 0, nodesEnd = 0, nodeCount = 0, reach = 0, ...counts] = rest
    const [size = 0, topSize = 0, deadCount = 0, deadBytes = 0] = counts
    const [homes, edges, nodes] = buffers
    const table =
      homes && edges && nodes
        ? SuffixTable.from({ homes, edges, nodes, nodeBits, nodesEnd, nodeCount, reach })
        : null
    if (table === null || size + deadCount > nodeCount) return { ok: false, reason: 'broken' }

    const trie = new SuffixTrie(0, [seed, multiplier])
    trie.#table = table
    trie.#size = size
    trie.#topSize = topSize
    trie.#deadCount = deadCount
    trie.#deadBytes = deadBytes
    return { ok: true, value: trie }
  }

  /**
   * Returns where the label before `labelEnd` starts, and rolls `#hash` over it, from its last
   * character to its first. A dot ends every label, so that the last character is mixed in as well.
   */
  #scan(text: string, start: number, labelEnd: number): number {
    const multiplier = this.#multiplier
    let hash = this.#hash
    let at = labelEnd - 1
    for (; at >= start; at--) {
      const character = text.charCodeAt(at)
      if (character === dot) break
      hash = Math.imul(hash ^ character, multiplier)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash ^ dot, multiplier)
    this.#hash = hash ^ (hash >>> 15)
    return at + 1
  }

  /** Returns the node of exactly `host`, made with its parents if `isAdding`; or `noNode`. */
  #walk(host: string, isAdding: boolean): number {
    const table = this.#table
    this.#hash = this.#seed
    let parent = noNode
    let labelEnd = host.length
    for (;;) {
      const labelStart = this.#scan(host, 0, labelEnd)
      const length = labelEnd - labelStart
      let node = table.find(this.#hash, parent, host, labelStart, length)
      if (node === noNode && isAdding) {
        node = table.insert(this.#hash, parent, host, labelStart, length)
      }
      if (node === noNode || labelStart === 0) return node
      parent = node
      labelEnd = labelStart - 1
    }
  }

  /** Counts a name that got its first flag, or lost its last. */
  #count(host: string, change: 1 | -1): void {
    this.#size += change
    if (!host.includes('.') && !host.endsWith(']')) this.#topSize += change
  }

  /** Moves into a table with twice the room for what is alive, and for `labels` more. */
  #grow(labels: number): void {
    const alive = this.nodeCount - this.#deadCount
    this.#table = this.rebuilt(2 * (alive + labels), this.#secret).#table
    this.#deadCount = 0
    this.#deadBytes = 0
  }
}

function assertInteger(name: string, value: number, low: number, high: number): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new RangeError(`suffix trie: ${name} is ${value}; it must be from ${low} to ${high}`)
  }
}
