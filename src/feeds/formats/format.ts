/**
 * What a feed's format is: it turns text into entries and judges none of them; which entry may be
 * listed is `judge`'s business.
 *
 * Two kinds: *line* formats are read as they stream in, *document* formats as a whole.
 */

import type { Result } from '../../model/result.ts'

/** What an entry claims to be; a `name` may turn out to be an address, or a URL to be malformed. */
export type EntryKind = 'name' | 'url'

export interface LineFormat {
  readonly kind: 'lines'
  readonly entries: EntryKind
  /** Hands every entry of one line to `take`: none for blanks and comments, seldom several. */
  readLine(line: string, take: (text: string) => void): void
}

export interface DocumentFormat {
  readonly kind: 'document'
  readonly entries: EntryKind
  /** Returns the document's entries in order; an entry's line is its place in the list. */
  readDocument(text: string): Result<readonly string[], 'malformed'>
}
