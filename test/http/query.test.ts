/** Query strings: what is read, what is refused, and that reading agrees with writing. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDay, parseDigits, readQuery } from '../../src/http/query.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
const read = (query: string, names: readonly string[] = ['url', 'limit']) =>
  readQuery(`http://weir.test/path${query}`, names)

describe('readQuery', () => {
  const readable: readonly (readonly [string, string | undefined])[] = [
    ['', undefined],
    ['?', undefined],
    ['?&&', undefined],
    ['?other=1', undefined],
    ['?URL=a', undefined],
    ['?urls=a', undefined],
    ['?url', ''],
    ['?url=', ''],
    ['?url=a', 'a'],
    ['?other=1&url=a', 'a'],
    ['?url=a&other=1&other=2', 'a'],
    ['?url=a=b', 'a=b'],
    ['?url=?x', '?x'],
    ['?url=a%26b', 'a&b'],
    ['?url=a+b', 'a b'],
    ['?url=a%2Bb', 'a+b'],
    ['?%75rl=a', 'a'],
    ['?url=%C3%A9', 'é'],
    ['?url=a#b', 'a#b'],
    ['?url=__proto__', '__proto__'],
    ['?%ZZ=1&url=a', 'a'],
    ['?other=%ZZ&url=a', 'a'],
    ['?__proto__=1&constructor=2&url=a', 'a'],
  ]
  test.each(readable)('reads url from "%s"', (query, url) => {
    const { values, errors } = read(query)
    expect(values[0]).toBe(url)
    expect(errors).toEqual([])
  })

  const refused = [
    '?url=%',
    '?url=%2',
    '?url=%ZZ',
    '?url=%FF',
    '?url=%E0%A4%A',
    '?url=%ED%A0%80',
    '?url=%00',
    '?url=a%00b',
    '?url=%EF%BF%BD',
    '?url=a&url=a',
    '?url=a&%75rl=b',
    '?url&url',
  ]
  test.each(refused)('refuses url in "%s", naming it', (query) => {
    expect(read(query).errors.map(({ field }) => field)).toEqual(['url'])
  })

  test('names every wrong parameter at once', () => {
    const { errors } = read('?url=%FF&limit=1&limit=2')
    expect(errors.map(({ field }) => field)).toEqual(['url', 'limit'])
  })

  test('reads back whatever URLSearchParams writes', () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((value) => !/[\0\uFFFD]/.test(value) && value.isWellFormed())
    const property = fc.property(text, text, (url, other) => {
      const search = new URLSearchParams([
        ['x', other],
        ['url', url],
      ])
      expect(read(`?${search}`)).toEqual({ values: [url], errors: [] })
    })
    fc.assert(property, { numRuns })
  })

  test('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        read(`?${query}`)
      }),
      { numRuns },
    )
  })
})

describe('parseDigits', () => {
  test.each([
    ['0', 0],
    ['007', 7],
    ['1000', 1000],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %s', (text, value) => {
    expect(parseDigits(text)).toBe(value)
  })

  test.each(['', '-1', '+1', '1e2', '0x10', '5.5', ' 5', '5 ', '١', 'Infinity', 'NaN', '1_000'])(
    'refuses "%s"',
    (text) => {
      expect(parseDigits(text)).toBeNull()
    },
  )
})

describe('parseDay', () => {
  test.each([
    ['1970-01-01', 0],
    ['2026-11-20', Date.UTC(2026, 10, 20)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
  ])('reads %s as midnight UTC', (text, time) => {
    expect(parseDay(text)).toBe(time)
  })

  test.each([
    '',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '+02026-01-01',
  ])('refuses "%s"', (text) => {
    expect(parseDay(text)).toBeNull()
  })
})
