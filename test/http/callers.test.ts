/** The address that a call counts under: of requests without a usable host, and of calls in process. */

import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/http/app.ts'
import { checkBulk } from '../../src/http/endpoints/bulk.ts'
import { checkUrl } from '../../src/http/endpoints/check-url.ts'
import { reportStatus } from '../../src/http/endpoints/report-scam.ts'
import { parseNetworks } from '../../src/setting-values.ts'
import { checked, checkedFetch } from './checked-answers.ts'
import { limitsOf, sendRaw, standIns } from './stand-ins.ts'

const loopback = parseNetworks('127.0.0.0/8')
const check = '/api/check-url?url=found.weir.test'
const oneCall = limitsOf({ quota: 1, windowMs: 60_000 })

describe('a request without a usable host', () => {
  test.each(['', 'a b/c?d#e'])('with the host %j counts under its own address', async (host) => {
    if (loopback === undefined) throw new Error('127.0.0.0/8 is a network')
    const app = createApp(
      standIns({
        limits: oneCall,
        trustedProxies: loopback,
        addressOf: (request) => server.requestIP(request)?.address ?? null,
      }),
    )
    using server = checked(Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }))
    const ask = async (client: string): Promise<string> => {
      const headers = `Host: ${host}\r\nX-Forwarded-For: ${client}\r\nConnection: close\r\n`
      const answer = await sendRaw(server, `GET ${check} HTTP/1.1\r\n${headers}\r\n`)
      return answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    }
    // Only a socket whose address is known is a trusted proxy, whose clients are told apart.
    expect(await ask('203.0.113.1')).toBe('200')
    expect(await ask('203.0.113.2')).toBe('200')
    expect(await ask('203.0.113.1')).toBe('429')
  })
})

describe('a call in process', () => {
  const client = '203.0.113.7'

  test('returns the value that the endpoint answers', async () => {
    const app = createApp(standIns())
    const answer = await app.call(checkUrl, { query: { url: 'found.weir.test' } }, client)
    expect(answer).toMatchObject({ ok: true, value: { status: 'found', query: 'found.weir.test' } })
    const body = { domains: ['found.weir.test', 'example.com'] }
    const bulk = await app.call(checkBulk, { body }, client)
    expect(bulk).toMatchObject({ ok: true, value: { total: 2 } })
  })

  test('returns the problem of a refusal, with every wrong field', async () => {
    const app = createApp(standIns())
    const answer = await app.call(checkUrl, { query: { url: '' } }, client)
    expect(answer).toMatchObject({
      ok: false,
      problem: { status: 400, errors: [{ field: 'url' }], retryAfterSeconds: null },
    })
    const unknown = await app.call(reportStatus, { path: { token: 'a/b?c' } }, client)
    expect(unknown).toMatchObject({ ok: false, problem: { status: 404 } })
  })

  test('counts against the limit of its client, together with the calls over HTTP', async () => {
    const app = createApp(standIns({ limits: oneCall, addressOf: () => client }))
    const call = (address: string) => app.call(checkUrl, { query: { url: 'a.test' } }, address)
    expect((await checkedFetch(app)(new Request(`http://weir.test${check}`))).status).toBe(200)
    expect(await call(client)).toMatchObject({
      ok: false,
      problem: { status: 429, retryAfterSeconds: expect.any(Number) },
    })
    expect(await call('203.0.113.8')).toMatchObject({ ok: true })
  })

  test('is refused while data is loading', async () => {
    const app = createApp(standIns({ isLoading: () => true }))
    const answer = await app.call(checkUrl, { query: { url: 'a.test' } }, client)
    expect(answer).toMatchObject({ ok: false, problem: { status: 503, retryAfterSeconds: 1 } })
  })
})
