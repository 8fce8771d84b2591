/** What is seen of answers from outside the app. */

import { describe, expect, test } from 'bun:test'
import { observed } from '../../src/http/observed.ts'

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
  const observing = (inner: Parameters<typeof observed>[0], route: string) => {
    const layer = observed(inner, route, [observer, observer], now)
    return (request: Request) => layer(request, {})
  }
  const request = (path: string, method = 'GET') =>
    new Request(`http://weir.test${path}`, { method })

  test('tells every observer of an answer given at once, and leaves it at once', () => {
    seen.length = 0
    const response = new Response(null, { status: 304 })
    expect(observing(() => response, '/lists/:name')(request('/lists/canary'))).toBe(response)
    expect(seen).toEqual(Array(2).fill(['/lists/:name', 'GET', 304, 1.5]))
  })

  test('tells of an answer given later, when it is given', async () => {
    seen.length = 0
    const { promise, resolve } = Promise.withResolvers<Response>()
    const answer = observing(() => promise, '/health')(request('/health', 'HEAD'))
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
    expect(() => observing(fail, 'other')(request('/nowhere', 'POST'))).toThrow(failure)
    const rejected = observing(() => Promise.reject(failure), '/health')(request('/health'))
    expect(await Promise.resolve(rejected).catch((error) => error)).toBe(failure)
    expect(seen).toEqual([
      ...Array(2).fill(['other', 'POST', 500, 1.5]),
      ...Array(2).fill(['/health', 'GET', 500, 1.5]),
    ])
  })
})
