/** GET /api/search over HTTP, answered by the search thread over a real store. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadConfig } from '../../src/config.ts'
import { SearchThread } from '../../src/search/search.ts'
import { ThreadError } from '../../src/threads/thread-error.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { serveStandIns, serving } from './stand-ins.ts'

const db = new TestStore()
const feed = sourceNamed('feed')
const reported: unknown[] = []
const search = new SearchThread({
  dataDir: db.dataDir,
  store: db.store,
  report: (error) => reported.push(error),
  now: performance.now.bind(performance),
})
let server: ReturnType<typeof serveStandIns>

beforeAll(async () => {
  const names = Array.from({ length: 60 }, (_, n) => `acme-${n}.test`)
  await db.list(feed, [...names, 'paypal-login.test', 'or.test'])
  server = serveStandIns({ search })
})
afterAll(async () => {
  await server.stop(true)
  await search.close()
  db.remove()
  expect(reported).toEqual([])
})

const get = (query: string, init: RequestInit = {}) =>
  fetch(`${server.url.origin}/api/search${query}`, init)

/** Searches for a text and returns the answer. */
async function found(text: string, rest = ''): Promise<Record<string, unknown>> {
  const response = await get(`?q=${encodeURIComponent(text)}${rest}`)
  expect([text.slice(0, 40), response.status]).toEqual([text.slice(0, 40), 200])
  const answer: Record<string, unknown> = JSON.parse(await response.text())
  return answer
}

async function fieldsOf(query: string): Promise<string[]> {
  const response = await get(query)
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const problem: { errors: { field: string }[] } = JSON.parse(await response.text())
  return problem.errors.map(({ field }) => field)
}

