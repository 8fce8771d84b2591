/**
 * The search indexes in memory, with the numbers of the store up to which they are in sync:
 *
 *     indicators ─▶ addresses, by any part        ┐
 *     reports ────▶ words, by stem                ├─▶ ranked, a page of ids ─▶ rows as they are now
 *     news ───────▶ words, by stem                ┘
 *
 * The indexes contain only what is needed to find; results are read from the rows, so a value that was
 * just delisted or withdrawn is not shown.
 *
 * Best match first: addresses that are the query or begin with it, reports, news, and then the other addresses.
 */

import { parsePhone } from '../model/phone.ts'
import { ListedAddresses } from '../publish/listed-addresses.ts'
import type { ReadStore } from '../store/store.ts'
import { type IndexedText, TextIndex } from '../store/text-index.ts'
import { AddressIndex } from './address-index.ts'
import { type SearchCategory, type SearchQuery, wantedBy } from './query.ts'
import { addressResult, newsResult, reportResult, type SearchResult } from './results.ts'

/** The number of rows in a slice: about five milliseconds. */
const sliceRows = 2_000

/** Headroom for what is listed until the next restart, so that nothing has to grow. */
const headroom = 1.3

/** The types that are searched as addresses. */
const addressTypes = ['domain', 'url', 'ip'] as const

/** Returns the approximate number of addresses to index. */
const countAddresses = ({ counters }: ReadStore): number =>
  addressTypes.reduce((sum, type) => sum + counters.get('published', type), 0)

/** The answer to a search on the wire. */
export interface SearchAnswer {
  readonly query: string
  readonly category: SearchCategory
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly counts: { readonly urls: number; readonly news: number; readonly scams: number }
  readonly results: readonly SearchResult[]
}

/** Consecutive results of one kind: their number, and a function that reads some of them. */
interface Stretch {
  readonly count: number
  read(from: number, count: number): SearchResult[]
}

export class SearchView implements Disposable {
  readonly #store: ReadStore
  readonly #addresses: AddressIndex
  readonly #news = new TextIndex()
  readonly #reports = new TextIndex()
  #seq = 0
  #textSeq = 0
  /** During the initial fill: the last row that was read, and the number that the fill is as of. */
  #filling: { after: number; readonly seq: number } | null

  constructor(store: ReadStore) {
    this.#store = store
    this.#addresses = new AddressIndex({ capacity: Math.ceil(countAddresses(store) * headroom) })
    this.#filling = { after: 0, seq: store.meta().seq }
  }

  /** The number up to which addresses are in sync. */
  get seq(): number {
    return this.#seq
  }

  /** The number up to which news and reports are in sync. */
  get textSeq(): number {
    return this.#textSeq
  }

