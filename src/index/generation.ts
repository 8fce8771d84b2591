/**
 * One generation of the views in memory: every host, page and digest that is listed or has an
 * operator's decision, as of one number of the store's sequence.
 *
 *     hosts    exact: names, addresses, allowed names, hosts of listed or allowed pages
 *     pages    approximate: keys of pages listed or allowed; a "maybe" is confirmed by the row
 *     digests  approximate: hex digests; a "maybe" is confirmed by the row
 *     related  approximate: how many listed names share a registered name, or differ only in digits
 *
 * A generation is built from one read transaction, lives as long as its capacity lasts, and is then
 * replaced by a larger one; it is never rehashed while it answers.
 */

import { parseAddress, toUrlHost } from '../model/address.ts'
import type { Result } from '../model/result.ts'
import type { IndicatorChange } from '../store/indicators.ts'
import type { ReadStore } from '../store/store.ts'
import { hostFlag, noRecord } from './host-match.ts'
import type { IndexImage } from './image.ts'
import { Membership } from './membership.ts'
import { RelatedNames } from './related-names.ts'
import { type HashSecret, nodesPerName, SuffixTrie } from './suffix-trie.ts'

/** The capacity of a generation, relative to its entries when it is built. */
const headroom = 1.5

/** The smallest capacity, so that a small database does not grow at every import. */
const roomMin = 50_000

/** The number of rows in a slice of a build. */
const sliceRows = 5_000

/** The flags that follow from a name's own row; the others follow from pages. */
const rowFlags = hostFlag.listed | hostFlag.published | hostFlag.doNotBlock | hostFlag.allowed

/** The flags of a name that counts as related to others. */
const relatedFlags = hostFlag.listed | hostFlag.published

/** The share beyond its capacity to which the trie may fill before it would grow by itself. */
const overfill = 1.1

/** A generation as plain memory, for another thread or a file. */
export interface GenerationImage {
  readonly seq: number
  readonly epoch: string
  readonly hosts: IndexImage
  readonly pages: IndexImage
  readonly digests: IndexImage
  readonly related: IndexImage
}

/** The number of entries of each kind that a generation must hold. */
export interface GenerationSizes {
  readonly hosts: number
  readonly pages: number
  readonly digests: number
}

/** Returns the sizes that a generation needs now, from the store's counters. */
export function readSizes(store: ReadStore): GenerationSizes {
  const active = (type: string): number => store.counters.get('active', type)
  const pages = active('url')
  return {
    hosts: active('domain') + active('ip') + pages,
    pages,
    digests: active('sha256') + active('sha1') + active('md5'),
  }
}

const addHeadroom = (count: number): number => Math.max(roomMin, Math.ceil(count * headroom))

const random32 = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0

const newSecret = (): HashSecret => [random32(), random32()]

/** Returns the part of a canonical URL that pages are matched by. */
function toPageKey(value: string): string {
  return value.slice(value.indexOf('://') + 3)
}

/** Returns the host that an indicator of type `domain` or `ip` is looked up by. */
function toLookupHost(change: IndicatorChange): string {
  if (change.type === 'domain') return change.value
  const address = parseAddress(change.value)
  return address === null ? change.value : toUrlHost(address)
}

interface GenerationParts {
  readonly hosts: SuffixTrie
  readonly pages: Membership
  readonly digests: Membership
  readonly related: RelatedNames
}

export class Generation {
  readonly hosts: SuffixTrie
  readonly pages: Membership
  readonly digests: Membership
  readonly related: RelatedNames
  /** Identifies the database that the generation was built from. */
  readonly epoch: string
  #seq: number
  #isNew = false

  private constructor(parts: GenerationParts, epoch: string, seq: number) {
    this.hosts = parts.hosts
    this.pages = parts.pages
    this.digests = parts.digests
    this.related = parts.related
    this.epoch = epoch
    this.#seq = seq
  }

  /** Returns an empty generation with room for `sizes` and some headroom. */
  static empty(sizes: GenerationSizes, epoch: string): Generation {
    const parts: GenerationParts = {
      hosts: new SuffixTrie(Math.ceil(addHeadroom(sizes.hosts) * nodesPerName), newSecret()),
      pages: new Membership(addHeadroom(sizes.pages), random32()),
      digests: new Membership(addHeadroom(sizes.digests), random32()),
      related: RelatedNames.withCapacity(addHeadroom(sizes.hosts), random32()),
    }
    return new Generation(parts, epoch, 0)
  }

