/**
 * The words that name brands, and how a token of a name contains one: unchanged (a map), as text that looks
 * the same (a map of skeletons), inside (`TokenTrie`), or with a typo (`NearWords`).
 */

import type { Brand } from '../../model/brand.ts'
import { toUnicode } from '../../model/domain.ts'
import { asciiSkeleton, skeletonHash } from '../../model/skeleton.ts'
import { toSlug } from './brands.ts'
import type { Keyword } from './name-facts.ts'
import { type Token, type Tokenizer, withoutDigits } from './name-tokens.ts'
import { NearWords } from './near-words.ts'
import { TokenTrie } from './token-trie.ts'

/** A word that names a brand. */
export interface BrandWord {
  readonly text: string
  readonly brand: Brand
  /** Whether it is an ordinary word as well. */
  readonly isCommon: boolean
  /** Whether people use it as a name, and not only one of the brand's domains. */
  readonly isSpoken: boolean
}

/**
 * How a name contains a brand's word: unchanged (`same`), as text that looks the same, inside a longer
 * token, with a typo, with its ending and no dot (`paypalcom`), or as a whole official domain with more
 * after it (`paypal.com.evil.example`).
 */
export type Likeness = 'same' | 'lookalike' | 'inside' | 'near' | 'joined' | 'embedded'

/** A brand's word in a token. */
export interface WordMatch {
  readonly word: BrandWord
  readonly likeness: Likeness
  /** The number of edits, where it is near. */
  readonly distance: number
  /** The offset in the token, where it is inside; else 0. */
  readonly start: number
  /** The texts before and after it in its token, where it is inside, without digits at the ends. */
  readonly around: readonly string[]
  /** The keyword that such a text is, begins with or ends in, or null. */
  readonly beside: Keyword | null
  /** Whether those texts are keywords and nothing else. */
  readonly isFilled: boolean
  /** The official domain, where one is embedded; else null. */
  readonly domain: string | null
}

/** A shorter token only matches unchanged. */
const resembledFrom = 5
/** Shorter words are not used as words of a brand. */
const wordLengthMin = 3
/** Shorter words are not searched for inside tokens. */
const insideLengthMin = 4
/** A keyword of this length is not part of a brand's word by chance. */
const overlapFrom = 6

/** Digits and pairs that imitate letters; tokens without any are not compared as look-alikes. */
const imitations = /[013457]|rn|vv/

/** A placeholder in a list of words that never matches. */
const notLookedFor = ''

const noMatches: readonly WordMatch[] = []
const noDomains: readonly OfficialDomain[] = []

/** Returns the words that name a brand: its name, its aliases, and domains that contain one of these. */
function listWords(brand: Brand): BrandWord[] {
  const name = toSlug(brand.name)
  const spoken = [name, ...brand.aliases.map(toSlug)]
  const labels = brand.domains.map((domain) => domain.slice(0, domain.indexOf('.')))
  const registered = labels.filter((label) =>
    spoken.some((word) => word.length >= insideLengthMin && label.includes(word)),
  )
  const texts = [...new Set([...spoken, ...registered, ...registered.map(toSlug)])]
  return texts
    .filter((text) => text.length >= wordLengthMin && /^[a-z0-9-]+$/.test(text))
    .map((text) => ({
      text,
      brand,
      isCommon: brand.isWord && text === name,
      isSpoken: spoken.includes(text),
    }))
}

/** Returns a match of a word with the defaults, except for `how`. */
export function makeMatch(
  word: BrandWord,
  likeness: Likeness,
  how: Partial<Omit<WordMatch, 'word' | 'likeness'>> = {},
): WordMatch {
  const plain = { distance: 0, start: 0, around: [], beside: null, isFilled: false, domain: null }
  return { word, likeness, ...plain, ...how }
}

/** An official domain, split into tokens. */
interface OfficialDomain {
  readonly domain: string
  readonly word: BrandWord
  readonly parts: readonly { readonly text: string; readonly isAfterDot: boolean }[]
  /** Whether hyphens may replace its dots: not where its ending is a word, as in `plus-net-worth`. */
  readonly allowsHyphens: boolean
}

