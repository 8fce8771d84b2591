/** What is made of what people type: it is text, whatever it holds. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressPartsMax } from '../../src/search/address-index.ts'
import { wantedBy } from '../../src/search/query.ts'

const rows: readonly [query: string, parts: string[], phrases: string[]][] = [
  ['paypal', ['paypal'], ['paypal']],
  ['  PayPal   Login ', ['paypal', 'login'], ['PayPal', 'Login']],
  ['.top', ['.top'], ['top']],
  ['evil[.]example', ['evil.example'], ['evil example']],
  ['hxxps://evil[.]example/a?b=c', ['evil.example/a?b=c'], ['https evil example a b c']],
  ['https://evil.example/', ['evil.example/'], ['https evil example']],
  ['https', ['https'], ['https']],
  ['evil.example:443', ['evil.example'], ['evil example 443']],
  ['ann@evil.example/x', ['evil.example/x'], ['ann evil example x']],
  ['2001:db8::7', ['2001:db8::7'], ['2001 db8 7']],
  ['a:1', ['a:1'], ['a 1']],
  ['evil.example.', ['evil.example'], ['evil example']],
  ['"a OR b"', ['^a', '^or', '^b'], ['a', 'OR', 'b']],
  ['NEAR(pay', ['near(pay'], ['NEAR pay']],
  ['*', [], []],
  ['"', [], []],
  ['-', ['^-'], []],
  ['bücher.example', ['xn--bcher-kva.example'], ['bücher example']],
  ['“paypal”', ['paypal'], ['paypal']],
  ['ab', ['^ab'], ['ab']],
  ['①', ['^①'], ['①']],
  ['re\u0301sume\u0301', ['résumé'], ['résumé']],
  ['', [], []],
]

describe('a query', () => {
  for (const [query, parts, phrases] of rows) {
    test(`${JSON.stringify(query)} is looked for as ${JSON.stringify(parts)}`, () => {
      const wanted = wantedBy(query)
      const written = wanted.parts.map(({ text, where }) =>
        where === 'anywhere' ? text : `^${text}`,
      )
      expect(written).toEqual(parts)
      expect(wanted.phrases).toEqual(phrases)
    })
  }

  test('of any characters is read, and never to more parts than can be looked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const { parts } = wantedBy(text)
        expect(parts.length).toBeLessThanOrEqual(addressPartsMax)
        for (const part of parts) expect(part.text).not.toBe('')
      }),
    )
  })

  test('takes time that grows with its length', () => {
    expect(wantedBy('a-'.repeat(1_000)).phrases).toEqual([Array(24).fill('a').join(' ')])
    for (const unit of ['"', 'a"', '[', '[.]', '.', 'http://', 'é.', ' a']) {
      expect(wantedBy(unit.repeat(65_536 / unit.length)).parts).toBeArray()
    }
  })
})
