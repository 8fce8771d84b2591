/**
 * The rules about a brand in a name: each has a code, says how many points it gives (0: it does not
 * apply), and why, in one sentence that names the brand and the evidence.
 *
 * They use the facts that `lookalikes` has read from the name. Points are those of published measurements
 * (Chromium's look-alike heuristics, phishing feeds of 2025 and 2026), tuned by `bun run bench:detection`.
 */

import type { LookalikeCode } from '../../model/verdict.ts'
import type { Likeness } from './brand-words.ts'
import type { BrandMatch, NameReading } from './lookalikes.ts'
import {
  formatBrand,
  isAfterWww,
  isAmongKeywords,
  isAtStart,
  isBeside,
  isBusiness,
  isExposed,
  isIn,
  isInsistent,
  isPhishingWord,
  isPlain,
  isRegistered,
  isShort,
  keywordApart,
  shown,
  standsAlone,
} from './name-signs.ts'

export interface BrandRule {
  readonly code: LookalikeCode
  points(match: BrandMatch, name: NameReading): number
  says(match: BrandMatch, name: NameReading): string
}

/** The likenesses that count for a brand in front of another name. */
const inSubdomain: ReadonlySet<Likeness> = new Set(['same', 'inside', 'near'])

/** Rules about one brand in the name. */
export const brandRules: readonly BrandRule[] = [
  {
    code: 'brand_domain_embedded',
    points: (match) => (match.domain === null ? 0 : 90),
    says: (match) =>
      `It contains ${match.domain}, the address of ${formatBrand(match)}, and is not known to be its own.`,
  },
  {
    code: 'brand_domain_joined',
    points: (match) => (isIn(match, 'joined') && match.text.length >= 9 ? 80 : 0),
    says: (match) =>
      `It contains ${match.text}, the address of ${formatBrand(match)} without its dot.`,
  },
  {
    code: 'brand_homoglyph',
    points: (match) => {
      if (!isIn(match, 'lookalike')) return 0
      return match.place === 'label' ? 85 : match.word.text.length >= 6 ? 70 : 0
    },
    says: (match) =>
      `${shown(match)} is written to look like ${match.word.text} (${formatBrand(match)}).`,
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
      `It sets the name of ${formatBrand(match)} next to "${keywordApart(match, name)?.text}", and is not known to be its own.`,
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
        return isExposed(name) ? 60 : isPhishingWord(match.beside) ? 55 : 0
      }
      if (isExposed(name)) return match.isFilled && length >= 6 && !match.word.isCommon ? 70 : 60
      if (!match.isFilled || match.word.isCommon || isBusiness(match.beside)) return 40
      return length < 6 ? 60 : 70
    },
    says: (match) =>
      `It joins the name of ${formatBrand(match)} with "${isAfterWww(match) ? 'www' : match.beside?.text}", and is not known to be its own.`,
  },
  {
    code: 'brand_on_hosting',
    points: (match, name) => {
      if (!name.isHosted || match.place !== 'label' || !isIn(match, 'same')) return 0
      if (match.word.isCommon || match.word.text.length < 4) return 40
      return isShort(match) ? 55 : 70
    },
    says: (match, name) =>
      `It carries the name of ${formatBrand(match)} on ${name.ending}, where anyone can publish.`,
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
        ? `${match.text} is the name of ${formatBrand(match)} with hyphens or numbers put in, and is not known to be its own.`
        : `It sets the name of ${formatBrand(match)} next to other words, and is not known to be its own.`,
  },
  {
    code: 'brand_inside',
    points: (match, name) => {
      if (!isIn(match, 'inside') || !isRegistered(match) || match.word.isCommon) return 0
      if (match.word.text.length >= 7) return isExposed(name) ? 50 : 35
      return name.hasRiskyEnding && isAtStart(match) ? 45 : 0
    },
    says: (match) =>
      `${match.text} contains the name of ${formatBrand(match)}, and is not known to be its own.`,
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
      `${match.text} is ${match.word.text} (${formatBrand(match)}) with a letter or two changed.`,
  },
  {
    code: 'brand_other_ending',
    points: (match, name) => {
      if (!isIn(match, 'same') || !isPlain(match) || name.isHosted) return 0
      if (match.word.isCommon || isShort(match)) return 0
      return name.hasRiskyEnding ? 40 : 15
    },
    says: (match, name) =>
      `It is the name of ${formatBrand(match)} with the ending ${name.ending}, and is not known to be its own.`,
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
      `It sets the name of ${formatBrand(match)} in front of ${name.label}.${name.ending}, which is not known to be its own.`,
  },
]
