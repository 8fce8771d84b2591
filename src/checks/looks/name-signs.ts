/**
 * Predicates of the look-alike rules about a name and a brand in it, each answered from the facts of
 * `lookalikes`. The tables `brand-rules` and `name-rules` score the answers.
 */

import { toUnicode } from '../../model/domain.ts'
import type { BrandMatch, NameReading } from './lookalikes.ts'
import type { Keyword, KeywordKind } from './name-facts.ts'
import type { Token } from './name-tokens.ts'

/** A keyword of this length is not part of another word by chance. */
const longKeyword = 7

/** Kinds of keywords that a page about a brand would not need. */
const telling: ReadonlySet<KeywordKind> = new Set([
  'account',
  'delivery',
  'lure',
  'crypto',
  'strong',
])

/** Reports whether a keyword is typical of phishing. */
export const isPhishingWord = (keyword: Keyword | null): boolean =>
  keyword !== null && telling.has(keyword.kind)

/** Reports whether phishing is common on the ending: a risky one, or a platform's. */
export const isExposed = (name: NameReading): boolean => name.hasRiskyEnding || name.isHosted

/** Returns the tokens of a name that are not the brand's own. */
const tokensApart = (match: BrandMatch, { tokens }: NameReading): readonly Token[] =>
  tokens.filter((_, number) => number < match.first || number > match.last)

/** Reports whether a keyword is telling or about business. */
const isBacking = (keyword: Keyword | null): boolean =>
  keyword !== null && (isPhishingWord(keyword) || keyword.kind === 'business')

/** Reports whether a keyword is one that honest companies put next to their name as well. */
export const isBusiness = (keyword: Keyword | null): boolean => keyword?.kind === 'business'

/** Returns the most telling keyword in the name apart from the brand, or null. */
export function keywordApart(match: BrandMatch, name: NameReading): Keyword | null {
  if (name.keywords.length === 0) return null
  const apart = tokensApart(match, name).flatMap(({ keywords, isFilled }) =>
    keywords.filter(
      (keyword) => isBacking(keyword) && (isFilled || keyword.text.length >= longKeyword),
    ),
  )
  return apart.find(isPhishingWord) ?? apart[0] ?? null
}

/** Words that mean nothing next to a brand. */
const emptyWords: ReadonlySet<string> = new Set('app com info mobile online web www'.split(' '))

/** Reports whether only numbers and empty words are next to the brand. */
export function standsAlone(match: BrandMatch, name: NameReading): boolean {
  return tokensApart(match, name)
    .filter(({ isOfLabel }) => isOfLabel === isRegistered(match))
    .every(({ text }) => emptyWords.has(text) || /[0-9]/.test(text))
}

/** Reports whether only keywords and numbers are next to the brand; an ordinary word among others is not a brand. */
export const isAmongKeywords = (match: BrandMatch, name: NameReading): boolean =>
  tokensApart(match, name).every(({ isFilled, text }) => isFilled || /^[0-9]+$/.test(text))

/** Reports whether two telling keywords are apart from the brand, or one where phishing is common. */
export const isInsistent = (match: BrandMatch, name: NameReading): boolean =>
  isExposed(name) ||
  tokensApart(match, name).filter(({ keywords }) => keywords.some(isPhishingWord)).length > 1

/** Reports whether a keyword is adjacent to the brand, in one token with it. */
export const isBeside = (match: BrandMatch): boolean => isBacking(match.beside)

/** Returns the name of the brand. */
export const formatBrand = ({ word }: BrandMatch): string => word.brand.name

/** Returns the matched text of the host; an A-label with the letters that it is shown as. */
export function shown({ text, written }: BrandMatch): string {
  return written === text ? text : `${written}, which is shown as ${toUnicode(written) ?? text},`
}

/** Reports whether the brand is in the registered label, not left of it. */
export const isRegistered = ({ place }: BrandMatch): boolean => place !== 'left'

/** Reports whether the match has one of these likenesses. */
export const isIn = (match: BrandMatch, likeness: BrandMatch['likeness']): boolean =>
  match.likeness === likeness

/** Reports whether its token begins with the brand, after at most two letters. */
export const isAtStart = ({ word, text, start }: BrandMatch): boolean =>
  start === 0 || (start <= 2 && start + word.text.length === text.length)

/** Reports whether the label is the brand's word only. */
export const isPlain = ({ place, text, word }: BrandMatch): boolean =>
  place === 'label' && text === word.text

/** Reports whether the token begins with `www` without its dot. */
export const isAfterWww = ({ around, start }: BrandMatch): boolean =>
  start > 0 && around.length === 1 && /^w{3,4}$/.test(around[0] ?? '')

/** A short name is part of many others by chance. */
export const isShort = ({ word }: BrandMatch): boolean => word.text.length < 5
