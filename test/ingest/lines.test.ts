import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FeedEntry } from '../../src/ingest/formats/format.ts'
import { lineFormats } from '../../src/ingest/formats/lines.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { describeWith, realData } from '../needs.ts'
import {
  type Counts,
  countsOfItems,
  countsOfListed,
  expectSound,
  fuzzRuns,
  itemsOf,
  itemsOfFile,
  textsOf,
} from './reading.ts'

type LineFormatName = keyof typeof lineFormats

const names: readonly LineFormatName[] = [
  'domains',
  'hosts',
  'urls',
  'adblock',
  'openphish',
  'indicators',
]

describe('lineFormats', () => {
  const rows: readonly [LineFormatName, string, string, readonly string[]][] = [
    [
      'domains',
      'a BOM and CRLF',
      '\uFEFFa.example\r\n\r\nb.example\r\n',
      ['a.example', 'b.example'],
    ],
    [
      'hosts',
      'more than 1,000 names',
      `0.0.0.0${' a.example'.repeat(1_001)}\n0.0.0.0 b.example`,
      ['(malformed_row)', 'b.example'],
    ],
    ['urls', 'a URL that its publisher cut short', 'http://a.example/x…', ['(malformed_row)']],
    [
      'adblock',
      'a header and comments',
      '[Adblock Plus 2.0]\n! Title: x\n# y\n\n||a.example^',
      ['a.example'],
    ],
    [
      'adblock',
      'options that block all of a site',
      '||a.example^$all\n||b.example^$document,important',
      ['a.example', 'b.example'],
    ],
    [
      'adblock',
      'options that narrow a rule',
      '||a.example^$image\n||a.example^$domain=b.example\n||a.example^$badfilter',
      ['(unsupported_type)', '(unsupported_type)', '(unsupported_type)'],
    ],
    [
      'adblock',
      'a page',
      '||a.example/login^\n||b.example/x.html',
      ['a.example/login', 'b.example/x.html'],
    ],
    [
      'adblock',
      'a page from its beginning',
      '|http://a.example/x|\n|https://b.example/',
      ['http://a.example/x', 'https://b.example/'],
    ],
    ['adblock', 'exceptions', '@@||a.example^', ['(not_an_indicator)']],
    [
      'adblock',
      'cosmetic rules',
      'a.example##.ad\n##.ad\na.example#@#.ad\na.example$$script',
      Array(4).fill('(not_an_indicator)'),
    ],
    [
      'adblock',
      'expressions and wildcards',
      '/^https?:/\n||a*.example^\n||a.example^path',
      Array(3).fill('(unsupported_type)'),
    ],
    ['adblock', 'names as they are', 'a.example\n203.0.113.7', ['a.example', '203.0.113.7']],
    ['adblock', 'anchors around nothing', '||\n||^\n|\n^', ['', '', '', '']],
    [
      'openphish',
      'HTML’s escapes, undone once',
      'http://a.example/?a=1&amp;b=2&#39;&amp;lt;',
      ["http://a.example/?a=1&b=2'&lt;"],
    ],
    [
      'openphish',
      'escapes that are not HTML’s',
      'http://a.example/?a=1&copy;&para;=x;',
      ['http://a.example/?a=1&copy;&para;=x;'],
    ],
    [
      'openphish',
      'line ends that were copied with it',
      'http://a.example/?m=x%0D\nhttp://b.example/%0d%0A\r',
      ['http://a.example/?m=x', 'http://b.example/'],
    ],
    ['openphish', 'a fragment', 'http://a.example/x#signin', ['http://a.example/x#signin']],
    ['openphish', 'nothing but line ends', '%0D%0A', ['']],
    [
      'indicators',
      'anything',
      'a.example\n203.0.113.7:443\nhttp://b.example/x # seen twice',
      ['a.example', '203.0.113.7:443', 'http://b.example/x'],
    ],
    [
      'indicators',
      'an entry that its publisher cut short',
      'http://a.example/x…',
      ['(malformed_row)'],
    ],
  ]
  for (const [format, name, text, expected] of rows) {
    test(`${format}: ${name}`, async () => {
      expect(await textsOf(lineFormats[format], text)).toEqual(expected)
    })
  }

  test('adblock: a page never lists its host', async () => {
    const text = '||a.example/x^\n||a.example:8443^\na.example?x=1'
    expect(countsOfItems(await itemsOf(lineFormats.adblock, new Blob([text])))).toEqual({ url: 3 })
  })

  test('indicators: a reference belongs to the entries below it, up to a blank line', async () => {
    const text = `
      # Aliases: x
      one.example

      # Reference: https://report.example/1
      # Reference: https://report.example/2
      # Note: of all of these
      two.example
      three.example
      # reference: https://report.example/3
      four.example

      # of old
      five.example
      # Reference:
      six.example`
    const items = await itemsOf(lineFormats.indicators, new Blob([text]))
    const entries =
      items === 'malformed' ? [] : items.filter((item): item is FeedEntry => item.kind === 'any')
    expect(entries.map((entry) => [entry.text, entry.reference])).toEqual([
      ['one.example', undefined],
      ['two.example', 'https://report.example/2'],
      ['three.example', 'https://report.example/2'],
      ['four.example', 'https://report.example/3'],
      ['five.example', undefined],
      ['six.example', undefined],
    ])
  })

  test('indicators: each reading begins without a reference', () => {
    const { indicators } = lineFormats
    indicators.open()('# Reference: https://report.example/1', () => {})
    indicators.open()('one.example', (item) => {
      expect(item).toEqual({ kind: 'any', text: 'one.example' })
    })
  })
})

