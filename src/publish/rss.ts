/**
 * The four feeds as RSS 2.0, written once for each state of the database. What is dangerous is text in them
 * and never a link.
 */

import { type FeedName, feedDescriptions } from '../model/audience.ts'
import type { ReadStore } from '../store/store.ts'
import { type FeedItem, feedItems } from './feed-items.ts'

/** How often a reader should come back, in minutes. */
const ttlMinutes = 15

/** A feed that has been written. */
export interface WrittenFeed {
  readonly xml: string
  /** The hash of all it says. */
  readonly digest: string
  /** When it was first read as it is, milliseconds since the epoch: what leaves a feed leaves no date in it. */
  readonly changedAt: number
}

/** What XML 1.0 §2.2 allows no document to hold: control characters, halves of surrogate pairs, two more. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const clean = (text: string): string => text.toWellFormed().replace(notXml, '')

/** Some readers take titles and categories for HTML: without angle brackets there is none in them. */
const toLine = (text: string): string =>
  clean(text).replaceAll('<', '‹').replaceAll('>', '›').replace(/\s+/g, ' ').trim()

/** Descriptions are HTML: the texts, which strangers may have written, are escaped for it. */
const toDescription = ({ paragraphs }: FeedItem): string =>
  paragraphs
    .map((text) => `<p>${Bun.escapeHTML(clean(text)).replaceAll('\n', '<br>')}</p>`)
    .join('')

/** The line breaks that the writer puts around a text with markup; many readers take them for a part of it. */
const breaksAround = /\n\s*(?=<!\[CDATA\[)|(?<=\]\]>)\n\s*(?=<\/)/g

/** The writer, loaded with the first feed that somebody reads: it would add to the time of every start. */
const loadWriter = async () => (await import('feedsmith')).generateRssFeed

type Writer = Awaited<ReturnType<typeof loadWriter>>

/** Writes a feed whose newest item came at a time. */
function written(
  write: Writer,
  feed: FeedName,
  items: readonly FeedItem[],
  publicUrl: string,
  newestAt: number,
): string {
  const { title, description, page } = feedDescriptions[feed]
  const xml = write({
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

/** Reads feeds of a store; each is written again only when something has changed. */
export class RssFeeds {
  readonly #store: ReadStore
  readonly #known = new Map<FeedName, { readonly state: string; readonly feed: WrittenFeed }>()

  constructor(store: ReadStore) {
    this.#store = store
  }

  /** Returns a feed as it is `now`; some two milliseconds when something has changed. */
  async read(feed: FeedName, publicUrl: string, now: number): Promise<WrittenFeed> {
    const write = await loadWriter()
    return this.#store.atOnce(() => {
      const { epoch, seq, textSeq, bornAt } = this.#store.meta()
      const state = `${epoch} ${seq} ${textSeq} ${publicUrl}`
      const known = this.#known.get(feed)
      if (known?.state === state) return known.feed
      const items = feedItems(this.#store, feed)
      const newestAt = Math.max(bornAt, ...items.map(({ arrivedAt }) => arrivedAt))
      const xml = written(write, feed, items, publicUrl, newestAt)
      const digest = new Bun.CryptoHasher('sha256').update(xml).digest('base64url')
      const changedAt = known?.feed.digest === digest ? known.feed.changedAt : now
      const fresh: WrittenFeed = { xml, digest, changedAt }
      this.#known.set(feed, { state, feed: fresh })
      return fresh
    })
  }
}
