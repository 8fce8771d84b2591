import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseInstant } from '../../src/model/instant.ts'

const at = (iso: string, microseconds = 0): number => Date.parse(iso) * 1000 + microseconds
const second = at('2026-03-12T08:00:00Z')

describe('parseInstant', () => {
  test.each([
    ['2026-03-12T08:00:00Z', second, 0],
    ['2026-03-12T08:00:00+00:00', second, 0],
    ['2026-03-12T08:00:00 00:00', second, 0],
    ['2026-03-12T08:00:00.1Z', second + 100_000, 1],
    ['2026-03-12T08:00:00.123Z', second + 123_000, 3],
    ['2026-03-12T08:00:00.123456Z', second + 123_456, 6],
    ['2026-03-12T08:00:00.123456789Z', second + 123_456, 9],
    ['2024-02-29T23:59:59.999999Z', at('2024-02-29T23:59:59Z', 999_999), 6],
    ['1970-01-01T00:00:00Z', 0, 0],
    ['0001-01-01T00:00:00Z', at('0001-01-01T00:00:00Z'), 0],
  ] as const)('reads %s, strictly and leniently', (text, microseconds, digits) => {
    for (const form of ['strict', 'lenient'] as const) {
      expect(parseInstant(text, form)).toEqual({ microseconds, digits })
    }
  })

  test.each([
    ['2026-03-12', at('2026-03-12T00:00:00Z')],
    ['2026-03-12T08:00', second],
    ['2026-03-12T08:00:00', second],
    ['2026-03-12 08:00:00', second],
    ['2026-03-12t08:00:00z', second],
    ['2026-03-12T08:00:00,5Z', second + 500_000],
    ['2026-03-12T10:00:00+02:00', second],
    ['2026-03-12T10:00:00 02:00', second],
    ['2026-03-12T13:30:00+0530', second],
    ['2026-03-12T03:00:00-05', second],
  ] as const)('parses %s only leniently', (text, microseconds) => {
    expect(parseInstant(text, 'lenient')?.microseconds).toBe(microseconds)
    expect(parseInstant(text, 'strict')).toBeNull()
  })

  test.each([
    '',
    'yesterday',
    '2026',
    '2026-3-1',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-03-12T24:00:00Z',
    '2026-03-12T08:60:00Z',
    '2026-03-12T08:00:60Z',
    '2026-03-12T08:00:00.Z',
    '2026-03-12T08:00:00.1234567890Z',
    '2026-03-12T08:00:00+24:00',
    '2026-03-12T08:00:00+00:60',
    '2026-03-12Z',
    ' 2026-03-12T08:00:00Z',
    '2026-03-12T08:00:00Z\n',
    '0050-01-01T00:00:0٠Z',
    '1773302400',
  ])('refuses %p', (text) => {
    expect(parseInstant(text, 'lenient')).toBeNull()
    expect(parseInstant(text, 'strict')).toBeNull()
  })

  test('parses what a date is formatted as', () => {
    const date = fc.date({ min: new Date(0), max: new Date(8e12), noInvalidDate: true })
    fc.assert(
      fc.property(date, (moment) => {
        const read = parseInstant(moment.toISOString(), 'strict')
        expect(read).toEqual({ microseconds: moment.getTime() * 1000, digits: 3 })
      }),
    )
  })
})
