/** `weir serve` over real HTTP: the tables of the scenarios, and what only the whole can show. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { listedDomains, listedText } from './fixture.ts'
import { startWeir, type WeirProcess } from './harness.ts'
import { everywhere, playAll } from './scenario.ts'
import { blacklistScenarios } from './scenarios/blacklist.ts'
import { bulkScenarios } from './scenarios/bulk.ts'
import { checkPhoneScenarios } from './scenarios/check-phone.ts'
import { checkUrlScenarios } from './scenarios/check-url.ts'
import { everywhereScenarios } from './scenarios/everywhere.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

const fixtureList = { text: listedText, source: 'fixture', format: 'domains' } as const

interface ListPage {
  readonly next_cursor: string | null
  readonly total: number
  readonly domains: readonly {
    readonly domain: string
    readonly do_not_block: 0 | 1
    readonly sources: readonly string[]
  }[]
}

async function listPage(base: string, query: string): Promise<ListPage> {
  return JSON.parse(await (await fetch(`${base}/api/v1/blacklist?${query}`)).text())
}

/** Answers the status of a check, `invalid` when the URL is refused. */
async function statusOf(base: string, url: string): Promise<string> {
  const response = await fetch(`${base}/api/check-url?url=${encodeURIComponent(url)}`)
  const { status } = JSON.parse(await response.text())
  return response.status === 400 ? 'invalid' : status
}

