/**
 * The items of a feed: the newest that concern its readers, each with a date and a stable id.
 *
 *     listings ─┐
 *     brands ───┼─▶ by date, the newest 50
 *     reports ──┤
 *     news ─────┘
 */

import type { FeedName } from '../../model/audience.ts'
import { defangNews } from '../../model/defang.ts'
import type { Indicator } from '../../model/indicator.ts'
import { toFeedItemId } from '../../model/stix-id.ts'
import type { ExportSubject } from '../../store/exports.ts'
import type { NamedArticle } from '../../store/news.ts'
import type { StoredReport } from '../../store/reports.ts'
import type { ReadStore } from '../../store/store.ts'
import { ListedAddresses } from '../listed-addresses.ts'
import { campaignText, type ItemText, indicatorText, reportText } from './feed-texts.ts'

/** Maximum number of items of a feed. */
export const feedItemsMax = 50

/** The number of items reserved for news, reports and campaigns, so that a large import does not displace them. */
const placesForOthers = 15

/** One item. Times are milliseconds since the epoch. */
export interface FeedItem extends ItemText {
  /** A URN that is never given to another item. */
  readonly id: string
  /** The page to read more on; null when there is none that is safe to open. */
  readonly link: string | null
  readonly date: number
  /** When weir first received it. */
  readonly arrivedAt: number
  readonly categories: readonly string[]
}

function listingItem(addresses: ListedAddresses, feed: FeedName, said: Indicator): FeedItem {
  const indicator: Indicator = {
    ...said,
    targetBrand: said.targetBrand && addresses.defangedIn(said.targetBrand),
    malwareFamily: said.malwareFamily && addresses.defangedIn(said.malwareFamily),
  }
  const { type, value, listedAt, threatType, targetBrand } = indicator
  return {
    ...indicatorText(feed, indicator),
    // A new listing of a value is a new item.
    id: toFeedItemId('listing', `${type}:${value}@${listedAt}`),
    link: null,
    date: listedAt,
    arrivedAt: listedAt,
    categories: [threatType, ...(targetBrand === null ? [] : [targetBrand])],
  }
}

function campaignItem(addresses: ListedAddresses, subject: ExportSubject): FeedItem {
  const { key, createdAt: date } = subject
  const name = addresses.defangedIn(subject.name)
  return {
    ...campaignText(name, date),
    id: toFeedItemId('campaign', key),
    link: null,
    date,
    arrivedAt: date,
    categories: ['campaign', name],
  }
}

function newsItem(addresses: ListedAddresses, article: NamedArticle): FeedItem {
  const { key, link, source, publishedAt: date, firstSeen: arrivedAt } = article
  const title = addresses.defangedIn(defangNews(article.title, link))
  const summary = addresses.defangedIn(defangNews(article.summary, link))
  return {
    title,
    paragraphs: [...(summary === '' ? [] : [summary]), `Source: ${source}`],
    id: toFeedItemId('news', `${article.sourceId}:${key}`),
    link: addresses.has(link) ? null : link,
    date,
    arrivedAt,
    categories: ['news'],
  }
}

function reportItem(report: StoredReport): FeedItem {
  const { name, updatedAt: date } = report
  return {
    ...reportText(report),
    id: toFeedItemId('report', name),
    link: null,
    date,
    arrivedAt: date,
    categories: ['report'],
  }
}

/** A candidate for a feed, before its text is written. */
interface Candidate {
  readonly date: number
  item(): FeedItem
}

/** The newest of each kind. */
interface Candidates {
  readonly listings: readonly Candidate[]
  readonly others: readonly Candidate[]
}

const newestFirst = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.toSorted((a, b) => b.date - a.date)

function candidatesFor(store: ReadStore, feed: FeedName): Candidates {
  const addresses = new ListedAddresses(store)
  const listing = (row: Indicator): Candidate => {
    return { date: row.listedAt, item: () => listingItem(addresses, feed, row) }
  }
  if (feed === 'blacklist') {
    return { listings: store.indicators.newestListed(feedItemsMax).map(listing), others: [] }
  }
  const brands = feed === 'professional' ? store.exported.newestBrands(feedItemsMax) : []
  const listings = store.indicators.newestFor(feed, feedItemsMax).map(listing)
  const others = [
    ...brands.map((subject) => {
      return { date: subject.createdAt, item: () => campaignItem(addresses, subject) }
    }),
    ...store.reports.newestFor(feed, feedItemsMax).map((report) => {
      return { date: report.updatedAt, item: () => reportItem(report) }
    }),
    ...store.news.newestFor(feed, feedItemsMax).map((article) => {
      return { date: article.publishedAt, item: () => newsItem(addresses, article) }
    }),
  ]
  return { listings, others: newestFirst(others) }
}

/** Returns the items of a feed, newest first; places are reserved for the newest items other than listings. */
export function feedItems(store: ReadStore, feed: FeedName): readonly FeedItem[] {
  const { listings, others } = candidatesFor(store, feed)
  const kept = others.slice(0, placesForOthers)
  const rest = newestFirst([...listings, ...others.slice(placesForOthers)])
  const chosen = newestFirst([...rest.slice(0, feedItemsMax - kept.length), ...kept])
  return chosen.map((candidate) => candidate.item())
}
