/**
 * The four feeds as RSS 2.0, written once for each state of the database. Dangerous addresses are text and
 * never links.
 */

import { type FeedName, feedDescriptions } from '../../model/audience.ts'
import type { ReadStore } from '../../store/store.ts'
import { type FeedItem, feedItems } from './feed-items.ts'

/** How often a feed reader should poll, in minutes. */
const ttlMinutes = 15

/** A feed that has been written. */
export interface WrittenFeed {
  readonly xml: string
  /** The hash of its text. */
  readonly digest: string
  /** When this text was first served, milliseconds since the epoch: a removed item leaves no date in the feed. */
  readonly changedAt: number
}

/** Characters that XML 1.0 §2.2 forbids: control characters, lone surrogates, two more. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const clean = (text: string): string => text.toWellFormed().replace(notXml, '')

/** Returns a text for titles and categories, which some readers parse as HTML: without angle brackets it is none. */
const toLine = (text: string): string =>
  clean(text).replaceAll('<', '‹').replaceAll('>', '›').replace(/\s+/g, ' ').trim()

/** Returns a description in HTML: the texts, which may be from unknown people, are escaped. */
const toDescription = ({ paragraphs }: FeedItem): string =>
  paragraphs
    .map((text) => `<p>${Bun.escapeHTML(clean(text)).replaceAll('\n', '<br>')}</p>`)
    .join('')

/** Line breaks that the generator puts around a text with markup; many readers show them as part of it. */
const breaksAround = /\n\s*(?=<!\[CDATA\[)|(?<=\]\]>)\n\s*(?=<\/)/g

/** Loads the generator with the first requested feed: it would add to the time of every start. */
const loadGenerator = async () => (await import('feedsmith')).generateRssFeed

type Generate = Awaited<ReturnType<typeof loadGenerator>>

/** Returns the XML of a feed whose newest item arrived at `newestAt`. */
function written(
  generate: Generate,
  feed: FeedName,
  items: readonly FeedItem[],
  publicUrl: string,
  newestAt: number,
): string {
  const { title, description, page } = feedDescriptions[feed]
  const xml = generate({
    title,
    description,
    link: `${publicUrl}${page}`,
    language: 'en',
    ttl: ttlMinutes,
    lastBuildDate: new Date(newestAt),
    atom: {
      links: [{ href: `${publicUrl}/api/rss/${feed}`, rel: 'self', type: 'application/rss+xml' }],
    },
    items: items.map((item) => ({
      title: toLine(item.title),
      description: toDescription(item),
      guid: { value: item.id, isPermaLink: false },
      pubDate: new Date(item.date),
      categories: item.categories.map((name) => ({ name: toLine(name) })),
      ...(item.link === null ? {} : { link: item.link }),
    })),
  })
  return xml.replace(breaksAround, '')
}

/** The RSS feeds of a store; each is written again only when something has changed. */
export class RssFeeds {
  readonly #store: ReadStore
  readonly #known = new Map<FeedName, { readonly state: string; readonly feed: WrittenFeed }>()

  constructor(store: ReadStore) {
    this.#store = store
  }

  /** Returns a feed as it is `now`; some two milliseconds when something has changed. */
  async read(feed: FeedName, publicUrl: string, now: number): Promise<WrittenFeed> {
    const generate = await loadGenerator()
    return this.#store.atOnce(() => {
      const { epoch, seq, textSeq, bornAt } = this.#store.meta()
      const state = `${epoch} ${seq} ${textSeq} ${publicUrl}`
      const known = this.#known.get(feed)
      if (known?.state === state) return known.feed
      const items = feedItems(this.#store, feed)
      const newestAt = Math.max(bornAt, ...items.map(({ arrivedAt }) => arrivedAt))
      const xml = written(generate, feed, items, publicUrl, newestAt)
      const digest = new Bun.CryptoHasher('sha256').update(xml).digest('base64url')
      const changedAt = known?.feed.digest === digest ? known.feed.changedAt : now
      const fresh: WrittenFeed = { xml, digest, changedAt }
      this.#known.set(feed, { state, feed: fresh })
      return fresh
    })
  }
}
