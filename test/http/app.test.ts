/** The app over real HTTP with stand-ins for everything behind it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../src/http/app.ts'
import { everywhere, expectProblem, play, playAll } from './scenario.ts'
import { blacklistScenarios } from './scenarios/blacklist.ts'
import { bulkScenarios } from './scenarios/bulk.ts'
import { checkUrlScenarios } from './scenarios/check-url.ts'
import { everywhereScenarios } from './scenarios/everywhere.ts'
import { sendRaw, serveStandIns, serving, standIns } from './stand-ins.ts'

describe('the app', () => {
  let server: ReturnType<typeof serveStandIns>
  beforeAll(() => {
    server = serveStandIns()
  })
  afterAll(() => server.stop(true))
  const base = () => server.url.origin

  describe('GET /api/check-url', () => playAll(base, checkUrlScenarios))
  describe('GET /api/v1/blacklist', () => playAll(base, blacklistScenarios))
  describe('POST /api/v1/check/bulk', () => playAll(base, bulkScenarios))
  describe('everywhere', () => playAll(base, everywhereScenarios))

  test('refuses 900,000 nested lists', async () => {
    for (const body of ['['.repeat(900_000), `${'['.repeat(900_000)}${']'.repeat(900_000)}`]) {
      const response = await fetch(`${base()}/api/v1/check/bulk`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await response.text()
      expect(response.status).toBe(400)
    }
  })

  test('refuses a chunked body of 5.1 MiB', async () => {
    const chunk = new TextEncoder().encode('a'.repeat(2 ** 16))
    let left = 82
    const body = new ReadableStream({
      pull: (controller) => {
        if (left-- > 0) controller.enqueue(chunk)
        else controller.close()
      },
    })
    const response = await fetch(`${base()}/api/v1/check/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(response.status).toBe(413)
    expectProblem(413, await response.text(), [])
  })

  test('reads a chunked body', async () => {
    const body = new ReadableStream({
      start: (controller) => {
        for (const part of ['{"urls":["b', 'ü'.slice(0, 1), 'cher.test"]}']) {
          controller.enqueue(new TextEncoder().encode(part))
        }
        controller.close()
      },
    })
    const response = await fetch(`${base()}/api/v1/check/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.json()).toMatchObject({ counts: { found: 1 } })
  })

  test('a URL of 20 kB is refused by the server itself', async () => {
    const response = await fetch(`${base()}/api/check-url?url=${'a'.repeat(20_000)}`)
    expect(response.status).toBe(431)
  })

  test('the prototype of objects stays as it is', async () => {
    const body = '{"urls":["__proto__"],"__proto__":{"polluted":1}}'
    await fetch(`${base()}/api/v1/check/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('is found under a host of one letter, another host, and none', async () => {
    for (const host of ['Host: w\r\n', 'Host: elsewhere.example:99\r\n', 'Host: a b\r\n', '']) {
      for (const path of ['/health', '/api/v1/blacklist?limit=1', '/api/check-url?url=evil.test']) {
        const answer = await sendRaw(
          server,
          `GET ${path} HTTP/1.${host === '' ? '0' : '1'}\r\n${host}Connection: close\r\n\r\n`,
        )
        expect(answer, `${host} ${path}`).toStartWith('HTTP/1.1 200 OK\r\n')
        expect(answer).not.toContain('elsewhere')
      }
    }
  })
})

describe('while the data is being loaded', () => {
  const loading = {
    isLoading: () => true,
    readiness: () => ({ ...standIns().readiness(), status: 'loading' as const }),
  }

  test('no endpoint answers from nothing', async () => {
    await serving(loading, async (base) => {
      for (const [method, path] of [
        ['GET', '/api/check-url?url=evil.test'],
        ['GET', '/api/v1/blacklist'],
        ['HEAD', '/api/v1/blacklist/'],
        ['POST', '/api/v1/check/bulk'],
      ] as const) {
        await play(base, { name: path, method, path, status: 503, headers: { 'retry-after': '1' } })
      }
    })
  })

  test('health is ok and ready says 503', async () => {
    await serving(loading, async (base) => {
      expect((await fetch(`${base}/health`)).status).toBe(200)
      const ready = await fetch(`${base}/ready`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({ status: 'loading' })
    })
  })

  test('degraded still answers', async () => {
    const readiness = () => ({ ...standIns().readiness(), status: 'degraded' as const })
    await serving({ readiness }, async (base) => {
      const ready = await fetch(`${base}/ready`)
      expect(ready.status).toBe(200)
      expect(await ready.json()).toMatchObject({ status: 'degraded' })
    })
  })
})

describe('an error that nobody expected', () => {
  const secret = new Error('SELECT * FROM indicator in /srv/weir/store.ts')
  const fail = (): never => {
    throw secret
  }
  const paths: readonly (readonly [string, string, string | null])[] = [
    ['GET', '/api/check-url?url=evil.test', null],
    ['GET', '/api/v1/blacklist', null],
    ['POST', '/api/v1/check/bulk', '{}'],
    ['GET', '/ready', null],
  ]

  test.each(paths)('is reported once and not told: %s %s', async (method, path, body) => {
    const reported: unknown[] = []
    const broken = {
      urls: { check: fail },
      bulk: { check: fail },
      blacklist: { state: fail, page: fail },
      readiness: fail,
      report: (error: unknown) => {
        reported.push(error)
      },
    }
    await serving(broken, async (base) => {
      const response = await fetch(base + path, {
        method,
        body,
        headers: { 'content-type': 'application/json' },
      })
      const text = await response.text()
      expect(response.status).toBe(500)
      expectProblem(500, text, [])
      expect(text).not.toMatch(/SELECT|srv|store/)
      expect(reported).toEqual([secret])
      for (const [name, value] of Object.entries(everywhere)) {
        expect(response.headers.get(name)).toBe(value)
      }
    })
  })

  test('in the gate itself is no different', async () => {
    const reported: unknown[] = []
    const report = (error: unknown): void => {
      reported.push(error)
    }
    await serving({ addressOf: fail, report }, async (base) => {
      const response = await fetch(`${base}/api/check-url?url=evil.test`)
      expect(response.status).toBe(500)
      expectProblem(500, await response.text(), [])
      expect(reported).toEqual([secret])
    })
  })
})

test('the app answers without a server, and a check without a promise', async () => {
  const app = createApp(standIns())
  const response = app.fetch(new Request('http://weir.test/api/check-url?url=evil.test'))
  if (response instanceof Promise) throw new Error('Elysia awaits the handler')
  expect(await response.json()).toMatchObject({ status: 'found' })
})
