/**
 * Phrases of a mail's text by which phishing presses, lures and asks: `data/red-flags.txt`.
 *
 * Weak phrases also stand in honest mail; they count only where strong ones do. No words count twice.
 */

import redFlagsText from '../../../data/red-flags.txt' with { type: 'text' }
import { factLines } from '../../model/fact-lines.ts'
import { type RedFlagCategory, redFlagCategories } from '../../model/mail-risk.ts'
import { createPhraseFinder, type Phrase, type PhraseMatch } from './phrases.ts'
import { withoutSteering } from './plain.ts'

export interface RedFlag {
  readonly category: RedFlagCategory
  /** The words as they stand in the text, cut to `redFlagPhraseMax` characters. */
  readonly phrase: string
  /** One plain sentence about it. */
  readonly message: string
  /** The phrase also stands in honest mail. */
  readonly isWeak: boolean
}

/** A table of phrases that cannot be used; the message names the line and what it may hold. */
export class RedFlagTableError extends Error {
  override readonly name = 'RedFlagTableError'
}

export const redFlagPhraseMax = 80
/** The most phrases of one category that are reported of one mail. */
export const redFlagsOfCategoryMax = 8
/** How many strong phrases make weak ones count. */
const strongForWeakMin = 2
/** How far a weak phrase may stand from a strong one that makes it count. */
const nearCharacters = 600

type Meaning = Omit<RedFlag, 'phrase'>

const isCategory = (text: string): text is RedFlagCategory =>
  redFlagCategories.some((category) => category === text)

/** Reads `[category] message` lines and the phrases below them, `~` before a weak one. */
export function parseRedFlags(text: string): readonly Phrase<Meaning>[] {
  const phrases: Phrase<Meaning>[] = []
  let group: Pick<RedFlag, 'category' | 'message'> | null = null
  for (const line of factLines(text)) {
    if (line.startsWith('[')) {
      const closing = line.indexOf(']')
      const category = line.slice(1, closing)
      const message = line.slice(closing + 1).trim()
      if (!isCategory(category) || message === '') {
        throw new RedFlagTableError(
          `red flags, "${line}": write [category] and a sentence, the category one of ${redFlagCategories.join(', ')}`,
        )
      }
      group = { category, message }
    } else if (group === null) {
      throw new RedFlagTableError(`red flags, "${line}": write a [category] line above it`)
    } else {
      const isWeak = line.startsWith('~')
      const pattern = (isWeak ? line.slice(1) : line).trim()
      phrases.push({ pattern, meaning: { ...group, isWeak } })
    }
  }
  return phrases
}

const finder = createPhraseFinder(parseRedFlags(redFlagsText))

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

/** Returns the weak matches that count: beside two strong ones, a near one of another category. */
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
 * Returns the phrases in the text of a mail as `readMailText` gives it, in their order, at most
 * `redFlagsOfCategoryMax` of a category; of phrases that share words, the first. Weak ones only
 * beside strong ones.
 */
export function findRedFlags(text: string): readonly RedFlag[] {
  const matches = finder.find(text)
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
