/**
 * Reads news feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom and JSON Feed. Of an article only title, link, time
 * and the beginning of its summary are read, in plain text.
 *
 *     text ─▶ findFeedKind ─▶ tidyFeed ─▶ feedsmith ─▶ item ─▶ article, or null
 *
 * A feed is recognised by its content, never by its content type: some are served as web pages. No input
 * makes the reader throw, and nothing is fetched.
 */

import { parseAtomFeed, parseJsonFeed, parseRdfFeed, parseRssFeed } from 'feedsmith'
import { type NewsArticle, summaryLengthMax } from '../../model/news.ts'
import type { Result } from '../../model/result.ts'
import { type Article, type Refused, refusedRow } from './format.ts'
import { parseNewsLink } from './news-link.ts'
import { findFeedKind, isJsonFeed, tidyFeed, withoutMark } from './news-markup.ts'
import { findFirstHref, htmlToText, shorten, withoutFooter } from './news-text.ts'
import { parseNewsTime } from './news-time.ts'

/** The most articles that are read; feeds hold 10 to 100, the newest first. */
export const newsItemsMax = 500
/** The longest feed that is read; the largest known has 2 MB, with whole articles. */
export const newsCharactersMax = 16 * 1024 ** 2

const titleLengthMax = 300
/** The longest guid that is kept as the key of an article. */
const keyLengthMax = 500

/** A text that the publisher may leave out. */
type FeedText = string | undefined

/** An item of a feed; where it has several texts, in the order of preference. */
interface FeedItemTexts {
  readonly key: FeedText
  readonly title: FeedText
  readonly links: readonly FeedText[]
  readonly summaries: readonly FeedText[]
  readonly times: readonly FeedText[]
  /** What the links of this item are relative to, when it differs from the feed's. */
  readonly base?: FeedText
}

interface FeedTexts {
  /** What links may be relative to, in the order of preference. */
  readonly bases: readonly FeedText[]
  readonly items: readonly FeedItemTexts[]
}

interface FeedLink {
  readonly href?: string
  readonly rel?: string
}

const listHrefs = (links: readonly FeedLink[] | undefined, rel: string): FeedText[] =>
  (links ?? []).filter((link) => (link.rel ?? 'alternate') === rel).map(({ href }) => href)

/** Returns an identifier that is an absolute address; many are numbers or names. */
const asAddress = (identifier: FeedText): FeedText =>
  identifier !== undefined && /^https?:\/\//i.test(identifier.trim()) ? identifier : undefined

const options = { maxItems: newsItemsMax }

function readRss(xml: string): FeedTexts {
  const { xml: root, link, atom, items = [] } = parseRssFeed(xml, options)
  return {
    bases: [root?.base, link, ...listHrefs(atom?.links, 'self')],
    items: items.map((item) => ({
      key: item.guid?.value,
      title: item.title ?? item.dc?.titles?.[0],
      links: [
        item.link,
        findFirstHref(item.title ?? '') ?? undefined,
        item.guid?.isPermaLink === false ? undefined : asAddress(item.guid?.value),
        ...listHrefs(item.atom?.links, 'alternate'),
      ],
      summaries: [item.description, item.atom?.summary?.value, item.content?.encoded],
      times: [item.pubDate, item.dc?.dates?.[0], item.atom?.published, item.atom?.updated],
      base: item.xml?.base,
    })),
  }
}

function readRdf(xml: string): FeedTexts {
  const { xml: root, link, atom, items = [] } = parseRdfFeed(xml, options)
  return {
    bases: [root?.base, link, ...listHrefs(atom?.links, 'self')],
    items: items.map((item) => ({
      key: item.rdf?.about,
      title: item.title ?? item.dc?.titles?.[0],
      links: [item.link, asAddress(item.rdf?.about)],
      summaries: [item.description, item.content?.encoded],
      times: [item.dc?.dates?.[0], item.dcterms?.created?.[0], item.dcterms?.modified?.[0]],
      base: item.xml?.base,
    })),
  }
}

