/**
 * GET /api/check-phone (specification §4): one number of the North American plan, looked up and never called.
 */

import { Type } from '@sinclair/typebox'
import type { PhoneAnswer, PhoneChecker } from '../../checks/phone.ts'
import {
  areaCodeKinds,
  areaCodeRisks,
  callSubjects,
  phoneReasonCodes,
  phoneRefusalMessages,
  phoneStatuses,
  planProblems,
} from '../../model/phone.ts'
import { uncachedAnswer } from '../answer.ts'
import { phoneExamples, wrongPhoneExamples } from '../contract/examples/check-phone.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { refusals, wrongRequest } from '../contract/problems.ts'
import { count, oneOf, orNull, saying } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { badRequest } from '../problem.ts'

const areaCode = Type.Object(
  {
    code: Type.String({ pattern: '^[0-9]{3}$' }),
    region: orNull(Type.String(), { description: 'The state, province or country.' }),
    country: orNull(Type.String({ pattern: '^[A-Z]{2}$' }), {
      description: 'ISO 3166; the territories of the United States are `US`.',
    }),
    kind: oneOf(areaCodeKinds, {
      description:
        '`foreign_nanp` is abroad but looks domestic; `unassigned` is not known to be assigned.',
    }),
    risk: oneOf(areaCodeRisks, {
      description: 'The risk that the code alone indicates.',
    }),
    note: orNull(Type.String(), { description: 'A note about it.' }),
  },
  { $id: 'AreaCode', description: 'What the area code of a number indicates.' },
)

const phoneReason = Type.Object(
  {
    code: oneOf(phoneReasonCodes, { description: 'Stable: programs may rely on it.' }),
    message: Type.String({ description: 'One plain sentence.' }),
  },
  { $id: 'PhoneReason', description: 'Why the answer about a number is what it is.' },
)

const reportingLink = Type.Object(
  {
    name: Type.String(),
    url: Type.String({ format: 'uri' }),
  },
  { $id: 'ReportingLink', description: 'Where a call can be reported.' },
)

export const phoneVerdict = Type.Object(
  {
    phone: Type.String({
      description: 'The number as E.164 writes it.',
      pattern: '^\\+1[0-9]{10}$',
    }),
    formatted: Type.String({ description: 'The same for people: `(202) 555-2368`.' }),
    valid: Type.Boolean({ description: 'Whether the numbering plan can assign this number.' }),
    invalidReason: orNull(oneOf(planProblems), {
      description: 'Why it cannot be assigned; `reasons` has a sentence.',
    }),
    status: oneOf(phoneStatuses, {
      description:
        '`found`: calls from it were reported, or it is listed. `suspicious`: listed with low confidence, or ' +
        'not assignable by the numbering plan. `not_found`: on none of the lists, which does not clear the caller.',
    }),
    scamType: orNull(oneOf(callSubjects), {
      description: 'The most frequent subject of the reports; null: no report has one.',
    }),
    reports: count('How often calls from it were reported; the reports are not verified.'),
    areaCode,
    reasons: Type.Array(phoneReason, { minItems: 1 }),
    reportingLinks: Type.Array(reportingLink, { minItems: 1 }),
  },
  { $id: 'PhoneVerdict', description: 'The answer about one phone number.' },
)

/** Returns the answer as JSON. */
export function presentPhoneAnswer(answer: PhoneAnswer): object {
  const { number, problem, status, scamType, reports, areaCode, reasons, reportingLinks } = answer
  return {
    phone: number.e164,
    formatted: number.formatted,
    valid: problem === null,
    invalidReason: problem,
    status,
    scamType,
    reports,
    areaCode,
    reasons,
    reportingLinks,
  }
}

export const checkPhone = endpoint({
  id: 'checkPhone',
  method: 'get',
  path: '/api/check-phone',
  tag: 'Checks',
  summary: 'Check a phone number',
  description:
    'Looks up one number of the North American plan: the United States, Canada and the Caribbean. It is ' +
    'never called, logged or stored. Caller ID can be spoofed and reports are not verified, so an answer ' +
    'counts reports, and does not describe the people who use a number. An unassignable number answers 200 ' +
    'with `valid: false`.',
  policy: 'CHECK_PHONE',
  query: Type.Object({
    phone: saying(
      { short: phoneRefusalMessages.empty, long: phoneRefusalMessages.too_long },
      Type.String({
        description:
          'Ten digits, after an optional +1 or 1, in any formatting; an extension is dropped. At most 64 ' +
          'characters, percent-encoded: a bare `+` is read as a space, which does no harm.',
        minLength: 1,
        maxLength: 64,
        examples: ['(202) 555-2368'],
      }),
    ),
  }),
  answers: {
    200: {
      description: 'What is known about the number.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': phoneVerdict },
      examples: phoneExamples,
    },
    400: wrongRequest(wrongPhoneExamples),
    ...refusals,
  },
  handler:
    ({ phones }: { readonly phones: PhoneChecker }) =>
    ({ query }) => {
      const answer = phones.check(query.phone)
      if (answer.ok) return uncachedAnswer(presentPhoneAnswer(answer.value))
      return badRequest([{ field: 'phone', message: phoneRefusalMessages[answer.reason] }])
    },
})
