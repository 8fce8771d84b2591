/**
 * The nodes of a suffix trie: one label each, one after the other in a single buffer.
 *
 *     ┌────────┬────────┬───────┬────────┬──────────────┬─ ─ ─
 *     │ parent │ record │ flags │ length │ label … pad  │ next node …
 *     └────────┴────────┴───────┴────────┴──────────────┴─ ─ ─
 *     0        4        8       9        10             a multiple of 4
 *
 * A node is named by the number of its first word. Nodes are only appended, parents before
 * children; parent, length and label never change. Memory: 10 bytes, the label, and up to 3 to
 * round up.
 */

/** No node: the parent of a top-level label, and the result of a search without a match. */
export const noNode = 0
/** Matches any parent. */
export const anyNode = 0xffff_ffff

/** The longest host name and the longest label in characters (RFC 1035 §2.3.4). */
export const hostLengthMax = 253
const labelLengthMax = 63
/** The most labels that 253 characters can hold. */
export const labelsMax = 127

/** The character between labels. */
export const dot = 0x2e

const recordWord = 1
const flagsByte = 8
const lengthByte = 9
const labelByte = 10

/** The first node; word 0 is `noNode` and stays unused. */
const firstNode = 1
/** An arena that is full is copied into one larger by this factor; no node moves in it. */
const growth = 1.25

/**
 * The buffer of `readHost`; no chain of nodes, not even one read from a broken file, can overrun it.
 */
const spelling = Buffer.alloc(labelsMax * (0xff + 1))

/** The number of words taken by a node whose label has `length` characters. */
function wordsFor(length: number): number {
  return (labelByte + length + 3) >>> 2
}

export class HostNodes {
  #words: Uint32Array<ArrayBuffer>
  #bytes: Uint8Array<ArrayBuffer>
  #end: number

  private constructor(words: Uint32Array<ArrayBuffer>, end: number) {
    this.#words = words
    this.#bytes = new Uint8Array(words.buffer)
    this.#end = end
  }

  /** Makes an empty arena that takes `byteLength` bytes of nodes before it has to grow. */
  static withRoom(byteLength: number): HostNodes {
    return new HostNodes(new Uint32Array(firstNode + Math.ceil(byteLength / 4)), firstNode)
  }

  /** Takes over the buffer of an arena that ended at `end`; null when the two do not fit. */
  static from(buffer: ArrayBuffer, end: number): HostNodes | null {
    const fits = buffer.byteLength % 4 === 0 && end >= firstNode && end * 4 <= buffer.byteLength
    return fits ? new HostNodes(new Uint32Array(buffer), end) : null
  }

  get buffer(): ArrayBuffer {
    return this.#words.buffer
  }

  /** The first node, or `end` when there is none. */
  get first(): number {
    return firstNode
  }

  /** The word after the last node. */
  get end(): number {
    return this.#end
  }

  /** The largest that `end` can be when `count` nodes more have been appended. */
  endAfter(count: number): number {
    return this.#end + count * wordsFor(labelLengthMax)
  }

  /** The node that was appended after `node`, or `end`. */
  next(node: number): number {
    return node + this.readByteLength(node) / 4
  }

  /** Returns the number of bytes of `node`. */
  readByteLength(node: number): number {
    return wordsFor(this.#bytes[node * 4 + lengthByte] ?? 0) * 4
  }

  readParent(node: number): number {
    return this.#words[node] ?? noNode
  }

  readFlags(node: number): number {
    return this.#bytes[node * 4 + flagsByte] ?? 0
  }

  readRecord(node: number): number {
    return this.#words[node + recordWord] ?? 0
  }

  /** Writes the record before the flags, so that no flag is ever seen with an older record. */
  write(node: number, flags: number, record: number): void {
    this.#words[node + recordWord] = record
    this.#bytes[node * 4 + flagsByte] = flags
  }

  /**
   * Reports whether `node` is a child of `parent` and has `length` characters of `text` as label.
   */
  is(node: number, parent: number, text: string, from: number, length: number): boolean {
    const bytes = this.#bytes
    const base = node * 4
    if (parent !== anyNode && this.#words[node] !== parent) return false
    if (bytes[base + lengthByte] !== length) return false
    for (let index = 0; index < length; index++) {
      if (bytes[base + labelByte + index] !== text.charCodeAt(from + index)) return false
    }
    return true
  }

  /** Appends a node below `parent` with `length` characters of `text` as label, without flags. */
  append(parent: number, text: string, from: number, length: number): number {
    const node = this.#end
    const end = node + wordsFor(length)
    if (end > this.#words.length) this.#grow(end)
    const base = node * 4
    for (let index = 0; index < length; index++) {
      this.#bytes[base + labelByte + index] = text.charCodeAt(from + index)
    }
    this.#bytes[base + lengthByte] = length
    this.#words[node] = parent
    this.#end = end
    return node
  }

  /** Spells the host whose leftmost label is `node`. */
  readHost(node: number): string {
    let length = 0
    let at = node
    for (let label = 0; at !== noNode && label < labelsMax; label++) {
      const base = at * 4 + labelByte
      const end = base + (this.#bytes[at * 4 + lengthByte] ?? 0)
      if (label > 0) spelling[length++] = dot
      for (let index = base; index < end; index++) spelling[length++] = this.#bytes[index] ?? 0
      at = this.#words[at] ?? noNode
    }
    return spelling.toString('latin1', 0, length)
  }

  #grow(wordsNeeded: number): void {
    const words = new Uint32Array(Math.max(wordsNeeded, Math.ceil(this.#words.length * growth)))
    words.set(this.#words)
    this.#words = words
    this.#bytes = new Uint8Array(words.buffer)
  }
}

/**
 * Returns the number of labels of a host; 0 for a text that is not a canonical host: an empty or too long label,
 * more than 253 characters, or one that is not lower-case printable ASCII.
 */
export function countLabels(host: string): number {
  if (host.length > hostLengthMax) return 0
  let labels = 0
  let labelStart = 0
  for (let at = 0; at <= host.length; at++) {
    const character = at === host.length ? dot : host.charCodeAt(at)
    if (character === dot) {
      if (at === labelStart || at - labelStart > labelLengthMax) return 0
      labels++
      labelStart = at + 1
    } else if (character <= 0x20 || character >= 0x7f || (character >= 0x41 && character <= 0x5a)) {
      return 0
    }
  }
  return labels
}
