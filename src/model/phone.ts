/**
 * Phone numbers of the North American Numbering Plan (country code 1), and the properties of a number.
 *
 *     +1 (212) 555-0100 x7   =   area code 212, exchange 555, line 0100; the extension is dropped
 *
 * Parsing checks only for ten digits; `findPlanProblem` checks whether the plan can assign them. Pure; the
 * current assignments are in `data/area-codes.txt`.
 */

import { isDottedIpv4 } from './address.ts'
import type { Result } from './result.ts'

/** A number of ten digits, split into its parts. */
export interface PhoneNumber {
  /** All ten. */
  readonly digits: string
  /** In E.164: `+12125550100`. */
  readonly e164: string
  /** `(212) 555-0100`. */
  readonly formatted: string
  readonly areaCode: string
  readonly exchange: string
  readonly line: string
}

/** Why a text is not a number of the plan. */
export type PhoneRefusal =
  | 'empty'
  | 'too_long'
  | 'invalid_character'
  | 'other_country'
  | 'wrong_length'

/** What the client should send instead. */
export const phoneRefusalMessages: Readonly<Record<PhoneRefusal, string>> = {
  empty: 'Send a phone number of ten digits.',
  too_long: 'Send at most 64 characters: one phone number of ten digits.',
  invalid_character: 'Send one number in digits; only an extension such as x123 may have letters.',
  other_country:
    'Send a number of country code 1, such as +1 212 555 2368; others are not supported.',
  wrong_length: 'Send ten digits, after an optional +1 or 1.',
}

/** The longest text that is parsed. */
const textMax = 64

/** Separators of digits after NFKC: spaces, dots, dashes, brackets. */
const separators = /[\s.,()/[\]\-\u2010-\u2015\u2212\u00b7]/g

/** An extension, from its first letter on. */
const extension = /^(?:extension|ext|x)[.:=]? ?\d{1,11}$/

/** Zero-width marks, which may be copied with a number. */
const invisible = /\p{Cf}/gu

const fail = (reason: PhoneRefusal): Result<PhoneNumber, PhoneRefusal> => ({ ok: false, reason })

/** Removes an extension; null when there are other letters. */
function withoutExtension(text: string): string | null {
  const at = text.search(/\p{L}/u)
  if (at === -1) return text
  return extension.test(text.slice(at).trimEnd()) ? text.slice(0, at) : null
}

/**
 * Parses a number in any formatting: ten digits after an optional `+1` or `1`; drops an extension. Digits may
 * be of any width (`１`): NFKC is applied first.
 */
export function parsePhone(text: string): Result<PhoneNumber, PhoneRefusal> {
  if (text.length > textMax) return fail('too_long')
  const plain = text.normalize('NFKC').toLowerCase().replace(invisible, '').trim()
  if (plain === '') return fail('empty')
  const number = withoutExtension(plain)?.replace(separators, '') ?? null
  if (number === null || !/^\+?\d+$/.test(number)) return fail('invalid_character')
  const isInternational = number.startsWith('+')
  const digits = isInternational ? number.slice(1) : number
  if (isInternational && !digits.startsWith('1')) return fail('other_country')
  if (digits.length === 11 && digits.startsWith('1')) return toPhoneNumber(digits.slice(1))
  return digits.length === 10 && !isInternational ? toPhoneNumber(digits) : fail('wrong_length')
}

function toPhoneNumber(digits: string): Result<PhoneNumber, PhoneRefusal> {
  const areaCode = digits.slice(0, 3)
  const exchange = digits.slice(3, 6)
  const line = digits.slice(6)
  const formatted = `(${areaCode}) ${exchange}-${line}`
  return {
    ok: true,
    value: { digits, e164: `+1${digits}`, formatted, areaCode, exchange, line },
  }
}

/** Why a number is unassignable. */
export const planProblems = [
  'area_code_first_digit',
  'area_code_service',
  'area_code_reserved',
  'exchange_first_digit',
  'exchange_service',
  'carrier_access',
  'test_line',
  'fictional',
  'directory_assistance',
] as const
export type PlanProblem = (typeof planProblems)[number]

/** Each problem as a sentence. */
export const planProblemMessages: Readonly<Record<PlanProblem, string>> = {
  area_code_first_digit:
    'No area code begins with 0 or 1; it may be a number of another country without its country code.',
  area_code_service: 'An area code never ends in 11: these are service codes such as 911.',
  area_code_reserved: 'The numbering plan reserves this area code for its own expansion.',
  exchange_first_digit: 'The three digits after the area code never begin with 0 or 1.',
  exchange_service: 'The three digits after this area code never end in 11, like a service code.',
  carrier_access: 'Exchange 950 leads to carriers; no one can call from it.',
  test_line: 'Exchanges 958 and 959 are for test lines; no one can call from them.',
  fictional: 'Numbers from 555-0100 to 555-0199 are reserved for fiction and examples.',
  directory_assistance: '555-1212 is directory assistance; no one calls from it.',
}

