/**
 * What stands in a feed: the newest of what concerns its readers, each item with a date and an id that stays.
 *
 *     listings ─┐
 *     brands ───┼─▶ by date, the newest 50
 *     reports ──┤
 *     news ─────┘
 */

import type { FeedName } from '../model/audience.ts'
import { defang } from '../model/defang.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import type { Indicator, IndicatorType } from '../model/indicator.ts'
import { feedItemIdOf } from '../model/stix-id.ts'
import { parsePublicUrl } from '../model/url.ts'
import type { SubjectRow } from '../store/exports.ts'
import { type IndicatorRow, toIndicator } from '../store/indicators.ts'
import type { NamedArticle } from '../store/news.ts'
import type { ReportRow } from '../store/reports.ts'
import type { Store } from '../store/store.ts'
import { campaignText, type ItemText, indicatorText, reportText } from './feed-texts.ts'

/** How many items a feed has. */
export const feedItemsMax = 50

/** One item. Times are milliseconds since the epoch. */
export interface FeedItem extends ItemText {
  /** A URN that is never given to another item. */
  readonly id: string
  /** Where to read more; null: nowhere that should be opened. */
  readonly link: string | null
  readonly date: number
  /** When weir came to know of it. */
  readonly arrivedAt: number
  readonly categories: readonly string[]
}

/** The part of the store that is read. */
export type FeedStore = Pick<
  Store,
  'indicators' | 'byValue' | 'news' | 'reports' | 'exported' | 'atOnce'
>

/** What may be a name or an address, wherever it stands in a word. */
const nameLike = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu

/** Knows what is listed, at one moment, of the addresses that others name; each is looked up once. */
class ListedAddresses {
  readonly #store: FeedStore
  readonly #known = new Map<string, boolean>()

  constructor(store: FeedStore) {
    this.#store = store
  }

  #isListed(value: string, type: IndicatorType): boolean {
    const indicator = this.#store.byValue(value, type)
    return indicator?.isPublished === true && !indicator.doNotBlock
  }

  /** Reports whether a URL, or a name by itself, is listed: that page, its host or a name above it. */
  has(text: string): boolean {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const isListed = this.#find(text)
    this.#known.set(text, isListed)
    return isListed
  }

  #find(text: string): boolean {
    const url = parsePublicUrl(text)
    if (!url.ok) return false
    const { value, host, isAddress } = url.value
    const page = value.slice(value.indexOf('://'))
    if (['https', 'http'].some((scheme) => this.#isListed(scheme + page, 'url'))) return true
    if (isAddress) return this.#isListed(host, 'ip')
    for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.#isListed(name, 'domain')) return true
    }
    return false
  }

  #isNamedIn(word: string): boolean {
    const names = word.match(nameLike) ?? []
    if (names.some((name) => this.has(name))) return true
    const bare = word.replace(/[.,;:!?)\]]+$/, '')
    // What its author has defanged is not to be defanged again.
    if (bare === names[0] || word.includes('[.]')) return false
    const email = parseEmailAddress(bare)
    return email.ok ? this.#isListed(email.value.value, 'email') : this.has(bare)
  }

  /**
   * Returns what others wrote with every address in it defanged that is listed. The rest stays: a publisher's
   * advice where to turn to should be of use, and many a brand is called by its domain.
   */
  defangedIn(text: string): string {
    return text.replace(/[^\s<>"']+/g, (word) =>
      word.includes('.') && this.#isNamedIn(word) ? defang(word) : word,
    )
  }
}

function listingItem(addresses: ListedAddresses, feed: FeedName, row: IndicatorRow): FeedItem {
  const said = toIndicator(row)
  const indicator: Indicator = {
    ...said,
    targetBrand: said.targetBrand && addresses.defangedIn(said.targetBrand),
    malwareFamily: said.malwareFamily && addresses.defangedIn(said.malwareFamily),
  }
  const { type, value, listedAt, threatType, targetBrand } = indicator
  return {
    ...indicatorText(feed, indicator),
    // What is listed anew is news again.
    id: feedItemIdOf('listing', `${type}:${value}@${listedAt}`),
    link: null,
    date: listedAt,
    arrivedAt: listedAt,
    categories: [threatType, ...(targetBrand === null ? [] : [targetBrand])],
  }
}

function campaignItem(addresses: ListedAddresses, subject: SubjectRow): FeedItem {
  const { key, created_at: date } = subject
  const name = addresses.defangedIn(subject.name)
  return {
    ...campaignText(name, date),
    id: feedItemIdOf('campaign', key),
    link: null,
    date,
    arrivedAt: date,
    categories: ['campaign', name],
  }
}

function newsItem(addresses: ListedAddresses, article: NamedArticle): FeedItem {
  const { key, link, source, published_at: date, first_seen: arrivedAt } = article
  const title = addresses.defangedIn(article.title)
  const summary = addresses.defangedIn(article.summary)
  return {
    title,
    paragraphs: [...(summary === '' ? [] : [summary]), `Source: ${source}`],
    id: feedItemIdOf('news', `${article.source_id}:${key}`),
    link: addresses.has(link) ? null : link,
    date,
    arrivedAt,
    categories: ['news'],
  }
}

function reportItem(report: ReportRow): FeedItem {
  const { name, updated_at: date } = report
  return {
    ...reportText(report),
    id: feedItemIdOf('report', name),
    link: null,
    date,
    arrivedAt: date,
    categories: ['report'],
  }
}

/** What may stand in a feed, before it is written. */
interface Candidate {
  readonly date: number
  item(): FeedItem
}

function candidatesFor(store: FeedStore, feed: FeedName): readonly Candidate[] {
  const addresses = new ListedAddresses(store)
  const listing = (row: IndicatorRow): Candidate => {
    return { date: row.listed_at, item: () => listingItem(addresses, feed, row) }
  }
  if (feed === 'blacklist') return store.indicators.newestListed(feedItemsMax).map(listing)
  const brands = feed === 'professional' ? store.exported.newestBrands(feedItemsMax) : []
  return [
    ...store.indicators.newestFor(feed, feedItemsMax).map(listing),
    ...brands.map((subject) => {
      return { date: subject.created_at, item: () => campaignItem(addresses, subject) }
    }),
    ...store.reports.newestFor(feed, feedItemsMax).map((report) => {
      return { date: report.updated_at, item: () => reportItem(report) }
    }),
    ...store.news.newestFor(feed, feedItemsMax).map((article) => {
      return { date: article.published_at, item: () => newsItem(addresses, article) }
    }),
  ]
}

/** Returns the items of a feed, the newest first. */
export function feedItems(store: FeedStore, feed: FeedName): readonly FeedItem[] {
  return candidatesFor(store, feed)
    .toSorted((a, b) => b.date - a.date)
    .slice(0, feedItemsMax)
    .map((candidate) => candidate.item())
}
