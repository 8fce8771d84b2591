import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createPhoneChecker,
  type NumberListing,
  type PhoneAnswer,
  type ReportedCalls,
} from '../../src/checks/phone.ts'
import type { Indicator } from '../../src/model/indicator.ts'
import {
  callSubjectLabels,
  callSubjects,
  phoneRefusalMessages,
  phoneStatuses,
  planProblemMessages,
} from '../../src/model/phone.ts'
import { indicatorOf } from '../http/stand-ins.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? '200') }
const foundAt = 50
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`)

const called = (
  subject: ReportedCalls['subject'],
  count: number,
  first: string,
  last = first,
): ReportedCalls => ({ subject, count, firstDay: day(first), lastDay: day(last) })

/** A listing of `(202) 555-2368`. */
function makeListing(
  calls: readonly ReportedCalls[],
  changes: Partial<Indicator> = {},
): NumberListing {
  const words = { type: 'phone', threatType: 'scam', confidence: 50 } as const
  return { indicator: indicatorOf('+12025552368', { ...words, ...changes }), calls }
}

function answerTo(input: string, listing: NumberListing | null = null): PhoneAnswer {
  const numbers = { phone: (e164: string) => (e164 === '+12025552368' ? listing : null) }
  const answer = createPhoneChecker(numbers, foundAt).check(input)
  if (!answer.ok) throw new Error(`${input} was refused: ${answer.reason}`)
  return answer.value
}

const listCodes = ({ reasons }: PhoneAnswer): string[] => reasons.map(({ code }) => code)
const findMessage = ({ reasons }: PhoneAnswer, code: string): string | undefined =>
  reasons.find((reason) => reason.code === code)?.message

describe('a number that is listed', () => {
  test('is found, and says how often and when it was reported', () => {
    const calls = [
      called('imposter', 2, '2026-05-02', '2026-05-09'),
      called('other', 1, '2026-05-14'),
    ]
    const answer = answerTo('(202) 555-2368', makeListing(calls))
    expect(answer).toMatchObject({ status: 'found', scamType: 'imposter', reports: 3 })
    expect(listCodes(answer)).toEqual(['reported_calls', 'reported_subject', 'caller_id'])
    expect(findMessage(answer, 'reported_calls')).toBe(
      'Reported 3 times between 2026-05-02 and 2026-05-14; the reports are not verified, and caller ID can be spoofed.',
    )
  })

  test('names the day of one report and of several reports', () => {
    const once = answerTo('2025552368', makeListing([called('energy', 1, '2026-05-14')]))
    expect(findMessage(once, 'reported_calls')).toStartWith(
      'Reported once on 2026-05-14; the report is not verified',
    )
    const twice = answerTo('2025552368', makeListing([called('energy', 2, '2026-05-14')]))
    expect(findMessage(twice, 'reported_calls')).toStartWith(
      'Reported 2 times on 2026-05-14; the reports are not verified',
    )
  })

  test('names the subject that most reports name, and none where none says', () => {
    const findScamType = (...calls: readonly ReportedCalls[]) =>
      answerTo('2025552368', makeListing(calls)).scamType
    const at = '2026-05-14'
    expect(findScamType(called('none_given', 9, at), called('warranty', 1, at))).toBe('warranty')
    expect(findScamType(called('warranty', 1, at), called('medical', 2, at))).toBe('medical')
    expect(findScamType(called('other', 5, at), called('none_given', 5, at))).toBeNull()
    expect(findScamType()).toBeNull()
  })

  test('is suspicious under the confidence that is asked for', () => {
    const listing = makeListing([called('imposter', 1, '2026-05-14')], { confidence: 49 })
    const answer = answerTo('2025552368', listing)
    expect(answer.status).toBe('suspicious')
    expect(findMessage(answer, 'low_confidence')).toBe("The listing's confidence is 49, under 50.")
  })

  test('says who lists it where no calls were reported, unless that is private', () => {
    const answer = answerTo('2025552368', makeListing([]))
    expect(answer).toMatchObject({ status: 'found', scamType: null, reports: 0 })
    expect(findMessage(answer, 'listed_number')).toBe(
      'The number is listed since 2026-11-20 by fixture.',
    )
    const hidden = answerTo('2025552368', makeListing([], { isPublished: false }))
    expect(findMessage(hidden, 'listed_number')).not.toContain('fixture')
  })

  test('is not found once it is delisted', () => {
    const listing = makeListing([called('imposter', 4, '2026-05-14')], { isActive: false })
    expect(answerTo('2025552368', listing)).toMatchObject({ status: 'not_found', reports: 0 })
  })
})

describe('a number that is not listed', () => {
  const rows: readonly [string, PhoneAnswer['status'], readonly string[]][] = [
    ['2025552368', 'not_found', ['not_listed', 'caller_id']],
    ['4165552368', 'not_found', ['not_listed', 'caller_id']],
    ['8005552368', 'not_found', ['not_listed', 'caller_id']],
    ['2425552368', 'not_found', ['area_code', 'not_listed', 'caller_id']],
    ['8765552368', 'suspicious', ['area_code', 'not_listed', 'caller_id']],
    ['9005552368', 'suspicious', ['area_code', 'not_listed', 'caller_id']],
    ['2129762368', 'suspicious', ['area_code', 'not_listed', 'caller_id']],
    ['2225552368', 'suspicious', ['area_code', 'not_listed', 'caller_id']],
    ['2125550100', 'suspicious', ['forbidden_number', 'not_listed', 'caller_id']],
    ['0123456789', 'suspicious', ['forbidden_number', 'not_listed', 'caller_id']],
    ['8760001234', 'suspicious', ['forbidden_number', 'area_code', 'not_listed', 'caller_id']],
  ]
  for (const [digits, status, codes] of rows) {
    test(`${digits} is ${status}`, () => {
      const answer = answerTo(digits)
      expect(answer.status).toBe(status)
      expect(listCodes(answer)).toEqual([...codes])
      expect(answer).toMatchObject({ scamType: null, reports: 0 })
    })
  }

  test('says why the plan gives it to nobody', () => {
    expect(answerTo('2125550100').problem).toBe('fictional')
    expect(answerTo('2125552368').problem).toBeNull()
  })
})

describe('the words of an answer', () => {
  const forbidden = /\bsafe\b|scammer|fraudster|criminal/i

  test('call nobody a scammer and no number safe, whatever is known', () => {
    const confidences = fc.constantFrom(0, 49, 50, 100)
    const calls = fc.array(
      fc.record({
        subject: fc.constantFrom(...callSubjects),
        count: fc.integer({ min: 1, max: 9999 }),
        firstDay: fc.constant(day('2026-05-02')),
        lastDay: fc.constantFrom(day('2026-05-02'), day('2026-05-14')),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(confidences, calls, fc.boolean(), (confidence, reported, isPublished) => {
        const listing = makeListing(reported, { confidence, isPublished })
        const answer = answerTo('2025552368', listing)
        expect(phoneStatuses).toContain(answer.status)
        expect(answer.reasons.at(-1)?.code).toBe('caller_id')
        for (const { message } of answer.reasons) {
          expect(message).toMatch(/^\S.*\.$/)
          expect(message).not.toMatch(forbidden)
        }
      }),
      runs,
    )
  })

  test('are as careful about every area code, every subject and every refusal', () => {
    const said = Array.from({ length: 1000 }, (_, code) => {
      const digits = `${String(code).padStart(3, '0')}2345678`
      return JSON.stringify(answerTo(digits))
    })
    const messages = [callSubjectLabels, phoneRefusalMessages, planProblemMessages]
    for (const text of [...said, JSON.stringify(messages)]) expect(text).not.toMatch(forbidden)
  })
})