const unreachable: ReadonlyMap<string, PlanProblem> = new Map([
  ['950', 'carrier_access'],
  ['958', 'test_line'],
  ['959', 'test_line'],
])

/** The codes that are toll-free or reserved for it: 8 and the same digit twice. */
const tollFree = /^8(\d)\1$/

function findAreaCodeProblem(areaCode: string): PlanProblem | null {
  if (/^[01]/.test(areaCode)) return 'area_code_first_digit'
  if (areaCode.endsWith('11')) return 'area_code_service'
  // N9X for a longer format, 37X and 96X for blocks of ten codes.
  return /^(?:.9|37|96)/.test(areaCode) ? 'area_code_reserved' : null
}

/** Returns why this number is unassignable, or null when it is assignable. */
export function findPlanProblem(number: PhoneNumber): PlanProblem | null {
  const { areaCode, exchange, line } = number
  const problem = findAreaCodeProblem(areaCode)
  if (problem !== null) return problem
  if (/^[01]/.test(exchange)) return 'exchange_first_digit'
  if (exchange === '555' && line === '1212') return 'directory_assistance'
  // Toll-free numbers such as 855-411-2372 exist, and of 555 only one is reserved for fiction.
  if (tollFree.test(areaCode)) return number.digits === '8005550199' ? 'fictional' : null
  if (exchange.endsWith('11')) return 'exchange_service'
  if (exchange === '555' && line.startsWith('01')) return 'fictional'
  return unreachable.get(exchange) ?? null
}

/** The subjects of reported calls: the topics of the FTC's form, one word each. */
export const callSubjects = [
  'imposter',
  'tech_support',
  'debt_reduction',
  'debt_collection',
  'medical',
  'warranty',
  'lottery_prize',
  'home_improvement',
  'home_security',
  'energy',
  'travel',
  'work_from_home',
  'charity',
  'survey_political',
  'dropped_call',
  'none_given',
  'other',
] as const
export type CallSubject = (typeof callSubjects)[number]

/** Each subject for display. */
export const callSubjectLabels: Readonly<Record<CallSubject, string>> = {
  imposter: 'calls pretending to be government, businesses, or family and friends',
  tech_support: 'computer and technical support',
  debt_reduction: 'reducing debt, such as credit cards, mortgages or student loans',
  debt_collection: 'debt collection',
  medical: 'medical matters and prescriptions',
  warranty: 'warranties and protection plans',
  lottery_prize: 'lotteries, prizes and sweepstakes',
  home_improvement: 'home improvement and cleaning',
  home_security: 'home security and alarms',
  energy: 'energy, solar and utilities',
  travel: 'vacations and timeshares',
  work_from_home: 'work from home and other ways to make money',
  charity: 'charities',
  survey_political: 'surveys and political calls',
  dropped_call: 'dropped calls, or calls without a message',
  none_given: 'no subject given',
  other: 'something else',
}

/** The kinds of area codes. */
export const areaCodeKinds = [
  'geographic',
  'foreign_nanp',
  'toll_free',
  'premium',
  'personal',
  'non_geographic',
  'carrier',
  'government',
  'reserved',
  'unassigned',
] as const
export type AreaCodeKind = (typeof areaCodeKinds)[number]

/** How suspicious an area code makes a caller. */
export const areaCodeRisks = ['none', 'low', 'elevated', 'high'] as const
export type AreaCodeRisk = (typeof areaCodeRisks)[number]

/** The answers to a number; unlike a host, a number cannot be a platform. */
export const phoneStatuses = ['found', 'suspicious', 'not_found'] as const
export type PhoneStatus = (typeof phoneStatuses)[number]

/** Stable codes for reasons about a number; clients may branch on them, so they are never renamed. */
export const phoneReasonCodes = [
  'reported_calls',
  'listed_number',
  'reported_subject',
  'low_confidence',
  'forbidden_number',
  'area_code',
  'not_listed',
  'caller_id',
] as const

/** One sentence of explanation about a number, with its stable code. */
export interface PhoneReason {
  readonly code: (typeof phoneReasonCodes)[number]
  readonly message: string
}

/** Fewer digits are not a phone number, except for short codes. */
const digitsMin = 7
const shortCode = /^\d{3,6}$/

/** Reports whether a text looks like a phone number and nothing else, whether or not of the plan. */
export function isPhoneLike(text: string): boolean {
  const bare = text.trim()
  if (shortCode.test(bare)) return true
  const isWritten = /^[\d\s()+.-]+$/.test(bare) && !isDottedIpv4(bare)
  return isWritten && bare.replace(/\D/g, '').length >= digitsMin
}
