/** POST /api/report-scam and GET /api/report-scam/:token: the routes over a real intake and a real store. */

import { afterAll, describe, expect, test } from 'bun:test'
import { loadConfig } from '../../src/config.ts'
import { type AppServices, createApp } from '../../src/http/app.ts'
import { reportScam } from '../../src/http/endpoints/report-scam.ts'
import { loadGuards, loadStoredGuards } from '../../src/ingest/guards.ts'
import { createManageToken } from '../../src/model/manage-token.ts'
import { ReportIntake } from '../../src/reports/intake.ts'
import { acceptReport, beginReview, rejectReport } from '../../src/reports/review.ts'
import type { ProposedReport } from '../../src/store/batch.ts'
import type { StoredReport } from '../../src/store/reports.ts'
import { noNaming } from '../ingest/no-naming.ts'
import { TestStore } from '../store/fixture.ts'
import { serveChecked } from './checked-answers.ts'
import { expectProblem, playAll, type Scenario } from './scenario.ts'
import { limitsOf, standIns } from './stand-ins.ts'

const { platforms } = loadGuards()
const { limits } = (await loadConfig({})).config
const key = crypto.getRandomValues(new Uint8Array(32))
const json = { 'content-type': 'application/json' }

interface WorldOptions {
  readonly limits?: AppServices['limits']
  readonly pagesMax?: number
  readonly write?: (report: ProposedReport) => Promise<string | null>
}

/** A store, the intake that writes to it, and the app that serves both. */
class World implements AsyncDisposable {
  readonly db: TestStore
  readonly server: Bun.Server<undefined>
  /** What the operator was told of. */
  readonly failures: unknown[] = []

  constructor({ limits: limited = limitsOf(null), pagesMax, write }: WorldOptions = {}) {
    this.db = new TestStore(pagesMax)
    const { store } = this.db
    const now = (): number => this.db.now
    const commit = async (report: ProposedReport): Promise<string | null> =>
      (await store.write({ at: now(), operations: [{ op: 'report', report }] })).report
    const app = createApp(
      standIns({
        reports: new ReportIntake({ store, platforms, key, write: write ?? commit }),
        limits: limited,
        now,
        report: (error) => this.failures.push(error),
      }),
    )
    this.server = serveChecked(app)
  }

  ask(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.server.url.origin + path, init)
  }

  send(body: unknown): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.ask(reportScam.path, { method: 'POST', headers: json, body: text })
  }

  /** Sends a report that is taken down; returns its row and where to ask for it. */
  async report(body: unknown): Promise<{ readonly row: StoredReport; readonly path: string }> {
    const response = await this.send(body)
    const text = await response.text()
    expect(response.status, text).toBe(202)
    const { id, statusUrl } = JSON.parse(text)
    return { row: this.row(id), path: new URL(statusUrl).pathname }
  }

  row(name: string): StoredReport {
    const row = this.db.store.reports.byName(name)
    if (row === null) throw new Error(`there is no report ${name}`)
    return row
  }

  /** What an operator reviews with, a minute later. */
  review() {
    this.db.now += 60_000
    const { store } = this.db
    const now = (): number => this.db.now
    return { store, guards: loadStoredGuards(store), platforms, naming: noNaming, now }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true)
    this.db.remove()
  }
}

const scenario = (name: string, body: unknown, more: Partial<Scenario>): Scenario => ({
  name,
  method: 'POST',
  path: reportScam.path,
  requestHeaders: json,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  status: 202,
  ...more,
})

/** Values of a type, apart by `|`. */
const valuesOf = (type: string, values: string): (readonly [type: string, value: string])[] =>
  values.split(' | ').map((value) => [type, value])

const good = [
  ...valuesOf('url', 'https://a:b@fresh.test:8443/x?a=1#y | hxxps://fresh[.]test | bücher.test'),
  ...valuesOf('email', 'Help@Fresh.test'),
  ...valuesOf('phone', '(212) 555-2368 | +1 212 555 2368 x7'),
  ...valuesOf('message', 'Your parcel waits | https://fresh.test/pay'),
  ...valuesOf('other', '212-555-2368 | 203.0.114.7 | <b>'),
  ...valuesOf('false_positive', 'listed.test | a@b.test | d41d8cd98f00b204e9800998ecf8427e'),
]

