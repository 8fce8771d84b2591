/** GET /api/rss/:feed over a real server and a real store: what a reader gets, and gets again. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import Parser from 'rss-parser'
import { loadConfig } from '../../src/config.ts'
import { type AppServices, createApp } from '../../src/http/app.ts'
import { findListingAudiences } from '../../src/ingest/audiences.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { importFeed } from '../../src/ingest/importer.ts'
import { feedDescriptions, feedNames } from '../../src/model/audience.ts'
import { RssFeeds } from '../../src/publish/rss/rss.ts'
import type { Operation, ProposedArticle, ProposedReport, Sighting } from '../../src/store/batch.ts'
import { feedPages } from '../../src/web/feed-pages.ts'
import { noNaming } from '../ingest/no-naming.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { serveChecked } from './checked-answers.ts'
import { everywhere, playAll, type Scenario } from './scenario.ts'
import { standIns } from './stand-ins.ts'

setDefaultTimeout(40_000)

const publicUrl = 'https://weir.example.org'
const open = sourceNamed('open')
const press = { ...sourceNamed('press'), role: 'news', title: 'The press' } as const
const { config } = await loadConfig({})
const everybody = { professional: [], elder: [], general: [] }

/** A reader of feeds that shares no code with the writer. */
const reader = new Parser<{ ttl: string; language: string; lastBuildDate: string }>({
  customFields: { feed: ['ttl', 'language', 'lastBuildDate'] },
})

const aReport: ProposedReport = {
  name: 'a report',
  identity: 'a report',
  type: 'message',
  value: null,
  valueType: null,
  description: 'It asked for gift cards.',
  targetBrand: null,
  contact: null,
}

/** A store, and the app over it behind a server, until the end of a test. */
class Served implements AsyncDisposable {
  readonly db = new TestStore()
  readonly #limits: AppServices['limits']
  #server: ReturnType<typeof Bun.serve>
  #reports = 0

  constructor(limits = standIns().limits) {
    this.#limits = limits
    this.#server = this.#serve()
  }

  #serve() {
    const app = createApp(
      standIns({
        feeds: new RssFeeds(this.db.store),
        pages: feedPages({ publicUrl, version: '1.2.3' }),
        publicUrl,
        limits: this.#limits,
        now: () => this.db.now,
      }),
    )
    return serveChecked(app)
  }

  get base(): string {
    return this.#server.url.origin
  }

  /** Closes all and opens it anew, as a restart does. */
  async restart(): Promise<void> {
    await this.#server.stop(true)
    this.db.reopen()
    this.#server = this.#serve()
  }

  get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    const wants = { 'accept-encoding': 'identity', ...headers }
    return fetch(this.base + path, { method, headers: wants, decompress: false })
  }

  async text(feed: string): Promise<string> {
    return (await this.get(`/api/rss/${feed}`)).text()
  }

  async read(feed: string) {
    return await reader.parseString(await this.text(feed))
  }

  /** Reads a whole list, whose entries concern whom the rules say. */
  async list(sightings: readonly Sighting[], source = open): Promise<void> {
    this.db.now += 60_000
    const run = await this.db.startRun(source)
    const addressed = sightings.map((sighting): Sighting => {
      const { threatType = source.threatType, confidence = source.confidence } = sighting
      const audiences = findListingAudiences({ ...sighting, threatType, confidence })
      return { audiences, ...sighting }
    })
    for (let start = 0; start < addressed.length; start += 1_000) {
      await this.db.sight(source.name, run, addressed.slice(start, start + 1_000))
    }
    await this.db.endRun(run)
  }

  async write(...operations: Operation[]): Promise<void> {
    this.db.now += 60_000
    await this.db.store.write({ at: this.db.now, operations })
  }

  async publish(key: string, changes: Partial<ProposedArticle> = {}): Promise<void> {
    const title = `News of ${key}`
    const link = `https://press.example/?about=${key}&from=feed`
    const told = { key, title, titleKey: title.toLowerCase(), link, summary: 'What happened.' }
    const meant = { publishedAt: null, audiences: everybody }
    const run = await this.db.startRun(press)
    const articles = [{ ...told, ...meant, ...changes }]
    await this.write({ op: 'publishNews', source: press.name, run, articles })
    await this.db.endRun(run)
  }

  /** Takes a report down, and has an operator accept it. */
  async report(name: string, changes: Partial<ProposedReport>): Promise<void> {
    await this.write({ op: 'report', report: { ...aReport, name, identity: name, ...changes } })
    const id = ++this.#reports
    const words = { reason: null, by: 'anna', audiences: everybody, listing: null }
    await this.write({ op: 'settleReport', id, status: 'accepted', ...words })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
    this.db.remove()
  }
}

