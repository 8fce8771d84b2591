/** Phrases against a naive search that tries every way to read a pattern at every word. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PhraseError } from '../../../src/checks/mail/patterns.ts'
import { createPhraseFinder } from '../../../src/checks/mail/phrases.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)

/** Returns the words of the first place where the pattern matches, or null. */
function first(pattern: string, text: string): string | null {
  const [match] = createPhraseFinder([{ pattern, meaning: null }]).find(text)
  return match === undefined ? null : text.slice(match.start, match.end)
}

describe('createPhraseFinder', () => {
  test.each([
    ['verify your account', 'please verify your account.', 'verify your account'],
    ['verify your account', 'verify your bank account', null],
    ['verify * account', 'verify account', 'verify account'],
    ['verify * account', 'verify all of your account', 'verify all of your account'],
    ['verify * account', 'verify that it is your account', null],
    ['(verify|confirm) (your)? account', 'confirm account', 'confirm account'],
    ['(verify|confirm) (your)? account', 'now verify your account', 'verify your account'],
    ['(log in|sign on) now', 'sign on now', 'sign on now'],
    ['(log in|sign on) now', 'log on now', null],
    ['a (b c|d (e|f)?)? g', 'a g', 'a g'],
    ['a (b c|d (e|f)?)? g', 'a b c g', 'a b c g'],
    ['a (b c|d (e|f)?)? g', 'a d f g', 'a d f g'],
    ['a (b c|d (e|f)?)? g', 'a b g', null],
    ['bestatig* sie', 'bestätigen sie', 'bestätigen sie'],
    ['strasse frei', 'straße frei', 'straße frei'],
    ['within <n> hours', 'within 24 hours', 'within 24 hours'],
    ['within <n> hours', 'within 1,000.5 hours', 'within 1,000.5 hours'],
    ['<n> hours', '48hours', '48hours'],
    ['€ <n> bonus', 'get €500 bonus', '€500 bonus'],
    ["don't wait", 'don’t wait', 'don’t wait'],
    ['act now', 'act, now', 'act, now'],
    ['act now', 'you act. now we', null],
    ['act now', 'act! now', null],
    ['your wallet', 'your your wallet', 'your wallet'],
    ['aa * cc dd', 'aa aa cc dd', 'aa cc dd'],
    ['pay', 'payment', null],
  ])('%s in %j finds %j', (pattern, text, words) => {
    expect(first(pattern, text)).toBe(words)
  })

  test('names each phrase once, in the order they end', () => {
    const finder = createPhraseFinder([
      { pattern: 'one two three', meaning: 'long' },
      { pattern: 'two', meaning: 'short' },
    ])
    const found = finder.find('one two three, one two three')
    expect(found.map(({ meaning }) => meaning)).toEqual(['short', 'long'])
    expect(found[1]).toEqual({ meaning: 'long', start: 0, end: 13 })
  })

  test.each(['', '* a', 'a *', '(a)?', '(a', 'a)', 'a | b', '(a|)', '()', 'ab*', '%', 'a (b)? *'])(
    'refuses the pattern %j and names it',
    (pattern) => {
      expect(() => createPhraseFinder([{ pattern, meaning: null }])).toThrow(PhraseError)
      expect(() => createPhraseFinder([{ pattern, meaning: null }])).toThrow(`"${pattern}"`)
    },
  )

  test('finds what a naive search finds', () => {
    const word = fc.constantFrom('a', 'b', 'c')
    const place = fc.oneof(word, fc.constant('*'), fc.constant('(a|b)'), fc.constant('(b c)?'))
    const pattern = fc
      .tuple(word, fc.array(place, { maxLength: 3 }), word)
      .map(([begin, middle, end]) => [begin, ...middle, end])
    fc.assert(
      fc.property(pattern, fc.array(word, { maxLength: 12 }), (places, words) => {
        const found = first(places.join(' '), words.join(' ')) !== null
        expect(found).toBe(words.some((_, at) => readsAt(places, words, at)))
      }),
      { numRuns },
    )
  })
})

/** Reports whether the words from `at` on read as the places, by trying everything. */
function readsAt(places: readonly string[], words: readonly string[], at: number): boolean {
  const [place, ...rest] = places
  if (place === undefined) return true
  const goesOn = (count: number): boolean =>
    at + count <= words.length && readsAt(rest, words, at + count)
  if (place === '*') return [0, 1, 2, 3].some(goesOn)
  if (place === '(a|b)') return (words[at] === 'a' || words[at] === 'b') && goesOn(1)
  if (place === '(b c)?') {
    return goesOn(0) || (words[at] === 'b' && words[at + 1] === 'c' && goesOn(2))
  }
  return words[at] === place && goesOn(1)
}