  /** Builds a generation of everything in the store, from one read transaction. */
  static build(store: ReadStore): Generation {
    const generation = Generation.empty(readSizes(store), store.meta().epoch)
    generation.#isNew = true
    const { seq } = store.readAll(sliceRows, (rows) => {
      for (const row of rows) {
        if (row.active === 1 || row.decision !== null) generation.apply(row)
      }
    })
    generation.#seq = seq
    generation.#isNew = false
    return generation.#withRoom()
  }

  /** Adds room for names with many labels, which need more nodes than estimated: it would be due at once. */
  #withRoom(): Generation {
    const room = Math.ceil(this.hosts.nodeCount * headroom)
    if (this.hosts.capacity >= room) return this
    const { pages, digests, related } = this
    const hosts = this.hosts.rebuilt(room, newSecret())
    return new Generation({ hosts, pages, digests, related }, this.epoch, this.#seq)
  }

  /** The number of the last change that the generation has. */
  get seq(): number {
    return this.#seq
  }

  /** Reports whether the next generation should be built. */
  get isDue(): boolean {
    return this.hosts.isDue || this.pages.isDue || this.digests.isDue
  }

  /** Reports whether applying more would make the trie grow on this thread. */
  get isFull(): boolean {
    return this.hosts.nodeCount >= this.hosts.capacity * overfill
  }

  /** Applies one changed row; applying it again changes nothing. */
  apply(change: IndicatorChange): void {
    switch (change.type) {
      case 'domain':
      case 'ip':
        this.#applyHost(change)
        break
      case 'url':
        this.#applyPage(change)
        break
      case 'sha256':
      case 'sha1':
      case 'md5':
        applyMember(this.digests, change.value, change.active === 1)
        break
      case 'email':
      case 'phone':
        // Looked up too rarely to have a view: their rows are found by value.
        break
    }
    this.#seq = change.seq
  }

  #applyHost(change: IndicatorChange): void {
    const host = toLookupHost(change)
    let flags = 0
    // A platform's apex says nothing about names below it, so it hides no decision above it.
    const listing = change.doNotBlock === 1 ? hostFlag.doNotBlock : hostFlag.listed
    if (change.active === 1) flags |= listing
    if (change.published === 1) flags |= hostFlag.published
    if (change.decision === 'allow') flags |= hostFlag.allowed
    // Names that are not published must not reveal anything about others.
    const isRelated = (flags & relatedFlags) === relatedFlags
    // While a generation is built each row comes once, so there is nothing to undo.
    const wasRelated = !this.#isNew && this.#isRelated(host)
    if (!this.#isNew) this.hosts.clear(host, rowFlags & ~flags)
    if (isRelated !== wasRelated && change.type === 'domain')
      this.related.note(host, isRelated ? 1 : -1)
    if (flags !== 0) this.hosts.set(host, flags, change.id)
  }

  #isRelated(host: string): boolean {
    return ((this.hosts.get(host)?.flags ?? 0) & relatedFlags) === relatedFlags
  }

  #applyPage(change: IndicatorChange): void {
    // A page that an operator allows is not active, but must be found.
    const isKept = change.active === 1 || change.decision !== null
    applyMember(this.pages, toPageKey(change.value), isKept)
    // The flag stays when the last page goes: a stale one costs a lookup, a missing one an answer.
    if (isKept && change.host !== null) this.hosts.set(change.host, hostFlag.pages, noRecord)
  }

  /** Returns the generation's memory; a generation whose buffers are transferred is unusable. */
  serialise(): GenerationImage {
    return {
      seq: this.#seq,
      epoch: this.epoch,
      hosts: this.hosts.serialise(),
      pages: this.pages.serialise(),
      digests: this.digests.serialise(),
      related: this.related.serialise(),
    }
  }

  /** Returns a generation over the memory of a serialised one, or that the memory is broken. */
  static from(image: GenerationImage): Result<Generation, 'broken'> {
    const hosts = SuffixTrie.from(image.hosts)
    const pages = Membership.from(image.pages)
    const digests = Membership.from(image.digests)
    const related = RelatedNames.from(image.related)
    if (!hosts.ok || !pages.ok || !digests.ok || !related.ok) return { ok: false, reason: 'broken' }
    const parts = {
      hosts: hosts.value,
      pages: pages.value,
      digests: digests.value,
      related: related.value,
    }
    return { ok: true, value: new Generation(parts, image.epoch, image.seq) }
  }
}

function applyMember(members: Membership, key: string, isKept: boolean): void {
  const isAbsent = members.test(key) === 'absent'
  // Adding a key that may be present sets no new bit; an absent key cannot be removed.
  if (isKept && isAbsent) members.add(key)
  if (!isKept && !isAbsent) members.noteRemoved()
}
