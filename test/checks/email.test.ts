/** Mails judged over a real store and a real name server. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { EmailAnswer, EmailRequest } from '../../src/checks/email.ts'
import { toRiskLevel } from '../../src/model/mail-risk.ts'
import { MailWorld, nothingKnown } from './mail/world.ts'

let mails: MailWorld
beforeAll(async () => {
  mails = await MailWorld.open()
})
afterAll(() => mails[Symbol.asyncDispose]())

const check = (request: Partial<EmailRequest>): Promise<EmailAnswer> =>
  mails.emails.check({ ...nothingKnown, ...request })

/** The points by code, in the order of the answer. */
const listPoints = ({ reasons }: EmailAnswer) => reasons.map(({ code, points }) => [code, points])

const phishingText =
  'Urgent: your account has been suspended. Verify your account within 24 hours, ' +
  'enter your credit card number and pay the outstanding invoice by gift card.'

describe('EmailChecker', () => {
  test.each([
    ['ann@evil.example', [['sender_domain_listed', 100]]],
    ['ann@login.evil.example', [['sender_below_listed', 90]]],
    ['bad@friend.example', [['sender_listed', 100]]],
    ['perhaps@friend.example', [['sender_listed', 40]]],
    [
      'ann@perhaps.example',
      [
        ['sender_domain_suspicious', 40],
        ['mx_no_domain', 30],
      ],
    ],
    ['ann@friend.example', [['nothing_found', 0]]],
    ['ann@thrown.example', [['disposable_mail', 25]]],
    [
      'ann@freemail.example',
      [
        ['free_mail', 0],
        ['nothing_found', 0],
      ],
    ],
    ['ann@tenant.hosting.example', [['sender_on_platform', 15]]],
    ['ann@no-mail.example', [['mx_null', 30]]],
    [
      'ann@plain.example',
      [
        ['mx_implicit', 0],
        ['nothing_found', 0],
      ],
    ],
    ['ann@empty.example', [['mx_none', 30]]],
    ['ann@missing.example', [['mx_no_domain', 30]]],
    [
      'ann@broken.example',
      [
        ['mx_unknown', 0],
        ['nothing_found', 0],
      ],
    ],
    ['ann@found.weir.test', [['sender_domain_listed', 100]]],
    ['ann@suspicious.weir.test', [['sender_domain_suspicious', 40]]],
    [
      'Examplebank <ann@examplebank.example>',
      [
        ['company_domain', 0],
        ['nothing_found', 0],
      ],
    ],
    ['"Examplebank Support" <ann@friend.example>', [['company_mismatch', 40]]],
    [
      'Examplebank <ann@freemail.example>',
      [
        ['free_mail', 0],
        ['company_on_free_mail', 50],
      ],
    ],
    [
      '"help@examplebank.example" <ann@friend.example>',
      [
        ['company_mismatch', 40],
        ['display_name_address', 30],
      ],
    ],
  ])('the sender %s weighs %j', async (from, points) => {
    expect<unknown>(listPoints(await check({ from }))).toEqual(points)
  })

  test('reports the sender, and the mail servers of the domain in their order', async () => {
    const { sender } = await check({ from: '"Ann" <Ann@Friend.example>' })
    expect(sender).toEqual({
      address: 'ann@friend.example',
      domain: 'friend.example',
      status: 'not_found',
      mx: {
        status: 'ok',
        records: [
          { priority: 10, exchange: 'a.friend.example' },
          { priority: 20, exchange: 'b.friend.example' },
        ],
      },
    })
  })

  test.each([
    'Ann <ann@friend.example>, x@evil.example',
    'x@evil.example, ann@friend.example',
    '<ann@friend.example> <x@evil.example>',
    '<x@evil.example> <ann@friend.example>',
    '<@friend.example:x@evil.example>',
  ])('of the senders %s the worst is reported', async (from) => {
    const answer = await check({ from })
    expect(answer.sender).toMatchObject({ address: 'x@evil.example', status: 'found' })
    expect(listPoints(answer)).toContainEqual(['sender_domain_listed', 100])
  })

  test.each([
    [{ from: 'Examplebank <x@U' }, [['sender_unreadable', 0]]],
    [{ from: 'Examplebank' }, [['sender_unreadable', 0]]],
    [{ urls: ['htp:'] }, [['nothing_to_check', 0]]],
    [{ from: 'x', urls: ['htp:'], claimedCompany: 'Acme' }, [['sender_unreadable', 0]]],
  ])('of %j nothing could be read, and nothing else is reported', async (request, points) => {
    const answer = await check(request)
    expect<unknown>(listPoints(answer)).toEqual(points)
    expect(answer.advice.join(' ')).toStartWith('Send ')
  })

  test('all texts of a mail count, each phrase once, and truncation is reported', async () => {
    const body = phishingText
    const once = await check({ body })
    const twice = await check({ body, otherBodies: [phishingText] })
    expect(twice.riskScore).toBe(once.riskScore)
    const more = await check({ body, otherBodies: ['see https://evil.example/'], isCut: true })
    expect(listPoints(more)).toContainEqual(['url_listed', 100])
    expect(listPoints(more)).toContainEqual(['urls_left_out', 0])
  })

  test('a bare name in the text is checked like a link', async () => {
    const { urls } = await check({ body: 'Go to secure-pay.com/verify, or write to a@b.com' })
    expect(urls.map(({ value }) => value)).toEqual(['secure-pay.com/verify'])
  })

  test('looks up no self-test name', async () => {
    const { sender } = await check({ from: 'ann@clean.weir.test' })
    expect(sender).toMatchObject({ status: 'not_found', mx: { status: 'not_checked' } })
    expect(mails.dns.asked.filter((asked) => asked.includes('weir.test'))).toEqual([])
  })

  test('reports a sender that cannot be read, and goes on', async () => {
    const answer = await check({ from: 'a@b@c', urls: ['evil.example'] })
    expect(answer.sender).toMatchObject({ status: 'invalid', error: expect.any(String) })
    expect<unknown>(listPoints(answer)).toEqual([
      ['sender_unreadable', 0],
      ['url_listed', 100],
    ])
  })

  test.each([
    [['https://pages.example/login'], [['url_listed', 100]]],
    [['https://pages.example/'], [['url_suspicious', 40]]],
    [['suspicious.weir.test', 'perhaps.example'], [['url_suspicious', 40]]],
    [['https://friend.example/', 'not a url'], [['nothing_found', 0]]],
  ])('the addresses %j weigh %j', async (urls, points) => {
    expect<unknown>(listPoints(await check({ urls }))).toEqual(points)
  })

  test('answers every address once, those of the body after those that were sent', async () => {
    const body = '<a href="https://evil.example/a">here</a> and https://friend.example/b'
    const { urls } = await check({ urls: ['x y', 'https://friend.example/b'], body })
    expect(urls.map(({ value }) => value)).toEqual([
      'x y',
      'https://friend.example/b',
      'https://evil.example/a',
    ])
    expect(urls[0]).toEqual({ value: 'x y', error: expect.stringMatching(/^Send /) })
    expect(urls[2]).toMatchObject({ answer: { verdict: { status: 'found' } } })
  })

  test('words alone reach medium at most, and one kind of them nothing', async () => {
    const all = await check({ body: phishingText.repeat(50) })
    expect(all.riskLevel).toBe('medium')
    expect(new Set(all.flags.map(({ category }) => category))).toEqual(
      new Set(['urgency', 'payment', 'personal_data']),
    )
    const one = await check({ body: 'Final notice. Act now, or else legal action follows.' })
    expect(one.flags.length).toBeGreaterThan(0)
    expect(one.riskLevel).toBe('low')
  })

  test('words add to what else was found', async () => {
    const { riskLevel } = await check({
      from: 'Examplebank <a@friend.example>',
      body: phishingText,
    })
    expect(riskLevel).toBe('critical')
  })

  test('a listed link is found after many others, and what is left out is reported', async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `http://fine.example/${index}`).join(' ')
    const after = await check({ body: `${many(150)} http://evil.example/` })
    expect(listPoints(after)).toContainEqual(['url_listed', 100])
    const same = 'http://fine.example/ '.repeat(1_000)
    const hidden = await check({ body: `${same} http://evil.example/` })
    expect(listPoints(hidden)).toContainEqual(['url_listed', 100])
    const over = await check({ body: many(250) })
    expect(listPoints(over)).toContainEqual(['urls_left_out', 0])
    expect(over.urls).toHaveLength(200)
  })

  test('a name server that denies names which surely exist is not believed', async () => {
    // The zone knows neither: its server says that there is no such name.
    for (const from of ['ann@examplebank.test', 'ann@denied.freemail.example']) {
      const { sender } = await check({ from })
      expect(sender).toMatchObject({
        mx: { status: from.includes('bank') ? 'unknown' : 'no_domain' },
      })
    }
  })

  test('words of money are answered with advice at any level', async () => {
    const { riskLevel, advice } = await check({ body: 'Please buy some gift cards for a client.' })
    expect(riskLevel).toBe('low')
    expect(advice.join(' ')).toContain('gift cards')
  })

  test('a link that shows another address than it leads to is a sign', async () => {
    const link = (shown: string, target: string) => `<a href="https://${target}/">${shown}</a>`
    const from = 'ann@friend.example'
    const misled = await check({ from, body: link('www.plain.com', 'elsewhere.example') })
    expect<unknown>(listPoints(misled)).toEqual([['misleading_link', 35]])
    const counted = await check({ from, body: link('www.plain.com', 'click.friend.example') })
    expect<unknown>(listPoints(counted)).toEqual([['link_counted', 10]])
    const many = ['www.plain.com', 'www.other.com'].map((shown) => link(shown, 'elsewhere.example'))
    const service = await check({ from, body: many.join(' ') })
    expect<unknown>(listPoints(service)).toEqual([['link_counted', 10]])
    const brands = link('www.examplebank.example', 'click.friend.example')
    expect(listPoints(await check({ from, body: brands }))).toContainEqual(['misleading_link', 35])
  })

  test('answers that would go to free mail are a sign', async () => {
    const replyTo = 'Ann <x@freemail.example>'
    const answer = await check({ from: 'ann@friend.example', replyTo })
    expect<unknown>(listPoints(answer)).toEqual([['reply_to_free_mail', 20]])
    const own = await check({ from: 'ann@freemail.example', replyTo })
    expect(listPoints(own).map(([code]) => code)).not.toContain('reply_to_free_mail')
  })

  test('links of a doubted company should lead to it', async () => {
    const claimedCompany = 'Examplebank'
    const away = await check({ claimedCompany, urls: ['https://friend.example/'] })
    expect<unknown>(listPoints(away)).toEqual([['url_elsewhere', 25]])
    const home = await check({ claimedCompany, urls: ['https://www.examplebank.example/'] })
    expect<unknown>(listPoints(home)).toEqual([['nothing_found', 0]])
    const known = await check({
      claimedCompany,
      from: 'a@examplebank.example',
      urls: ['https://friend.example/'],
    })
    expect(listPoints(known).map(([code]) => code)).not.toContain('url_elsewhere')
  })

  test.each([[{}], [{ from: '', claimedCompany: ' ', body: ' \n' }]])(
    'of %j there was nothing to check',
    async (request) => {
      const answer = await check(request)
      expect(answer).toMatchObject({ riskLevel: 'low', riskScore: 0, sender: null, company: null })
      expect<unknown>(listPoints(answer)).toEqual([['nothing_to_check', 0]])
      expect(answer.advice).not.toEqual([])
    },
  )

  test('the score is the sum of the points, at most 100, and tells the level', async () => {
    const requests = [
      { from: 'Parcelly <a@evil.example>', body: phishingText },
      { from: 'Parcelly <a@friend.example>' },
      { from: 'ann@thrown.example', urls: ['perhaps.example'] },
      { from: 'ann@friend.example', body: 'Hello' },
    ]
    for (const request of requests) {
      const { riskScore, riskLevel, reasons } = await check(request)
      const sum = reasons.reduce((total, { points }) => total + points, 0)
      expect(riskScore).toBe(Math.min(100, sum))
      expect(riskLevel).toBe(toRiskLevel(riskScore))
    }
  })

  test('says everything in sentences, and calls nothing safe', async () => {
    const requests = [
      {},
      { from: 'x' },
      { from: 'ann@friend.example' },
      { from: 'Examplebank <a@freemail.example>', body: phishingText, urls: ['evil.example'] },
      { from: 'a@thrown.example', claimedCompany: 'Acme Tools', body: phishingText },
    ]
    for (const request of requests) {
      const { reasons, advice, flags } = await check(request)
      const said = [...reasons, ...flags].map(({ message }) => message)
      for (const sentence of [...said, ...advice]) {
        expect(sentence).toMatch(/^[A-Za-z0-9].*\.$/)
        expect(sentence).not.toMatch(/\b(?:is|looks) (?:safe|harmless|clean|genuine|legitimate)\b/i)
      }
    }
  })
})

describe('toRiskLevel', () => {
  test.each([
    [0, 'low'],
    [39, 'low'],
    [40, 'medium'],
    [69, 'medium'],
    [70, 'high'],
    [89, 'high'],
    [90, 'critical'],
    [100, 'critical'],
  ] as const)('%i is %s', (score, level) => {
    expect(toRiskLevel(score)).toBe(level)
  })
})