const bad = [
  ...valuesOf('url', 'no url | localhost | 10.0.0.1 | co.uk | javascript:a | mailto:a@b.test'),
  ...valuesOf('url', 'a@b.test | 2125552368 | 536221234 | d41d8cd98f00b204e9800998ecf8427e'),
  ...valuesOf('url', `https://fr\u0000esh.test/ | https://x.test/${'x'.repeat(8_192)}`),
  ...valuesOf('email', 'fresh.test | a@b@ | Ann <a@b.test>'),
  ...valuesOf('phone', '555-2368 | +44 20 7946 0000 | call me'),
  ...valuesOf('false_positive', 'it is my shop | 192.0.2.0/24 | \u202e\u0000 '),
]

const x = (count: number): string => 'x'.repeat(count)
const long = { description: x(10_001), targetBrand: x(101), contact: x(301) }
const longFields = Object.keys(long)
const url = { type: 'url', value: 'x.test' }
const other = (description: string) => ({ type: 'other', description })

/** What is refused with 400, and the fields that are named. */
const refused: readonly (readonly [name: string, body: unknown, ...fields: string[]])[] = [
  ['an appeal has to name what is listed', { type: 'false_positive', description: 'x' }, 'value'],
  ['a report has to say something', { type: 'url', contact: 'me' }, 'value'],
  ['blanks say nothing', { type: 'other', value: ' ', description: '\n' }, 'value'],
  ['every field that is too long is named', { ...url, ...long }, ...longFields],
  ...['spam', '', 'URL', '__proto__', 'constructor', 'toString'].map(
    (type) => [`${JSON.stringify(type)} is no type`, { ...url, type }, 'type'] as const,
  ),
  ['an unknown field is named', { ...url, uri: '' }, 'uri'],
  ['wrong types are named', { type: 'url', value: 5, contact: ['x'] }, 'value', 'contact'],
  ['null is no text', { type: 'other', value: null }, 'value'],
  ['a prototype is a field', '{"type":"url","value":"x.test","__proto__":{}}', '__proto__'],
  ['so is a constructor', { ...url, constructor: {} }, 'constructor'],
  ...['[]', '"x"', 'null', '5', '', ' ', '{"type":', 'type=url'].map(
    (body) => [`${JSON.stringify(body)} is no request`, body, 'body'] as const,
  ),
]

describe(`POST ${reportScam.path}`, () => {
  const world = new World()
  afterAll(() => world[Symbol.asyncDispose]())

  const statusUrl = /^https:\/\/weir\.example\.org\/api\/report-scam\/[0-9a-f-]{36}\.[\w-]{22}$/
  const taken = { status: 'received', statusUrl: expect.stringMatching(statusUrl) }
  const valueError = { field: 'value', message: expect.stringMatching(/\w \w.*\.$/) }

  playAll(
    () => world.server.url.origin,
    [
      scenario(
        'a report is taken down, and its address is weir’s own',
        { type: 'other', value: 'x' },
        {
          json: taken,
          headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
          requestHeaders: { ...json, host: 'evil.test' },
        },
      ),
      scenario(
        'a slash behind the path changes nothing',
        { type: 'other', value: 'y' },
        { path: `${reportScam.path}/`, json: taken },
      ),
      ...good.map(([type, value]) =>
        scenario(`${type}: ${JSON.stringify(value)} is taken down`, { type, value }, {}),
      ),
      scenario(
        'texts may be as long as is said, all of them escaped',
        `{"type":"other","value":"${'\\u00e9'.repeat(8_192)}","description":"${'\\u00e9'.repeat(10_000)}"}`,
        {},
      ),
      ...bad.map(([type, value]) =>
        scenario(
          `${type}: ${JSON.stringify(value.slice(0, 40))} is refused`,
          { type, value },
          { status: 400, json: { errors: [valueError] } },
        ),
      ),
      ...refused.map(([name, body, ...problem]) => scenario(name, body, { status: 400, problem })),
      scenario('a report without a type is refused', { value: 'x.test' }, { status: 400 }),
      scenario(
        'a field named like a tag opens none',
        { ...url, '<b>': 1 },
        { status: 400, problem: ['<b>'], text: /^[^<]*\\u003cb>[^<]*$/ },
      ),
      ...[{ 'content-type': 'application/x-www-form-urlencoded' }, {}].map((requestHeaders) => ({
        ...scenario(`a body with ${JSON.stringify(requestHeaders)} is refused`, url, {}),
        body: new TextEncoder().encode(JSON.stringify(url)),
        requestHeaders,
        status: 415,
      })),
      ...[1_048_576, (reportScam.bodyBytesMax ?? 0) + 1].map((length) =>
        scenario(`a body of ${length} bytes is too large`, ' '.repeat(length), { status: 413 }),
      ),
      ...['GET', 'PUT', 'DELETE', 'PATCH'].map((method) => {
        const more = { method, path: reportScam.path, status: 405, headers: { allow: 'POST' } }
        return { name: `${method} is no way to report`, ...more }
      }),
    ],
  )
})