/** The length of the shortest official domain that is searched for, such as `usps.com`. */
const domainLengthMin = 7
/** Endings that are not words. */
const plainEnding = /\.(?:com|gov|org|co\.[a-z]{2}|com\.[a-z]{2}|gov\.[a-z]{2})$/

function officialDomain(domain: string, word: BrandWord): OfficialDomain {
  const parts = domain.split(/(?=[.-])/).map((part, number) => ({
    text: number === 0 ? part : part.slice(1),
    isAfterDot: part.startsWith('.'),
  }))
  return { domain, word, parts, allowsHyphens: plainEnding.test(domain) }
}

/** A word inside a text. */
interface Place {
  readonly word: BrandWord
  readonly start: number
  readonly end: number
}

export class BrandWords {
  readonly #tokenizer: Tokenizer
  readonly #innocent: ReadonlySet<string>
  readonly #words: readonly BrandWord[]
  readonly #byText = new Map<string, BrandWord>()
  /** By the hash of its skeleton; the skeletons themselves are compared when it is met. */
  readonly #bySkeleton = new Map<number, BrandWord>()
  /** By an official domain without its dots. */
  readonly #byJoined = new Map<string, BrandWord>()
  /** Official domains, by their first part. */
  readonly #domains = new Map<string, OfficialDomain[]>()
  readonly #trie: TokenTrie
  readonly #skeletonTrie: TokenTrie
  readonly #near: NearWords

