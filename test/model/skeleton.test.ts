/** Labels as readers see them: digits and pairs as letters, other scripts as ASCII, mixed scripts. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { asciiSkeleton, mixedScripts, readAsAscii } from '../../src/model/skeleton.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) }

const label = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-rnvvi1'),
  maxLength: 63,
})

describe('asciiSkeleton', () => {
  const rows: readonly [string, string][] = [
    ['', ''],
    ['paypal', 'paypal'],
    ['paypa1', 'paypal'],
    ['paypai', 'paypal'],
    ['g00gle', 'google'],
    ['micr0s0ft', 'mlcrosoft'],
    ['microsoft', 'mlcrosoft'],
    ['rnicrosoft', 'mlcrosoft'],
    ['vvells', 'wells'],
    ['vvv', 'wv'],
    ['rrn', 'rm'],
    ['4pp1e', 'apple'],
    ['7ik70k', 'tlktok'],
    ['5', 's'],
    ['2689', '2689'],
    ['a-b', 'a-b'],
    ['r-n', 'r-n'],
  ]
  test.each(rows)('%p is read as %p', (written, skeleton) => {
    expect(asciiSkeleton(written)).toBe(skeleton)
  })

  test('is idempotent', () => {
    fc.assert(
      fc.property(label, (text) => {
        const skeleton = asciiSkeleton(text)
        expect(asciiSkeleton(skeleton)).toBe(skeleton)
      }),
      runs,
    )
  })

  test('is never longer than the label, and does not change other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        expect(asciiSkeleton(text).length).toBeLessThanOrEqual(text.length)
      }),
      runs,
    )
    expect(asciiSkeleton('ß_é')).toBe('ß_é')
  })
})

describe('readAsAscii', () => {
  const confusables = new Map([
    ['а', 'a'],
    ['р', 'p'],
    ['о', 'o'],
    ['ı', 'i'],
    ['œ', 'oe'],
  ])
  const rows: readonly [string, string | null][] = [
    ['paypal', 'paypal'],
    ['PayPal-24', 'paypal-24'],
    ['раyраl', 'paypal'],
    ['ápplé', 'apple'],
    ['ｐａｙ', 'pay'],
    ['cœur', 'coeur'],
    ['bıtcoın', 'bitcoin'],
    ['ﬁdelity', 'fidelity'],
    ['пример', null],
    ['日本', null],
    ['a.b', null],
    ['a_b', null],
    ['', ''],
  ]
  test.each(rows)('%p is read as %p', (written, read) => {
    expect(readAsAscii(written, confusables)).toBe(read)
  })

  test('accepts any text, and returns letters, digits and hyphens or null', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        expect(readAsAscii(text, confusables) ?? '').toMatch(/^[a-z0-9-]*$/)
      }),
      runs,
    )
  })
})

describe('mixedScripts', () => {
  const rows: readonly [string, readonly string[] | null][] = [
    ['paypal', null],
    ['pаypal', ['Latin', 'Cyrillic']],
    ['раураӏ', null],
    ['αpple', ['Latin', 'Greek']],
    ['аррαle', ['Latin', 'Cyrillic', 'Greek']],
    ['ａmazon', null],
    ['日本tokyo', null],
    ['東京ひらカタ', null],
    ['서울seoul', null],
    ['straße', null],
    ['é-24', null],
    ['24', null],
    ['', null],
    ['բank', ['Latin', 'Armenian']],
  ]
  test.each(rows)('of %p are %p', (text, scripts) => {
    expect(mixedScripts(text)).toEqual(scripts)
  })

  test('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const scripts = mixedScripts(text)
        expect(scripts === null || scripts.length > 1).toBe(true)
      }),
      runs,
    )
  })
})
