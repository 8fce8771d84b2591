/** The words for news: what weir keeps of an article that somebody else has written. */

/** A summary has at most so many characters: more would be the publisher's text, not a pointer to it. */
export const summaryLengthMax = 300

/** An article as its feed tells of it, in plain text. */
export interface NewsArticle {
  /** What its feed calls it: the guid or id, else the link. */
  readonly key: string
  readonly title: string
  /** An absolute http or https address. */
  readonly link: string
  /** Without markup; at most `summaryLengthMax` characters, perhaps none. */
  readonly summary: string
  /** Milliseconds since the epoch; null when the feed does not say it. */
  readonly publishedAt: number | null
}

/** News is kept for two years: search is for what goes round, not an archive. */
export const newsKeptMs = 730 * 86_400_000

/** Longer titles are not compared beyond this. */
const titleKeyFrom = 1_000

/**
 * Returns what two titles have in common that are the same but for case, punctuation and blanks: letters
 * and digits, one blank between words. Empty for a title that has neither.
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
