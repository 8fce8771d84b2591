/**
 * News feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom and JSON Feed. Of an article only what points to it is
 * read: title, link, time and the beginning of what is said of it, in plain text.
 *
 *     text ─▶ findFeedKind ─▶ tidyFeed ─▶ feedsmith ─▶ what an item says ─▶ article, or null
 *
 * A feed is known by what it holds, never by its content type: some are served as web pages. Nothing
 * that a publisher may send is thrown at the caller, and nothing is fetched.
 */

import { parseAtomFeed, parseJsonFeed, parseRdfFeed, parseRssFeed } from 'feedsmith'
import { type NewsArticle, summaryLengthMax } from '../../model/news.ts'
import type { Result } from '../../model/result.ts'
import { type Article, type Refused, refusedRow } from './format.ts'
import { parseNewsLink } from './news-link.ts'
import { findFeedKind, isJsonFeed, tidyFeed, withoutMark } from './news-markup.ts'
import { findFirstHref, htmlToText, shorten, withoutFooter } from './news-text.ts'
import { parseNewsTime } from './news-time.ts'

/** Feeds hold 10 to 100 articles, the newest first. */
export const newsItemsMax = 500
/** The largest of the feeds we know has 2 MB, whole articles and all. */
export const newsCharactersMax = 16 * 1024 ** 2

const titleLengthMax = 300
/** A longer guid names nothing that is worth keeping. */
const keyLengthMax = 500

/** A text that a publisher gave, or did not. */
type Said = string | undefined

/** What an item says of an article, in the order of preference where there are several. */
interface Told {
  readonly key: Said
  readonly title: Said
  readonly links: readonly Said[]
  readonly summaries: readonly Said[]
  readonly times: readonly Said[]
  /** What the links of this item are relative to, where it differs from its feed. */
  readonly base?: Said
}

interface ToldFeed {
  /** What links may be relative to. */
  readonly bases: readonly Said[]
  readonly items: readonly Told[]
}

interface FeedLink {
  readonly href?: string
  readonly rel?: string
}

const listHrefs = (links: readonly FeedLink[] | undefined, rel: string): Said[] =>
  (links ?? []).filter((link) => (link.rel ?? 'alternate') === rel).map(({ href }) => href)

/** Takes an identifier for an address only when it is a whole one: many are numbers or names. */
const asAddress = (identifier: Said): Said =>
  identifier !== undefined && /^https?:\/\//i.test(identifier.trim()) ? identifier : undefined

const options = { maxItems: newsItemsMax }

function readRss(xml: string): ToldFeed {
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

function readRdf(xml: string): ToldFeed {
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

function readAtom(xml: string): ToldFeed {
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

function readJson(text: string): ToldFeed {
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

function readFeed(text: string): ToldFeed | null {
  try {
    if (isJsonFeed(text)) return readJson(text)
    const kind = findFeedKind(text)
    if (kind === null) return null
    const xml = tidyFeed(text, newsItemsMax)
    if (kind === 'rss') return readRss(xml)
    return kind === 'atom' ? readAtom(xml) : readRdf(xml)
  } catch {
    // Whatever the parser makes of a stranger's text, that it is no feed is an answer of this format.
    return null
  }
}

/** Returns the first of the addresses that is absolute, or becomes so by what stands behind it. */
function findBase(bases: readonly Said[], address: string | null): string | null {
  for (const base of bases) {
    const url = base === undefined ? null : URL.parse(base, address ?? undefined)
    if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href
  }
  return address
}

/** Returns what `make` makes of the first text of which it makes anything. */
function findFirst<Made>(texts: readonly Said[], make: (text: string) => Made | null): Made | null {
  for (const text of texts) {
    const made = text === undefined ? null : make(text)
    if (made !== null) return made
  }
  return null
}

const shownText = (html: string): string | null => htmlToText(html) || null

/** Returns the article that an item tells of; null without a title or a link that can be followed. */
function toArticle(told: Told, feedBase: string | null): NewsArticle | null {
  const base = findBase([told.base], feedBase)
  const title = findFirst([told.title], shownText)
  const link = findFirst(told.links, (href) => parseNewsLink(href, base))
  if (title === null || link === null) return null
  const key = findFirst([told.key], shownText)
  const summary = withoutFooter(findFirst(told.summaries, shownText) ?? '')
  return {
    key: key === null || key.length > keyLengthMax ? link : key,
    title: shorten(title, titleLengthMax),
    link,
    summary: shorten(summary, summaryLengthMax),
    publishedAt: findFirst(told.times, parseNewsTime),
  }
}

/**
 * Reads the articles of a feed that was found at `address`, at most `newsItemsMax` in the feed's order;
 * null stands for an item without a title or a link that can be followed. A time is passed on as the
 * feed tells it, however improbable.
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

/** Reads a feed as the items of a source; `address` is where its links begin when the feed does not say. */
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
