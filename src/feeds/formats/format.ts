/**
 * What a feed's format is: it turns text into entries and judges none of them; which entry may be
 * listed is `judge`'s business. What a format leaves out on purpose (a withdrawn row, a row that
 * cannot be read) it hands over as refused, so that every row of a feed is counted.
 *
 * *Line* formats are read as they stream in, *document* formats as a whole, and so are feeds of news.
 */

import type { ThreatType } from '../../model/indicator.ts'
import type { NewsArticle } from '../../model/news.ts'
import type { Result } from '../../model/result.ts'
import type { CallCount } from '../../store/batch.ts'

/**
 * What an entry claims to be. A `name` may turn out to be an address and a URL to be malformed; an
 * `address` may carry a port; `any` is told by how it is written.
 */
export type EntryKind =
  | 'name'
  | 'url'
  | 'address'
  | 'network'
  | 'digest'
  | 'email'
  | 'phone'
  | 'any'

/** One row of a feed, with what the feed says of it; absent is what it does not say. */
export interface FeedEntry {
  readonly kind: EntryKind
  readonly text: string
  readonly threatType?: ThreatType
  /** 0 to 100. */
  readonly confidence?: number
  readonly targetBrand?: string
  readonly malwareFamily?: string
  /** The source's own page about it. */
  readonly reference?: string
  /** When the source first saw it, milliseconds since the epoch. */
  readonly firstSeenAt?: number
  /** When the source's word ends, milliseconds since the epoch. */
  readonly validUntilAt?: number
  /** Of a phone number: the calls that were reported, by day and subject. */
  readonly calls?: readonly CallCount[]
}

/** Why a format itself leaves a row out. */
export type FormatRefusal =
  /** A row that lacks columns, or whose quotes or fields cannot be read. */
  | 'malformed_row'
  /** The publisher has taken it back. */
  | 'withdrawn'
  /** Marked as not to be passed on, as by the Traffic Light Protocol. */
  | 'not_shareable'
  /** Context, not an indicator, by the publisher's own mark. */
  | 'not_an_indicator'
  /** A kind of thing that weir does not list. */
  | 'unsupported_type'
  /** A call whose number nobody saw. */
  | 'no_number'
  /** An article without a title, or without an address that leads to it. */
  | 'no_article'

/** A row that the format leaves out, for the count. */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: FormatRefusal
}

/** An article of a feed of news. */
export interface Article {
  readonly kind: 'article'
  readonly article: NewsArticle
}

/** What a row of a feed comes to. */
export type Item = FeedEntry | Refused

/** Hands every item of one line to `take`: none for blanks and comments, seldom several. */
export type ReadLine = (line: string, take: (item: Item) => void) => void

export interface LineFormat {
  readonly kind: 'lines'
  /** Begins a reading; what it learns from a header is its own. */
  open(): ReadLine
}

export interface DocumentFormat {
  readonly kind: 'document'
  /** Returns the document's items in order; an item's line is its place among them. */
  read(text: string): Result<readonly Item[], 'malformed'>
}

export interface NewsFormat {
  readonly kind: 'news'
  /**
   * Resolves to the feed's articles, and what is none, in order; `address` is where its links begin when
   * the feed does not say.
   */
  read(
    text: string,
    address: string | null,
  ): Promise<Result<readonly (Article | Refused)[], 'malformed'>>
}

/** Returns a row that is left out for this reason. */
export function refusedRow(reason: FormatRefusal): Refused {
  return { kind: 'refused', reason }
}
