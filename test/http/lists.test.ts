/** GET /lists/…: whole files over a real server, as the store is or was a moment ago. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Handler } from '../../src/http/endpoint.ts'
import { listEndpoints } from '../../src/http/endpoints/lists.ts'
import { notFound } from '../../src/http/problem.ts'
import { FullLists } from '../../src/publish/lists/full-lists.ts'
import { listNames } from '../../src/publish/lists/list-formats.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { checked } from './checked-answers.ts'
import { sendRaw } from './stand-ins.ts'

// Machines are shared, and each list is made by a thread of its own.
setDefaultTimeout(40_000)

const feed = sourceNamed('feed')
const names = Array.from({ length: 1_000 }, (_, index) => `name${1000 + index}.test`)
const publicUrl = 'https://weir.example.org'
const listsPaths: readonly string[] = listEndpoints.map(({ path }) => path)

/** Lists over a store of their own, served until the end of the test. */
class Served implements AsyncDisposable {
  readonly db = new TestStore()
  clockMs = 0
  readonly reported: unknown[] = []
  readonly lists = new FullLists({
    store: this.db.store,
    dataDir: this.db.dataDir,
    report: (error) => this.reported.push(error),
    monotonicMs: () => this.clockMs,
  })
  readonly server = serve(this)

  fetch(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return fetch(new URL(path, this.server.url), {
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
      decompress: false,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true)
    await this.lists.close()
    this.db.remove()
  }
}

function serve(served: Served) {
  const { lists } = served
  const services = { lists, publicUrl, version: '0.0.0', now: () => served.db.now + 60_000 }
  const answers = new Map<string, Handler>(
    listEndpoints.map((endpoint) => [endpoint.path, endpoint.compile(services)]),
  )
  const fetch = (request: Request) => {
    const path = new URL(request.url).pathname.replace(/\/$/, '')
    return answers.get(path)?.(request, {}) ?? notFound()
  }
  return checked(Bun.serve({ fetch, hostname: '127.0.0.1', port: 0, development: false }))
}

let shared: Served
beforeAll(async () => {
  shared = new Served()
  await shared.db.list(feed, names)
})
afterAll(() => shared[Symbol.asyncDispose]())

describe('GET /lists/…', () => {
  test('has a path for each list', () => {
    expect(listsPaths).toEqual(listNames.map((name) => `/lists/${name}`))
  })

  test.each([...listsPaths])('%s is text with validators, and HEAD says the same', async (path) => {
    const response = await shared.fetch(path)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain(`Homepage: ${publicUrl}\n`)
    expect(text.split('name1999.test').length - 1).toBe(
      path.endsWith('urls.txt') ? 0 : path.endsWith('rpz') ? 2 : 1,
    )
    const { date: _, ...headers } = response.headers.toJSON()
    expect(headers).toEqual({
      'cache-control': 'public, max-age=300',
      'content-length': String(Buffer.byteLength(text)),
      'content-type': 'text/plain; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      etag: expect.stringMatching(/^W\/"[0-9a-z]+"$/),
      'last-modified': 'Thu, 12 Mar 2026 08:01:00 GMT',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
    const head = await shared.fetch(path, {}, 'HEAD')
    const { date: __, ...same } = head.headers.toJSON()
    expect({ status: head.status, body: await head.text(), ...same }).toEqual({
      status: 200,
      body: '',
      ...headers,
    })
  })

  test('is the same with a slash behind it, and whatever host it was asked of', async () => {
    const text = await (await shared.fetch('/lists/domains.txt')).text()
    expect(await (await shared.fetch('/lists/domains.txt/')).text()).toBe(text)
    const request = 'GET /lists/domains.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    expect(await sendRaw(shared.server, request)).toEndWith(`\r\n\r\n${text}`)
  })

  test.each([
    '/lists/',
    '/lists/domains',
    '/lists/domains.txt.zst',
    '/lists/domains-1.txt',
    '/lists/DOMAINS.txt',
    '/lists/..%2Fweir.db',
    '/lists/%2e%2e/weir.db',
    '/lists/domains.txt%00',
  ])('knows nothing at %s', async (path) => {
    expect((await shared.fetch(path)).status).toBe(404)
  })

  test.each<[string, string, (bytes: Uint8Array) => Uint8Array]>([
    ['zstd', 'gzip, br, zstd', zstdDecompressSync],
    ['br', 'gzip, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('is compressed as %s for those who accept %s', async (coding, accepted, decompress) => {
    const plain = await (await shared.fetch('/lists/domains.hosts')).text()
    const wants = { 'accept-encoding': accepted }
    const response = await shared.fetch('/lists/domains.hosts', wants)
    const bytes = await response.bytes()
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(Buffer.from(decompress(bytes)).toString()).toBe(plain)
    const head = await shared.fetch('/lists/domains.hosts', wants, 'HEAD')
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
    expect(head.headers.get('content-encoding')).toBe(coding)
  })

  test('is not compressed when it is short', async () => {
    const response = await shared.fetch('/lists/urls.txt', { 'accept-encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  test('is 304 for whoever has this version, in whatever coding', async () => {
    const { headers } = await shared.fetch('/lists/domains.txt', { 'accept-encoding': 'br' })
    const etag = headers.get('etag') ?? ''
    const since = headers.get('last-modified') ?? ''
    for (const method of ['GET', 'HEAD']) {
      for (const known of [{ 'if-none-match': etag }, { 'if-modified-since': since }]) {
        const response = await shared.fetch('/lists/domains.txt', known, method)
        expect(response.status).toBe(304)
        expect(response.headers.get('etag')).toBe(etag)
        expect(response.headers.get('vary')).toBe('accept-encoding')
        expect(response.headers.get('content-type')).toBeNull()
      }
    }
    const others = ['domains.hosts', 'urls.txt'].map(async (name) => {
      const response = await shared.fetch(`/lists/${name}`, { 'if-none-match': etag })
      return response.status
    })
    expect(await Promise.all(others)).toEqual([200, 200])
  })

  test.each([
    ['bytes=5-9', {}],
    ['bytes=0-', {}],
    ['bytes=99999999-', {}],
    ['bytes=-5', { 'if-range': 'Thu, 12 Mar 2026 08:01:00 GMT' }],
    ['bytes=1-2,4-5', {}],
    ['lines=1-2', {}],
  ])('is sent whole when the range %s is asked for', async (range, more) => {
    const whole = await (await shared.fetch('/lists/domains.txt')).text()
    const response = await shared.fetch('/lists/domains.txt', { range, ...more })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(whole)
  })
})

describe('a list that changes', () => {
  test('is the old one, under its own tag, until a minute has passed', async () => {
    await using served = new Served()
    const tagOf = async (known = 'none'): Promise<string> => {
      const response = await served.fetch('/lists/domains.txt', { 'if-none-match': known })
      const lines = (await response.text()).split('\n').filter((line) => /^\w/.test(line))
      return `${response.status} ${response.headers.get('etag')} ${lines.join(' ')}`.trim()
    }
    await served.db.list(feed, ['a.test'])
    const first = await tagOf()
    const tag = first.split(' ')[1] ?? ''
    await served.db.list(feed, ['a.test', 'b.test'])
    expect(first).toBe(`200 ${tag} a.test`)
    expect(await tagOf()).toBe(first)
    expect(await tagOf(tag)).toBe(`304 ${tag}`)

    served.clockMs += 60_000
    const second = await tagOf(tag)
    expect(second).toStartWith('200 ')
    expect(second).toEndWith(' a.test b.test')
    expect(second).not.toContain(tag)
  })

  test('never mixes two versions, while it changes and many fetch it', async () => {
    await using served = new Served()
    const check = async (): Promise<void> => {
      const accepted = { 'accept-encoding': 'gzip' }
      const response = await served.fetch('/lists/domains.txt', accepted)
      const bytes = await response.bytes()
      const isCoded = response.headers.get('content-encoding') === 'gzip'
      const text = Buffer.from(isCoded ? gunzipSync(bytes) : bytes).toString()
      const stated = Number(/Number of entries: (\d+)/.exec(text)?.[1])
      expect({ status: response.status, count: text.match(/^name/gm)?.length ?? 0 }).toEqual({
        status: 200,
        count: stated,
      })
    }
    for (let count = 200; count <= 1_000; count += 200) {
      const listed = served.db.list(feed, names.slice(0, count))
      served.clockMs += 60_000
      await Promise.all(Array.from({ length: 10 }, check))
      await listed
    }
    expect(served.reported).toEqual([])
  })

  test('is 503 with a time to come back when it cannot be written', async () => {
    await using served = new Served()
    symlinkSync('/dev/null', join(served.db.dataDir, 'lists'))
    for (const method of ['GET', 'HEAD']) {
      const response = await served.fetch('/lists/domains.txt', {}, method)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('30')
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.text()).not.toContain(served.db.dataDir)
    }
    expect(served.reported).toHaveLength(1)
    rmSync(join(served.db.dataDir, 'lists'))
    served.clockMs += 30_000
    expect((await served.fetch('/lists/domains.txt')).status).toBe(200)
  })
})
