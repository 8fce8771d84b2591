/** The distance of two spellings: known pairs, and comparison with a full table. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editDistance } from '../../src/model/edit-distance.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) }

/** The optimal string alignment distance by its definition, over the whole table. */
function naiveDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (__, column) => (row === 0 ? column : row)),
  )
  const at = (row: number, column: number): number => table[row]?.[column] ?? 0
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = at(row - 1, column - 1) + (isSame ? 0 : 1)
      cost = Math.min(cost, at(row - 1, column) + 1, at(row, column - 1) + 1)
      const isSwapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwapped) cost = Math.min(cost, at(row - 2, column - 2) + 1)
      table[row]?.splice(column, 1, cost)
    }
  }
  return at(a.length, b.length)
}

/** Few letters, so that words resemble each other. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), maxLength: 12 })

describe('editDistance', () => {
  const rows: readonly [string, string, number][] = [
    ['', '', 0],
    ['', 'a', 1],
    ['paypal', 'paypal', 0],
    ['paypal', 'paypall', 1],
    ['paypal', 'papal', 1],
    ['paypal', 'paupal', 1],
    ['paypal', 'apypal', 1],
    ['paypal', 'payapl', 1],
    ['paypal', 'paylap', 2],
    ['paypal', 'aypalp', 2],
    ['coinbase', 'conibaes', 2],
    // No part of a word is changed twice: a swap with an insertion inside costs three, not two.
    ['ca', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['abc', 'xyz', 3],
  ]
  test.each(rows)('the distance of %s and %s is %p', (a, b, distance) => {
    expect(editDistance(a, b, 5)).toBe(distance)
  })

  test('agrees with the full table, and returns one over the bound beyond it', () => {
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(Math.min(naiveDistance(a, b), max + 1))
      }),
      runs,
    )
  })

  test('is symmetric', () => {
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(editDistance(b, a, max))
      }),
      runs,
    )
  })

  test('does not depend on earlier calls', () => {
    const long = 'b'.repeat(64)
    expect(editDistance(long, `a${long.slice(1)}`, 2)).toBe(1)
    expect(editDistance('ab', 'ba', 2)).toBe(1)
    expect(editDistance('abc', 'abd', 2)).toBe(1)
  })

  test('treats words over the maximum length as far apart, unless they are equal', () => {
    const long = 'a'.repeat(65)
    expect(editDistance(long, long, 2)).toBe(0)
    expect(editDistance(long, 'a'.repeat(64), 2)).toBe(3)
    expect(editDistance('a'.repeat(64), 'a'.repeat(63), 2)).toBe(1)
  })
})
