/**
 * GET /api/check-phone (specification §4): one number of the North American plan, looked up and never
 * called.
 */

import { Elysia } from 'elysia'
import type { PhoneAnswer, PhoneChecker } from '../../checks/phone.ts'
import { phoneRefusalMessages } from '../../model/phone.ts'
import { uncachedAnswer } from '../answer.ts'
import { badRequest } from '../problem.ts'
import { readQuery } from '../query.ts'

export const checkPhonePath = '/api/check-phone'

/** The query parameters that are read. */
export const checkPhoneParameters = ['phone'] as const

/** Returns the answer as it goes out. */
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

/** The route; GET and HEAD. */
export function checkPhoneRoute({ phones }: { readonly phones: PhoneChecker }) {
  const check = ({ request }: { readonly request: Request }): Response => {
    const { values, errors } = readQuery(request.url, checkPhoneParameters)
    const [phone = ''] = values
    if (errors.length > 0) return badRequest(errors)
    const answer = phones.check(phone)
    if (answer.ok) return uncachedAnswer(presentPhoneAnswer(answer.value))
    return badRequest([{ field: 'phone', message: phoneRefusalMessages[answer.reason] }])
  }
  // Bound for the same reason as in check-url: Elysia then answers at once.
  return new Elysia({ name: 'route.check-phone', normalize: false })
    .get(checkPhonePath, check.bind(null))
    .head(checkPhonePath, check.bind(null))
}
