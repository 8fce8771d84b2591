/**
 * A hash table from suffixes of host names to their nodes, which it appends itself.
 *
 * It is open and probed from slot to slot. A slot has two parts, in arrays of their own:
 *
 *     homes   ┌────┬────┐  4 bits: which hashes begin here. A bit is set for each suffix whose home
 *             │0100│1001│  is this slot, wherever it is stored. Two slots share a byte.
 *             └────┴────┘
 *     edges   ┌─────┬─────────────────┐  4 bytes: the node in this slot, below as many bits of
 *             │ tag │      node       │  the hash as there is room for; 0 is a free slot.
 *             └─────┴─────────────────┘
 *     hash    ┌─────────────────┬───┬─────┐  32 bits: the top choose the home, two its bit, and the
 *             │      home       │bit│ tag │  lowest are compared in the edge. None serves twice.
 *             └─────────────────┴───┴─────┘
 *
 * A miss costs one byte of `homes`, small enough to stay in the processor's cache, in four cases of
 * five. A hit costs that, a cache line of edges, which the processor fetches at the same time, and
 * the node. At 0.8 load a hit looks at 3 edges, and a tag keeps most strangers from costing a node.
 *
 * Writes go node → edge → home: a reader that sees the bit sees the rest. Nothing is ever taken out.
 *
 * Tried instead on real lists: four tags to a word before four edges (hits 25 % slower); 32-byte
 * slots that hold the label (half as much memory again, no faster); twelve tags and edges in a
 * cache line (misses 40 % slower); edges without homes (misses 20 % slower); slots of hash and node
 * before nodes before labels (all slower).
 *
 * Reference: linear probing, Knuth, The Art of Computer Programming 3, 6.4, algorithm L.
 */

import { HostNodes, noNode } from './host-nodes.ts'

/** Part of the slots in use at capacity; fuller tables search longer, emptier ones waste memory. */
const loadAtCapacity = 0.8
/** Part of the slots that may be in use; the rest keeps searches short. */
const loadMax = 0.9

/** The estimated size of a node; the arena grows by itself when labels are longer. */
const bytesPerNode = 28
/** How much longer than estimated nodes may be before the table must be rebuilt. */
const nodesGrowthMax = 2
/** Byte offsets of nodes stay below 2^31, where the engine's fast integers end. */
const nodeBitsMax = 29
/** The most nodes a table can be made for: 38 million. */
const capacityMax = Math.floor((2 ** nodeBitsMax * 4) / (bytesPerNode * nodesGrowthMax))

/** The memory of a table and its counts: what `SuffixTable.from` makes the same table of. */
export interface TableImage {
  readonly homes: ArrayBuffer
  readonly edges: ArrayBuffer
  readonly nodes: ArrayBuffer
  readonly nodeBits: number
  readonly nodesEnd: number
  readonly nodeCount: number
  readonly reach: number
}

export class SuffixTable {
  readonly nodes: HostNodes
  readonly #homes: Uint8Array<ArrayBuffer>
  readonly #edges: Uint32Array<ArrayBuffer>
  readonly #slots: number
  /** How many low bits of an edge are the node; of the others, as many low bits of the hash. */
  readonly #nodeBits: number
  #nodeCount: number
  /** The maximum distance of a node from its home, which bounds every search. */
  #reach: number

  private constructor(image: TableImage, nodes: HostNodes) {
    this.nodes = nodes
    this.#homes = new Uint8Array(image.homes)
    this.#edges = new Uint32Array(image.edges)
    this.#slots = this.#edges.length
    this.#nodeBits = image.nodeBits
    this.#nodeCount = image.nodeCount
    this.#reach = image.reach
  }

  /** Makes an empty table for `capacity` nodes; throws a `RangeError` above 38 million. */
  static withCapacity(capacity: number): SuffixTable {
    if (capacity > capacityMax) {
      throw new RangeError(
        `suffix table: ${capacity} nodes; one table holds ${capacityMax} at most`,
      )
    }
    const slots = Math.max(4, Math.ceil(capacity / loadAtCapacity))
    const nodes = HostNodes.withRoom(capacity * bytesPerNode)
    const wordsReckoned = nodes.buffer.byteLength / 4
    const image = {
      homes: new ArrayBuffer(homesBytes(slots)),
      edges: new ArrayBuffer(slots * 4),
      nodes: nodes.buffer,
      nodeBits: Math.min(nodeBitsMax, 32 - Math.clz32(wordsReckoned * nodesGrowthMax)),
      nodesEnd: nodes.end,
      nodeCount: 0,
      reach: 0,
    }
    return new SuffixTable(image, nodes)
  }

