/**
 * What a feed's format is: it turns text into entries; `judge` decides which of them may be listed. What a
 * format leaves out on purpose (a withdrawn row, a row that cannot be read) it returns as refused, so that
 * every row of a feed is counted.
 *
 * *Line* formats are read as they stream in, *document* formats and feeds of news as a whole.
 */

import type { ThreatType } from '../../model/indicator.ts'
import type { NewsArticle } from '../../model/news.ts'
import type { Result } from '../../model/result.ts'
import type { CallCount } from '../../store/batch.ts'

/**
 * What an entry claims to be. A `name` may turn out to be an address and a URL to be malformed; an
 * `address` may have a port; the kind of `any` follows from its form.
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

/** What a feed may give about an entry; undefined where it gives nothing. */
export interface EntryFields {
  readonly threatType?: ThreatType | undefined
  /** 0 to 100. */
  readonly confidence?: number | undefined
  readonly targetBrand?: string | undefined
  readonly malwareFamily?: string | undefined
  /** The source's own page about it. */
  readonly reference?: string | undefined
  /** When the source first saw it, milliseconds since the epoch. */
  readonly firstSeenAt?: number | undefined
  /** When the listing expires, milliseconds since the epoch. */
  readonly validUntilAt?: number | undefined
  /** The reported calls of a phone number, by day and subject. */
  readonly calls?: readonly CallCount[] | undefined
}

/** One row of a feed. */
export interface FeedEntry extends EntryFields {
  readonly kind: EntryKind
  readonly text: string
}

/** Why a format itself leaves a row out. */
export type FormatRefusal =
  /** A row that lacks columns, or whose quotes or fields cannot be read. */
  | 'malformed_row'
  /** The publisher has withdrawn it. */
  | 'withdrawn'
  /** Marked as not to be shared, as by the Traffic Light Protocol. */
  | 'not_shareable'
  /** Context, not an indicator, by the publisher's own mark. */
  | 'not_an_indicator'
  /** A kind that weir does not list. */
  | 'unsupported_type'
  /** A report of a call without its number. */
  | 'no_number'
  /** An article without a title or without a link. */
  | 'no_article'

/** A row that the format leaves out; it is counted. */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: FormatRefusal
}

/** An article of a news feed. */
export interface Article {
  readonly kind: 'article'
  readonly article: NewsArticle
}

/** The result of reading a row of a feed. */
export type Item = FeedEntry | Refused

/** Passes every item of one line to `take`: none for an empty line or a comment, seldom several. */
export type ReadLine = (line: string, take: (item: Item) => void) => void

export interface LineFormat {
  readonly kind: 'lines'
  /** Begins a reading; it keeps what it learns from a header. */
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
   * Resolves to the feed's articles and refused items, in order; links are relative to `address` when the
   * feed names no base.
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

/** Returns an entry with its fields. */
export const toEntry = (kind: EntryKind, text: string, fields: EntryFields): FeedEntry => ({
  kind,
  text,
  ...fields,
})
