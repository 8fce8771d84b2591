/**
 * Brings text that tries to evade a search into one spelling: look-alike letters, invisible letters,
 * spaced letters.
 *
 * Idempotent; linear in the length.
 */

import { withoutInvisible } from '../../model/characters.ts'

/** The Latin letter for each look-alike letter. */
export type LookalikeLetters = ReadonlyMap<string, string>

/** Marks that combine with no letter into one character: `u̲p̲d̲a̲t̲e̲`. */
const looseMarks = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
/** A longer run of marks than any script uses; the two of Japanese become marks when normalised. */
const markRun = /[\p{M}\uFF9E\uFF9F]{5,}/gu
const marksMax = 4
const word = /\p{L}+/gu
const space = /[\s\p{Cc}]/gu
/** The fewest spaced letters that are joined: `p a y`. */
const spacedLettersMin = 3

/** The longest text that is searched; one character may expand to eighteen (U+FDFA). */
export const searchTextMax = 65_536

/** Cuts runs of marks: normalising sorts them, in time quadratic in their number. */
function withoutMarkRuns(text: string): string {
  return text.replace(markRun, (run) =>
    Array.from(run.slice(0, 2 * marksMax))
      .slice(0, marksMax)
      .join(''),
  )
}

/** Reports whether a letter is in no Latin alphabet of Europe: another script, or a phonetic sign (`ᴀ`, `ɡ`). */
const mayDisguise = (letter: string): boolean => letter > '\u024F'

/** Replaces look-alikes in words that also hold a Latin letter; words in another script stay as they are. */
function foldLookalikes(text: string, letters: LookalikeLetters): string {
  if (/^[\0-\u024F]*$/.test(text)) return text
  return text.replace(word, (whole) => {
    if (/^[\0-\u024F]*$/.test(whole) || !/\p{Script=Latin}/u.test(whole)) return whole
    return Array.from(whole, (letter) =>
      mayDisguise(letter) ? (letters.get(letter) ?? letter) : letter,
    ).join('')
  })
}

const loneLetter = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u
const isLetter = (text: string): boolean => text.length <= 2 && loneLetter.test(text)

/**
 * Joins one run of spaced letters. Where every wider gap separates two letters or more, it separates
 * words: `p a y  n o w`. Otherwise all are one word, so that no letter is left by itself.
 */
function joinLetters(pieces: readonly string[][]): string[] {
  const words = pieces.map((piece) => piece.join(''))
  const count = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (count < spacedLettersMin) return pieces.flat()
  return pieces.every((piece) => piece.length > 1) ? words : [words.join('')]
}

/** Collapses spaces and joins spaced letters. */
function joinSpaced(text: string): string {
  const words: string[] = []
  let run: string[][] = []
  let piece: string[] = []
  const endRun = (): void => {
    if (piece.length > 0) run.push(piece)
    if (run.length > 0) words.push(...joinLetters(run))
    run = []
    piece = []
  }
  for (const part of text.replace(space, ' ').split(' ')) {
    if (isLetter(part)) piece.push(part)
    else if (part !== '') {
      endRun()
      words.push(part)
    } else if (piece.length > 0) {
      run.push(piece)
      piece = []
    }
  }
  endRun()
  return words.join(' ')
}

/** Cuts the text to its limit, between two characters. */
function cut(text: string): string {
  const isInside = (text.charCodeAt(searchTextMax - 1) & 0xfc00) === 0xd800
  return text.length > searchTextMax ? text.slice(0, searchTextMax - (isInside ? 1 : 0)) : text
}

/**
 * Returns the text as it is searched: compatibility forms and look-alikes replaced, lower case,
 * nothing invisible, single spaces, spaced letters joined, at most `searchTextMax`. Accents are kept.
 */
export function toSearchText(text: string, letters: LookalikeLetters): string {
  const start = withoutMarkRuns(withoutInvisible(text.slice(0, searchTextMax).toWellFormed()))
  const lowered = cut(start.normalize('NFKC')).toLowerCase()
  const seen = withoutMarkRuns(withoutInvisible(lowered).replace(looseMarks, '')).normalize('NFKC')
  return foldLookalikes(joinSpaced(cut(seen)), letters)
}
