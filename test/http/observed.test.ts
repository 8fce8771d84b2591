/** What is seen of answers from outside the app. */

import { describe, expect, test } from 'bun:test'
import { createRouteOf, observed } from '../../src/http/observed.ts'

const templates = [
  '/health',
  '/api/v1/blacklist',
  '/api/v1/blacklist/changes',
  '/lists/:name',
  '/api/v1/watchlist/:id',
  '/api/v1/watchlist/:id/matches',
  '/assets/*',
]

describe('createRouteOf', () => {
  const routeOf = createRouteOf(templates)

  const routes: readonly (readonly [string, string])[] = [
    ['http://weir.test/health', '/health'],
    ['http://weir.test/health/', '/health'],
    ['http://weir.test/health?url=/lists/x', '/health'],
    ['http://w:8080/api/v1/blacklist?format=txt', '/api/v1/blacklist'],
    ['http://weir.test/api/v1/blacklist/changes', '/api/v1/blacklist/changes'],
    ['http://weir.test/api/v1/blacklist/changes/', '/api/v1/blacklist/changes'],
    ['http://weir.test/lists/domains.txt', '/lists/:name'],
    ['http://weir.test/lists/domains.txt/', '/lists/:name'],
    ['http://weir.test/api/v1/watchlist/secret', '/api/v1/watchlist/:id'],
    ['http://weir.test/api/v1/watchlist/secret/matches', '/api/v1/watchlist/:id/matches'],
    ['http://weir.test/assets/a/b.css', '/assets/*'],
    ['http://weir.test/assets/b.css?v=1', '/assets/*'],
    ['/health', '/health'],
    ['/lists/domains.txt?x', '/lists/:name'],
    ['http://weir.test/', 'other'],
    ['http://weir.test', 'other'],
    ['http://weir.test/healthy', 'other'],
    ['http://weir.test//health', 'other'],
    ['http://weir.test/HEALTH', 'other'],
    ['http://weir.test/health//', 'other'],
    ['http://weir.test/lists', 'other'],
    ['http://weir.test/lists/', 'other'],
    ['http://weir.test/lists/a/b', 'other'],
    ['http://weir.test/lists/:name', '/lists/:name'],
    ['http://weir.test/assets', 'other'],
    ['http://weir.test/__proto__', 'other'],
    [`http://weir.test${'/a'.repeat(8_000)}`, 'other'],
  ]

  test.each(routes)('%s is %s', (url, route) => {
    expect(routeOf(url)).toBe(route)
  })

  test('gives nothing but templates and other', () => {
    for (const template of templates) expect(routeOf(`http://weir.test${template}`)).toBe(template)
    for (const [url] of routes) expect([...templates, 'other']).toContain(routeOf(url))
  })
})

describe('observed', () => {
  const seen: unknown[] = []
  const observer = {
    noteAnswer: (...answer: unknown[]) => {
      seen.push(answer)
    },
  }
  /** Each look at the clock is 1,500 ms after the last. */
  let time = 0
  const now = (): number => {
    time += 1_500
    return time
  }
  const observing = (inner: Parameters<typeof observed>[0]) =>
    observed(inner, createRouteOf(templates), [observer, observer], now)
  const request = (path: string, method = 'GET') =>
    new Request(`http://weir.test${path}`, { method })

  test('tells every observer of an answer given at once, and leaves it at once', () => {
    seen.length = 0
    const response = new Response(null, { status: 304 })
    expect(observing(() => response)(request('/lists/canary'))).toBe(response)
    expect(seen).toEqual(Array(2).fill(['/lists/:name', 'GET', 304, 1.5]))
  })

  test('tells of an answer given later, when it is given', async () => {
    seen.length = 0
    const { promise, resolve } = Promise.withResolvers<Response>()
    const answer = observing(() => promise)(request('/health', 'HEAD'))
    expect(seen).toEqual([])
    resolve(new Response(null, { status: 200 }))
    expect((await answer).status).toBe(200)
    expect(seen).toEqual(Array(2).fill(['/health', 'HEAD', 200, 1.5]))
  })

  test('counts what fails as 500, and lets it fail', async () => {
    seen.length = 0
    const failure = new Error('broken')
    const fail = (): never => {
      throw failure
    }
    expect(() => observing(fail)(request('/nowhere', 'POST'))).toThrow(failure)
    const rejected = observing(() => Promise.reject(failure))(request('/health'))
    expect(await Promise.resolve(rejected).catch((error) => error)).toBe(failure)
    expect(seen).toEqual([
      ...Array(2).fill(['other', 'POST', 500, 1.5]),
      ...Array(2).fill(['/health', 'GET', 500, 1.5]),
    ])
  })
})