function readAtom(xml: string): FeedTexts {
  const { xml: root, links, entries = [] } = parseAtomFeed(xml, options)
  return {
    bases: [root?.base, ...listHrefs(links, 'alternate'), ...listHrefs(links, 'self')],
    items: entries.map((entry) => ({
      key: entry.id,
      title: entry.title?.value,
      links: [...listHrefs(entry.links, 'alternate'), entry.content?.src, asAddress(entry.id)],
      summaries: [entry.summary?.value, entry.content?.value],
      times: [entry.published, entry.updated],
      base: entry.xml?.base,
    })),
  }
}

function readJson(text: string): FeedTexts {
  const { home_page_url: home, feed_url: self, items = [] } = parseJsonFeed(text, options)
  return {
    bases: [home, self],
    items: items.map((item) => ({
      key: item.id,
      title: item.title,
      links: [item.url, item.external_url, asAddress(item.id)],
      summaries: [item.summary, item.content_text, item.content_html],
      times: [item.date_published, item.date_modified],
    })),
  }
}

function readFeed(text: string): FeedTexts | null {
  try {
    if (isJsonFeed(text)) return readJson(text)
    const kind = findFeedKind(text)
    if (kind === null) return null
    const xml = tidyFeed(text, newsItemsMax)
    if (kind === 'rss') return readRss(xml)
    return kind === 'atom' ? readAtom(xml) : readRdf(xml)
  } catch {
    // The parser throws for much of what is not a feed; "malformed" is an expected result.
    return null
  }
}

/** Returns the first of `bases` that is absolute, or becomes so relative to `address`. */
function findBase(bases: readonly FeedText[], address: string | null): string | null {
  for (const base of bases) {
    const url = base === undefined ? null : URL.parse(base, address ?? undefined)
    if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href
  }
  return address
}

/** Returns the first result of `make` that is not null. */
function findFirst<Made>(
  texts: readonly FeedText[],
  make: (text: string) => Made | null,
): Made | null {
  for (const text of texts) {
    const made = text === undefined ? null : make(text)
    if (made !== null) return made
  }
  return null
}

const shownText = (html: string): string | null => htmlToText(html) || null

/** Returns the article of an item; null without a title or a link that can be followed. */
function toArticle(item: FeedItemTexts, feedBase: string | null): NewsArticle | null {
  const base = findBase([item.base], feedBase)
  const title = findFirst([item.title], shownText)
  const link = findFirst(item.links, (href) => parseNewsLink(href, base))
  if (title === null || link === null) return null
  const key = findFirst([item.key], shownText)
  const summary = withoutFooter(findFirst(item.summaries, shownText) ?? '')
  return {
    key: key === null || key.length > keyLengthMax ? link : key,
    title: shorten(title, titleLengthMax),
    link,
    summary: shorten(summary, summaryLengthMax),
    publishedAt: findFirst(item.times, parseNewsTime),
  }
}

/**
 * Reads the articles of a feed that was found at `address`, at most `newsItemsMax` in the feed's order;
 * null is an item without a title or a link that can be followed. Times are returned as the feed gives
 * them, however improbable.
 */
export function readNews(
  text: string,
  address: string | null,
): Result<readonly (NewsArticle | null)[], 'malformed'> {
  const feed = text.length > newsCharactersMax ? null : readFeed(withoutMark(text))
  if (feed === null) return { ok: false, reason: 'malformed' }
  const base = findBase(feed.bases, address)
  return { ok: true, value: feed.items.map((item) => toArticle(item, base)) }
}

/** Reads a feed as the items of a source; links are relative to `address` when the feed names no base. */
export function readNewsItems(
  text: string,
  address: string | null,
): Result<readonly (Article | Refused)[], 'malformed'> {
  const articles = readNews(text, address)
  if (!articles.ok) return articles
  const items = articles.value.map((article) =>
    article === null ? refusedRow('no_article') : ({ kind: 'article', article } as const),
  )
  return { ok: true, value: items }
}
