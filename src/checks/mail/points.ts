/**
 * Weighs the phrases of a mail: points per kind, capped, and more where kinds occur together.
 *
 * Words alone prove nothing: one kind stays below `medium`, all of them below `high`.
 */

import type { RedFlagCategory } from '../../model/mail-risk.ts'
import type { RedFlag } from './red-flags.ts'

export type BodyReasonCode =
  | RedFlagCategory
  | 'urgency_and_personal_data'
  | 'urgency_and_payment'
  | 'payment_and_personal_data'

export interface BodyPoints {
  readonly code: BodyReasonCode
  readonly points: number
  readonly message: string
}

/** The most points of all phrases together: the top of `medium`. */
export const bodyPointsMax = 69

interface Weight {
  readonly strong: number
  readonly weak: number
  readonly max: number
  readonly message: string
}

const weights: Readonly<Record<RedFlagCategory, Weight>> = {
  urgency: { strong: 8, weak: 4, max: 24, message: 'The text presses or frightens the reader.' },
  payment: { strong: 8, weak: 4, max: 24, message: 'The text mentions money to be paid or won.' },
  personal_data: {
    strong: 12,
    weak: 6,
    max: 30,
    message: 'The text asks for a sign-in or personal data.',
  },
}

interface Pair {
  readonly code: BodyReasonCode
  readonly of: readonly [RedFlagCategory, RedFlagCategory]
  readonly points: number
  readonly message: string
}

const pairs: readonly Pair[] = [
  {
    code: 'urgency_and_personal_data',
    of: ['urgency', 'personal_data'],
    points: 15,
    message: 'It presses the reader and asks for a sign-in or personal data.',
  },
  {
    code: 'urgency_and_payment',
    of: ['urgency', 'payment'],
    points: 10,
    message: 'It presses the reader and mentions money.',
  },
  {
    code: 'payment_and_personal_data',
    of: ['payment', 'personal_data'],
    points: 12,
    message: 'It mentions money and asks for a sign-in or personal data.',
  },
]

/** Returns the reasons of the phrases with their points; together at most `bodyPointsMax`. */
export function bodyPoints(flags: readonly RedFlag[]): readonly BodyPoints[] {
  const reasons: BodyPoints[] = []
  let left = bodyPointsMax
  const note = (code: BodyReasonCode, points: number, message: string): void => {
    const counted = Math.min(points, left)
    left -= counted
    if (counted > 0) reasons.push({ code, points: counted, message })
  }
  const has = (category: RedFlagCategory): boolean =>
    flags.some((flag) => flag.category === category)
  for (const category of ['urgency', 'payment', 'personal_data'] as const) {
    const { strong, weak, max, message } = weights[category]
    const sum = flags
      .filter((flag) => flag.category === category)
      .reduce((points, flag) => points + (flag.isWeak ? weak : strong), 0)
    note(category, Math.min(sum, max), message)
  }
  for (const { code, of, points, message } of pairs) {
    if (of.every(has)) note(code, points, message)
  }
  return reasons
}
