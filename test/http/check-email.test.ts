/** POST /api/check-email: the route over a real store and a real name server on loopback. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkEmail } from '../../src/http/endpoints/check-email.ts'
import { MailWorld } from '../checks/mail/world.ts'
import { checked } from './checked-answers.ts'
import { playAll, type Scenario } from './scenario.ts'

let mails: MailWorld
let server: Bun.Server<undefined>
beforeAll(async () => {
  mails = await MailWorld.open()
  const answer = checkEmail.compile(mails)
  server = checked(
    Bun.serve({ fetch: (request) => answer(request, {}), hostname: '127.0.0.1', port: 0 }),
  )
})
afterAll(async () => {
  await server.stop(true)
  await mails[Symbol.asyncDispose]()
})

const ask = (name: string, body: unknown, more: Partial<Scenario>): Scenario => ({
  name,
  method: 'POST',
  path: checkEmail.path,
  requestHeaders: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  status: 200,
  ...more,
})

const wrong = (...problem: readonly string[]): Partial<Scenario> => ({ status: 400, problem })

const notChecked = { status: 'not_checked', records: [] }
const inUtf8 = (bytes: number): string => 'é'.repeat(bytes / 2)

describe(`POST ${checkEmail.path}`, () => {
  playAll(
    () => server.url.origin,
    [
      ask(
        'an empty request is answered with what was checked: nothing',
        {},
        {
          json: {
            riskLevel: 'low',
            riskScore: 0,
            sender: null,
            company: null,
            urls: [],
            body: { flags: [] },
            reasons: [{ code: 'nothing_to_check', points: 0 }],
            advice: [expect.any(String)],
          },
          headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
        },
      ),
      ask(
        'a mail with everything wrong is critical',
        {
          emailFrom: '"Examplebank Support" <help@login.evil.example>',
          claimedCompany: 'Examplebank',
          urls: ['hxxps://evil[.]example/x'],
          emailBody: 'Urgent! Verify your account within 24 hours.',
        },
        {
          json: {
            riskLevel: 'critical',
            riskScore: 100,
            sender: {
              address: 'help@login.evil.example',
              domain: 'login.evil.example',
              status: 'found',
              mx: { status: 'ok', records: [{ priority: 10, exchange: 'mail.example' }] },
            },
            company: {
              claimed: 'Examplebank',
              matches: false,
              officialDomains: ['examplebank.example', 'examplebank.test'],
            },
            urls: [
              {
                value: 'hxxps://evil[.]example/x',
                status: 'found',
                score: 0,
                reasons: [{ code: 'listed_host' }],
                match: { type: 'domain', value: 'evil.example' },
              },
            ],
          },
        },
      ),
      ask(
        'a domain that takes no mail is flagged',
        { emailFrom: 'a@no-mail.example' },
        {
          json: {
            sender: { mx: { status: 'null', records: [] } },
            reasons: [{ code: 'mx_null', points: 30 }],
          },
        },
      ),
      ask(
        'trouble with the name servers costs nothing',
        { emailFrom: 'a@broken.example' },
        {
          json: { riskScore: 0, sender: { mx: { status: 'unknown', records: [] } } },
        },
      ),
      ask(
        'a page on a platform says so',
        { urls: ['https://tenant.hosting.example/'] },
        {
          json: {
            urls: [{ status: 'shared_infrastructure', sharedInfrastructure: true }],
            riskScore: 0,
          },
        },
      ),
      ask(
        'a URL that cannot be read is one invalid item',
        { urls: ['mailto:a@b.example'] },
        {
          json: { urls: [{ value: 'mailto:a@b.example', status: 'invalid' }] },
        },
      ),
      ...[
        'a@b@c',
        '',
        ' ',
        '<a@localhost>',
        'a'.repeat(400),
        `${'a'.repeat(390)}@x.example`,
        'a'.repeat(5_000),
        '\u0000\ud800@',
      ].map((emailFrom) =>
        ask(
          `the sender ${JSON.stringify(emailFrom.slice(0, 30))} is answered`,
          { emailFrom },
          {
            json:
              emailFrom.trim() === ''
                ? { sender: null, reasons: [{ code: 'nothing_to_check' }] }
                : {
                    sender: {
                      address: null,
                      domain: null,
                      status: 'invalid',
                      mx: notChecked,
                      error: expect.stringMatching(/^Send |^Close /),
                    },
                  },
          },
        ),
      ),
      ...['"x y"@friend.example', '<a@friend.example>', 'Ann <a@friend.example>'].map((emailFrom) =>
        ask(
          `the sender ${emailFrom} is read`,
          { emailFrom },
          {
            json: {
              sender: { domain: 'friend.example', status: 'not_found', mx: { status: 'ok' } },
            },
          },
        ),
      ),
      ask(
        'an international sender is read',
        { emailFrom: 'a@bücher.example' },
        {
          json: { sender: { domain: 'xn--bcher-kva.example', mx: { status: 'no_domain' } } },
        },
      ),
      ask('ten URLs are answered', { urls: Array(10).fill('https://friend.example/') }, {}),
      ask('eleven URLs are too many', { urls: Array(11).fill('a.example') }, wrong('urls')),
      ask('64 KiB of text is read', { emailBody: inUtf8(65_536) }, {}),
      ask('more text is too much', { emailBody: inUtf8(65_538) }, wrong('emailBody')),
      ask(
        'a company has 200 characters at most',
        { claimedCompany: 'x'.repeat(201) },
        wrong('claimedCompany'),
      ),
      ask(
        'everything that is wrong is named at once',
        {
          claimedCompany: 'x'.repeat(201),
          urls: Array(11).fill('a'),
          emailBody: 'x'.repeat(65_537),
        },
        wrong('claimedCompany', 'urls', 'emailBody'),
      ),
      ask('a misspelt field is named', { from: 'a@b.example' }, wrong('from')),
      ask('wrong types are named', { emailFrom: 5, urls: ['a', 5] }, wrong('emailFrom', 'urls[1]')),
      ask('null is no text', { emailFrom: null }, wrong('emailFrom')),
      ask('a list is no request', '[]', wrong('body')),
      ask('a text is no request', '"a@b.example"', wrong('body')),
      ask('an empty body is no request', '', wrong('body')),
      ask('a broken body is no request', '{"emailFrom":', wrong('body')),
      ask(
        'a prototype is a field like others',
        '{"__proto__":{"emailFrom":"a"}}',
        wrong('__proto__'),
      ),
      ask('a body of another type is refused', '{}', {
        status: 415,
        requestHeaders: { 'content-type': 'text/plain' },
      }),
    ],
  )

  test('silence of the name servers is an unknown answer', async () => {
    const response = await fetch(new URL(checkEmail.path, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ emailFrom: 'a@silent.example' }),
    })
    expect(await response.json()).toMatchObject({
      riskScore: 0,
      sender: { mx: { status: 'unknown', records: [] } },
    })
  })

  test('asks the name servers about the sender alone', async () => {
    const before = mails.dns.asked.length
    await fetch(new URL(checkEmail.path, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        emailFrom: 'a@mail.examplebank.example',
        claimedCompany: 'Parcelly',
        urls: ['https://evil.example/'],
        emailBody:
          '<a href="https://parcelly.example/">here</a> <img src="https://friend.example/i">',
      }),
    })
    expect(mails.dns.asked.slice(before)).toEqual(['mx mail.examplebank.example'])
  })
})
