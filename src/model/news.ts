/** News: what weir stores of an article by another publisher. */

/** Maximum number of characters of a summary; more would copy the article, not point to it. */
export const summaryLengthMax = 300

/** An article as in its feed, in plain text. */
export interface NewsArticle {
  /** Its guid or id in the feed, otherwise its link. */
  readonly key: string
  readonly title: string
  /** An absolute http or https address. */
  readonly link: string
  /** Without markup; at most `summaryLengthMax` characters, possibly empty. */
  readonly summary: string
  /** Milliseconds since the epoch; null when the feed has no date. */
  readonly publishedAt: number | null
}

/** News is kept for two years: search is for current scams, not an archive. */
export const newsKeptMs = 730 * 86_400_000

/** The number of characters of a title that are compared. */
const titleKeyFrom = 1_000

/**
 * Returns a key that is equal for titles that differ only in case, punctuation and spaces: letters and digits,
 * one space between words. Empty for a title without letters and digits.
 */
export function toTitleKey(title: string): string {
  return title
    .slice(0, titleKeyFrom)
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}
