/** Phrases and their tables, and phrases against a naive search that tries every way to read a pattern. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PhraseError, PhraseFinder, parsePhraseTable } from '../../src/model/phrases.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)

/** Returns the words of the first place where the pattern matches, or null. */
function first(pattern: string, text: string): string | null {
  const [match] = new PhraseFinder([{ pattern, meaning: null }]).findEach(text)
  return match === undefined ? null : text.slice(match.start, match.end)
}

/** Returns what the phrases of a table match, the excluded left out, longest first. */
function longest(lines: readonly string[], text: string): string[] {
  const [group] = parsePhraseTable(`[name]\n${lines.join('\n')}`)
  const phrases = (group?.phrases ?? []).map(({ pattern, mark }) => ({ pattern, meaning: mark }))
  const matches = new PhraseFinder(phrases).findLongest(text)
  return matches.flatMap(({ meaning, start, end }) =>
    meaning === 'excluded' ? [] : [text.slice(start, end)],
  )
}

describe('findLongest', () => {
  test('the longest phrase takes its words from the others', () => {
    const found = longest(['gold', 'gold bar(s)', '! gold rush'], 'gold bars, gold rush, gold')
    expect(found).toEqual(['gold bars', 'gold'])
  })

  test('of phrases of one length, the first in the table is found', () => {
    expect(longest(['! pot* gold', 'pot of gold', 'gold'], 'pot of gold')).toEqual(['pot of gold'])
    expect(longest(['! pot* of', 'pot of'], 'pot of')).toEqual([])
  })
})

describe('parsePhraseTable', () => {
  test('reads groups, notes and marks', () => {
    expect(parsePhraseTable('# head\n[a] Note.\nb # why\n~ c\n[d]\n! e f')).toEqual([
      {
        name: 'a',
        note: 'Note.',
        phrases: [
          { pattern: 'b', mark: 'plain' },
          { pattern: 'c', mark: 'weak' },
        ],
      },
      { name: 'd', note: '', phrases: [{ pattern: 'e f', mark: 'excluded' }] },
    ])
  })

  test.each(['a', '[a]\n~', '[a]\n!', '[a', '[a]\n[b'])('refuses %j', (text) => {
    expect(() => parsePhraseTable(text)).toThrow('write a [name] line, and phrases below it')
  })
})

describe('findEach', () => {
  test.each([
    ['gold bar(s)', 'gold bar', 'gold bar'],
    ['gold bar(s)', 'two gold bars', 'gold bars'],
    ['gold bar(s)', 'gold barss', null],
    ['6<digit> and over', 'at 65 and over', '65 and over'],
    ['6<digit> and over', '6 and over, 655 and over', null],
    ['apt<digits>', 'apt; apt29', 'apt29'],
    ['cve <digits>', 'cve-2026', 'cve-2026'],
    ['a <word> b', 'a big b', 'a big b'],
    ['a <word> b', 'a b', null],
    ['<digits> winners', 'one of 50 winners', '50 winners'],
    ['it is € <n>', 'it is €1.', 'it is €1'],
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
    const finder = new PhraseFinder([
      { pattern: 'one two three', meaning: 'long' },
      { pattern: 'two', meaning: 'short' },
    ])
    const found = finder.findEach('one two three, one two three')
    expect(found.map(({ meaning }) => meaning)).toEqual(['short', 'long'])
    expect(found[1]).toMatchObject({ meaning: 'long', start: 0, end: 13 })
  })

  test.each([
    'gol*d',
    '<number>',
    'a <word>',
    '',
    '* a',
    'a *',
    '(a)?',
    '(a',
    'a)',
    'a | b',
    '(a|)',
    '()',
    'ab*',
    '%',
    'a (b)? *',
  ])('refuses the pattern %j and names it', (pattern) => {
    expect(() => new PhraseFinder([{ pattern, meaning: null }])).toThrow(PhraseError)
    expect(() => new PhraseFinder([{ pattern, meaning: null }])).toThrow(`"${pattern}"`)
  })

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
