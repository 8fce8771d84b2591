/**
 * Groups of digits in plainly read text, and what may join them to one number.
 *
 *     call +1 (202) 555-0101 or 4111 1111.1111-1111
 *           ╵  ╰─╯  ╰─╯ ╰──╯    ╰──╯ ╰──╯ ╰──╯ ╰──╯
 *     joined:   *    *   *            *    *    *
 */

/** Something found in a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What a gap between two groups may be made of. */
export const gapCharacters = ' \\n.\\-()[\\]*'
/** What it may hold besides in paths, queries and names of files: a number there needs more of a shape. */
export const pathCharacters = '/_+'
/** What it may hold besides between the groups of a card. */
export const cardCharacters = ':|~,;=#\\\\'
export const gapMax = 5

/** How a group follows the one before it. */
export const joints = { apart: 0, joined: 1, joinedAsInPaths: 2 } as const

/** Digits without a break. */
export interface Group extends Span {
  readonly joint: (typeof joints)[keyof typeof joints]
  /** A plus sign stands before it, perhaps with a bracket between. */
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
