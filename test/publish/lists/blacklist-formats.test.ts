/** The four formats of the blacklist, and that no value can break out of any of them. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Indicator } from '../../../src/model/indicator.ts'
import type { BlacklistRows } from '../../../src/publish/lists/blacklist.ts'
import { renderBlacklist } from '../../../src/publish/lists/blacklist-formats.ts'
import { indicatorOf } from '../../http/stand-ins.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
const context = { limit: 100, offset: 0, address: 'https://weir.example.org/list' }

function makePage(
  entries: readonly Indicator[],
  changes: Partial<BlacklistRows> = {},
): BlacklistRows {
  return {
    entries,
    total: entries.length,
    totalActive: entries.length,
    lastUpdated: Date.UTC(2026, 10, 20, 8, 15, 30, 123),
    seq: 8192,
    epoch: 'e',
    changesCursor: 'c',
    nextCursor: null,
    ...changes,
  }
}

/** Reads RFC 4180 as it is defined, one character at a time. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[i + 1] === '"') cell += text[++i]
      else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      row.push(cell)
      cell = ''
    } else if (character === '\r' && text[i + 1] === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
      i++
    } else cell += character
  }
  expect([isQuoted, row, cell]).toEqual([false, [], ''])
  return rows
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('=cmd|x', '+1', '-1', '@a', '\t', '\r\n', '"', ',', "'", '</script>', '\u2028'),
)

describe('json', () => {
  test('holds page and entries under their wire names', () => {
    const entry = indicatorOf('xn--bcher-kva.test', { targetBrand: 'Example', sources: ['a', 'b'] })
    const page = makePage([entry], { total: 7, nextCursor: 'next' })
    expect(JSON.parse(renderBlacklist('json', page, { ...context, limit: 1 }))).toEqual({
      total: 7,
      count: 1,
      limit: 1,
      offset: 0,
      last_updated: '2026-11-20T08:15:30.123Z',
      next_cursor: 'next',
      domains: [
        {
          domain: 'xn--bcher-kva.test',
          domain_unicode: 'bücher.test',
          do_not_block: 0,
          threat_type: 'phishing',
          threat_level: 'high',
          target_brand: 'Example',
          confidence: 80,
          sources: ['a', 'b'],
          first_seen: '2026-11-19T08:15:30.123Z',
          last_seen: '2026-11-20T08:15:30.123Z',
          listed_at: '2026-11-20T08:15:30.123Z',
        },
      ],
    })
  })

  test('has no Unicode form where there is none, and the flag where it is set', () => {
    const text = renderBlacklist(
      'json',
      makePage([indicatorOf('a.test', { doNotBlock: true })]),
      context,
    )
    expect(text).not.toContain('domain_unicode')
    expect(JSON.parse(text).domains[0].do_not_block).toBe(1)
  })

  test('cannot open a tag', () => {
    const page = makePage([indicatorOf('a.test', { targetBrand: '</script><b>' })])
    const text = renderBlacklist('json', page, context)
    expect(text).not.toContain('<')
    expect(JSON.parse(text).domains[0].target_brand).toBe('</script><b>')
  })
})

describe('csv', () => {
  test('has a header row, CRLF after every row, and flagged entries too', () => {
    const page = makePage([
      indicatorOf('evil.test'),
      indicatorOf('platform.test', { doNotBlock: true }),
    ])
    const text = renderBlacklist('csv', page, context)
    expect(text).toEndWith('\r\n')
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'domain,domain_unicode,do_not_block,threat_type,threat_level,target_brand,confidence,sources,' +
        'first_seen,last_seen,listed_at',
      'evil.test,,0,phishing,high,,80,fixture,' +
        '2026-11-19T08:15:30.123Z,2026-11-20T08:15:30.123Z,2026-11-20T08:15:30.123Z',
      'platform.test,,1,phishing,high,,80,fixture,' +
        '2026-11-19T08:15:30.123Z,2026-11-20T08:15:30.123Z,2026-11-20T08:15:30.123Z',
    ])
  })

  test.each([
    ['Example, Inc.', '"Example, Inc."'],
    ['"Best" Bank', '"""Best"" Bank"'],
    ['two\nlines', '"two\nlines"'],
    ["=cmd|' /C calc'!A0", `"'=cmd|' /C calc'!A0"`],
    ['=1+"1"', `"'=1+""1"""`],
    ['+49', `"'+49"`],
    ['-2', `"'-2"`],
    ['@sum', `"'@sum"`],
    ['\tx', `"'\tx"`],
    ['＝1', `"'＝1"`],
    ['a=b', 'a=b'],
  ])('writes the brand %j as %j', (brand, cell) => {
    const text = renderBlacklist(
      'csv',
      makePage([indicatorOf('a.test', { targetBrand: brand })]),
      context,
    )
    expect(text).toContain(`,high,${cell},80,`)
  })

  test('reads back, whatever the values, with no formula in it', () => {
    const property = fc.property(fc.array(fc.tuple(hostile, hostile)), (values) => {
      const entries = values.map(([value, brand]) => indicatorOf(value, { targetBrand: brand }))
      const rows = parseCsv(renderBlacklist('csv', makePage(entries), context)).slice(1)
      expect(rows).toHaveLength(values.length)
      for (const [index, [value, brand]] of values.entries()) {
        const row = rows[index] ?? []
        expect(row).toHaveLength(11)
        expect([value, `'${value}`]).toContain(row[0] ?? '')
        expect([brand, `'${brand}`]).toContain(row[5] ?? '')
        for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
      }
    })
    fc.assert(property, { numRuns })
  })
})

describe('txt and hosts', () => {
  const mixed = makePage([
    indicatorOf('evil.test'),
    indicatorOf('platform.test', { doNotBlock: true }),
    indicatorOf('under_score.evil-2.test'),
  ])

  test('txt is one name a line and nothing else', () => {
    expect(renderBlacklist('txt', mixed, context)).toBe('evil.test\nunder_score.evil-2.test\n')
  })

  test('hosts says what it is before its lines', () => {
    expect(renderBlacklist('hosts', mixed, context)).toBe(
      [
        '# Title: weir phishing domain blacklist',
        '# Version: 8192',
        '# Last modified: 2026-11-20T08:15:30.123Z',
        '# Number of entries: 2',
        '# Address: https://weir.example.org/list',
        '0.0.0.0 evil.test',
        '0.0.0.0 under_score.evil-2.test',
        '',
      ].join('\n'),
    )
  })

  test('an empty list is an empty file, or only its header', () => {
    expect(renderBlacklist('txt', makePage([]), context)).toBe('')
    expect(renderBlacklist('hosts', makePage([]), context).split('\n')).toHaveLength(6)
  })

  test.each([
    'evil.test\nsecond.test',
    'evil.test second.test',
    'evil.test#',
    'evil.test\0',
    'EVIL.test',
    'bücher.test',
    'localhost',
    'evil..test',
    '.evil.test',
    'evil.test.',
    '*.evil.test',
    '203.0.113.9/24',
    'a'.repeat(64).concat('.test'),
    `${'a.'.repeat(125)}test`,
    '',
  ])('leaves out %j', (value) => {
    const page = makePage([indicatorOf(value)])
    expect(renderBlacklist('txt', page, context)).toBe('')
    expect(renderBlacklist('hosts', page, context)).not.toContain('0.0.0.0')
  })

  test('hold nothing but names, whatever the values', () => {
    const property = fc.property(fc.array(hostile), (values) => {
      const page = makePage(values.map((value) => indicatorOf(value)))
      expect(renderBlacklist('txt', page, context)).toMatch(/^(?:[a-z0-9_.-]+\n)*$/)
      expect(renderBlacklist('hosts', page, context)).toMatch(
        /^(?:# [^\n]+\n){5}(?:0\.0\.0\.0 [a-z0-9_.-]+\n)*$/,
      )
    })
    fc.assert(property, { numRuns })
  })
})
