/** GET /api/v1/blacklist over stand-ins: paging, validators, compression, what is left out. */

import { describe, expect, test } from 'bun:test'
import { play } from './scenario.ts'
import { indicatorOf, readerOf, serving } from './stand-ins.ts'

describe('the blacklist', () => {
  test('its pages follow each other by cursor without gap or repetition', async () => {
    await serving({}, async (base) => {
      const seen: string[] = []
      let path = '/api/v1/blacklist?limit=7'
      for (let pages = 0; path !== '' && pages < 100; pages++) {
        const response: Response = await fetch(base + path)
        const { domains, next_cursor: cursor } = JSON.parse(await response.text())
        seen.push(...domains.map(({ domain }: { domain: string }) => domain))
        const link: string = response.headers.get('link') ?? ''
        expect(link === '').toBe(cursor === null)
        if (cursor !== null) expect(link).toContain(`cursor=${cursor}>`)
        path = link.slice('<https://weir.example.org'.length, link.indexOf('>'))
      }
      const all = await fetch(`${base}/api/v1/blacklist?limit=1000`)
      const { domains } = JSON.parse(await all.text())
      expect(seen).toEqual(domains.map(({ domain }: { domain: string }) => domain))
    })
  })

  test('a link keeps format, limit and since, and names the public address', async () => {
    await serving({}, async (base) => {
      const response = await fetch(`${base}/api/v1/blacklist?format=txt&limit=3&since=2026-11-20`)
      expect(response.headers.get('link')).toBe(
        '<https://weir.example.org/api/v1/blacklist?format=txt&limit=3&since=2026-11-20&cursor=c3>; rel="next"',
      )
    })
  })

  test('a tag is good for its own list until something changes', async () => {
    await serving({}, async (base) => {
      const list = `${base}/api/v1/blacklist?format=csv`
      const tag = (await fetch(list)).headers.get('etag') ?? ''
      const again = async (url: string, value: string): Promise<number> =>
        (await fetch(url, { headers: { 'if-none-match': value } })).status
      expect(await again(list, tag)).toBe(304)
      expect(await again(list, `"other", ${tag}`)).toBe(304)
      expect(await again(list, tag.replace('W/', ''))).toBe(304)
      expect(await again(`${list}&limit=5`, tag)).toBe(200)
      expect(await again(`${base}/api/v1/blacklist`, tag)).toBe(200)
      await serving({ version: '0.0.1' }, async (other) => {
        expect(await again(`${other}/api/v1/blacklist?format=csv`, tag)).toBe(200)
      })
    })
  })

  test('the date it gives gets 304, and 304 carries the validators', async () => {
    await serving({}, async (base) => {
      const { headers } = await fetch(`${base}/api/v1/blacklist`)
      const lastModified = headers.get('last-modified') ?? ''
      await play(base, {
        name: '304',
        path: '/api/v1/blacklist',
        requestHeaders: { 'if-modified-since': lastModified },
        status: 304,
        headers: {
          etag: headers.get('etag'),
          'last-modified': lastModified,
          'x-total-count': headers.get('x-total-count'),
          'x-last-updated': headers.get('x-last-updated'),
          'content-length': null,
        },
      })
    })
  })

  test('HEAD has the headers of GET', async () => {
    await serving({}, async (base) => {
      for (const query of ['', '?format=csv&limit=3', '?format=hosts', '?limit=0']) {
        const headersBy = async (method: string) => {
          const response = await fetch(`${base}/api/v1/blacklist${query}`, { method })
          const headers = Object.fromEntries(response.headers)
          return { ...headers, status: response.status, date: '', ratelimit: '' }
        }
        expect(await headersBy('HEAD')).toEqual(await headersBy('GET'))
      }
    })
  })

  test('a long page is compressed for whoever accepts that, and is the same list', async () => {
    const entries = Array.from({ length: 1000 }, (_, index) => indicatorOf(`name-${index}.test`))
    await serving({ blacklist: readerOf(entries) }, async (base) => {
      const ask = (coding: string, method = 'GET') =>
        fetch(`${base}/api/v1/blacklist?limit=1000`, {
          method,
          headers: { 'accept-encoding': coding },
        })
      const plain = await ask('identity')
      const text = await plain.text()
      for (const coding of ['zstd', 'br', 'gzip']) {
        const response = await ask(coding)
        expect(response.headers.get('content-encoding')).toBe(coding)
        expect(response.headers.get('etag')).toBe(plain.headers.get('etag'))
        expect(await response.text()).toBe(text)
        const head = await ask(coding, 'HEAD')
        expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'))
      }
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('vary')).toBe('accept-encoding')
    })
  })

  test('what must not be blocked, or is no name, is in json and csv only', async () => {
    const entries = [
      indicatorOf('evil.test'),
      indicatorOf('platform.test', { doNotBlock: true }),
      indicatorOf('two.test\nsecond.test'),
    ]
    await serving({ blacklist: readerOf(entries) }, async (base) => {
      const text = async (format: string) =>
        (await fetch(`${base}/api/v1/blacklist?format=${format}`)).text()
      expect(await text('txt')).toBe('evil.test\n')
      expect(await text('hosts')).toEndWith('\n0.0.0.0 evil.test\n')
      expect(await text('csv')).toContain('\r\nplatform.test,,1,')
      expect(JSON.parse(await text('json')).domains[1]).toMatchObject({ do_not_block: 1 })
    })
  })
})
