/**
 * What the rules of looks ask of a name and of a brand that stands in it: plain questions, each answered from what
 * `index/lookalikes` has read. What an answer is worth stands in the tables, `brand-rules` and `name-rules`.
 */

import type { BrandMatch, NameReading } from '../index/lookalikes.ts'
import type { Keyword, KeywordKind } from '../index/name-facts.ts'
import type { Token } from '../index/name-tokens.ts'
import { toUnicode } from '../model/domain.ts'

/** A keyword of so many letters is no part of another word by chance. */
const longKeyword = 7

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
export const isBusiness = (keyword: Keyword | null): boolean => keyword?.kind === 'business'

/** Returns a keyword that stands in the name apart from the brand, the most telling; or null. */
export function keywordApart(match: BrandMatch, name: NameReading): Keyword | null {
  if (name.keywords.length === 0) return null
  const apart = tokensApart(match, name).flatMap(({ keywords, isFilled }) =>
    keywords.filter(
      (keyword) => isBacking(keyword) && (isFilled || keyword.text.length >= longKeyword),
    ),
  )
  return apart.find(isTelling) ?? apart[0] ?? null
}

/** Words that say nothing beside a brand. */
const emptyWords: ReadonlySet<string> = new Set('app com info mobile online web www'.split(' '))

/** Does nothing stand beside the brand but numbers and words that belong to every name? */
export function standsAlone(match: BrandMatch, name: NameReading): boolean {
  return tokensApart(match, name)
    .filter(({ isOfLabel }) => isOfLabel === isRegistered(match))
    .every(({ text }) => emptyWords.has(text) || /[0-9]/.test(text))
}

/** Is all that stands beside the brand keywords and numbers? What is a word as well is no brand among others. */
export const isAmongKeywords = (match: BrandMatch, name: NameReading): boolean =>
  tokensApart(match, name).every(({ isFilled, text }) => isFilled || /^[0-9]+$/.test(text))

/** Do two telling keywords stand apart from the brand, or one where phishing is at home? */
export const isInsistent = (match: BrandMatch, name: NameReading): boolean =>
  isExposed(name) ||
  tokensApart(match, name).filter(({ keywords }) => keywords.some(isTelling)).length > 1

/** Does a keyword stand right beside the brand, in one token with it? */
export const isBeside = (match: BrandMatch): boolean => isBacking(match.beside)

/** Names the brand. */
export const formatBrand = ({ word }: BrandMatch): string => word.brand.name

/** Names what stands in the host; an A-label with the letters that it is shown as. */
export function shown({ text, written }: BrandMatch): string {
  return written === text ? text : `${written}, which is shown as ${toUnicode(written) ?? text},`
}

/** Does the brand stand in what was registered, not left of it? */
export const isRegistered = ({ place }: BrandMatch): boolean => place !== 'left'

/** Does the brand stand there in this way? */
export const isIn = (match: BrandMatch, likeness: BrandMatch['likeness']): boolean =>
  match.likeness === likeness

/** Does its token begin with the brand, but for two letters at most? */
export const isAtStart = ({ word, text, start }: BrandMatch): boolean =>
  start === 0 || (start <= 2 && start + word.text.length === text.length)

/** Is the label the brand's word and nothing else? */
export const isPlain = ({ place, text, word }: BrandMatch): boolean =>
  place === 'label' && text === word.text

/** Does the token begin with what stands before a name, and its dot left out? */
export const isAfterWww = ({ around, start }: BrandMatch): boolean =>
  start > 0 && around.length === 1 && /^w{3,4}$/.test(around[0] ?? '')

/** A short name is met in many others by chance. */
export const isShort = ({ word }: BrandMatch): boolean => word.text.length < 5
