/**
 * The rules about a brand that stands in a name: each has a code, says how many points it gives (0: it does not
 * apply), and why, in one sentence that names the brand and the evidence.
 *
 * They look at what `index/lookalikes` has read out of the name. Points are those of published measurements
 * (Chromium's look-alike heuristics, phishing feeds of 2025 and 2026), tuned by `bun run bench:detection`.
 */

import type { Likeness } from '../index/brand-words.ts'
import type { BrandMatch, NameReading } from '../index/lookalikes.ts'
import type { Keyword, KeywordKind } from '../index/name-facts.ts'
import type { Token } from '../index/name-tokens.ts'
import { toUnicode } from '../model/domain.ts'
import type { LookalikeCode } from '../model/verdict.ts'

export interface BrandRule {
  readonly code: LookalikeCode
  points(match: BrandMatch, name: NameReading): number
  says(match: BrandMatch, name: NameReading): string
}

/** Words that tell more than that somebody writes about a brand. */
const telling: ReadonlySet<KeywordKind> = new Set([
  'account',
  'delivery',
  'lure',
  'crypto',
  'strong',
])

/** Reports whether a keyword tells something about the name. */
export const isTelling = (keyword: Keyword | null): boolean =>
  keyword !== null && telling.has(keyword.kind)

/** Does the name end where phishing is at home: on a risky ending, or as a tenant of a platform? */
export const isExposed = (name: NameReading): boolean => name.hasRiskyEnding || name.isHosted

/** Returns the tokens of a name that are not the brand's own. */
const tokensApart = (match: BrandMatch, { tokens }: NameReading): readonly Token[] =>
  tokens.filter((_, number) => number < match.first || number > match.last)

/** Does a keyword speak of more than a name, and be it of business? */
const isBacking = (keyword: Keyword | null): boolean =>
  keyword !== null && (isTelling(keyword) || keyword.kind === 'business')

/** Is a keyword one that honest companies put beside their name as well? */
const isBusiness = (keyword: Keyword | null): boolean => keyword?.kind === 'business'

/** Returns a keyword that stands in the name apart from the brand, the most telling; or null. */
function keywordApart(match: BrandMatch, name: NameReading): Keyword | null {
  if (name.keywords.length === 0) return null
  const apart = tokensApart(match, name).flatMap(({ keywords, isFilled }) =>
    keywords.filter(
      (keyword) => isBacking(keyword) && (isFilled || keyword.text.length >= longKeyword),
    ),
  )
  return apart.find(isTelling) ?? apart[0] ?? null
}

/** A keyword of so many letters is no part of another word by chance. */
const longKeyword = 7

/** Words that say nothing beside a brand. */
const emptyWords: ReadonlySet<string> = new Set('app com info mobile online web www'.split(' '))

/** Does nothing stand beside the brand but numbers and words that belong to every name? */
function standsAlone(match: BrandMatch, name: NameReading): boolean {
  return tokensApart(match, name)
    .filter(({ isOfLabel }) => isOfLabel === isRegistered(match))
    .every(({ text }) => emptyWords.has(text) || /[0-9]/.test(text))
}

/** Is all that stands beside the brand keywords and numbers? What is a word as well is no brand among others. */
const isAmongKeywords = (match: BrandMatch, name: NameReading): boolean =>
  tokensApart(match, name).every(({ isFilled, text }) => isFilled || /^[0-9]+$/.test(text))

/** Do two telling keywords stand apart from the brand, or one where phishing is at home? */
const isInsistent = (match: BrandMatch, name: NameReading): boolean =>
  isExposed(name) ||
  tokensApart(match, name).filter(({ keywords }) => keywords.some(isTelling)).length > 1

const isBeside = (match: BrandMatch): boolean => isBacking(match.beside)

const brandOf = ({ word }: BrandMatch): string => word.brand.name

/** Names what stands in the host; an A-label with the letters that it is shown as. */
function shown({ text, written }: BrandMatch): string {
  return written === text ? text : `${written}, which is shown as ${toUnicode(written) ?? text},`
}

const isRegistered = ({ place }: BrandMatch): boolean => place !== 'left'

const isIn = (match: BrandMatch, likeness: BrandMatch['likeness']): boolean =>
  match.likeness === likeness

/** Does its token begin with the brand, but for two letters at most? */
const isAtStart = ({ word, text, start }: BrandMatch): boolean =>
  start === 0 || (start <= 2 && start + word.text.length === text.length)

/** Is the label the brand's word and nothing else? */
const isPlain = ({ place, text, word }: BrandMatch): boolean =>
  place === 'label' && text === word.text

/** Does the token begin with what stands before a name, and its dot left out? */
const isAfterWww = ({ around, start }: BrandMatch): boolean =>
  start > 0 && around.length === 1 && /^w{3,4}$/.test(around[0] ?? '')

/** A short name is met in many others by chance. */
const isShort = ({ word }: BrandMatch): boolean => word.text.length < 5

/** How a brand may stand in front of a name that is not its own. */
const inSubdomain: ReadonlySet<Likeness> = new Set(['same', 'inside', 'near'])

