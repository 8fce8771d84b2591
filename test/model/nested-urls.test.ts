/** URLs inside other URLs. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nestedUrls } from '../../src/model/nested-urls.ts'
import { canonicalizeUrl } from '../../src/model/url.ts'

const { FUZZ_RUNS = '200' } = process.env
const runs = { numRuns: Number(FUZZ_RUNS) }

function nested(text: string): string[] {
  const url = canonicalizeUrl(text)
  if (!url.ok) throw new Error(`${text} was refused: ${url.reason}`)
  return nestedUrls(url.value).map(({ value }) => value)
}

describe('nestedUrls', () => {
  test.each([
    [
      'https://example.com/url?q=https%3A%2F%2Ftarget.example%2Fa%3Fb',
      'https://target.example/a?b',
    ],
    ['https://example.com/l.php?h=1&u=http://target.example', 'http://target.example/'],
    ['https://example.com/?URL=HTTPS://Target.example/', 'https://target.example/'],
    ['https://example.com/?redirect=//target.example/x', 'http://target.example/x'],
    ['https://example.com/?redirect_uri=ftp://target.example', 'ftp://target.example/'],
    ['https://example.com/?next=https%253A%252F%252Ftarget.example', 'https://target.example/'],
    ['https://example.com/?q=http://203.0.113.7/x+y', 'http://203.0.113.7/x%20y'],
    [
      'https://target-example.translate.goog/x?_x_tr_sl=a&b=c&_x_tr_tl=d',
      'https://target.example/x?b=c',
    ],
    ['https://a--b-target-example.translate.goog/', 'https://a-b.target.example/'],
    ['https://www.example.com/amp/s/target.example/x?y', 'https://target.example/x?y'],
    ['https://t-example.cdn.ampproject.org/c/s/target.example/x', 'https://target.example/x'],
  ])('%s leads to %s', (text, target) => {
    expect(nested(text)).toEqual([target])
  })

  test.each([
    ['https://example.com/'],
    ['https://example.com/?q=how+to+fish'],
    ['https://example.com/?url=/login'],
    ['https://example.com/?url=target.example'],
    ['https://example.com/?image=https://target.example/a.png'],
    ['https://example.com/?u=https://localhost/'],
    ['https://example.com/?u=https://%'],
    ['https://example.com/?u=https://%2525'],
    ['https://example.com/?u=https://%FF.example'],
    ['https://example.com/?https://target.example'],
    ['https://translate.goog/x'],
    ['https://a.b.translate.goog/x'],
    ['https://example.com/amp/article'],
    ['https://example.com/c/s/target.example'],
  ])('%s leads nowhere', (text) => {
    expect(nested(text)).toEqual([])
  })

  test('returns at most three, each once, and never the URL itself', () => {
    const parameters = ['a', 'b', 'b', 'c', 'd'].map((name) => `u=https://${name}.example`)
    expect(nested(`https://example.com/?${parameters.join('&')}`)).toEqual([
      'https://a.example/',
      'https://b.example/',
      'https://c.example/',
    ])
    expect(nested('https://example.com/amp/s/example.com/?u=//target.example').length).toBe(2)
  })

  test('returns the same empty array at once when there is none', () => {
    const url = canonicalizeUrl('https://example.com/a?b=1')
    if (!url.ok) throw new Error(url.reason)
    expect(nestedUrls(url.value)).toBe(nestedUrls(url.value))
  })

  test('returns canonical URLs for any value, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const text = value.toWellFormed().replaceAll('\uFFFD', '')
        const found = nested(`https://example.com/?u=https://${encodeURIComponent(text)}`)
        for (const target of found) expect(canonicalizeUrl(target)).toMatchObject({ ok: true })
      }),
      runs,
    )
    for (const piece of ['&', '&u=//', '&u=https://%25', '=', '+']) {
      const text = `http://example.com/?u=http:${piece.repeat(Math.floor(8_000 / piece.length))}`
      // In quadratic time this would run into the timeout of the test.
      for (let n = 0; n < 40; n++) expect(nested(text).length).toBeLessThan(text.length)
    }
  })
})