  /**
   * Takes over the memory of another table without copying; null when sizes and counts disagree.
   */
  static from(image: TableImage): SuffixTable | null {
    const nodes = HostNodes.from(image.nodes, image.nodesEnd)
    const slots = image.edges.byteLength / 4
    const fits =
      Number.isInteger(slots) &&
      image.homes.byteLength === homesBytes(slots) &&
      image.nodeBits <= nodeBitsMax &&
      image.nodesEnd <= 2 ** image.nodeBits &&
      image.nodeCount <= slots * loadMax &&
      image.reach < slots
    return nodes !== null && fits ? new SuffixTable(image, nodes) : null
  }

  get nodeCount(): number {
    return this.#nodeCount
  }

  /** How many nodes the table is made for. */
  get capacity(): number {
    return Math.floor(this.#slots * loadAtCapacity)
  }

  get byteLength(): number {
    return this.#homes.byteLength + this.#edges.byteLength + this.nodes.buffer.byteLength
  }

  /** Reports whether `count` more nodes can be inserted: up to a little more than `capacity`. */
  hasRoomFor(count: number): boolean {
    const hasSlots = this.#nodeCount + count <= this.#slots * loadMax
    return hasSlots && this.nodes.endAfter(count) <= 2 ** this.#nodeBits
  }

  /** The table's memory as it is, not a copy. */
  image(): TableImage {
    return {
      homes: this.#homes.buffer,
      edges: this.#edges.buffer,
      nodes: this.nodes.buffer,
      nodeBits: this.#nodeBits,
      nodesEnd: this.nodes.end,
      nodeCount: this.#nodeCount,
      reach: this.#reach,
    }
  }

  /**
   * Returns the node below `parent` with `length` characters of `text` as label, or `noNode`;
   * `hash` is that of the whole suffix.
   */
  find(hash: number, parent: number, text: string, from: number, length: number): number {
    const slots = this.#slots
    const nodeBits = this.#nodeBits
    let slot = findHome(hash, slots)
    if (((this.#homes[slot >>> 1] ?? 0) & homeBit(slot, hash, nodeBits)) === 0) return noNode
    const edges = this.#edges
    const tag = hash << nodeBits
    for (let step = this.#reach; step >= 0; step--) {
      const edge = edges[slot] ?? 0
      if (edge === 0) return noNode
      // Where the tags agree they cancel out, and the node is left.
      const node = edge ^ tag
      if (node >>> nodeBits === 0 && this.nodes.is(node, parent, text, from, length)) return node
      slot++
      if (slot === slots) slot = 0
    }
    return noNode
  }

  /** Appends a node that `find` did not find, and returns it; `hasRoomFor` must have said yes. */
  insert(hash: number, parent: number, text: string, from: number, length: number): number {
    const home = findHome(hash, this.#slots)
    let slot = home
    let step = 0
    for (; this.#edges[slot] !== 0; step++) slot = (slot + 1) % this.#slots
    const node = this.nodes.append(parent, text, from, length)
    this.#edges[slot] = (hash << this.#nodeBits) | node
    this.#reach = Math.max(this.#reach, step)
    this.#nodeCount++
    const bits = this.#homes[home >>> 1] ?? 0
    this.#homes[home >>> 1] = bits | homeBit(home, hash, this.#nodeBits)
    return node
  }
}

/** The slot where the search for a hash begins; any number of slots is used evenly. */
function findHome(hash: number, slots: number): number {
  return ((hash >>> 0) * slots * 2 ** -32) | 0
}

/** The bit of a hash in the byte of its home: one of the slot's four, by the bits above the tag's. */
function homeBit(home: number, hash: number, nodeBits: number): number {
  return 1 << (((home & 1) << 2) | ((hash >>> (32 - nodeBits)) & 3))
}

function homesBytes(slots: number): number {
  return (slots + 1) >>> 1
}
