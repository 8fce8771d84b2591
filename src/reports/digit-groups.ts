/**
 * Groups of digits in a plain reading, and the characters that may join them to one number.
 *
 *     call +1 (202) 555-0101 or 4111 1111.1111-1111
 *           ╵  ╰─╯  ╰─╯ ╰──╯    ╰──╯ ╰──╯ ╰──╯ ╰──╯
 *     joined:   *    *   *            *    *    *
 */

/** A part of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Characters of a gap between two groups. */
export const gapCharacters = ' \\n.\\-()[\\]*'
/** Further ones in paths, queries and file names, where a number must have a clearer shape. */
export const pathCharacters = '/_+'
/** Further ones between the groups of a card number. */
export const cardCharacters = ':|~,;=#\\\\'
export const gapMax = 5

/** How a group follows the one before it. */
export const joints = { apart: 0, joined: 1, joinedAsInPaths: 2 } as const

/** Consecutive digits. */
export interface Group extends Span {
  readonly joint: (typeof joints)[keyof typeof joints]
  /** It follows a plus sign, perhaps with a bracket between. */
  readonly hasPlus: boolean
}

const gap = new RegExp(`^[${gapCharacters}${pathCharacters}]+$`)
const path = new RegExp(`[${pathCharacters}]`)
const plusSign = /\+ ?[([]?$/
const plusMax = 3

function findJoint(text: string, from: number, to: number): Group['joint'] {
  if (to - from > gapMax) return joints.apart
  const between = text.slice(from, to)
  if (between === ' ' || between === '-') return joints.joined
  if (!gap.test(between)) return joints.apart
  return path.test(between) ? joints.joinedAsInPaths : joints.joined
}

/** Returns the groups of a text, in order. */
export function findDigitGroups(text: string): Group[] {
  const groups: Group[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const { 0: digits, index: start } of text.matchAll(/\d+/g)) {
    const joint = findJoint(text, end, start)
    const hasPlus =
      text.charCodeAt(start - 1) < 0x2c &&
      plusSign.test(text.slice(Math.max(start - plusMax, 0), start))
    end = start + digits.length
    groups.push({ start, end, joint, hasPlus })
  }
  return groups
}
