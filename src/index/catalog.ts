/**
 * The listings that the checks look up: the views in memory, and the rows behind them.
 *
 *     host ─▶ hosts (exact) ─▶ record ─▶ row            page key ─▶ pages (absent | maybe) ─▶ row
 *
 * The catalog follows the store. It may lag a little and reports how far it is (`seq`); each match in a
 * view is confirmed by its row, so no answer rests on a stale view alone. A full view continues to
 * answer while another thread builds the next generation, which is then brought in sync and replaces it
 * between two requests.
 */

import { LRUMap } from 'mnemonist'
import type { Indicator, IndicatorType } from '../model/indicator.ts'
import type { CallSummary } from '../store/reported-calls.ts'
import type { WriteStore } from '../store/store.ts'
import { connect } from '../threads/connect.ts'
import { repeatWhenLost } from '../threads/thread-error.ts'
import type { Advance, Followed } from './follower.ts'
import { Generation } from './generation.ts'
import type { OpenGenerations } from './generation-worker.ts'
import { emptyHostMatch, hostFlag } from './host-match.ts'
import type { RelatedCounts } from './related-names.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'

/** The listings at or above a host; every lookup overwrites it. */
export interface HostListing {
  /** The row of the nearest listed name; 0 when none is, or a nearer name is allowed. */
  recordId: number
  /** The offset of the listed name in the host. */
  start: number
  /** Whether some page of exactly this host may be listed, or have an operator's decision. */
  hasPages: boolean
  /** Whether an operator allowed the host or, nearer than any listing, a name above it. */
  isAllowed: boolean
}

/** The listing of a page, or the operator's decision about it. */
export interface PageListing {
  /** The page's row; not active when the operator allows the page. */
  readonly indicator: Indicator
  /** The operator's decision; null when there is none. */
  readonly decision: 'block' | 'allow' | null
}

/** The listing of a phone number. */
export interface PhoneListing {
  readonly indicator: Indicator
  /** The reported calls from it, the most reported subject first. */
  readonly calls: readonly CallSummary[]
}

/** The port of the index: everything the checks look up. */
export interface Listings {
  /** When the data last changed, milliseconds since the epoch. */
  readonly updatedAt: number
  /** Returns the match of a canonical host and its parents; valid until the next call. */
  match(host: string): HostListing
  /** Returns the listing of a page by its key (host, path and query), or null. */
  page(key: string): PageListing | null
  /** Returns one active listed page of exactly this host, or null. */
  pageOnHost(host: string): Indicator | null
  /** Returns the number of listed names that are related to a canonical host. */
  countRelated(host: string): RelatedCounts
  /** Returns the active listing of an e-mail address in lower case, or null. */
  email(value: string): Indicator | null
  /** Returns the listing of a phone number in E.164, or null. */
  phone(value: string): PhoneListing | null
  /** Returns the active listing of a digest in lower-case hex, or null. */
  digest(value: string, type: IndicatorType): Indicator | null
  byId(id: number): Indicator | null
}

/** The number of changes in a slice: about a third of a millisecond. */
const sliceRows = 200

/** Maximum number of cached rows, so that rows in demand are read once. */
const rowsKept = 10_000

/** A page is stored under the scheme it was first seen or decided on with. */
const schemes = ['https', 'http', 'ftp'] as const

/** Thrown when a generation arrives broken; the catalog keeps the old one. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
}

export interface CatalogParts {
  readonly store: WriteStore
  readonly dataDir: string
  /** Called when there is more to apply, as when the next generation has been built. */
  readonly wake: () => void
  readonly report: (error: unknown) => void
}

export class Catalog implements Listings, Followed {
  readonly #parts: CatalogParts
  readonly #builder
  readonly #found = emptyHostMatch()
  /** Rows by id, read since the database last changed. */
  readonly #rows = new LRUMap<number, Indicator>(rowsKept)
  /** Listings of pages by key, and rows of digests by value, likewise. */
  readonly #pages = new LRUMap<string, PageListing>(rowsKept)
  readonly #digests = new LRUMap<string, Indicator>(rowsKept)
  readonly #listing: HostListing = { recordId: 0, start: 0, hasPages: false, isAllowed: false }
  #current: Generation
  /** Built, and being brought in sync. */
  #next: Generation | null = null
  #isBuilding = false
  #updatedAt: number