describe('a report over HTTP', () => {
  test('is kept as text, and without what no text holds', async () => {
    await using world = new World()
    // Halves of surrogate pairs and all that can be escaped in JSON, as bytes that are UTF-8.
    const hostile = String.raw`<b onclick=a()>\u0000\u0007\u001b[31m \ud800\udbff \u202e\u2066\u200b\ufeff\u0085\r\n&amp;\ufffe`
    const fields = ['value', ...longFields]
    const body = `{"type":"other",${fields.map((field) => `"${field}":"${hostile}${field}"`)}}`
    const { row } = await world.report(body)
    const texts = [row.value, row.description, row.targetBrand, row.contact]
    for (const [index, text] of texts.entries()) {
      // A brand is one line.
      expect(text?.replace(/\s+/g, ' ')).toMatch(/^<b onclick=a\(\)>\[31m &amp;\w+$/)
      expect(text?.includes('\n')).toBe(index !== 2)
      expect(text).toEndWith(`${fields[index]}`)
      expect(text).not.toMatch(/[^\P{C}\n]/u)
    }
  })

  test('names what it is about as lists name it', async () => {
    await using world = new World()
    const named: readonly (readonly [string, string, string | null, string])[] = [
      ['url', 'hxxps://Fresh[.]test/pay', 'url', 'https://fresh.test/pay'],
      ['url', '<https://fresh.test/>', 'domain', 'fresh.test'],
      ['url', 'https://x.test/pay?to=jo.doe@mail.test&a=1', 'url', 'https://x.test/pay?a=1'],
      ['other', '2125552368', 'phone', '+12125552368'],
      ['message', '203.0.114.7', 'ip', '203.0.114.7'],
      ['false_positive', 'HELP@fresh.test', 'email', 'help@fresh.test'],
      ['message', 'write to jo.doe@mail.test', null, 'write to [e-mail]'],
    ]
    for (const [type, text, valueType, value] of named) {
      const { row } = await world.report({ type, value: text })
      expect([text, row.valueType, row.value]).toEqual([text, valueType, value])
    }
  })

  test('told again, by whomever, is the same report, counted', async () => {
    await using world = new World()
    const sent = { type: 'url', value: 'fresh.test', description: 'It asked  for my card.' }
    const first = await world.report(sent)
    const again = { ...sent, value: 'hxxp://FRESH[.]test', description: 'it asked for\nmy CARD.' }
    const second = await world.report({ ...again, contact: 'me' })
    expect([second.path, second.row.count]).toEqual([first.path, 2])
    const third = await world.report({ ...sent, description: 'It asked for my name.' })
    expect(third.path).not.toBe(first.path)
  })

  test('that cannot be written is answered with 503, and the operator hears why', async () => {
    await using world = new World({ pagesMax: 120 })
    const padding = 'It asked for my card. '.repeat(400)
    let status = 202
    for (let sent = 0; status === 202; sent++) {
      const response = await world.send(other(`${sent} ${padding}`))
      status = response.status
      if (status === 503) expect(response.headers.get('retry-after')).toBe('60')
    }
    expect(status).toBe(503)
    expect(world.failures.map(String)).toEqual([expect.stringContaining('full')])
  })

  test('is not taken while too many wait', async () => {
    await using world = new World({ write: async () => null })
    const response = await world.send(other('x'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3600'])
    expect(world.failures).toEqual([])
  })
})

describe(`GET ${reportScam.path}/:token`, () => {
  const by = 'anna'
  test('tells every change, with the operator’s reason', async () => {
    await using world = new World()
    const { row, path } = await world.report({ type: 'url', value: 'fresh.test' })
    const standing = async () => (await world.ask(path)).json()
    const at = '2026-03-12T08:00:00.000Z'
    const base = { id: row.name, reason: null, createdAt: at }
    expect(await standing()).toEqual({ ...base, status: 'received', updatedAt: at })
    await beginReview(world.review(), row, by)
    const seen = { ...base, status: 'in_review', updatedAt: '2026-03-12T08:01:00.000Z' }
    expect(await standing()).toEqual(seen)
    await acceptReport(world.review(), row.id, { reason: 'Thank you.', by }, true)
    const updatedAt = '2026-03-12T08:02:00.000Z'
    const accepted = { ...base, status: 'accepted', reason: 'Thank you.', updatedAt }
    expect(await standing()).toEqual(accepted)
    await rejectReport(world.review(), row.id, { reason: '<b>a shop', by })
    const response = await world.ask(path)
    const text = await response.text()
    expect(text).toContain('"status":"rejected","reason":"\\u003cb>a shop"')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('tells nothing of what was sent, nor who decided', async () => {
    await using world = new World()
    const fields = { value: 'canary1.test', description: 'canary2', targetBrand: 'canary3' }
    const { row, path } = await world.report({ type: 'url', ...fields, contact: 'canary4' })
    await rejectReport(world.review(), row.id, { reason: 'no', by: 'canary5' })
    expect(await (await world.ask(path)).text()).not.toContain('canary')
  })

  test('opens by the token alone that weir gave for it', async () => {
    await using world = new World()
    const { row, path } = await world.report(other('x'))
    const { path: elsewhere } = await world.report(other('y'))
    const token = path.slice(reportScam.path.length + 1)
    const [name = '', proof = ''] = token.split('.')
    const [otherName = '', otherProof = ''] = elsewhere.slice(reportScam.path.length + 1).split('.')
    const otherKey = crypto.getRandomValues(new Uint8Array(32))
    const turned = `${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`
    const tokens = [
      name,
      `${name}.`,
      `.${proof}`,
      proof,
      `${name}.${otherProof}`,
      `${otherName}.${proof}`,
      `${name}.${turned}`,
      `${name}.${proof.slice(0, -4)}`,
      `${name.toUpperCase()}.${proof}`,
      createManageToken(otherKey, 'report', name),
      createManageToken(key, 'report', '5eed0123-0000-4000-8000-000000000001'),
      String(row.id),
      createManageToken(key, 'report', String(row.id)),
      '%E0%A4%A',
      '%FF',
      '%00',
      '__proto__',
      `${'x'.repeat(8_000)}.${proof}`,
      `${token}/x`,
    ]
    for (const wrongToken of tokens) {
      const response = await world.ask(`${reportScam.path}/${wrongToken}`)
      expect([wrongToken, response.status]).toEqual([wrongToken, 404])
      expectProblem(404, await response.text(), [])
    }
    expect((await world.ask(`${path}/`)).status).toBe(200)
    expect(world.failures).toEqual([])
  })

  test('answers GET and HEAD alone', async () => {
    await using world = new World()
    const { path } = await world.report(other('x'))
    const head = await world.ask(path, { method: 'HEAD' })
    const { headers } = await world.ask(path)
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toBe(headers.get('content-type'))
    const post = await world.ask(path, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the limits', () => {
  test('let ten reports pass in an hour, wrong ones too, and say when the next may come', async () => {
    await using world = new World({ limits })
    const { path } = await world.report(other('x'))
    for (let sent = 1; sent < 10; sent++) {
      const response = await world.send(sent % 2 === 0 ? other(`${sent}`) : '[]')
      expect(response.status).toBe(sent % 2 === 0 ? 202 : 400)
    }
    const eleventh = await world.send(other('eleven'))
    expectProblem(429, await eleventh.text(), [])
    const waitSeconds = Number(eleventh.headers.get('retry-after'))
    expect([eleventh.status, waitSeconds]).toEqual([429, 3_600])
    expect((await world.ask(`${reportScam.path}/`, { method: 'POST' })).status).toBe(429)
    expect((await world.ask(path)).status).toBe(200)
    world.db.now += (waitSeconds - 1) * 1_000
    expect((await world.send(other('twelve'))).status).toBe(429)
    world.db.now += 1_000
    expect((await world.send(other('thirteen'))).status).toBe(202)
  })

  test('let sixty ask in a minute, found or not, and leave reporting alone', async () => {
    await using world = new World({ limits })
    const { path } = await world.report(other('x'))
    for (let asked = 0; asked < 60; asked++) {
      const isKnown = asked % 2 === 0
      const { status } = await world.ask(isKnown ? path : `${reportScam.path}/x`)
      expect(status).toBe(isKnown ? 200 : 404)
    }
    const refused = await world.ask(path)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await world.send(other('y'))).status).toBe(202)
  })
})