/** One of each kind, in each feed that has it. */
async function mixed(): Promise<Served> {
  const served = new Served()
  await served.list([
    { type: 'domain', value: 'medicare-card.test', targetBrand: 'AT&T "Care"' },
    { type: 'url', value: 'https://shop.test/a?b=1&c=2', host: 'shop.test', targetBrand: 'Shop' },
  ])
  // Long enough to be compressed.
  const description = 'It asked for gift cards. '.repeat(100)
  await served.report('first', { targetBrand: 'Bank & Sons', description })
  await served.publish('one', { title: "Q&A: is it a 'scam'? 💶", publishedAt: 1_773_000_000_999 })
  return served
}

/** The entries of a domain. */
const domain = (value: string, changes: Partial<Sighting> = {}): Sighting => {
  return { type: 'domain', value, ...changes }
}

let shared: Served
beforeAll(async () => {
  shared = await mixed()
})
afterAll(() => shared[Symbol.asyncDispose]())

describe('GET /api/rss/:feed', () => {
  test.each(feedNames)('%s is read by another parser as it was meant', async (name) => {
    const feed = await shared.read(name)
    expect(feed.title).toBe(feedDescriptions[name].title)
    expect(feed.link).toBe(publicUrl + feedDescriptions[name].page)
    expect(feed.feedUrl).toBe(`${publicUrl}/api/rss/${name}`)
    expect([feed.ttl, feed.language]).toEqual(['15', 'en'])
    expect(feed.items.length).toBe({ professional: 6, elder: 3, general: 4, blacklist: 1 }[name])
    for (const { title, guid, pubDate, content } of feed.items) {
      expect(title).toBe(title?.trim() ?? '')
      expect(guid).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
      expect(pubDate).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT$/)
      expect(content).toMatch(/^<p>.*<\/p>$/)
    }
    const listed = feed.items.find(({ title }) => title?.includes('medicare-card[.]test'))
    expect(listed?.isoDate).toBe(new Date(shared.db.store.byId(1)?.listedAt ?? 0).toISOString())
    expect(listed?.categories).toEqual(['phishing', 'AT&T "Care"'])
    if (name === 'blacklist') return
    expect(feed.items.filter(({ link }) => link !== undefined)).toMatchObject([
      {
        title: "Q&A: is it a 'scam'? 💶",
        link: 'https://press.example/?about=one&from=feed',
        isoDate: '2026-03-08T20:00:00.000Z',
        content: '<p>What happened.</p><p>Source: The press</p>',
      },
    ])
  })

  test.each(feedNames)('%s leads to a page that leads back to it', async (name) => {
    const { link = '' } = await shared.read(name)
    const page = await shared.get(link.slice(publicUrl.length))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await page.text()
    const address = `${publicUrl}/api/rss/${name}`
    expect(html).toContain(`<a href="${address}">${address}</a>`)
    const { title } = feedDescriptions[name]
    const type = 'type="application/rss+xml"'
    expect(html).toContain(`<link rel="alternate" ${type} title="${title}" href="${address}">`)
  })

  test('has validators and all else that a kept answer has; HEAD says the same', async () => {
    const response = await shared.get('/api/rss/elder')
    const text = await response.text()
    const { date: _, ratelimit: __, ...headers } = response.headers.toJSON()
    expect(headers).toEqual({
      ...everywhere,
      'cache-control': 'public, max-age=60',
      'content-length': String(Buffer.byteLength(text)),
      'content-type': 'application/rss+xml; charset=utf-8',
      etag: expect.stringMatching(/^W\/"[0-9a-z]+"$/),
      'last-modified': new Date(shared.db.now - 1_000).toUTCString(),
      'ratelimit-policy': '"rss";q=100000;w=60',
      vary: 'accept-encoding',
    })
    const head = await shared.get('/api/rss/elder', {}, 'HEAD')
    const { date: ___, ratelimit: ____, ...same } = head.headers.toJSON()
    expect([head.status, await head.text(), same]).toEqual([200, '', headers])
  })

  test('names weir by its public address, whatever host it was asked of', async () => {
    expect(await shared.text('elder')).not.toContain('127.0.0.1')
    const feed = await (await shared.get('/api/rss/elder/', { host: 'evil.test' })).text()
    expect(feed).toBe(await shared.text('elder'))
  })

  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['zstd', zstdDecompressSync],
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is compressed as %s', async (coding, decompress) => {
    const response = await shared.get('/api/rss/general', { 'accept-encoding': coding })
    expect(response.headers.get('content-encoding')).toBe(coding)
    const text = Buffer.from(decompress(await response.bytes())).toString()
    expect(text).toBe(await shared.text('general'))
  })

  const detail = 'There is no such feed; there are professional, elder, general, blacklist.'
  const unknown = { status: 404, json: { detail }, problem: [] }
  const nothing = { status: 404, problem: [] }
  const wrong = { status: 405, headers: { allow: 'GET, HEAD' }, problem: [] }
  const scenarios: readonly Scenario[] = [
    { name: 'knows no feed "all"', path: '/api/rss/all', ...unknown },
    { name: 'knows its feeds in small letters alone', path: '/api/rss/Elder', ...unknown },
    { name: 'takes no word of JavaScript for a feed', path: '/api/rss/toString', ...unknown },
    { name: 'takes what cannot be decoded for no feed', path: '/api/rss/%E0%A4%A', ...unknown },
    { name: 'takes a NUL for a part of the name', path: '/api/rss/elder%00', ...unknown },
    { name: 'is nothing without a name', path: '/api/rss', ...nothing },
    { name: 'is nothing with an empty name', path: '/api/rss/', ...nothing },
    { name: 'is nothing with more behind the name', path: '/api/rss/elder/1', ...nothing },
    { name: 'cannot be posted to', method: 'POST', path: '/api/rss/elder', ...wrong },
    { name: 'cannot be deleted', method: 'DELETE', path: '/api/rss/elder/', ...wrong },
    { name: 'ignores a query', path: '/api/rss/elder?a=1&a=2', status: 200, text: /^<\?xml/ },
  ]
  playAll(() => shared.base, scenarios)

  test('allows 60 readings an hour, of the four feeds together', async () => {
    await using served = new Served(config.limits)
    const readings = Array.from({ length: 60 }, (_, n) => `/api/rss/${feedNames[n % 4]}`)
    const answers = await Promise.all(readings.map((path) => served.get(path)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(60)
    for (const path of [...feedNames, 'all'].map((name) => `/api/rss/${name}`)) {
      const refused = await served.get(path)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
      expect(refused.headers.get('ratelimit-policy')).toBe('"rss";q=60;w=3600')
    }
    expect((await served.get('/elder')).status).toBe(200)
  })
})

