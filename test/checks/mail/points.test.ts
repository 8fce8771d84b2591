/** What phrases weigh, alone and together. */

import { describe, expect, test } from 'bun:test'
import { bodyPoints, bodyPointsMax } from '../../../src/checks/mail/points.ts'
import type { RedFlag } from '../../../src/checks/mail/red-flags.ts'
import type { RedFlagCategory } from '../../../src/model/mail-risk.ts'

const flag = (category: RedFlagCategory, isWeak = false): RedFlag => ({
  category,
  phrase: 'p',
  message: 'm',
  isWeak,
})
const flags = (urgency: number, payment: number, personal: number): RedFlag[] => [
  ...Array.from({ length: urgency }, () => flag('urgency')),
  ...Array.from({ length: payment }, () => flag('payment')),
  ...Array.from({ length: personal }, () => flag('personal_data')),
]
const sum = (of: readonly RedFlag[]): number =>
  bodyPoints(of).reduce((total, { points }) => total + points, 0)

describe('bodyPoints', () => {
  test.each([
    [0, 0, 0, 0],
    [1, 0, 0, 8],
    [0, 1, 0, 8],
    [0, 0, 1, 12],
    [9, 0, 0, 24],
    [0, 9, 0, 24],
    [0, 0, 9, 30],
    [1, 0, 1, 35],
    [2, 0, 1, 43],
    [1, 1, 0, 26],
    [2, 2, 0, 42],
    [0, 1, 1, 32],
    [0, 2, 1, 40],
    [1, 1, 1, 65],
    [9, 9, 9, bodyPointsMax],
  ])('%d urgent, %d of payment, %d of personal data weigh %d', (u, p, d, points) => {
    expect(sum(flags(u, p, d))).toBe(points)
  })

  test('one category stays low, however many phrases', () => {
    for (const one of [flags(99, 0, 0), flags(0, 99, 0), flags(0, 0, 99)]) {
      expect(sum(one)).toBeLessThan(40)
    }
  })

  test('a weak phrase weighs half', () => {
    expect(sum([flag('urgency', true)])).toBe(4)
    expect(sum([flag('personal_data', true)])).toBe(6)
  })

  test('names each reason once, with its points', () => {
    expect(bodyPoints(flags(1, 0, 1)).map(({ code, points }) => [code, points])).toEqual([
      ['urgency', 8],
      ['personal_data', 12],
      ['urgency_and_personal_data', 15],
    ])
  })
})
