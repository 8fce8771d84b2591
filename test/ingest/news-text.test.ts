/** The parts of an article: its text, its link, its time, and by what its title is known again. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseNewsLink } from '../../src/ingest/formats/news-link.ts'
import { htmlToText } from '../../src/ingest/formats/news-text.ts'
import { parseNewsTime } from '../../src/ingest/formats/news-time.ts'
import { toTitleKey } from '../../src/model/news.ts'
import { fuzzRuns } from './reading.ts'

const address = 'https://news.example.com/feed.xml'

describe('htmlToText', () => {
  test('of its own result is that result, but for references', () => {
    const texts = fc
      .string({ unit: 'binary', maxLength: 200 })
      .map((text) => text.replaceAll('&', ''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(htmlToText(htmlToText(text))).toBe(htmlToText(text))
      }),
      fuzzRuns,
    )
  })
})

describe('parseNewsLink', () => {
  const links: readonly (readonly [string, string | null])[] = [
    ['https://a.example/x?utm_source=b&utm_medium=c', 'https://a.example/x'],
    ['https://a.example/x?b=%20c&fbclid=1&d=e+f#g', 'https://a.example/x?b=%20c&d=e+f'],
    ['https://a.example/x?UTM_Source=b', 'https://a.example/x'],
    ['HTTPS://A.Example:443/x', 'https://a.example/x'],
    [' \n/y ', 'https://news.example.com/y'],
    ['//b.example/y', 'https://b.example/y'],
    ['http://a.example/?utm', 'http://a.example/?utm'],
    ['', null],
    ['mailto:a@b.example', null],
    ['https://', null],
    ['https://a.example/<b>', null],
    ['https://a.example/%3Ca%20href', null],
    ['https://bank.example@b.example/', null],
    [`https://a.example/${'x'.repeat(2_048)}`, null],
  ]
  for (const [href, link] of links) {
    test(`${href.slice(0, 60)} leads to ${link}`, () => {
      expect(parseNewsLink(href, address)).toBe(link)
    })
  }
})

describe('parseNewsTime', () => {
  const noon = Date.UTC(2026, 2, 5, 12, 0, 0)
  const times: readonly (readonly [string, number | null])[] = [
    ['Thu, 05 Mar 2026 12:00:00 GMT', noon],
    ['Thu, 5 Mar 26 12:00 UT', noon],
    ['05 Mar 2026 07:00:00 EST', noon],
    ['Thu, 05 Mar 2026 08:00:00 EDT', noon],
    ['Thu, 05 Mar 2026 04:00:00 PST', noon],
    ['Thu, 05 Mar 2026 08:00:00 -0400', noon],
    ['Thu, 05 Mar 2026 08:00:00 -04:00', noon],
    ['Thu, 05 Mar 2026 17:30:00 GMT+0530', noon],
    ['Thursday, 5 March 2026 12:00:00 Z (UTC)', noon],
    ['Thu, 05 Mar 2026 12:00:00 XYZ', noon],
    ['Thu, 05 Mar 2026 12:00:00', noon],
    ['05-Mar-2026 12:00:00 GMT', noon],
    ['March 5, 2026 12:00 PM', noon],
    ['Mar. 5, 2026, 8:00 a.m. EDT', noon],
    ['2026-03-05T12:00:00Z', noon],
    ['2026-03-05T08:00:00.000-04:00', noon],
    ['2026-03-05 12:00:00', noon],
    ['<time datetime="2026-03-05T07:00:00-05:00">today</time>', noon],
    ['5 Mar 1999', Date.UTC(1999, 2, 5)],
    ['5 Mar 99', Date.UTC(1999, 2, 5)],
    ['31 Feb 2026 12:00:00 GMT', null],
    ['5 Mär 2026', null],
    ['5 Foo 2026', null],
    ['Thu, 05 Mar 2026 25:00:00 GMT', null],
    ['13:00 PM', null],
    ['', null],
    ['0', null],
    ['x'.repeat(1_000), null],
  ]
  for (const [text, time] of times) {
    test(`reads "${text.slice(0, 60)}"`, () => {
      expect(parseNewsTime(text)).toBe(time)
    })
  }
})

describe('toTitleKey', () => {
  test('is the same for titles that differ in case, punctuation and blanks', () => {
    const key = 'scammers don t wait 2 new tricks'
    expect(toTitleKey('Scammers don’t wait: 2 new tricks!')).toBe(key)
    expect(toTitleKey(" scammers  DON'T wait – 2 new tricks")).toBe(key)
    expect(toTitleKey('…')).toBe('')
  })
})
