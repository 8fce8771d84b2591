/**
 * Bodies made to keep a scanner busy: 64 KiB of one thing over and over. Work that grows with the
 * square of the length would take minutes here, and run into the timeout of the test.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { misleadingLinks } from '../../../src/checks/mail/links.ts'
import { bodyPoints, bodyPointsMax } from '../../../src/checks/mail/points.ts'
import {
  findRedFlags,
  redFlagPhraseMax,
  redFlagsOfCategoryMax,
} from '../../../src/checks/mail/red-flags.ts'
import { readMailText } from '../../../src/checks/mail/text.ts'
import { redFlagCategories } from '../../../src/model/mail-risk.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 100)
const bodyLength = 65_536
const letters = new Map([['а', 'a']])

const fill = (unit: string): string => unit.repeat(Math.ceil(bodyLength / unit.length))

function judge(body: string): void {
  const { text, links } = readMailText(body, letters)
  const flags = findRedFlags(text)
  for (const category of redFlagCategories) {
    const count = flags.filter((flag) => flag.category === category).length
    expect(count).toBeLessThanOrEqual(redFlagsOfCategoryMax)
  }
  for (const { phrase } of flags) expect(phrase.length).toBeLessThanOrEqual(redFlagPhraseMax)
  const points = bodyPoints(flags).reduce((sum, reason) => sum + reason.points, 0)
  expect(points).toBeLessThanOrEqual(bodyPointsMax)
  expect(misleadingLinks(links).length).toBeLessThanOrEqual(links.length)
}

const units = [
  ...[
    '=',
    'a',
    '<',
    'http://',
    'http:// ',
    'https://a.b/)',
    '&',
    '&#',
    '&#0',
    '&#x',
    '&amp',
    'href=',
  ],
  ...['<a ', '<a href=', '<a href="', "<a '", '<a href=x>', '<a href="x"', '<p =', '<!', '<!--'],
  ...[
    '<!---->',
    '<![CDATA[',
    '<?',
    '</',
    '</a',
    '<style>',
    '<style></style>',
    '<div><b>',
    '{"',
    '[',
  ],
  ...['[](', '"', "'", 'www.', ' www.a', 'hxxp[://]', 'u p d a t e ', 'u p  d a t e  ', '\n', '. '],
  ...['\u200B', 'a\u200B', '\u0301', 'a\u0301\u0323', '\uD800', '\uDC00', '𝐚', '\uFDFA', 'İ', 'aа'],
  ...[
    '<!-- --!>',
    '<svg>',
    '<svg><style>',
    '<style>a',
    '<base href=http://a.co/>',
    '<iframe src=a>',
  ],
  ...[
    'a.co ',
    'a.co/',
    'é.co ',
    'a.co/( ',
    'a.co@',
    '.a',
    '\u0591\u0591\u0591\u0591\uFF9E',
    'ﾞ\u0591',
  ],
  ...['1 ', '1,', '€1', 'your ', 'your account will be ', 'confirm your ', 'verifica ', '漢 '],
]

describe('64 KiB', () => {
  test.each(units)('of %j is judged in time, as text and as HTML', (unit) => {
    judge(fill(unit).slice(0, bodyLength))
    judge(`<html><p>${fill(unit)}`.slice(0, bodyLength))
  })

  test.each([
    '\u0591 \u05b0',
    '\u0591 \u200d\u05b0',
    '\u0591 \uFF9E',
    '\u0344 \u0323',
    '&#x591; &#x5b0;',
    '<b>\u0591</b> \u05b0',
  ])('of marks that normalising has to sort, %j, is judged in time', (units) => {
    const [first = '', second = ''] = units.split(' ')
    const half = bodyLength / 2
    judge((first.repeat(half).slice(0, half) + second.repeat(half)).slice(0, bodyLength))
    judge(`<p>${(first + second).repeat(half)}`.slice(0, bodyLength))
  })

  test('of different words is judged in time', () => {
    const words = Array.from({ length: 14_000 }, (_, index) => `${index.toString(36)}x`)
    judge(words.join(' ').slice(0, bodyLength))
  })
})

test('any mix of such things is judged, and within bounds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...units), { maxLength: 200 }), (parts) => {
      judge(parts.join(''))
      judge(`<p>${parts.join(' ')}`)
    }),
    { numRuns },
  )
})