/** Rules about one brand that stands in the name. */
export const brandRules: readonly BrandRule[] = [
  {
    code: 'brand_domain_embedded',
    points: (match) => (match.domain === null ? 0 : 90),
    says: (match) =>
      `It contains ${match.domain}, the address of ${brandOf(match)}, and is not known to be its own.`,
  },
  {
    code: 'brand_domain_joined',
    points: (match) => (isIn(match, 'joined') && match.text.length >= 9 ? 80 : 0),
    says: (match) => `It contains ${match.text}, the address of ${brandOf(match)} without its dot.`,
  },
  {
    code: 'brand_homoglyph',
    points: (match) => {
      if (!isIn(match, 'lookalike')) return 0
      return match.place === 'label' ? 85 : match.word.text.length >= 6 ? 70 : 0
    },
    says: (match) =>
      `${shown(match)} is written to look like ${match.word.text} (${brandOf(match)}).`,
  },
  {
    code: 'brand_with_keyword',
    points: (match, name) => {
      const keyword = keywordApart(match, name)
      if (!isIn(match, 'same') || keyword === null || !isRegistered(match)) return 0
      if (isBusiness(keyword) && !isExposed(name)) return isShort(match) ? 30 : 45
      if (match.word.text.length < 4) {
        if (isExposed(name)) return 55
        return match.word.isCommon ? 30 : 50
      }
      if (!match.word.isCommon) return 75
      return isAmongKeywords(match, name) && isInsistent(match, name) ? 60 : 40
    },
    says: (match, name) =>
      `It sets the name of ${brandOf(match)} beside "${keywordApart(match, name)?.text}", and is not known to be its own.`,
  },
  {
    code: 'brand_joined_keyword',
    points: (match, name) => {
      if (!isIn(match, 'inside')) return 0
      if (isAfterWww(match)) return match.word.text.length >= 5 ? 70 : 55
      if (!isBeside(match)) return 0
      const { length } = match.word.text
      if (length < 5 || (match.word.isCommon && length < 6)) {
        if (match.word.isCommon || !match.isFilled) return 0
        return isExposed(name) ? 60 : isTelling(match.beside) ? 55 : 0
      }
      if (isExposed(name)) return match.isFilled && length >= 6 && !match.word.isCommon ? 70 : 60
      if (!match.isFilled || match.word.isCommon || isBusiness(match.beside)) return 40
      return length < 6 ? 60 : 70
    },
    says: (match) =>
      `It joins the name of ${brandOf(match)} with "${isAfterWww(match) ? 'www' : match.beside?.text}", and is not known to be its own.`,
  },
  {
    code: 'brand_on_hosting',
    points: (match, name) => {
      if (!name.isHosted || match.place !== 'label' || !isIn(match, 'same')) return 0
      if (match.word.isCommon || match.word.text.length < 4) return 40
      return isShort(match) ? 55 : 70
    },
    says: (match, name) =>
      `It carries the name of ${brandOf(match)} on ${name.ending}, where anyone can publish.`,
  },
  {
    code: 'brand_with_words',
    points: (match, name) => {
      if (!isIn(match, 'same') || !isRegistered(match) || isPlain(match)) return 0
      if (match.word.text.length < 4 || match.word.isCommon) return isExposed(name) ? 35 : 20
      if (match.place === 'label') return isExposed(name) ? 55 : 40
      return isExposed(name) || standsAlone(match, name) ? 55 : 40
    },
    says: (match) =>
      match.place === 'label'
        ? `${match.text} is the name of ${brandOf(match)} with hyphens or numbers put in, and is not known to be its own.`
        : `It sets the name of ${brandOf(match)} beside other words, and is not known to be its own.`,
  },
  {
    code: 'brand_inside',
    points: (match, name) => {
      if (!isIn(match, 'inside') || !isRegistered(match) || match.word.isCommon) return 0
      if (match.word.text.length >= 7) return isExposed(name) ? 50 : 35
      return name.hasRiskyEnding && isAtStart(match) ? 45 : 0
    },
    says: (match) =>
      `${match.text} contains the name of ${brandOf(match)}, and is not known to be its own.`,
  },
  {
    code: 'brand_misspelt',
    points: (match, name) => {
      if (!isIn(match, 'near')) return 0
      const { length } = match.word.text
      if (match.place === 'label') {
        const base = match.distance > 1 || length < 8 ? 30 : length === 8 ? 40 : 50
        return base + (isExposed(name) ? 20 : 0)
      }
      if (match.place === 'left') return 0
      const hasMore = isExposed(name) || keywordApart(match, name) !== null
      return length >= 7 && hasMore ? 45 : 0
    },
    says: (match) =>
      `${match.text} is ${match.word.text} (${brandOf(match)}) with a letter or two changed.`,
  },
  {
    code: 'brand_other_ending',
    points: (match, name) => {
      if (!isIn(match, 'same') || !isPlain(match) || name.isHosted) return 0
      if (match.word.isCommon || isShort(match)) return 0
      return name.hasRiskyEnding ? 40 : 15
    },
    says: (match, name) =>
      `It is the name of ${brandOf(match)} with the ending ${name.ending}, and is not known to be its own.`,
  },
  {
    code: 'brand_in_subdomain',
    points: (match, name) => {
      if (isRegistered(match) || !inSubdomain.has(match.likeness)) return 0
      const { text, isCommon } = match.word
      if (text.length < 4) return 10
      const isBacked = keywordApart(match, name) !== null || isBeside(match)
      if (isIn(match, 'near')) return isExposed(name) && text.length >= 6 ? 45 : 20
      if (isIn(match, 'inside')) return text.length >= 7 && (isBacked || isExposed(name)) ? 50 : 15
      if (isCommon) return isBacked && isExposed(name) ? 50 : isBacked ? 40 : 20
      const hasNumber = match.text !== name.left && standsAlone(match, name)
      return isBacked || isExposed(name) || hasNumber ? 50 : 20
    },
    says: (match, name) =>
      `It sets the name of ${brandOf(match)} in front of ${name.label}.${name.ending}, which is not known to be its own.`,
  },
]
