import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  findPlanProblem,
  type PhoneRefusal,
  type PlanProblem,
  parsePhone,
  phoneRefusalMessages,
  planProblemMessages,
  planProblems,
} from '../../src/model/phone.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? '200') }

/** Parses a number; throws when it is refused. */
function parseNumber(text: string) {
  const parsed = parsePhone(text)
  if (!parsed.ok) throw new Error(`${text} was refused: ${parsed.reason}`)
  return parsed.value
}

describe('parsePhone', () => {
  const same = [
    '2125550100',
    '12125550100',
    '+12125550100',
    ' 12125550100',
    '(212) 555-0100',
    '(212)555-0100',
    '212-555-0100',
    '212.555.0100',
    '212/555/0100',
    '212 555 0100',
    '+1 (212) 555-0100',
    '(+1) 212 555 0100',
    '1-212-555-0100',
    '1 (212) 555.0100',
    '[212] 555 0100',
    '212\u00a0555\u20110100',
    '212\u2013555\u20140100',
    '２１２５５５０１００',
    '＋１（２１２）５５５－０１００',
    '𝟐𝟏𝟐-𝟓𝟓𝟓-𝟎𝟏𝟎𝟎',
    '\u202a+1 212-555-0100\u202c',
    '2\u200b125550100',
    '212-555-0100 x123',
    '212-555-0100x123',
    '212-555-0100 ext. 5',
    '212-555-0100 ext 5',
    '212-555-0100 EXT: 5',
    '212-555-0100, ext 5',
    '212-555-0100 extension 12345',
    '2125550100\tX7\n',
  ]
  for (const text of same) {
    test(`reads ${JSON.stringify(text)}`, () => {
      expect(parseNumber(text)).toEqual({
        digits: '2125550100',
        e164: '+12125550100',
        formatted: '(212) 555-0100',
        areaCode: '212',
        exchange: '555',
        line: '0100',
      })
    })
  }

  const refused: readonly [string, PhoneRefusal][] = [
    ['', 'empty'],
    [' \u200b ', 'empty'],
    ['212555010', 'wrong_length'],
    ['555-0100', 'wrong_length'],
    ['911', 'wrong_length'],
    ['212 555 01000', 'wrong_length'],
    ['22125550100', 'wrong_length'],
    ['+1 212 555 010', 'wrong_length'],
    ['+1 212 555 01000', 'wrong_length'],
    ['011 44 20 7946 0958', 'wrong_length'],
    ['+44 20 7946 0958', 'other_country'],
    ['+2125550100', 'other_country'],
    ['＋４４ ２０ ７９４６ ０９５８', 'other_country'],
    ['1-800-FLOWERS', 'invalid_character'],
    ['call 212-555-0100', 'invalid_character'],
    ['212-555-0100 x', 'invalid_character'],
    ['212-555-0100 ext 5 or 6', 'invalid_character'],
    ['212-555-0100 x123456789012', 'invalid_character'],
    ['212-555-0100; 212-555-0101', 'invalid_character'],
    ['212+5550100', 'invalid_character'],
    ['+', 'invalid_character'],
    ['++12125550100', 'invalid_character'],
    ['()-.', 'invalid_character'],
    ['٢١٢٥٥٥٠١٠٠', 'invalid_character'],
    ['2'.repeat(65), 'too_long'],
    ['\uFDFA'.repeat(64), 'invalid_character'],
  ]
  for (const [text, reason] of refused) {
    test(`refuses ${JSON.stringify(text.slice(0, 30))} as ${reason}`, () => {
      expect(parsePhone(text)).toEqual({ ok: false, reason })
    })
  }

  test('says for each refusal what to send', () => {
    for (const message of Object.values(phoneRefusalMessages))
      expect(message).toMatch(/^[A-Z].*\.$/)
  })

  const tenDigits = fc.stringMatching(/^\d{10}$/)
  const filling = fc.constantFrom('', ' ', '-', '.', '/', ') ', ' (', '\u2011', '\u00a0')

  test('parses every formatting of ten digits alike', () => {
    const prefix = fc.constantFrom('', '1', '+1', '+1 ', '1-', '(+1) ')
    const suffix = fc.constantFrom('', ' ', 'x1', ' ext. 22', ' extension 333')
    const fillings = fc.array(filling, { minLength: 9, maxLength: 9 })
    const isWide = fc.boolean()
    fc.assert(
      fc.property(tenDigits, prefix, fillings, suffix, isWide, (digits, start, gaps, end, wide) => {
        const written = [...digits].map((digit, index) => `${digit}${gaps[index] ?? ''}`).join('')
        const narrow = `${start}${written}${end}`
        const text = wide
          ? narrow.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
          : narrow
        expect(parseNumber(text).digits).toBe(digits)
      }),
      runs,
    )
  })

  test('parses what it has formatted, and never throws', () => {
    fc.assert(
      fc.property(tenDigits, fc.string({ unit: 'binary', maxLength: 80 }), (digits, junk) => {
        const number = parseNumber(digits)
        expect(parseNumber(number.e164)).toEqual(number)
        expect(parseNumber(number.formatted)).toEqual(number)
        const parsed = parsePhone(junk)
        if (parsed.ok) expect(parsed.value.e164).toMatch(/^\+1\d{10}$/)
        expect(Object.hasOwn(planProblemMessages, String(findPlanProblem(number)))).toBe(
          findPlanProblem(number) !== null,
        )
      }),
      runs,
    )
  })
})

describe('findPlanProblem', () => {
  const rows: readonly [string, PlanProblem | null][] = [
    ['2125552368', null],
    ['0123456789', 'area_code_first_digit'],
    ['1234567890', 'area_code_first_digit'],
    ['9112345678', 'area_code_service'],
    ['2112345678', 'area_code_service'],
    ['2912345678', 'area_code_reserved'],
    ['9992345678', 'area_code_reserved'],
    ['3702345678', 'area_code_reserved'],
    ['9692345678', 'area_code_reserved'],
    ['2120345678', 'exchange_first_digit'],
    ['2121345678', 'exchange_first_digit'],
    ['8001345678', 'exchange_first_digit'],
    ['2129112345', 'exchange_service'],
    ['2124112372', 'exchange_service'],
    // The Consumer Financial Protection Bureau answers this one.
    ['8554112372', null],
    ['2129501234', 'carrier_access'],
    ['8009501234', null],
    ['2129581234', 'test_line'],
    ['2129591234', 'test_line'],
    ['2125550100', 'fictional'],
    ['2125550199', 'fictional'],
    ['2125550200', null],
    ['2125550099', null],
    ['8005550199', 'fictional'],
    ['8005550100', null],
    ['2125551212', 'directory_assistance'],
    ['8005551212', 'directory_assistance'],
    // Expensive, but assignable.
    ['2129761234', null],
    ['9002345678', null],
    ['7002345678', null],
  ]
  for (const [digits, problem] of rows) {
    test(`${digits} is ${problem ?? 'possible'}`, () => {
      expect(findPlanProblem(parseNumber(digits))).toBe(problem)
    })
  }

  test('has a sentence for each problem', () => {
    expect(Object.keys(planProblemMessages)).toEqual([...planProblems])
    for (const message of Object.values(planProblemMessages)) expect(message).toMatch(/^\S.*\.$/)
  })
})
