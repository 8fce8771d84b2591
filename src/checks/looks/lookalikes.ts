/**
 * Reads the signs of imitation in a host name: which brands it contains and how, which words are next to
 * them, and its ending. It returns facts; `brand-rules` and `name-rules` score them.
 *
 *     secure . paypal-login24 . top            secure-paypai.pages.dev
 *     ──────   ──────────────   ───            ─────────────  ─────────
 *     left     label            ending         label          ending, of a platform
 *     tokens: secure, paypal, login24          tokens: secure, paypai
 *
 * Each token is searched for brands (`BrandWords`), and so are runs of tokens between hyphens, as one word
 * may be cut up (`coin-base`, `bank-of-america`). O(length of the host), a few microseconds, no I/O.
 */

import { BrandWords, makeMatch, type WordMatch } from './brand-words.ts'
import { type Brands, brandsText, loadBrands } from './brands.ts'
import { type Keyword, loadNameFacts, type NameFacts, nameFactTexts } from './name-facts.ts'
import { type Token, Tokenizer } from './name-tokens.ts'

/** A brand in a name. */
export interface BrandMatch extends WordMatch {
  /** The matched text, as people read it. */
  readonly text: string
  /** The same text as it is written in the host. */
  readonly written: string
  /** Whether it is the whole label, a part of it, or left of it. */
  readonly place: 'label' | 'token' | 'left'
  /** The numbers of the first and the last token it takes. */
  readonly first: number
  readonly last: number
}

/** The facts of a host name. */
export interface NameReading {
  readonly host: string
  /** The label that was registered, or the tenant's on a platform. */
  readonly label: string
  /** The labels left of it, with dots between. */
  readonly left: string
  /** The rest after it: a public suffix, or a platform's apex. */
  readonly ending: string
  readonly isHosted: boolean
  readonly hasRiskyEnding: boolean
  readonly tokens: readonly Token[]
  /** All keywords of the tokens, from the left. */
  readonly keywords: readonly Keyword[]
  readonly brands: readonly BrandMatch[]
}

/** Maximum number of brands of a name that are judged; names do not imitate more at once. */
const brandsMax = 8
/** Maximum number of parts into which a word may be split. */
const runMax = 4
/** Shorter words are not joined from parts. */
const runLengthMin = 6

const noKeywords: readonly Keyword[] = []
const noBrands: readonly BrandMatch[] = []

function collectKeywords(tokens: readonly Token[]): readonly Keyword[] {
  return tokens.every(({ keywords }) => keywords.length === 0)
    ? noKeywords
    : tokens.flatMap(({ keywords }) => keywords)
}

export class Lookalikes {
  readonly #riskyEndings: ReadonlySet<string>
  readonly #tokenizer: Tokenizer
  readonly #words: BrandWords

  constructor(brands: Brands, facts: NameFacts) {
    this.#riskyEndings = facts.riskyEndings
    this.#tokenizer = new Tokenizer(facts)
    this.#words = new BrandWords(brands.all, this.#tokenizer, facts.innocentWords)
  }

  /** Reads `host`, whose own part ends before `ending`; null when there is no such part. */
  read(host: string, ending: string, isHosted: boolean): NameReading | null {
    const nameEnd = host.length - ending.length - 1
    if (nameEnd < 1) return null
    const labelStart = host.lastIndexOf('.', nameEnd - 1) + 1
    const tokens = this.#tokenizer.read(host, labelStart, nameEnd)
    const label = host.slice(labelStart, nameEnd)
    return {
      host,
      label,
      left: labelStart === 0 ? '' : host.slice(0, labelStart - 1),
      ending,
      isHosted,
      hasRiskyEnding: this.#riskyEndings.has(ending.slice(ending.lastIndexOf('.') + 1)),
      tokens,
      keywords: collectKeywords(tokens),
      brands: this.#brands(label, tokens),
    }
  }

  /** Returns at most `brandsMax` brands, searching from the right, where the registered label is. */
  #brands(label: string, tokens: readonly Token[]): readonly BrandMatch[] {
    const found: BrandMatch[] = []
    for (let number = tokens.length - 1; number >= 0 && found.length < brandsMax; number--) {
      const token = tokens[number]
      if (token === undefined) break
      for (const match of this.#words.inToken(token)) {
        found.push(placed(match, tokens, number, number, label))
      }
      const embedded = this.#words.embedded(tokens, number)
      if (embedded !== null) {
        found.push(placed(embedded.match, tokens, number, embedded.last, label))
      }
      const run = token.isAlone ? null : this.#run(tokens, number, label)
      if (run !== null) found.push(run)
    }
    return found.length === 0 ? noBrands : found.reverse()
  }

  /** Returns the brand that the most tokens from number `first` on spell together, or null. */
  #run(tokens: readonly Token[], first: number, label: string): BrandMatch | null {
    let joined = tokens[first]?.text ?? ''
    let longest: BrandMatch | null = null
    for (let last = first + 1; last < Math.min(first + runMax, tokens.length); last++) {
      const token = tokens[last]
      if (token === undefined || token.startsLabel) break
      joined += token.text
      const word = joined.length < runLengthMin ? null : this.#words.named(joined)
      if (word !== null) longest = placed(makeMatch(word, 'same'), tokens, first, last, label)
    }
    return longest
  }
}

/** Adds to a match its place in the name: the tokens from `first` to `last`. */
function placed(
  match: WordMatch,
  tokens: readonly Token[],
  first: number,
  last: number,
  label: string,
): BrandMatch {
  const taken = tokens.slice(first, last + 1)
  const written = taken.map((token) => token.written).join('-')
  const isOfLabel = taken[0]?.isOfLabel === true
  return {
    ...match,
    text: taken.map((token) => token.text).join('-'),
    written,
    place: !isOfLabel ? 'left' : written === label ? 'label' : 'token',
    first,
    last,
  }
}

/** The facts about names that ship with weir. */
export interface NameKnowledge {
  readonly brands: Brands
  readonly facts: NameFacts
  readonly lookalikes: Lookalikes
  /** Changes with every fact. */
  readonly version: string
}

/** Reads the facts that ship with weir and builds the index over them: some ten milliseconds. */
export function loadNameKnowledge(): NameKnowledge {
  const brands = loadBrands()
  const facts = loadNameFacts()
  const version = Bun.hash.xxHash3([brandsText, ...nameFactTexts].join('\0')).toString(16)
  return { brands, facts, lookalikes: new Lookalikes(brands, facts), version }
}
