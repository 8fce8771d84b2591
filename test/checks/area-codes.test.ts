import { describe, expect, test } from 'bun:test'
import { loadAreaCodes, parseAreaCodes } from '../../src/checks/area-codes.ts'
import { findPlanProblem, parsePhone } from '../../src/model/phone.ts'

const codes = loadAreaCodes()

function findAreaCode(text: string) {
  const number = parsePhone(text)
  if (!number.ok) throw new Error(`${text} was refused`)
  return codes.of(number.value)
}

/** Every area code that three digits can write, in a number that the plan allows otherwise. */
const everyCode = Array.from({ length: 1000 }, (_, code) => String(code).padStart(3, '0'))

describe('the area codes that ship with weir', () => {
  const listKinds = (country: string | null): string[] =>
    everyCode.filter((code) => findAreaCode(`${code}2345678`).country === country)

  test('are as many as there are', () => {
    const assigned = everyCode.filter(
      (code) => findAreaCode(`${code}2345678`).kind !== 'unassigned',
    )
    expect(assigned.length).toBe(493)
    expect(listKinds('US').length).toBe(379)
    expect(listKinds('CA').length).toBe(58)
  })

  test('hold none that the plan forbids', () => {
    for (const code of everyCode) {
      const number = parsePhone(`${code}2345678`)
      if (!number.ok || findPlanProblem(number.value) === null) continue
      expect([code, codes.of(number.value).kind]).toEqual([code, 'unassigned'])
    }
  })

  test('hold the codes of one-ring calls that the FTC named as high, and the others abroad as elevated', () => {
    const abroad = everyCode.filter(
      (code) => findAreaCode(`${code}2345678`).kind === 'foreign_nanp',
    )
    const high = abroad.filter((code) => findAreaCode(`${code}2345678`).risk === 'high')
    expect(high).toEqual(['268', '284', '473', '649', '664', '767', '809', '829', '849', '876'])
    const others = ['242', '246', '264', '345', '441', '658', '721', '758', '784', '868', '869']
    expect(abroad.filter((code) => !high.includes(code))).toEqual(others)
    for (const code of others) expect(findAreaCode(`${code}2345678`).risk).toBe('elevated')
  })

  test('say what to keep in mind wherever there is a risk', () => {
    for (const code of everyCode) {
      const { risk, note } = findAreaCode(`${code}2345678`)
      expect([code, note === null]).toEqual([code, risk === 'none'])
      if (note !== null) expect(note).toMatch(/^[A-Z].*\.$/)
    }
  })
})

describe('AreaCodes', () => {
  const rows: readonly [string, object][] = [
    ['2125552368', { region: 'New York', country: 'US', kind: 'geographic', risk: 'none' }],
    ['7875552368', { region: 'Puerto Rico', country: 'US', kind: 'geographic', risk: 'none' }],
    ['4165552368', { region: 'Ontario', country: 'CA', kind: 'geographic', risk: 'low' }],
    ['8765552368', { region: 'Jamaica', country: 'JM', kind: 'foreign_nanp', risk: 'high' }],
    ['8005552368', { country: null, kind: 'toll_free', risk: 'low' }],
    ['9005552368', { country: null, kind: 'premium', risk: 'high' }],
    ['2129762368', { region: 'New York', country: 'US', kind: 'premium', risk: 'high' }],
    ['8009762368', { kind: 'toll_free', risk: 'low' }],
    ['5005552368', { kind: 'personal' }],
    ['6005552368', { country: 'CA', kind: 'non_geographic' }],
    ['7005552368', { kind: 'carrier' }],
    ['7105552368', { country: 'US', kind: 'government' }],
    ['8225552368', { kind: 'reserved', risk: 'high' }],
    ['4565552368', { region: null, country: null, kind: 'unassigned', risk: 'high' }],
    ['2225552368', { kind: 'unassigned', risk: 'high' }],
  ]
  for (const [digits, known] of rows) {
    test(`knows ${digits}`, () => {
      expect(findAreaCode(digits)).toMatchObject({ code: digits.slice(0, 3), ...known })
    })
  }
})

describe('parseAreaCodes', () => {
  const wrong: readonly [string, string, string][] = [
    ['a line of too few parts', 'New York | US | geographic | 212', 'write region'],
    ['a line without codes', 'New York | US | geographic | none |', 'write region'],
    ['a country in words', 'New York | usa | geographic | none | 212', 'two capital letters'],
    ['a kind that does not exist', 'New York | US | big | none | 212', 'the kind must be'],
    ['a risk that does not exist', 'New York | US | geographic | some | 212', 'the risk must be'],
    ['an invalid code', 'New York | US | geographic | none | 112', '112 is not an area code'],
    ['a code twice', 'New York | US | geographic | none | 212 212', '212 is in the table twice'],
  ]
  for (const [name, text, words] of wrong) {
    test(`refuses ${name}, saying where`, () => {
      expect(() => parseAreaCodes(text)).toThrow(words)
    })
  }
})
