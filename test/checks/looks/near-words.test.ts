/** The index of slips finds the nearest word that measuring every word finds. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NearWords } from '../../../src/checks/looks/near-words.ts'
import { editDistance } from '../../../src/model/edit-distance.ts'
import { runs } from '../../index/laws.ts'

/** A word may differ by one from 6 letters on, by two from 11. */
const editsFor = (word: string): number => (word.length < 6 ? 0 : word.length < 11 ? 1 : 2)

/** The least distance at which a word with the same first letter stands, or null. */
function naiveDistance(words: readonly string[], text: string): number | null {
  const distances = words
    .filter((word) => word !== text && word[0] === text[0])
    .map((word) => ({ distance: editDistance(word, text, 3), edits: editsFor(word) }))
    .filter(({ distance, edits }) => distance <= edits)
    .map(({ distance }) => distance)
  return distances.length === 0 ? null : Math.min(...distances)
}

const anyWord = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'z', '1', '-'),
  minLength: 1,
  maxLength: 14,
})

/** A word, and a text that is it with a few letters changed. */
const slip = fc
  .tuple(
    anyWord,
    fc.array(fc.tuple(fc.nat(13), fc.constantFrom('', 'a', 'cc', '1')), { maxLength: 3 }),
  )
  .map(([word, changes]) => {
    let text = word
    for (const [at, letters] of changes) text = text.slice(0, at) + letters + text.slice(at + 1)
    return [word, text] as const
  })

describe('NearWords.nearest', () => {
  test('returns a word as near as any that measuring all finds', () => {
    fc.assert(
      fc.property(fc.array(slip, { minLength: 1, maxLength: 12 }), (slips) => {
        const words = slips.map(([word]) => word)
        const index = new NearWords(words)
        for (const [, text] of slips) {
          const nearest = index.nearest(text)
          expect(nearest?.distance ?? null).toBe(naiveDistance(words, text))
          if (nearest === null) continue
          const word = words[nearest.number] ?? ''
          expect(editDistance(word, text, 3)).toBe(nearest.distance)
        }
      }),
      runs,
    )
  })

  const words = ['paypal', 'visa', 'coinbase', 'walletconnect', 'metamask']
  const rows: readonly [string, string | null, number | null][] = [
    ['paypal', null, null],
    ['paypall', 'paypal', 1],
    ['papal', 'paypal', 1],
    ['payapl', 'paypal', 1],
    ['paypals', 'paypal', 1],
    ['baypal', null, null],
    ['pypl', null, null],
    ['viza', null, null],
    ['coinbasse', 'coinbase', 1],
    ['coinbaasse', null, null],
    ['walletconect', 'walletconnect', 1],
    ['waletconect', 'walletconnect', 2],
    ['waletconec', null, null],
    ['w'.repeat(64), null, null],
    ['', null, null],
  ]
  test.each(rows)('%p is a slip of %p, %p away', (text, word, distance) => {
    const nearest = new NearWords(words).nearest(text)
    expect(nearest === null ? null : words[nearest.number]).toBe(word)
    expect(nearest?.distance ?? null).toBe(distance)
  })

  test('prefers the nearer of two, whatever their order', () => {
    for (const list of [
      ['walletconnect', 'waletconnects'],
      ['waletconnects', 'walletconnect'],
    ]) {
      const nearest = new NearWords(list).nearest('waletconnect')
      expect(nearest?.distance).toBe(1)
    }
  })
})
