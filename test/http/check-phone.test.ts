/** GET /api/check-phone over the real checker, with a list of one number. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createPhoneChecker } from '../../src/checks/phone.ts'
import { checkPhonePath, checkPhoneRoute } from '../../src/http/routes/check-phone.ts'
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

const app = new Elysia({ normalize: false }).use(checkPhoneRoute({ phones })).compile()
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  server = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
})
afterAll(() => server.stop(true))

describe(`GET ${checkPhonePath}`, () => {
  playAll(() => server.url.origin, checkPhoneScenarios)

  test('a listed number answers with its reports, in whatever formatting', async () => {
    for (const text of [
      '(202) 555-2368',
      '+12025552368',
      '1.202.555.2368',
      '２０２５５５２３６８',
    ]) {
      const path = `${checkPhonePath}?phone=${encodeURIComponent(text)}`
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
    const response = await fetch(new URL(`${checkPhonePath}?phone=2125550100`, server.url))
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