  private constructor(parts: CatalogParts, generation: Generation) {
    this.#parts = parts
    this.#current = generation
    this.#updatedAt = parts.store.meta().changedAt
    this.#builder = connect<OpenGenerations>({
      entry: 'index/generation-worker.ts',
      name: 'the thread that builds the views',
      opening: { dataDir: parts.dataDir },
      report: parts.report,
      isBrief: true,
    })
  }

  /** Returns an empty catalog, which `load` fills. */
  static empty(parts: CatalogParts): Catalog {
    const nothing = { hosts: 0, pages: 0, digests: 0 }
    return new Catalog(parts, Generation.empty(nothing, parts.store.meta().epoch))
  }

  /** Returns a catalog built on this thread. */
  static build(parts: CatalogParts): Catalog {
    return new Catalog(parts, Generation.build(parts.store))
  }

  get seq(): number {
    return this.#current.seq
  }

  get updatedAt(): number {
    return this.#updatedAt
  }

  /**
   * Fills the catalog from the snapshot next to the database, or from the database when no snapshot
   * fits. Changes since then are left to the follower.
   */
  async load(): Promise<void> {
    const { store, dataDir } = this.#parts
    const { epoch, seq, oldestSeq } = store.meta()
    const use = { epoch, seq, oldestSeq, token: store.snapshotToken() }
    this.#current = (await readSnapshot(dataDir, use)) ?? (await this.#build())
  }

  match(host: string): HostListing {
    const found = this.#found
    const listing = this.#listing
    const { hosts } = this.#current
    hosts.match(host, 0, host.length, found)
    const { listedStart, allowedStart } = found
    listing.isAllowed = allowedStart !== -1 && (listedStart === -1 || allowedStart <= listedStart)
    listing.recordId = listedStart === -1 || listing.isAllowed ? 0 : found.listedRecord
    listing.start = listedStart
    listing.hasPages = (found.hostFlags & hostFlag.pages) !== 0
    return listing
  }

  page(key: string): PageListing | null {
    if (this.#current.pages.test(key) === 'absent') return null
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    const listing = this.#readPage(key)
    if (listing !== null) this.#pages.set(key, listing)
    return listing
  }

  /** Returns the listing of a page under any scheme: the later of two decisions, else a listing. */
  #readPage(key: string): PageListing | null {
    const { store } = this.#parts
    let listing: PageListing | null = null
    let decidedAt = Number.NEGATIVE_INFINITY
    for (const scheme of schemes) {
      const indicator = store.byValue(`${scheme}://${key}`, 'url')
      if (indicator === null) continue
      const decision = store.decisions.find(indicator.id)
      if (decision !== null && decision.at > decidedAt) {
        listing = { indicator, decision: decision.verdict }
        decidedAt = decision.at
      } else if (decision === null && indicator.isActive) {
        listing ??= { indicator, decision: null }
      }
    }
    return listing
  }

  pageOnHost(host: string): Indicator | null {
    return this.#parts.store.pageOnHost(host)
  }

  digest(value: string, type: IndicatorType): Indicator | null {
    if (this.#current.digests.test(value) === 'absent') return null
    const known = this.#digests.get(value)
    if (known !== undefined) return known
    const row = this.#parts.store.byValue(value, type)
    if (row?.isActive !== true) return null
    this.#digests.set(value, row)
    return row
  }

  countRelated(host: string): RelatedCounts {
    return this.#current.related.count(host)
  }

  email(value: string): Indicator | null {
    return this.#activeRow(value, 'email')
  }

  phone(value: string): PhoneListing | null {
    const indicator = this.#activeRow(value, 'phone')
    if (indicator === null) return null
    return { indicator, calls: this.#parts.store.reportedCalls.of(indicator.id) }
  }

  /** Reads a row of a type that is looked up too rarely to have a view. */
  #activeRow(value: string, type: IndicatorType): Indicator | null {
    const row = this.#parts.store.byValue(value, type)
    return row?.isActive === true ? row : null
  }

  byId(id: number): Indicator | null {
    const known = this.#rows.get(id)
    if (known !== undefined) return known
    const row = this.#parts.store.byId(id)
    if (row !== null) this.#rows.set(id, row)
    return row
  }

  advance(sliceMs: number): Advance {
    const endsAt = performance.now() + sliceMs
    this.#rows.clear()
    this.#pages.clear()
    this.#digests.clear()
    const generation = this.#next ?? this.#current
    for (;;) {
      // A full view stops at its number until the next one is ready, instead of growing during requests.
      if (generation.isDue) this.#buildNext()
      if (generation.isFull) return 'waiting'
      const changes = this.#parts.store.changesSince(generation.seq, sliceRows)
      if (changes.kind === 'resync') {
        this.#buildNext()
        return 'waiting'
      }
      for (const row of changes.rows) generation.apply(row)
      if (changes.rows.length < sliceRows) break
      if (performance.now() >= endsAt) return 'more'
    }
    this.#current = generation
    this.#next = null
    this.#updatedAt = this.#parts.store.meta().changedAt
    return 'in_sync'
  }

  #buildNext(): void {
    if (this.#isBuilding) return
    this.#isBuilding = true
    this.#build()
      .then((generation) => {
        this.#next = generation
      })
      .catch(this.#parts.report)
      .finally(() => {
        this.#isBuilding = false
        this.#parts.wake()
      })
  }

  /** Has another thread build a generation of what the database holds now. */
  async #build(): Promise<Generation> {
    const generation = Generation.from(await repeatWhenLost(() => this.#builder.call('build')))
    if (!generation.ok) throw new BuildError('the views arrived incomplete; start weir again')
    return generation.value
  }

  /** Reports whether the thread that builds generations has ended, and has not come back. */
  get isDegraded(): boolean {
    return this.#builder.isDegraded
  }

  /** Ends the thread that builds generations. */
  close(): Promise<void> {
    return this.#builder.close()
  }

  /** Writes a snapshot of the views, so that the next start need not build them. */
  async save(): Promise<void> {
    const { store, dataDir } = this.#parts
    const token = crypto.randomUUID()
    await store.setSnapshotToken(token)
    await writeSnapshot(dataDir, token, this.#current.serialise())
  }
}