  /** Applies the next changes, a slice of each kind, and returns whether there is more. */
  advance(): 'more' | 'in_sync' {
    return this.#store.atOnce(() => {
      const meta = this.#store.meta()
      const isFilled = this.#fill()
      const { searchable } = this.#store
      const changes = isFilled ? searchable.changesAfter(this.#seq, sliceRows) : []
      for (const { id, value, listedSeq, shown, seq } of changes) {
        if (shown === 1) this.#addresses.set(id, value, listedSeq)
        else this.#addresses.delete(id)
        this.#seq = seq
      }
      const texts = this.#applyTexts()
      if (!isFilled || changes.length === sliceRows || texts === 'more') return 'more'
      // The remaining numbers belong to rows that are not indexed.
      this.#seq = Math.max(this.#seq, meta.seq)
      this.#textSeq = Math.max(this.#textSeq, meta.textSeq)
      return 'in_sync'
    })
  }

  /** Adds a slice of the active addresses, and reports whether all have been added. */
  #fill(): boolean {
    const filling = this.#filling
    if (filling === null) return true
    const rows = this.#store.searchable.after(filling.after, sliceRows)
    for (const { id, value, listedSeq } of rows) {
      this.#addresses.set(id, value, listedSeq)
    }
    if (rows.length === sliceRows) {
      filling.after = rows.at(-1)?.id ?? filling.after
      return false
    }
    // Rows that changed since the first slice are read again as changes.
    this.#seq = filling.seq
    this.#filling = null
    return true
  }

  #applyTexts(): 'more' | 'in_sync' {
    const news = this.#store.news.changesAfter(this.#textSeq, sliceRows)
    const reports = this.#store.reports.changesAfter(this.#textSeq, sliceRows)
    const isCut = news.length === sliceRows || reports.length === sliceRows
    // Both advance to the same number: the lower one at which a slice was cut.
    const upTo = Math.min(
      news.length === sliceRows ? (news.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY,
      reports.length === sliceRows ? (reports.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY,
    )
    const articles: IndexedText[] = []
    for (const { id, title, summary, withheld, seq } of news) {
      if (seq > upTo) break
      if (withheld === 0) articles.push({ id, title, body: summary })
      else this.#news.remove(id)
    }
    this.#news.putAll(articles)
    const told: IndexedText[] = []
    for (const { id, value, description, targetBrand: brand, shown, seq } of reports) {
      if (seq > upTo) break
      const title = [value, spokenNumber(value), brand].filter((part) => part !== null).join(' ')
      if (shown === 1) told.push({ id, title, body: description ?? '' })
      else this.#reports.remove(id)
    }
    this.#reports.putAll(told)
    if (isCut) this.#textSeq = upTo
    return isCut ? 'more' : 'in_sync'
  }

  /** Returns the answer to a query from the current indexes. */
  answer({ text, category, page, limit }: SearchQuery): SearchAnswer {
    const { parts, phrases } = wantedBy(text)
    const addresses = parts.length === 0 ? null : this.#addresses.search(parts)
    const { total = 0, leading = 0 } = addresses ?? {}
    const news = this.#news.count(phrases)
    const scams = this.#reports.count(phrases)
    const counts = { urls: total, news, scams }
    const addressesFrom = (first: number, count: number): Stretch => ({
      count,
      read: (from, wanted) => this.#addressesAt(addresses?.ids(first + from, wanted) ?? []),
    })
    const newsFound: Stretch = {
      count: news,
      read: (from, wanted) => this.#newsAt(this.#news.find(phrases, news, wanted, from)),
    }
    const scamsFound: Stretch = {
      count: scams,
      read: (from, wanted) => this.#reportsAt(this.#reports.find(phrases, scams, wanted, from)),
    }
    const stretches: Readonly<Record<SearchCategory, readonly Stretch[]>> = {
      all: [
        addressesFrom(0, leading),
        scamsFound,
        newsFound,
        addressesFrom(leading, total - leading),
      ],
      urls: [addressesFrom(0, total)],
      news: [newsFound],
      scams: [scamsFound],
    }
    const wanted = stretches[category]
    return {
      query: text,
      category,
      page,
      limit,
      total: wanted.reduce((sum, { count }) => sum + count, 0),
      counts,
      results: readStretches(wanted, (page - 1) * limit, limit),
    }
  }

  #addressesAt(ids: readonly number[]): SearchResult[] {
    return ids.flatMap((id) => {
      const row = this.#store.byId(id)
      return row === null || !row.isPublished || row.doNotBlock ? [] : addressResult(row)
    })
  }

  #newsAt(ids: readonly number[]): SearchResult[] {
    const addresses = new ListedAddresses(this.#store)
    return ids.flatMap((id) => {
      const article = this.#store.news.byId(id)
      return article === null ? [] : newsResult(article, addresses)
    })
  }

  #reportsAt(ids: readonly number[]): SearchResult[] {
    return ids.flatMap((id) => {
      const report = this.#store.reports.shownById(id)
      return report === null ? [] : reportResult(report)
    })
  }

  [Symbol.dispose](): void {
    this.#news[Symbol.dispose]()
    this.#reports[Symbol.dispose]()
  }
}

/** Returns a phone number as people write and search for it; null for other values. */
function spokenNumber(value: string | null): string | null {
  const phone = value?.startsWith('+1') === true ? parsePhone(value) : null
  if (phone?.ok !== true) return null
  const { areaCode, exchange, line, digits } = phone.value
  return `${digits} ${areaCode} ${exchange} ${line}`
}

/** Reads `count` results from the position `from` on, across consecutive sections. */
function readStretches(stretches: readonly Stretch[], from: number, count: number): SearchResult[] {
  const results: SearchResult[] = []
  let start = 0
  let left = count
  for (const stretch of stretches) {
    const first = Math.max(0, from - start)
    const wanted = Math.min(left, stretch.count - first)
    if (wanted > 0) {
      results.push(...stretch.read(first, wanted))
      left -= wanted
    }
    start += stretch.count
  }
  return results
}