describe('weir serve', () => {
  let weir: WeirProcess
  beforeAll(async () => {
    weir = await startWeir({ lists: [fixtureList] })
  })
  afterAll(() => weir.stop())
  const base = () => weir.url

  describe('GET /api/check-url', () => playAll(base, checkUrlScenarios))
  describe('GET /api/check-phone', () => playAll(base, checkPhoneScenarios))
  describe('GET /api/v1/blacklist', () => playAll(base, blacklistScenarios))
  describe('POST /api/v1/check/bulk', () => playAll(base, bulkScenarios))
  describe('everywhere', () => playAll(base, everywhereScenarios))

  test('the blacklist holds the imported names, newest first, ties by name', async () => {
    const { domains } = await listPage(base(), 'limit=1000')
    expect(domains.map(({ domain }) => domain)).toEqual(listedDomains.toSorted())
    for (const { sources } of domains) expect(sources).toEqual(['fixture'])
  })

  test('the full list holds them too, plain and compressed', async () => {
    for (const coding of ['identity', 'zstd', 'br', 'gzip']) {
      const headers = { 'accept-encoding': coding }
      const list = await fetch(`${base()}/lists/domains.txt`, { headers })
      expect(list.status).toBe(200)
      const lines = (await list.text()).split('\n').filter((line) => /^[^#]/.test(line))
      expect(lines).toEqual(listedDomains.toSorted())
    }
  })

  test.each([
    ['/docs', 'text/html; charset=utf-8', '<h1>weir</h1>'],
    ['/openapi.json', 'application/json', '"openapi":"3.1.1"'],
    ['/metrics', 'text/plain; version=0.0.4; charset=utf-8', 'weir_published_domains '],
  ])('%s is there', async (path, type, text) => {
    const answer = await fetch(base() + path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(await answer.text()).toContain(text)
  })

  test('the four formats agree', async () => {
    const names = (await listPage(base(), 'limit=1000')).domains.map(({ domain }) => domain)
    const linesOf = async (format: string): Promise<string[]> => {
      const response = await fetch(`${base()}/api/v1/blacklist?limit=1000&format=${format}`)
      return (await response.text()).split(/\r?\n/).filter((line) => line !== '')
    }
    expect(await linesOf('txt')).toEqual(names)
    const hosts = (await linesOf('hosts')).filter((line) => !line.startsWith('#'))
    expect(hosts).toEqual(names.map((name) => `0.0.0.0 ${name}`))
    const csv = (await linesOf('csv')).slice(1)
    expect(csv.map((line) => line.split(',')[0])).toEqual(names)
  })

  test('offset and cursor come to the same pages while nothing changes', async () => {
    const first = await listPage(base(), 'limit=8')
    const byOffset = await listPage(base(), 'limit=8&offset=8')
    const byCursor = await listPage(base(), `limit=8&cursor=${first.next_cursor}`)
    expect(byCursor.domains).toEqual(byOffset.domains)
  })

  test('a link leads to the next page, at its own address', async () => {
    const response = await fetch(`${base()}/api/v1/blacklist?limit=8`)
    const target = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? ''
    expect(target).toStartWith(`${base()}/`)
    const { domains } = JSON.parse(await (await fetch(target)).text())
    expect(domains).toHaveLength(8)
  })

  test('the same input gets the same status one by one and in bulk', async () => {
    const urls = ['evil.test', 'https://a.evil.test/x', 'good.test', 'hxxp://evil[.]test', 'co.uk']
    const response = await fetch(`${base()}/api/v1/check/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls, domains: urls }),
    })
    const answer = JSON.parse(await response.text())
    for (const [index, url] of urls.entries()) {
      const expected = await statusOf(base(), url)
      expect([answer.urls[index].status, answer.domains[index].status]).toEqual([
        expected,
        expected,
      ])
    }
  })

  test('a URL of 20 kB is refused by the server itself', async () => {
    expect((await fetch(`${base()}/api/check-url?url=${'a'.repeat(20_000)}`)).status).toBe(431)
  })

  test('refuses 900,000 nested lists', async () => {
    const response = await fetch(`${base()}/api/v1/check/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '['.repeat(900_000),
    })
    await response.text()
    expect(response.status).toBe(400)
  })
})

describe('a list imported beside the running server', () => {
  test('is answered from, pages by cursor stay whole, and validators change', async () => {
    const weir = await startWeir({ lists: [fixtureList] })
    try {
      const before = await fetch(`${weir.url}/api/v1/blacklist`)
      const etag = before.headers.get('etag') ?? ''
      const again = () =>
        fetch(`${weir.url}/api/v1/blacklist`, { headers: { 'if-none-match': etag } })
      expect((await again()).status).toBe(304)
      const first = await listPage(weir.url, 'limit=10')
      expect(await statusOf(weir.url, 'later.test')).toBe('not_found')

      const text = 'later.test\nmuch-later.test\n'
      await weir.import({ text, source: 'second', format: 'domains' })

      expect(await statusOf(weir.url, 'later.test')).toBe('found')
      const changed = await again()
      expect(changed.status).toBe(200)
      expect(changed.headers.get('x-total-count')).toBe(String(listedDomains.length + 2))
      const rest = await listPage(weir.url, `limit=1000&cursor=${first.next_cursor}`)
      const seen = [...first.domains, ...rest.domains].map(({ domain }) => domain)
      expect(seen.toSorted()).toEqual(listedDomains.toSorted())
      const newest = await listPage(weir.url, 'limit=2')
      expect(newest.domains.map(({ domain }) => domain)).toEqual(['later.test', 'much-later.test'])
    } finally {
      await weir.stop()
    }
  })

  test('what a full list no longer holds is delisted', async () => {
    const list = { text: 'a.test\nb.test\nc.test\n', source: 'full', format: 'domains' } as const
    const weir = await startWeir({ lists: [list] })
    try {
      await weir.import({ ...list, text: 'a.test\nb.test\n' })
      expect(await statusOf(weir.url, 'c.test')).toBe('not_found')
      expect((await listPage(weir.url, '')).total).toBe(2)
    } finally {
      await weir.stop()
    }
  })
})

describe('listed pages', () => {
  const text = ['https://pages.example.net/a/login', 'https://203.0.113.9/panel', ''].join('\n')

  test('are found, their neighbours are not, and hosts stay off the domain list', async () => {
    const weir = await startWeir({ lists: [{ text, source: 'pages', format: 'urls' }] })
    try {
      expect(await statusOf(weir.url, 'https://pages.example.net/a/login')).toBe('found')
      expect(await statusOf(weir.url, 'https://pages.example.net/other')).toBe('suspicious')
      expect(await statusOf(weir.url, 'https://example.net/a/login')).toBe('not_found')
      expect((await listPage(weir.url, '')).total).toBe(0)
    } finally {
      await weir.stop()
    }
  })
})

describe('an empty list', () => {
  test('has zero entries and still a time', async () => {
    const weir = await startWeir()
    try {
      const response = await fetch(`${weir.url}/api/v1/blacklist`)
      expect(response.headers.get('x-total-count')).toBe('0')
      expect(Date.parse(response.headers.get('x-last-updated') ?? '')).toBeGreaterThan(0)
      expect(JSON.parse(await response.text())).toMatchObject({ total: 0, domains: [] })
      const csv = await fetch(`${weir.url}/api/v1/blacklist?format=csv`)
      expect(await csv.text()).toMatch(/^domain,[^\r\n]+\r\n$/)
    } finally {
      await weir.stop()
    }
  })
})

describe('the limits of the specification', () => {
  const byDefault = {
    WEIR_LIMIT_CHECK_URL: '30/1m',
    WEIR_LIMIT_BLACKLIST: '100/1h',
    WEIR_LIMIT_BULK: '10/1m',
    WEIR_LIMIT_CHECK_PHONE: '30/1m',
  }
  const calls: readonly (readonly [string, number, string, RequestInit])[] = [
    ['check-url', 30, '/api/check-url?url=evil.test', {}],
    ['check-phone', 30, '/api/check-phone?phone=2125552368', {}],
    ['blacklist', 100, '/api/v1/blacklist?limit=1', {}],
    [
      'bulk',
      10,
      '/api/v1/check/bulk',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    ],
  ]

  test('hold to the call, each for itself, and say so', async () => {
    const weir = await startWeir({ env: byDefault })
    try {
      for (const [policy, quota, path, init] of calls) {
        for (let left = quota - 1; left >= 0; left--) {
          const { status, headers } = await fetch(weir.url + path, init)
          expect(status).toBe(200)
          expect(headers.get('ratelimit')).toStartWith(`"${policy}";r=${left};t=`)
        }
        const refused = await fetch(weir.url + path, init)
        expect(refused.status).toBe(429)
        expect(refused.headers.get('content-type')).toBe('application/problem+json')
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        for (const [name, value] of Object.entries(everywhere)) {
          expect(refused.headers.get(name)).toBe(value)
        }
      }
      expect((await fetch(`${weir.url}/health`)).status).toBe(200)
    } finally {
      await weir.stop()
    }
  })

  test('admit a call again after Retry-After', async () => {
    const weir = await startWeir({ env: { WEIR_LIMIT_CHECK_URL: '2/1s' } })
    try {
      const ask = () => fetch(`${weir.url}/api/check-url?url=evil.test`)
      await ask()
      await ask()
      const refused = await ask()
      // A machine that stalled for a second has admitted it already.
      if (refused.status === 429) await Bun.sleep(Number(refused.headers.get('retry-after')) * 1000)
      expect((await ask()).status).toBe(200)
    } finally {
      await weir.stop()
    }
  })

  test('count by the address behind a trusted proxy, and only there', async () => {
    const limit = { WEIR_LIMIT_CHECK_URL: '1/1h' }
    const statusFor = async (base: string, client: string): Promise<number> => {
      const headers = { 'x-forwarded-for': client }
      return (await fetch(`${base}/api/check-url?url=evil.test`, { headers })).status
    }
    const open = await startWeir({ env: limit })
    const behind = await startWeir({ env: { ...limit, WEIR_TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      expect(await statusFor(open.url, '203.0.113.1')).toBe(200)
      expect(await statusFor(open.url, '203.0.113.2')).toBe(429)
      expect(await statusFor(behind.url, '203.0.113.1')).toBe(200)
      expect(await statusFor(behind.url, '203.0.113.2')).toBe(200)
      expect(await statusFor(behind.url, '198.51.100.1, 203.0.113.2')).toBe(429)
      expect(await statusFor(behind.url, '2001:db8::1')).toBe(200)
      expect(await statusFor(behind.url, '2001:db8::2')).toBe(429)
    } finally {
      await Promise.all([open.stop(), behind.stop()])
    }
  })

  test('can be lifted for networks, switched off, and set over all together', async () => {
    const check = '/api/check-url?url=evil.test'
    const exempt = await startWeir({
      env: { WEIR_LIMIT_CHECK_URL: '1/1h', WEIR_LIMIT_EXEMPT: '127.0.0.0/8' },
    })
    const off = await startWeir({ env: { WEIR_LIMIT_CHECK_URL: 'off' } })
    const general = await startWeir({ env: { WEIR_LIMIT_GENERAL: '2/1h' } })
    try {
      for (const { url } of [exempt, off]) {
        for (let i = 0; i < 3; i++) {
          const { status, headers } = await fetch(url + check)
          expect([status, headers.get('ratelimit')]).toEqual([200, null])
        }
      }
      expect((await fetch(general.url + check)).status).toBe(200)
      const second = await fetch(`${general.url}/api/v1/blacklist`)
      expect(second.headers.get('ratelimit')).toMatch(/^"blacklist";r=\d+;t=\d+, "general";r=0;t=/)
      expect((await fetch(general.url + check)).status).toBe(429)
    } finally {
      await Promise.all([exempt.stop(), off.stop(), general.stop()])
    }
  })
})

describe('stopping', () => {
  test('SIGTERM lets a request under way end, takes no more, and exits with 0', async () => {
    const weir = await startWeir({ lists: [fixtureList] })
    const body = JSON.stringify({ urls: ['evil.test'] })
    const { port } = new URL(weir.url)
    const { promise: answered, resolve, reject } = Promise.withResolvers<string>()
    let answer = ''
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(port),
      socket: {
        data: (_socket, bytes) => {
          answer += bytes.toString('latin1')
        },
        close: () => resolve(answer),
        error: (_socket, error) => reject(error),
      },
    })
    socket.write(
      `POST /api/v1/check/bulk HTTP/1.1\r\nHost: weir.test\r\nContent-Type: application/json\r\n` +
        `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    // An answer to a later request shows that the first has been read so far.
    await fetch(`${weir.url}/health`)
    const stopped = weir.stop()
    await untilRefused(weir.url)
    socket.write(body.slice(5))
    expect(await answered).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(answer).toContain('"found":1')
    expect(await stopped).toBe(0)
  })
})

/** Resolves when nobody listens at `url` any more. */
async function untilRefused(url: string): Promise<void> {
  for (const end = Date.now() + 5_000; Date.now() < end; await Bun.sleep(5)) {
    const isRefused = await fetch(`${url}/health`).then(
      () => false,
      () => true,
    )
    if (isRefused) return
  }
  throw new Error(`${url} still answers`)
}