describe('any list at all', () => {
  const guards = loadGuards()
  const piece = fc.constantFrom(
    '||',
    '^',
    '$',
    '|',
    '@@',
    '##',
    '#',
    '/',
    '!',
    '[',
    ']',
    ' ',
    '\t',
    '\r\n',
    '\n',
    '\0',
    '\uFEFF',
    '…',
    '&amp;',
    '&#',
    ';',
    '%0D',
    '%',
    '.',
    ':',
    '://',
    '@',
    '*',
    '-',
    'a.example',
    '203.0.113.7',
    '2001:db8::1',
    'google.com',
    'http',
    '# Reference: ',
    '__proto__',
    '<html>',
    '<!doctype html>',
    '\uD800',
    'ü',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  )

  for (const name of names) {
    test(`${name} reads it and never throws`, async () => {
      await fc.assert(
        fc.asyncProperty(text, async (list) => {
          expectSound(await itemsOf(lineFormats[name], new Blob([list])), guards)
        }),
        fuzzRuns,
      )
    })

    test(`${name} reads lines of 10 MB in time that grows with them`, () => {
      for (const unit of ['a', '%0D', '&amp;', '||^', '$,', ' #', '\t', '#', '/', '…', 'a.']) {
        let taken = 0
        lineFormats[name].open()(unit.repeat(1e7 / unit.length), () => taken++)
        expect(taken).toBeLessThan(1e7)
      }
    })
  }
})

describeWith(realData())('the real lists of lines', () => {
  const guards = loadGuards()
  const rows: readonly [string, LineFormatName, items: Counts, listed: Counts][] = [
    ['certpl_domains.txt', 'domains', { name: 4 }, { domain: 4 }],
    // 781 URLs end in an ellipsis.
    [
      'cps_AtomSpam.txt',
      'indicators',
      { any: 2011, '(malformed_row)': 781 },
      { url: 2010, '(whole_platform)': 1, '(malformed_row)': 781 },
    ],
    [
      'cps_AtomSpam.txt',
      'urls',
      { url: 2011, '(malformed_row)': 781 },
      { url: 2010, '(whole_platform)': 1, '(malformed_row)': 781 },
    ],
    ['cps_cobaltstrike_domain.txt', 'domains', { name: 67 }, { domain: 67 }],
    // One address is of a provider's own network (RFC 6598).
    ['cps_threatfox_ips.txt', 'indicators', { any: 3483 }, { ip: 3482, '(not_public_host)': 1 }],
    [
      'discord_ublock_filter.txt',
      'adblock',
      { name: 11_094, url: 1, '(unsupported_type)': 1 },
      {
        domain: 11_066,
        ip: 16,
        url: 1,
        '(protected_name)': 10,
        '(invalid_character)': 1,
        '(not_public_host)': 1,
        '(unsupported_type)': 1,
      },
    ],
    // The rest are paths without a host.
    [
      'maltrail_cobaltstrike.txt',
      'indicators',
      { any: 2360 },
      { url: 391, ip: 1092, domain: 874, '(missing_host)': 3 },
    ],
    [
      'maltrail_fakeapp.txt',
      'indicators',
      { any: 10_135 },
      { url: 174, ip: 35, domain: 9917, '(missing_host)': 9 },
    ],
    ['maltrail_telekopye.txt', 'indicators', { any: 23 }, { domain: 23 }],
    [
      'maltrail_whitelist.txt',
      'domains',
      { name: 3603 },
      {
        domain: 3147,
        ip: 146,
        '(protected_address)': 16,
        '(protected_name)': 226,
        '(not_public_host)': 48,
        '(invalid_character)': 20,
      },
    ],
    ['openphish_feed.txt', 'openphish', { url: 25 }, { url: 25 }],
    ['pd_ACTIVE2.adblock', 'adblock', { name: 6521 }, { domain: 6521 }],
    ['pd_IPs_ACTIVE.txt', 'indicators', { any: 7120 }, { ip: 7120 }],
    ['pd_domains_INVALID.txt', 'domains', { name: 5 }, { '(invalid_character)': 5 }],
    ['pd_domains_NEW-today.txt', 'domains', { name: 3 }, { domain: 3 }],
    ['pd_links_INVALID.txt', 'urls', { url: 5 }, { url: 2, '(invalid_host)': 3 }],
    ['urlhaus_hostfile.txt', 'hosts', { name: 5 }, { domain: 5 }],
  ]
  for (const [file, format, counts, listed] of rows) {
    test(`${file} as ${format}`, async () => {
      const items = await itemsOfFile(lineFormats[format], `feeds/${file}`)
      expect(countsOfItems(items)).toEqual(counts)
      expect(countsOfListed(items, guards)).toEqual(listed)
    })
  }

  test('every trail of maltrail has a reference', async () => {
    const items = await itemsOfFile(lineFormats.indicators, 'feeds/maltrail_fakeapp.txt')
    const references =
      items === 'malformed' ? [] : items.map((item) => 'reference' in item && item.reference)
    expect(references).not.toContain(false)
    expect(references[0]).toStartWith('https://app.validin.com/detail?find=134.122.189.60')
    expect(new Set(references).size).toBe(73)
  })

  test('the URLs of OpenPhish are as they were meant', async () => {
    const items = await itemsOfFile(lineFormats.openphish, 'feeds/openphish_feed.txt')
    const texts = items === 'malformed' ? [] : items.map((item) => 'text' in item && item.text)
    expect(texts[2]).toBe('https://allpl.hotperfectdeal.click/99VS6rRM?fbclid=%7Bfbclid%7D&ut')
    expect(texts[19]).toEndWith('?email=3mail@b.c')
  })
})
