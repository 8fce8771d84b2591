/** Search results as they are written: one shape for addresses, articles and reports. */

import { defang, defangNews, defangText, shownValue } from '../model/defang.ts'
import type { Indicator } from '../model/indicator.ts'
import { summaryLengthMax } from '../model/news.ts'
import { toFeedItemId } from '../model/stix-id.ts'
import type { ListedAddresses } from '../publish/listed-addresses.ts'
import { reportText } from '../publish/rss/feed-texts.ts'
import { timeText } from '../publish/wire.ts'
import type { NamedArticle } from '../store/news.ts'
import type { StoredReport } from '../store/reports.ts'

/** One result on the wire. */
export interface SearchResult {
  readonly type: 'url' | 'news' | 'scam'
  /** Unique among all results, and stable. */
  readonly id: string
  readonly title: string
  /** The listed address itself, which must not be made a link; of news, the address of the article. */
  readonly url: string | null
  /** The address defanged for display; null where `url` may be opened. */
  readonly defanged: string | null
  readonly summary: string
  readonly threat_level: Indicator['threatLevel'] | null
  readonly target_brand: string | null
  readonly published_at: string
}

export function addressResult(indicator: Indicator): SearchResult {
  const { type, value, threatType, targetBrand, sources, listedAt } = indicator
  const defanged = shownValue(type, value)
  const pretence = targetBrand === null ? '' : ` that imitates ${targetBrand}`
  return {
    type: 'url',
    id: toFeedItemId('listing', `${type}:${value}`),
    title: defanged,
    url: value,
    defanged,
    summary: `Listed for ${threatType}${pretence} by ${sources.join(', ')}.`,
    threat_level: indicator.threatLevel,
    target_brand: targetBrand,
    published_at: timeText(listedAt),
  }
}

/** Returns an article as a result, with listed addresses defanged. */
export function newsResult(article: NamedArticle, addresses: ListedAddresses): SearchResult {
  const { link, source, summary } = article
  const written = (text: string): string => addresses.defangedIn(defangNews(text, link))
  return {
    type: 'news',
    id: toFeedItemId('news', `${article.sourceId}:${article.key}`),
    title: written(article.title),
    url: link,
    defanged: addresses.has(link) ? defang(link) : null,
    summary: summary === '' ? source : `${source}: ${written(summary)}`,
    threat_level: null,
    target_brand: null,
    published_at: timeText(article.publishedAt),
  }
}

/** Returns a text cut to the length of a summary. */
const shortened = (text: string): string =>
  text.length <= summaryLengthMax ? text : `${text.slice(0, summaryLengthMax - 1).toWellFormed()}…`

export function reportResult(report: StoredReport): SearchResult {
  const { value, valueType: type, description } = report
  return {
    type: 'scam',
    id: toFeedItemId('report', report.name),
    title: reportText(report).title,
    url: type === null ? null : value,
    defanged: type === null || value === null ? null : shownValue(type, value),
    summary: shortened(defangText(description ?? (type === null ? (value ?? '') : ''))),
    threat_level: null,
    target_brand: report.targetBrand === null ? null : defangText(report.targetBrand),
    published_at: timeText(report.updatedAt),
  }
}