describe('a reader that comes back', () => {
  test.each(feedNames)('is told that %s is as it was', async (name) => {
    const path = `/api/rss/${name}`
    const { headers } = await shared.get(path)
    const [etag, since] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    for (const method of ['GET', 'HEAD']) {
      for (const known of [{ 'if-none-match': etag }, { 'if-modified-since': since }]) {
        const again = await shared.get(path, known, method)
        expect([again.status, await again.text()]).toEqual([304, ''])
        expect(again.headers.get('etag')).toBe(etag)
        expect(again.headers.get('last-modified')).toBe(since)
        expect(again.headers.get('cache-control')).toBe('public, max-age=60')
        expect(again.headers.get('vary')).toBe('accept-encoding')
        expect(again.headers.get('content-type')).toBeNull()
        expect(again.headers.get('ratelimit')).toStartWith('"rss"')
      }
    }
    const other = await shared.get(path, { 'if-none-match': 'W/"x"', 'if-modified-since': since })
    expect(other.status).toBe(200)
  })

  test('is told so after a restart, and when only something else has changed', async () => {
    await using served = await mixed()
    const before = await served.text('blacklist')
    const etag = (await served.get('/api/rss/blacklist')).headers.get('etag') ?? ''
    await served.publish('two')
    await served.restart()
    expect(await served.text('blacklist')).toBe(before)
    const again = await served.get('/api/rss/blacklist', { 'if-none-match': etag })
    expect(again.status).toBe(304)
  })

  test('hears by either validator what came, what was corrected, and what is gone', async () => {
    await using served = await mixed()
    const validators = async () => {
      const { headers } = await served.get('/api/rss/general')
      return [
        { 'if-none-match': headers.get('etag') ?? '' },
        { 'if-modified-since': headers.get('last-modified') ?? '' },
      ]
    }
    const changes = [
      () => served.publish('two'),
      () => served.publish('two', { title: 'Corrected' }),
      () => served.list([domain('medicare-card.test')]),
      () => served.write({ op: 'withhold', source: press.name, after: 0 }),
    ]
    for (const change of changes) {
      const known = await validators()
      await change()
      const again = await Promise.all(known.map((held) => served.get('/api/rss/general', held)))
      expect(again.map(({ status }) => status)).toEqual([200, 200])
    }
  })

  test('finds the same ids after a restart, in each feed and for each reader', async () => {
    await using served = await mixed()
    const guids = () =>
      Promise.all(
        feedNames.map(async (name) => (await served.read(name)).items.map(({ guid }) => guid)),
      )
    const before = await guids()
    for (const ids of before) expect(new Set(ids).size).toBe(ids.length)
    expect(await guids()).toEqual(before)
    await served.restart()
    expect(await guids()).toEqual(before)
  })

  test('finds another id for what was delisted and is listed anew', async () => {
    await using served = new Served()
    const ids: (string | undefined)[] = []
    for (const names of [['a', 'b'], ['b'], ['a', 'b'], ['a', 'b']]) {
      await served.list(names.map((name) => domain(`${name}.test`)))
      const { items } = await served.read('blacklist')
      ids.push(items.find(({ title }) => title === 'a[.]test')?.guid)
    }
    const [first, none, second, third] = ids
    expect([first === undefined, none]).toEqual([false, undefined])
    expect(second).not.toBe(first)
    expect(third).toBe(second)
  })

  test('finds nothing new when one file is imported twice', async () => {
    await using served = new Served()
    const { db } = served
    const text = 'medicare-card.example\nsocial-security-help.example\nother.example\n'
    const imported = async () => {
      db.now += 60_000
      const parts = { store: db.store, guards: loadGuards(), naming: noNaming, now: () => db.now }
      return await importFeed(
        { ...parts, onCommit: () => {} },
        {
          source: open,
          format: 'domains',
          parts: [() => new Blob([text]).stream()],
          digest: null,
          force: false,
        },
      )
    }
    expect((await imported()).added).toBe(3)
    const before = await Promise.all(feedNames.map((name) => served.text(name)))
    expect((await served.read('elder')).items.length).toBe(2)
    expect(await imported()).toMatchObject({ added: 0, seenAgain: 3 })
    expect(await Promise.all(feedNames.map((name) => served.text(name)))).toEqual(before)
  })

  test('finds the newest 50 after a burst of 5,000', async () => {
    await using served = await mixed()
    const names = Array.from({ length: 5_000 }, (_, n) => `medicare-${10_000 + n}.test`)
    const targetBrand = 'Medicare'
    await served.list(names.map((name) => domain(name, { targetBrand })))
    for (const name of feedNames) {
      const { items } = await served.read(name)
      expect(items.length).toBe(50)
      expect(new Set(items.map(({ guid }) => guid)).size).toBe(50)
      // What is no listing keeps the places that it has by itself.
      const listed = items.filter(({ title }) => title?.includes('medicare-'))
      expect(new Set(listed.map(({ pubDate }) => pubDate)).size).toBe(1)
      expect(listed.length).toBeGreaterThanOrEqual(name === 'blacklist' ? 50 : 35)
    }
    await served.list([domain('medicare-x.test', { targetBrand })], sourceNamed('other'))
    for (const name of feedNames) {
      expect((await served.read(name)).items[0]?.title).toContain('medicare-x[.]test')
    }
  })
})