  constructor(brands: readonly Brand[], tokenizer: Tokenizer, innocent: ReadonlySet<string>) {
    this.#tokenizer = tokenizer
    this.#innocent = innocent
    this.#words = brands.flatMap(listWords)
    for (const word of this.#words) {
      const { text } = word
      if (!this.#byText.has(text)) this.#byText.set(text, word)
      const skeleton = skeletonHash(text)
      if (text.length >= resembledFrom && !this.#bySkeleton.has(skeleton)) {
        this.#bySkeleton.set(skeleton, word)
      }
      for (const domain of word.brand.domains) {
        if (domain.startsWith(`${text}.`)) this.#noteDomain(domain, word)
      }
    }
    const inside = this.#words.map(({ text }) =>
      text.length >= insideLengthMin ? text : notLookedFor,
    )
    this.#trie = new TokenTrie(inside)
    this.#skeletonTrie = new TokenTrie(inside.map(asciiSkeleton))
    this.#near = new NearWords(
      this.#words.map(({ text, isSpoken }) => (isSpoken ? text : notLookedFor)),
    )
  }

  #noteDomain(domain: string, word: BrandWord): void {
    this.#byJoined.set(domain.replaceAll('.', ''), word)
    if (domain.length < domainLengthMin) return
    const official = officialDomain(domain, word)
    const first = official.parts[0]?.text ?? ''
    this.#domains.set(first, [...(this.#domains.get(first) ?? []), official])
  }

  /**
   * Returns the official domain that the tokens from number `first` on spell, with more after it, and
   * the number of its last token; or null.
   */
  embedded(
    tokens: readonly Token[],
    first: number,
  ): { readonly match: WordMatch; readonly last: number } | null {
    for (const { domain, word, parts, allowsHyphens } of this.#domains.get(
      tokens[first]?.written ?? '',
    ) ?? noDomains) {
      const last = first + parts.length - 1
      if (last + 1 >= tokens.length) continue
      const isSpelled = parts.every(({ text, isAfterDot }, number) => {
        const token = tokens[first + number]
        if (token?.written !== text) return false
        return number === 0 || token.startsLabel === isAfterDot || (isAfterDot && allowsHyphens)
      })
      if (isSpelled) return { match: makeMatch(word, 'embedded', { domain }), last }
    }
    return null
  }

  /** Returns the word that a text is, or null. */
  named(text: string): BrandWord | null {
    return this.#byText.get(text) ?? null
  }

  /** Returns the brands in a token: at most one unchanged, or one inside and one near. */
  inToken(token: Token): readonly WordMatch[] {
    const { text, written } = token
    const matches = this.#matches(token)
    // With its diacritics it may be the brand's name as its owner writes it.
    return written === text || matches.length === 0
      ? matches
      : matches.filter(({ word }) => !isOwnSpelling(written, word.brand))
  }

  #matches(token: Token): readonly WordMatch[] {
    const { text, written } = token
    const bare = withoutDigits(text)
    const same = this.#byText.get(text) ?? (bare === text ? undefined : this.#byText.get(bare))
    if (same !== undefined) return [makeMatch(same, written === text ? 'same' : 'lookalike')]
    const isOrdinary = token.keyword !== null || this.#innocent.has(text)
    if (bare.length < insideLengthMin || isOrdinary) return noMatches
    const joined = this.#byJoined.get(text)
    if (joined !== undefined) return [makeMatch(joined, 'joined')]
    const lookalike = this.#findLookalike(text)
    if (lookalike !== null) return [makeMatch(lookalike, 'lookalike')]
    const inside = this.#inside(token)
    // One letter more is a typo as well.
    if (inside !== null && inside.around.join('').length !== 1) return [inside]
    const near = this.#near.nearest(bare)
    const word = near === null ? undefined : this.#words[near.number]
    const isNear = near !== null && word !== undefined
    const misspelt = isNear ? [makeMatch(word, 'near', { distance: near.distance })] : noMatches
    return inside === null ? misspelt : [inside, ...misspelt]
  }

  #findLookalike(text: string): BrandWord | null {
    if (text.length < resembledFrom) return null
    const word = this.#bySkeleton.get(skeletonHash(text))
    return word !== undefined && asciiSkeleton(word.text) === asciiSkeleton(text) ? word : null
  }

  /** Returns the longest brand inside a token, unchanged or with digits for letters. */
  #inside(token: Token): WordMatch | null {
    const { text } = token
    const asIs = this.#longest(this.#trie, text, token)
    if (asIs !== null) return this.#insideMatch(asIs, text)
    if (!imitations.test(text)) return null
    const skeleton = asciiSkeleton(text)
    const disguised = this.#longest(this.#skeletonTrie, skeleton, token)
    if (disguised === null || disguised.word.text.length < resembledFrom) return null
    // Where pairs were made one letter, places are those of the skeleton.
    return this.#insideMatch(disguised, skeleton.length === text.length ? text : skeleton)
  }

  #longest(trie: TokenTrie, text: string, token: Token): Place | null {
    let longest: Place | null = null
    for (const { word: number, start, end } of trie.places(text, 0, text.length)) {
      const word = this.#words[number]
      if (word === undefined || word.text.length <= (longest?.word.text.length ?? 0)) continue
      if (!isCutByKeyword(token, start, end)) longest = { word, start, end }
    }
    return longest
  }

  #insideMatch({ word, start, end }: Place, text: string): WordMatch {
    const around = [text.slice(0, start), text.slice(end)]
      .map(withoutDigits)
      .filter((part) => part !== '')
    const keywords = around.map((part) => this.#tokenizer.keywordAt(part))
    const beside = keywords.find((keyword) => keyword !== null) ?? null
    const isFilled = around.every((part) => this.#tokenizer.isFilled(part))
    return makeMatch(word, 'inside', { start, around, beside, isFilled })
  }
}

/** Returns the letters and digits of a text in lower case, with diacritics. */
const keepLetters = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Reports whether an A-label is the brand's name as its owner writes it: `crédit-agricole`. */
function isOwnSpelling(label: string, { name, aliases }: Brand): boolean {
  const spelled = keepLetters(toUnicode(label) ?? label)
  return [name, ...aliases].some((own) => keepLetters(own) === spelled)
}

/** Reports whether a long keyword begins before a place and ends within it: `airdrop` in `airdropbox`. */
function isCutByKeyword({ text, keywords }: Token, start: number, end: number): boolean {
  return keywords.some(({ text: keyword }) => {
    if (keyword.length < overlapFrom) return false
    const at = text.indexOf(keyword)
    const keywordEnd = at + keyword.length
    return at !== -1 && at < start && keywordEnd > start && keywordEnd < end
  })
}
