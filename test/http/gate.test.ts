/** Limits over real HTTP, with a clock that stands still: nothing gets round them. */

import { describe, expect, test } from 'bun:test'
import { type Networks, parseNetworks } from '../../src/setting-values.ts'
import { play } from './scenario.ts'
import { sendRaw, serving } from './stand-ins.ts'

function loopback(): Networks {
  const networks = parseNetworks('127.0.0.0/8')
  if (networks === undefined) throw new Error('not networks')
  return networks
}

describe('limits', () => {
  const limits = {
    BLACKLIST: { quota: 2, windowMs: 3_600_000 },
    CHECK_URL: { quota: 3, windowMs: 60_000 },
    BULK: { quota: 1, windowMs: 60_000 },
  }
  const checkPath = '/api/check-url?url=evil.test'

  test('the call over the limit gets 429, and one after Retry-After is admitted', async () => {
    let now = 1_000_000
    await serving({ limits, now: () => now }, async (base) => {
      for (const remaining of [2, 1, 0]) {
        const { status, headers } = await fetch(base + checkPath)
        expect(status).toBe(200)
        expect(headers.get('ratelimit-policy')).toBe('"check-url";q=3;w=60')
        expect(headers.get('ratelimit')).toBe(`"check-url";r=${remaining};t=60`)
      }
      now += 20_500
      const refused = await fetch(base + checkPath)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('40')
      expect(refused.headers.get('ratelimit')).toBe('"check-url";r=0;t=40')
      expect(await refused.json()).toMatchObject({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      })
      now += 40_000
      expect((await fetch(base + checkPath)).status).toBe(200)
    })
  })

  test('neither HEAD, a slash, a wrong call nor another method gets round it', async () => {
    await serving({ limits, now: () => 0 }, async (base) => {
      expect((await fetch(`${base}/api/check-url/?url=evil.test`, { method: 'HEAD' })).status).toBe(
        200,
      )
      expect((await fetch(`${base}/api/check-url?url=`)).status).toBe(400)
      expect((await fetch(`${base}/api/check-url`, { method: 'POST' })).status).toBe(405)
      expect((await fetch(`${base}/api/check-url/?url=evil.test`)).status).toBe(429)
      expect((await fetch(base + checkPath, { method: 'HEAD' })).status).toBe(429)
    })
  })

  test('nor a request without a usable host, nor a path that only looks like another', async () => {
    await serving({ limits, now: () => 0 }, async (_base, server) => {
      const status = async (target: string, host: string): Promise<string> => {
        const answer = await sendRaw(
          server,
          `GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
        )
        return answer.slice(9, 12)
      }
      expect(await status(checkPath, 'Host: a b\r\n')).toBe('200')
      expect(await status(checkPath, 'Host: h\r\n')).toBe('200')
      expect(await status(`/x/..${checkPath}`, 'Host: h\r\n')).toBe('200')
      expect(await status(`/.${checkPath}`, 'Host: h\r\n')).toBe('429')
      expect(await status(`/.${checkPath}`, 'Host: a b\r\n')).toBe('404')
      expect(await status(`/${checkPath}`, 'Host: h\r\n')).toBe('404')
      expect(await status(`http://other${checkPath}`, 'Host: h\r\n')).toBe('429')
      expect(await status(`/aaaaaaa${checkPath}`, 'Host: a b\r\n')).toBe('404')
    })
  })

  test('nor any spelling of the target: whatever is answered counts', async () => {
    const targets = [checkPath, '/api/v1/blacklist?limit=1'].flatMap((path) => [
      path,
      path.replace('?', '/?'),
      path.replace('?', '/.?'),
      path.replace('?', '//?'),
      path.replace('?', '/%2e?'),
      path.replace('?', '%00?'),
      path.replace('?', '#?'),
      path.replace('?', ';x?'),
      path.replace('/api', '/api/x/..'),
      path.replaceAll('/', '//'),
      path.replaceAll('/', '\\'),
      path.toUpperCase(),
      `/.${path}`,
      `/x/..${path}`,
      `/x/%2e%2e${path}`,
      `/x/%2E.${path}`,
      `/x\\..${path}`,
      `/x?/..${path}`,
      `/x#/..${path}`,
      `/aaaaaaa${path}`,
      `/aaaaaaa/..${path}`,
      `http://other.test${path}`,
      `http://other.test/x/..${path}`,
      `https://a:b@other.test${path}`,
      `http://other.test${path.replaceAll('/', '\\')}`,
    ])
    const hosts = ['h', 'w:99', 'a b', '', 'a@b', 'h?x', 'h#', 'h/x', 'h\\x', '[::1', 'a%2fb']
    const many = { quota: 1_000, windowMs: 60_000 }
    await serving({ limits: { BLACKLIST: many, CHECK_URL: many } }, async (_base, server) => {
      const requests = hosts.flatMap((host) => targets.map((target) => [host, target] as const))
      const answers = await Promise.all(
        requests.map(([host, target]) =>
          sendRaw(server, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        ),
      )
      let counted = 0
      for (const [index, answer] of answers.entries()) {
        if (answer.includes('\r\nratelimit: ')) counted++
        else expect(answer.slice(9, 12), String(requests[index])).toMatch(/^(?:400|404)$/)
      }
      expect(counted).toBeGreaterThan(hosts.length * 4)
    })
  })

  test('every endpoint has its own, and unknown paths have none', async () => {
    await serving({ limits, now: () => 0 }, async (base) => {
      const bulk = () =>
        fetch(`${base}/api/v1/check/bulk`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      expect((await bulk()).status).toBe(200)
      expect((await bulk()).status).toBe(429)
      expect((await fetch(`${base}/api/v1/blacklist`)).status).toBe(200)
      expect((await fetch(base + checkPath)).status).toBe(200)
      for (let i = 0; i < 5; i++) expect((await fetch(`${base}/api/v1/nothing`)).status).toBe(404)
    })
  })

  test('a 304 counts and says so; a preflight does not', async () => {
    await serving({ limits, now: () => 0 }, async (base) => {
      const list = `${base}/api/v1/blacklist`
      for (let i = 0; i < 5; i++) await fetch(list, { method: 'OPTIONS' })
      const headers = { 'if-none-match': '*' }
      const notModified = await fetch(list, { headers })
      expect(notModified.status).toBe(304)
      expect(notModified.headers.get('ratelimit')).toBe('"blacklist";r=1;t=3600')
      expect((await fetch(list, { headers })).status).toBe(304)
      expect((await fetch(list, { headers })).status).toBe(429)
    })
  })

  test('a refusal under /api/v1/ can be read from any origin', async () => {
    await serving({ limits, now: () => 0 }, async (base) => {
      for (let i = 0; i < 2; i++) await fetch(`${base}/api/v1/blacklist`)
      await play(base, {
        name: '429',
        path: '/api/v1/blacklist',
        requestHeaders: { origin: 'https://dashboard.example.org' },
        status: 429,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': /Retry-After/,
          'retry-after': '3600',
          vary: null,
        },
        problem: [],
      })
    })
  })

  test('a long body is refused after the limit, and unread', async () => {
    await serving({ limits, now: () => 0 }, async (base) => {
      const send = () =>
        fetch(`${base}/api/v1/check/bulk`, { method: 'POST', body: 'a'.repeat(6 * 2 ** 20) })
      expect((await send()).status).toBe(413)
      expect((await send()).status).toBe(429)
    })
  })

  test('X-Forwarded-For makes no new client unless a trusted proxy sends it', async () => {
    const trustedProxies = loopback()
    const callAs = (base: string, client: string) =>
      fetch(base + checkPath, { headers: { 'x-forwarded-for': client } })
    await serving({ limits, now: () => 0 }, async (base) => {
      for (let i = 0; i < 3; i++) await callAs(base, `203.0.113.${i}`)
      expect((await callAs(base, '203.0.113.99')).status).toBe(429)
    })
    await serving({ limits, now: () => 0, trustedProxies }, async (base) => {
      for (let i = 0; i < 3; i++) await callAs(base, '203.0.113.1')
      expect((await callAs(base, '203.0.113.1')).status).toBe(429)
      expect((await callAs(base, '198.51.100.7, 203.0.113.1')).status).toBe(429)
      expect((await callAs(base, '203.0.113.99')).status).toBe(200)
    })
  })

  test('callers without an address share one count', async () => {
    const trustedProxies = loopback()
    await serving({ limits, now: () => 0, addressOf: () => null, trustedProxies }, async (base) => {
      for (let i = 0; i < 3; i++) expect((await fetch(base + checkPath)).status).toBe(200)
      expect((await fetch(base + checkPath)).status).toBe(429)
    })
  })

  test('a limit that is off leaves no trace', async () => {
    await serving({ limits: { ...limits, CHECK_URL: null } }, async (base) => {
      const { headers } = await fetch(base + checkPath)
      expect(headers.get('ratelimit')).toBeNull()
      expect(headers.get('ratelimit-policy')).toBeNull()
    })
  })
})
