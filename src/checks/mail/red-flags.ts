/**
 * Finds the phrases by which phishing mails press, lure and ask: `data/red-flags.txt`.
 *
 * Weak phrases also occur in honest mail; they count only where strong ones do. No words count twice.
 */

import redFlagsText from '../../../data/red-flags.txt' with { type: 'text' }
import { withoutSteering } from '../../model/characters.ts'
import { type RedFlagCategory, redFlagCategories } from '../../model/mail-risk.ts'
import {
  type Phrase,
  PhraseError,
  PhraseFinder,
  type PhraseMatch,
  parsePhraseTable,
} from '../../model/phrases.ts'

export interface RedFlag {
  readonly category: RedFlagCategory
  /** The words as they are in the text, cut to `redFlagPhraseMax` characters. */
  readonly phrase: string
  /** One plain sentence about it. */
  readonly message: string
  /** The phrase also occurs in honest mail. */
  readonly isWeak: boolean
}

export const redFlagPhraseMax = 80
/** The most phrases of one category that are reported of one mail. */
export const redFlagsOfCategoryMax = 8
/** The fewest strong phrases that make weak ones count. */
const strongForWeakMin = 2
/** The greatest distance of a weak phrase from a strong one that makes it count. */
const nearCharacters = 600

type Meaning = Omit<RedFlag, 'phrase'>

const isCategory = (text: string): text is RedFlagCategory =>
  redFlagCategories.some((category) => category === text)

/** Reads the table: each group names a category, and has a sentence about its phrases. */
export function parseRedFlags(text: string): readonly Phrase<Meaning>[] {
  return parsePhraseTable(text).flatMap(({ name, note: message, phrases }) => {
    if (!isCategory(name) || message === '') {
      throw new PhraseError(
        `red flags, "[${name}] ${message}": write [category] and a sentence, the category one of ${redFlagCategories.join(', ')}`,
      )
    }
    return phrases.map(({ pattern, mark }) => ({
      pattern,
      meaning: { category: name, message, isWeak: mark === 'weak' },
    }))
  })
}

const finder = new PhraseFinder(parseRedFlags(redFlagsText))

type Match = PhraseMatch<Meaning>

const sharesWords = (match: Match, other: Match): boolean =>
  match.start < other.end && other.start < match.end

/** Returns the matches that share no words with an earlier one, at most the limit of each category. */
function distinct(matches: readonly Match[]): Match[] {
  const kept: Match[] = []
  for (const match of matches) {
    const { category } = match.meaning
    const count = kept.filter((other) => other.meaning.category === category).length
    if (count === redFlagsOfCategoryMax) continue
    if (!kept.some((other) => sharesWords(match, other))) kept.push(match)
  }
  return kept
}

/** Returns the weak matches that count: with two strong ones, one of them near and of another category. */
function backed(weak: readonly Match[], strong: readonly Match[]): Match[] {
  if (strong.length < strongForWeakMin) return []
  return weak.filter(
    (match) =>
      !strong.some((other) => sharesWords(match, other)) &&
      strong.some(
        (other) =>
          other.meaning.category !== match.meaning.category &&
          Math.abs(other.start - match.start) <= nearCharacters,
      ),
  )
}

/**
 * Returns the phrases in the text of a mail, read by `readMailText`, in their order, at most
 * `redFlagsOfCategoryMax` of a category; of phrases that share words, the first. Weak ones are returned
 * only with strong ones.
 */
export function findRedFlags(text: string): readonly RedFlag[] {
  const matches = finder.findEach(text)
  const strong = distinct(matches.filter(({ meaning }) => !meaning.isWeak))
  const weak = backed(
    matches.filter(({ meaning }) => meaning.isWeak),
    strong,
  )
  // The strong go first, so that the weak never take their places.
  return distinct([...strong, ...weak])
    .sort((a, b) => a.start - b.start)
    .map(({ meaning, start, end }) => ({
      ...meaning,
      phrase: withoutSteering(
        text.slice(start, Math.min(end, start + redFlagPhraseMax)).toWellFormed(),
      ),
    }))
}