describe('GET /api/search', () => {
  test('answers with what matches, how many, and the limit that was applied', async () => {
    const answer = await found('paypal')
    expect(answer).toMatchObject({
      query: 'paypal',
      category: 'all',
      page: 1,
      limit: 20,
      total: 1,
      counts: { urls: 1, news: 0, scams: 0 },
    })
    expect(await found('acme', '&limit=51')).toMatchObject({ limit: 50, total: 60 })
    expect(await found('acme', '&limit=7&page=9&category=urls')).toMatchObject({
      results: { length: 4 },
    })
    expect(await found('acme', '&category=news')).toMatchObject({ total: 0, counts: { urls: 60 } })
  })

  test('takes whatever stands in a query for text', async () => {
    const texts = [
      '"',
      "'",
      '*',
      'a OR',
      'OR',
      'NEAR(',
      'NEAR("a" "b", 2)',
      '-',
      '-acme',
      'title:acme',
      '{title}:a',
      '^acme',
      'acme*',
      '\\',
      '%',
      '_',
      '; DROP TABLE indicator',
      '+',
      'a'.repeat(300),
      `${'a '.repeat(150)}`,
      `${'"'.repeat(300)}`,
      'é\u0301\u202e\u200b',
      '\u{1F600}',
      '[[[[[',
      'http://',
      'hxxp://[.]',
      'x'.repeat(2_048),
    ]
    for (const text of texts) expect((await found(text))['results']).toBeArray()
    expect((await found('or'))['total']).toBe(1)
    expect((await found('"acme-1"'))['counts']).toMatchObject({ urls: 11 })
  })

  test('never writes a query so that a browser could take it for markup', async () => {
    const response = await get(`?q=${encodeURIComponent('<script>alert(1)</script>')}`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const text = await response.text()
    expect(text).toContain('\\u003cscript>')
    expect(text).not.toContain('<')
  })

  test('refuses what is missing, repeated or out of range, and names each field', async () => {
    expect(await fieldsOf('')).toEqual(['q'])
    expect(await fieldsOf('?q=')).toEqual(['q'])
    expect(await fieldsOf('?q=%20%20')).toEqual(['q'])
    expect(await fieldsOf('?q=a&q=b')).toEqual(['q'])
    expect(await fieldsOf('?q=%FF')).toEqual(['q'])
    expect(await fieldsOf('?q=%00')).toEqual(['q'])
    expect(await fieldsOf(`?q=${'a'.repeat(2_049)}`)).toEqual(['q'])
    expect(await fieldsOf('?q=a&category=pages')).toEqual(['category'])
    for (const number of ['0', '-1', '1.5', '0x10', '1e2', '', ' 1', 'a']) {
      expect(await fieldsOf(`?q=a&page=${number}`)).toEqual(['page'])
      expect(await fieldsOf(`?q=a&limit=${number}`)).toEqual(['limit'])
    }
    expect(await fieldsOf('?category=x&page=0&limit=0')).toEqual(['q', 'category', 'page', 'limit'])
  })

  test('answers a page far behind the last with nothing', async () => {
    for (const page of ['4', '1000000000', '9'.repeat(40)]) {
      expect(await found('acme', `&page=${page}`)).toMatchObject({ total: 60, results: [] })
    }
  })

  test('answers HEAD and a slash at the end, ignores unknown parameters, and keeps nothing', async () => {
    const head = await get('?q=acme', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get('/?q=acme&colour=red')).status).toBe(200)
    expect((await get('?q=acme')).headers.get('cache-control')).toBe('no-store')
    const post = await get('?q=acme', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('counts sixty calls a minute', async () => {
    const { config } = await loadConfig({})
    await serving({ search, limits: config.limits }, async (base) => {
      const statuses = new Set<number>()
      for (let call = 0; call < 60; call++) {
        statuses.add((await fetch(`${base}/api/search?q=acme`)).status)
      }
      expect([...statuses]).toEqual([200])
      const refused = await fetch(`${base}/api/search/?q=acme`)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    })
  })

  test('is 503 with Retry-After while nothing can be searched', async () => {
    const broken = { ask: () => Promise.reject(new ThreadError('lost', 'it has ended')) }
    await serving({ search: broken }, async (base) => {
      const response = await fetch(`${base}/api/search?q=acme`)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
      expect(await response.text()).not.toContain('ended')
    })
  })
})

describe('the search thread', () => {
  test('follows what is listed, and says how far it is behind', async () => {
    const thread = new SearchThread({
      dataDir: db.dataDir,
      store: db.store,
      report: (error) => reported.push(error),
      now: performance.now.bind(performance),
    })
    try {
      expect(thread.lag().rows).toBeGreaterThan(0)
      await thread.ask({ text: 'acme', category: 'all', page: 1, limit: 1 })
      while (thread.lag().rows > 0) await Bun.sleep(10)
      expect(thread.lag()).toEqual({ rows: 0, seconds: 0 })
      await db.list({ ...feed, name: 'later' }, ['followed.test'])
      expect(thread.lag().rows).toBe(1)
      for (;;) {
        const query = { text: 'followed', category: 'all', page: 1, limit: 1 } as const
        const { total }: { total: number } = JSON.parse(await thread.ask(query))
        if (total === 1) break
        await Bun.sleep(10)
      }
    } finally {
      await thread.close()
    }
    const query = { text: 'acme', category: 'all', page: 1, limit: 1 } as const
    expect(await thread.ask(query).catch(String)).toContain('weir is stopping')
  })

  test('that has no database lets down whoever asks, tells why, and is started again', async () => {
    const errors: unknown[] = []
    const thread = new SearchThread({
      dataDir: `${db.dataDir}/weir.db`,
      store: db.store,
      report: (error) => errors.push(error),
      now: performance.now.bind(performance),
    })
    const query = { text: 'acme', category: 'all', page: 1, limit: 1 } as const
    for (let time = 1; time <= 2; time++) {
      expect(await thread.ask(query).catch(String)).toContain('the search thread')
      expect(errors.length).toBe(time)
    }
    await thread.close()
  })
})
