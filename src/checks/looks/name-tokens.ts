/**
 * Cuts a host name into tokens, the parts between dots, hyphens and underscores, and finds the keywords in
 * them: whole, or side by side without anything between (`walletconnect`).
 */

import { isAsciiDigit } from '../../model/characters.ts'
import { toUnicode } from '../../model/domain.ts'
import { readAsAscii } from '../../model/skeleton.ts'
import type { Keyword, NameFacts } from './name-facts.ts'
import { TokenTrie } from './token-trie.ts'

export interface Token {
  /** As people read it: an A-label in the ASCII letters it looks like. */
  readonly text: string
  /** As it is written in the host. */
  readonly written: string
  /** Whether it belongs to the registered label, not to the labels left of it. */
  readonly isOfLabel: boolean
  /** Whether it is the first of its label, or all of it. */
  readonly startsLabel: boolean
  readonly isAlone: boolean
  /** The keyword that it is, but for digits at its ends. */
  readonly keyword: Keyword | null
  /** The keywords that it contains, including itself. */
  readonly keywords: readonly Keyword[]
  /** Whether it consists of keywords only. */
  readonly isFilled: boolean
}

/** Shorter keywords only match as a whole token. */
const keywordLengthMin = 4
/** A token shorter than this holds no two of them. */
const keywordsInsideFrom = 7
/** Maximum number of tokens that are read; real names have fewer. */
const tokensMax = 24

const noKeywords: readonly Keyword[] = []

const dot = 0x2e
const hyphen = 0x2d
const underscore = 0x5f

const isDigitAt = (text: string, at: number): boolean => isAsciiDigit(text.charCodeAt(at))

/** Returns a word without the digits at its ends. */
export function withoutDigits(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isDigitAt(text, start)) start++
  while (end > start && isDigitAt(text, end - 1)) end--
  return end - start === text.length ? text : text.slice(start, end)
}

const sumLengths = (keywords: readonly Keyword[]): number =>
  keywords.reduce((sum, { text }) => sum + text.length, 0)

export class Tokenizer {
  readonly #facts: Pick<NameFacts, 'keywords' | 'confusables'>
  readonly #keywords: readonly Keyword[]
  readonly #trie: TokenTrie

  constructor(facts: Pick<NameFacts, 'keywords' | 'confusables'>) {
    this.#facts = facts
    this.#keywords = [...facts.keywords.values()].filter(
      ({ text }) => text.length >= keywordLengthMin,
    )
    this.#trie = new TokenTrie(this.#keywords.map(({ text }) => text))
  }

  /**
   * Returns the tokens of the first `nameEnd` characters of a host, whose registered label starts at
   * `labelStart`. Of too many tokens the last are read, since the registered label is at the end.
   */
  read(host: string, labelStart: number, nameEnd: number): readonly Token[] {
    const tokens: Token[] = []
    let end = nameEnd
    for (let at = nameEnd - 1; at >= -1 && tokens.length < tokensMax; at--) {
      const code = at === -1 ? dot : host.charCodeAt(at)
      if (code !== dot && code !== hyphen && code !== underscore) continue
      // A-labels hold hyphens of their own, and are read as a whole.
      if (code === hyphen && host.startsWith('xn--', host.lastIndexOf('.', at) + 1)) continue
      if (end > at + 1) tokens.push(this.#token(host.slice(at + 1, end), at + 1, labelStart, host))
      end = at
    }
    return tokens.reverse()
  }

  #token(written: string, start: number, labelStart: number, host: string): Token {
    const text = this.#readable(written)
    const bare = withoutDigits(text)
    const keyword = this.#facts.keywords.get(bare) ?? null
    const keywords = keyword === null ? this.#inside(bare) : [keyword]
    const startsLabel = start === 0 || host.charCodeAt(start - 1) === dot
    return {
      text,
      written,
      isOfLabel: start >= labelStart,
      startsLabel,
      isAlone: startsLabel && host.charCodeAt(start + written.length) === dot,
      keyword,
      keywords,
      isFilled: keyword !== null || (keywords.length > 0 && sumLengths(keywords) === bare.length),
    }
  }

  /** Returns the keywords in a text, from the left, the longest at each place. */
  #inside(text: string): readonly Keyword[] {
    if (text.length < keywordsInsideFrom) return noKeywords
    const places = this.#trie.places(text, 0, text.length)
    if (places.length === 0) return noKeywords
    const inside: Keyword[] = []
    let end = 0
    for (const place of places) {
      if (place.start < end) continue
      const longest = places.findLast(({ start }) => start === place.start) ?? place
      const keyword = this.#keywords[longest.word]
      if (keyword !== undefined) inside.push(keyword)
      end = longest.end
    }
    return inside
  }

  /** Reports whether a text consists of keywords only. */
  isFilled(text: string): boolean {
    return this.#facts.keywords.has(text) || sumLengths(this.#inside(text)) === text.length
  }

  /** Returns the keyword that a text is, begins with or ends in, or null. */
  keywordAt(text: string): Keyword | null {
    const { keywords } = this.#facts
    const whole = keywords.get(text)
    if (whole !== undefined) return whole
    for (let length = text.length - 1; length >= keywordLengthMin; length--) {
      const keyword =
        keywords.get(text.slice(0, length)) ?? keywords.get(text.slice(text.length - length))
      if (keyword !== undefined) return keyword
    }
    return null
  }

  /** Returns an A-label as people read it in ASCII, and any other token unchanged. */
  #readable(written: string): string {
    if (!written.startsWith('xn--')) return written
    const unicode = toUnicode(written)
    return unicode === null ? written : (readAsAscii(unicode, this.#facts.confusables) ?? written)
  }
}
