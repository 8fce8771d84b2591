/** The trie of words finds what a search of every word at every place finds. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TokenPlace, TokenTrie } from '../../../src/checks/looks/token-trie.ts'
import { runs } from '../../index/laws.ts'

/** Every place of every word, by trying all. */
function naivePlaces(words: readonly string[], text: string): TokenPlace[] {
  const places: TokenPlace[] = []
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= text.length; end++) {
      const word = words.indexOf(text.slice(start, end))
      if (word !== -1) places.push({ word, start, end })
    }
  }
  return places
}

/** Few letters, so that words overlap, hold each other and stand twice. */
const anyWord = fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 1, maxLength: 5 })
const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '.', 'é'), maxLength: 30 })

describe('TokenTrie.places', () => {
  test('returns what trying every word at every place returns, from the left', () => {
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 20 }), anyText, (words, text) => {
        const found = new TokenTrie(words).places(text, 0, text.length)
        expect([...found]).toEqual(naivePlaces(words, text))
      }),
      runs,
    )
  })

  test('looks at its part of the text only', () => {
    fc.assert(
      fc.property(fc.array(anyWord), anyText, fc.nat(30), fc.nat(30), (words, text, from, to) => {
        const start = Math.min(from, text.length)
        const end = Math.min(to, text.length)
        const found = new TokenTrie(words).places(text, start, end)
        const within = naivePlaces(words, text).filter(
          (place) => place.start >= start && place.end <= end,
        )
        expect([...found]).toEqual(within)
      }),
      runs,
    )
  })

  const rows: readonly [readonly string[], string, readonly [number, number, number][]][] = [
    [[], 'pay', []],
    [
      ['pay', 'paypal'],
      'mypaypal24',
      [
        [0, 2, 5],
        [1, 2, 8],
      ],
    ],
    [
      ['usps'],
      'uspsusps',
      [
        [0, 0, 4],
        [0, 4, 8],
      ],
    ],
    [['twice', 'twice'], 'twice', [[0, 0, 5]]],
    [['', 'a-b', 'A', 'é', 'z9'], 'a-bAéz9', [[4, 5, 7]]],
    [['pay'], 'pa', []],
    [['pay'], 'pa-y', []],
    [['pay'], '', []],
  ]
  test.each(rows)('of %j in %j are %j', (words, text, places) => {
    const found = new TokenTrie(words).places(text, 0, text.length)
    expect(found.map(({ word, start, end }) => [word, start, end])).toEqual(
      places.map((place) => [...place]),
    )
  })
})

describe('new TokenTrie', () => {
  test('throws above the letters that its numbers can tell apart', () => {
    expect(() => new TokenTrie(['a'.repeat(70_000)])).toThrow(/at most 65535/)
  })
})
