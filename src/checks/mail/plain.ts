/**
 * One spelling for text that wants to escape a search: letters in disguise, letters that cannot be
 * seen, letters set apart.
 *
 * `toSearchText` of its own result is that result. Linear in the length.
 */

import { withoutInvisible } from '../../model/characters.ts'

/** For each look-alike letter, the Latin letter it is taken for. */
export type LookalikeLetters = ReadonlyMap<string, string>

/** Marks that no letter was composed with: `u̲p̲d̲a̲t̲e̲`. */
const looseMarks = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
/** A run of marks beyond what any script writes; the two of Japanese become marks when normalised. */
const markRun = /[\p{M}\uFF9E\uFF9F]{5,}/gu
const marksMax = 4
const word = /\p{L}+/gu
const blank = /[\s\p{Cc}]/gu
/** Letters set apart by blanks are joined when there are at least so many: `p a y`. */
const spacedLettersMin = 3

/** The longest text that is searched; one character may stand for eighteen (U+FDFA). */
export const searchTextMax = 65_536

/** Cuts runs of marks short: normalising sorts them, in time that grows with the square of their number. */
function withoutMarkRuns(text: string): string {
  return text.replace(markRun, (run) =>
    Array.from(run.slice(0, 2 * marksMax))
      .slice(0, marksMax)
      .join(''),
  )
}

/** Letters that no Latin alphabet of Europe has: other scripts and phonetic signs (`ᴀ`, `ɡ`). */
const mayDisguise = (letter: string): boolean => letter > '\u024F'

/** Replaces look-alikes in words that also hold a Latin letter; a word in another script is left alone. */
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
 * Joins one run of letters set apart. Where every wider gap parts two letters or more, it parts
 * words: `p a y  n o w`. Else all are one word, so that no letter stays alone.
 */
function joinLetters(pieces: readonly string[][]): string[] {
  const words = pieces.map((piece) => piece.join(''))
  const count = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (count < spacedLettersMin) return pieces.flat()
  return pieces.every((piece) => piece.length > 1) ? words : [words.join('')]
}

/** Collapses blanks and joins letters that stand apart. */
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
  for (const part of text.replace(blank, ' ').split(' ')) {
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
 * nothing invisible, single blanks, letters set apart joined, at most `searchTextMax`. Accents stay.
 */
export function toSearchText(text: string, letters: LookalikeLetters): string {
  const start = withoutMarkRuns(withoutInvisible(text.slice(0, searchTextMax).toWellFormed()))
  const lowered = cut(start.normalize('NFKC')).toLowerCase()
  const seen = withoutMarkRuns(withoutInvisible(lowered).replace(looseMarks, '')).normalize('NFKC')
  return foldLookalikes(joinSpaced(cut(seen)), letters)
}
