/** GET and HEAD of pages: headers, conditional requests, compression. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Page, pageEndpoint } from '../../src/http/endpoints/service.ts'
import { notFound } from '../../src/http/problem.ts'
import { checked } from './checked-answers.ts'

const startedAt = Date.UTC(2026, 10, 21, 10, 15, 30)
const html = `<!doctype html><p>${'für alle '.repeat(1000)}</p>`
const shortHtml = '<!doctype html><p>ü</p>'
const pageOf = (path: Page['path'], text: string): Page => ({
  path,
  contentSecurityPolicy: "default-src 'none'",
  render: () => text,
})
const page = pageOf('/docs', html)
const short = pageOf('/docs/reference', shortHtml)
const routesAt = (pages: readonly Page[]) => {
  const services = { pages, now: () => startedAt }
  const answers = new Map(
    pages.map(({ path }) => [
      String(path),
      pageEndpoint({ id: path, path, summary: '', description: '' }).compile(services),
    ]),
  )
  const fetch = (request: Request) =>
    answers.get(new URL(request.url).pathname)?.(request, {}) ?? notFound()
  return { fetch, handle: fetch }
}
let server: Bun.Server<undefined>
beforeAll(() => {
  const { fetch } = routesAt([page, short])
  server = checked(Bun.serve({ fetch, hostname: '127.0.0.1', port: 0 }))
})
afterAll(() => server.stop(true))

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url.origin}${path}`, { method, headers, decompress: false })

describe('a page', () => {
  test('comes as it is, with its policy and what lets it be kept', async () => {
    const answer = await ask('/docs', { 'accept-encoding': 'identity' })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe(html)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'public, max-age=300',
      'last-modified': 'Sat, 21 Nov 2026 10:15:29 GMT',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      etag: expect.stringMatching(/^W\/"[0-9a-z]+"$/),
      vary: 'accept-encoding',
    })
  })

  test('has the same headers for HEAD, and no body', async () => {
    const answer = await ask('/docs', {}, 'HEAD')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(answer.headers.get('etag')).toBe((await ask('/docs')).headers.get('etag'))
  })

  test.each(['GET', 'HEAD'])('is not sent again to %s when it has not changed', async (method) => {
    const etag = (await ask('/docs')).headers.get('etag') ?? ''
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-modified-since': new Date(startedAt).toUTCString() },
    ]) {
      const answer = await ask('/docs', headers, method)
      expect(answer.status).toBe(304)
      expect(await answer.text()).toBe('')
      expect(answer.headers.get('etag')).toBe(etag)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(answer.headers.get('content-type')).toBeNull()
    }
    expect((await ask('/docs', { 'if-none-match': 'W/"other"' }, method)).status).toBe(200)
  })

  test('has another tag when its text is another', async () => {
    const tags = await Promise.all(
      ['/docs', '/docs/reference'].map(async (path) => (await ask(path)).headers.get('etag')),
    )
    expect(new Set(tags).size).toBe(2)
  })

  test('is rendered when it is first asked for, and once', async () => {
    let times = 0
    const counted = { ...page, render: () => `rendered ${++times}` }
    const routes = routesAt([counted])
    expect(times).toBe(0)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const answer = await routes.handle(new Request('http://weir.test/docs', { method }))
      expect(answer.status).toBe(200)
    }
    expect(times).toBe(1)
  })

  test.each([
    ['zstd', zstdDecompressSync],
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed with %s, again and again', async (coding, read) => {
    for (let times = 0; times < 2; times++) {
      const answer = await ask('/docs', { 'accept-encoding': coding })
      expect(answer.headers.get('content-encoding')).toBe(coding)
      const bytes = await answer.bytes()
      expect(bytes.length).toBeLessThan(html.length / 10)
      expect(read(bytes).toString()).toBe(html)
    }
  })

  test('that is short comes as it is', async () => {
    const answer = await ask('/docs/reference', { 'accept-encoding': 'gzip' })
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(await answer.text()).toBe(shortHtml)
  })
})
