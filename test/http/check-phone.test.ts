/** GET /api/check-phone over the real checker, with a list of one number. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPhoneChecker } from '../../src/checks/phone.ts'
import { checkPhone } from '../../src/http/endpoints/check-phone.ts'
import { checked } from './checked-answers.ts'
import { playAll } from './scenario.ts'
import { checkPhoneScenarios } from './scenarios/check-phone.ts'
import { indicatorOf } from './stand-ins.ts'

const listed = '+12025552368'
const day = Date.UTC(2026, 4, 14)
const phones = createPhoneChecker(
  {
    phone: (e164) =>
      e164 === listed
        ? {
            indicator: indicatorOf(e164, { type: 'phone', threatType: 'scam', confidence: 50 }),
            calls: [{ subject: 'imposter', count: 3, firstDay: day, lastDay: day }],
          }
        : null,
  },
  50,
)

const answer = checkPhone.compile({ phones })
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  server = checked(
    Bun.serve({ fetch: (request) => answer(request, {}), hostname: '127.0.0.1', port: 0 }),
  )
})
afterAll(() => server.stop(true))

describe(`GET ${checkPhone.path}`, () => {
  playAll(() => server.url.origin, checkPhoneScenarios)

  test('a listed number answers with its reports, in whatever formatting', async () => {
    for (const text of [
      '(202) 555-2368',
      '+12025552368',
      '1.202.555.2368',
      '２０２５５５２３６８',
    ]) {
      const path = `${checkPhone.path}?phone=${encodeURIComponent(text)}`
      const answer = await (await fetch(new URL(path, server.url))).json()
      expect(answer).toMatchObject({
        phone: listed,
        status: 'found',
        scamType: 'imposter',
        reports: 3,
        valid: true,
        invalidReason: null,
      })
    }
  })

  test('an answer has the fields of the contract and no others', async () => {
    const response = await fetch(new URL(`${checkPhone.path}?phone=2125550100`, server.url))
    const answer: unknown = JSON.parse(await response.text())
    expect(Object.keys(Object(answer))).toEqual([
      'phone',
      'formatted',
      'valid',
      'invalidReason',
      'status',
      'scamType',
      'reports',
      'areaCode',
      'reasons',
      'reportingLinks',
    ])
  })
})
