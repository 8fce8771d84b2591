/** The list and its delta feed over HTTP, over a real store. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createBlacklistReader } from '../../src/publish/lists/blacklist.ts'
import { createChangesReader } from '../../src/publish/lists/changes.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { limitsOf, serving } from './stand-ins.ts'

const feed = sourceNamed('feed')
const listPath = '/api/v1/blacklist'
const changesPath = '/api/v1/blacklist/changes'

let db: TestStore
let clock: number

beforeEach(() => {
  db = new TestStore()
  clock = db.now
})
afterEach(() => db.remove())

function servingStore(
  use: (base: string) => Promise<void>,
  changes: Parameters<typeof serving>[0] = {},
): Promise<void> {
  const readers = {
    blacklist: createBlacklistReader(db.store),
    changes: createChangesReader(db.store, 30),
  }
  return serving({ ...readers, now: () => clock, ...changes }, use)
}

interface Entry {
  readonly domain: string
  readonly last_seen: string
}

/** What these tests read of an answer. */
interface Answer {
  readonly domains: readonly Entry[]
  readonly added: readonly Entry[]
  readonly errors: readonly { readonly field: string }[]
}

async function jsonOf(response: Response, status = 200): Promise<Answer> {
  expect(response.status).toBe(status)
  return JSON.parse(await response.text())
}

describe('GET /api/v1/blacklist', () => {
  test('tells where the delta feed goes on, also in a 304 and to HEAD', async () => {
    await db.list(feed, ['a.example'])
    await servingStore(async (base) => {
      const list = await fetch(base + listPath)
      const cursor = list.headers.get('x-list-cursor') ?? ''
      const etag = list.headers.get('etag') ?? ''
      expect(cursor).toMatch(/^[\w-]{10,}$/)
      const head = await fetch(base + listPath, { method: 'HEAD' })
      expect(head.headers.get('x-list-cursor')).toBe(cursor)
      const again = await fetch(base + listPath, { headers: { 'if-none-match': etag } })
      expect(again.status).toBe(304)
      expect(again.headers.get('x-list-cursor')).toBe(cursor)
      await db.list(feed, ['a.example', 'b.example'])
      const answer = await jsonOf(await fetch(`${base}${changesPath}?cursor=${cursor}`))
      expect(answer).toMatchObject({ added: [{ domain: 'b.example' }], removed: [], more: false })
    })
  })

  test('a page is written once for a version, and anew when the list has changed', async () => {
    await db.list(feed, ['a.example'])
    let pages = 0
    const blacklist = createBlacklistReader(db.store)
    const counting = {
      blacklist: {
        state: blacklist.state,
        page: (query: Parameters<typeof blacklist.page>[0]) => {
          pages++
          return blacklist.page(query)
        },
      },
    }
    await servingStore(async (base) => {
      const domains = async (): Promise<string[]> => {
        const { domains: entries } = await jsonOf(await fetch(base + listPath))
        return entries.map(({ domain }) => domain)
      }
      expect(await domains()).toEqual(['a.example'])
      expect(await domains()).toEqual(['a.example'])
      expect(pages).toBe(1)
      await db.list(feed, ['a.example', 'b.example'])
      expect(await domains()).toEqual(['b.example', 'a.example'])
      expect(pages).toBe(2)
    }, counting)
  })

  test('what is only seen again shows after a minute, under the same tag', async () => {
    await db.list(feed, ['a.example'])
    await servingStore(async (base) => {
      const first = await fetch(base + listPath)
      const seenFirst = (await jsonOf(first)).domains[0]?.last_seen
      await db.list(feed, ['a.example'])
      clock += 59_999
      expect((await jsonOf(await fetch(base + listPath))).domains[0]?.last_seen).toBe(seenFirst)
      clock += 1
      const later = await fetch(base + listPath)
      expect((await jsonOf(later)).domains[0]?.last_seen).not.toBe(seenFirst)
      expect(later.headers.get('etag')).toBe(first.headers.get('etag'))
    })
  })

  test('changes of other things than domains are no new version', async () => {
    await db.list(feed, ['a.example'])
    await servingStore(async (base) => {
      const etag = (await fetch(base + listPath)).headers.get('etag') ?? ''
      const run = await db.startRun(sourceNamed('urls'))
      const url = { type: 'url', value: 'https://b.example/x', host: 'b.example' } as const
      await db.sight('urls', run, [url])
      const again = await fetch(base + listPath, { headers: { 'if-none-match': etag } })
      expect(again.status).toBe(304)
    })
  })
})

describe('GET /api/v1/blacklist/changes', () => {
  test('says what it is, is kept by nobody, and names every wrong parameter', async () => {
    await db.list(feed, ['a.example'])
    await servingStore(async (base) => {
      const answer = await fetch(base + changesPath)
      expect(await jsonOf(answer)).toMatchObject({ total: 1, more: false, min_wait_seconds: 30 })
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('ratelimit-policy')).toBe('"blacklist-changes";q=100000;w=60')
      const wrong: readonly [string, readonly string[]][] = [
        ['limit=0', ['limit']],
        ['limit=', ['limit']],
        ['limit=1e3', ['limit']],
        ['limit=-1&cursor=%FF', ['cursor', 'limit']],
        ['cursor=', ['cursor']],
        ['cursor=nonsense', ['cursor']],
        ['cursor=begin&cursor=begin', ['cursor']],
      ]
      for (const [query, fields] of wrong) {
        const { errors } = await jsonOf(await fetch(`${base}${changesPath}?${query}`), 400)
        expect(errors.map(({ field }) => field).sort()).toEqual([...fields])
      }
      const head = await fetch(base + changesPath, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect((await fetch(base + changesPath, { method: 'POST' })).status).toBe(405)
    })
  })

  test('clamps the limit, and compresses long answers', async () => {
    await db.list(
      feed,
      Array.from({ length: 1_500 }, (_, i) => `name${i}.example`),
    )
    await servingStore(async (base) => {
      const url = `${base}${changesPath}?cursor=begin`
      const answer = await fetch(`${url}&limit=99999999999999`, {
        headers: { 'accept-encoding': 'gzip' },
      })
      expect(answer.headers.get('content-encoding')).toBe('gzip')
      expect((await jsonOf(answer)).added.length).toBe(1_500)
      expect((await jsonOf(await fetch(url))).added.length).toBe(1_000)
    })
  })

  test('has a limit of its own', async () => {
    const limits = { ...limitsOf(null), BLACKLIST_CHANGES: { quota: 1, windowMs: 60_000 } }
    await servingStore(
      async (base) => {
        expect((await fetch(`${base}${changesPath}/`)).status).toBe(200)
        expect((await fetch(base + changesPath)).status).toBe(429)
        expect((await fetch(base + listPath)).status).toBe(200)
      },
      { limits },
    )
  })
})
