/** Requests, answers, redirects and error messages of `Outbound`. */

import { describe, expect, test } from 'bun:test'
import { Outbound, type OutboundRequest } from '../../src/net/outbound.ts'
import { testWith } from '../needs.ts'
import { DnsServer } from './dns-server.ts'
import { createOutbound, failure, fetchText, wide } from './fixture.ts'
import { type Answerer, RawServer, says } from './raw-server.ts'

const loopback = { a: ['127.0.0.1'] }

const ok = says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')

function redirectsTo(location: string, status = 302): Answerer {
  return says(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
}

/** Answers `/` with a redirect to `location`, all else with `ok`. */
function redirectsFirst(location: string): Answerer {
  return (socket, head) => {
    const answer = head.startsWith('GET / ') ? redirectsTo(location) : ok
    answer(socket, head)
  }
}

describe('Outbound', () => {
  test('requests path and query with Host, its user agent and the headers of its caller', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start(ok)
    await fetchText(createOutbound(dns), `http://FEED.test.:${server.port}/a%20b?q={1|2}&r#part`, {
      headers: { 'If-None-Match': '"1"', 'User-Agent': 'another', Host: 'other.test' },
    })
    const [first = '', ...fields] = (server.heads[0] ?? '').trimEnd().split('\r\n')
    expect(first).toBe('GET /a%20b?q={1|2}&r HTTP/1.1')
    expect(fields.map((field) => field.toLowerCase()).toSorted()).toEqual([
      'accept-encoding: gzip',
      'connection: close',
      `host: feed.test:${server.port}`,
      'if-none-match: "1"',
      'user-agent: weir/test',
    ])
  })

  test('returns status, headers, URL and body, whatever the status', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    const head = 'HTTP/1.1 404 Not Found\r\nETag: "1"\r\nx-a: 1\r\nx-a: 2\r\n\r\n'
    await using server = await RawServer.start(says(head, 'gone'))
    const url = `http://feed.test:${server.port}/list?x=1`
    const answer = await fetchText(createOutbound(dns), `${url}#part`)
    expect([answer.status, answer.url, answer.text]).toEqual([404, url, 'gone'])
    expect([answer.headers.get('etag'), answer.headers.get('x-a')]).toEqual(['"1"', '1, 2'])
  })

  test('connects to an address in a URL without a lookup', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok)
    const answer = await fetchText(createOutbound(dns), `http://127.0.0.1:${server.port}/`)
    expect([answer.text, dns.asked]).toEqual(['ok', []])
    expect(server.heads[0]).toContain(`host: 127.0.0.1:${server.port}\r\n`)
  })

  test('uses each connection once', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok')
    })
    const outbound = createOutbound(dns)
    await fetchText(outbound, `http://feed.test:${server.port}/1`)
    await fetchText(outbound, `http://feed.test:${server.port}/2`)
    await server.idle()
    expect(server.connections).toBe(2)
  })

  test.each([[204], [304]])(
    'a %s has an empty body, and its connection is closed',
    async (status) => {
      await using dns = await DnsServer.start({ 'feed.test': loopback })
      await using server = await RawServer.start((socket) => {
        socket.write(`HTTP/1.1 ${status} Nothing\r\ncontent-length: 9999999999\r\n\r\n`)
      })
      const answer = await fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
      expect([answer.status, answer.text]).toEqual([status, ''])
      await server.idle()
    },
  )

  testWith({ what: 'Linux', isMet: process.platform === 'linux' })(
    'tries the next address when one refuses',
    async () => {
      await using dns = await DnsServer.start({ 'feed.test': { a: ['127.0.0.9', '127.0.0.1'] } })
      await using server = await RawServer.start(ok)
      expect(
        await fetchText(createOutbound(dns), `http://feed.test:${server.port}/`),
      ).toMatchObject({
        text: 'ok',
      })
    },
  )

  test.each([
    ['ftp://feed.test/'],
    ['file:///etc/passwd'],
    ['data:text/plain,x'],
    ['ws://feed.test/'],
    ['feed.test/list'],
    ['//feed.test/'],
    [''],
    ['http://'],
    ['http://user@feed.test/'],
    ['http://:secret@feed.test/'],
    ['http://*.feed.test/'],
    [`http://${'a'.repeat(64)}.test/`],
    ['http://feed.test:65536/'],
  ])('fetches nothing from %j', async (url) => {
    await using dns = await DnsServer.start({})
    expect(await failure(fetchText(createOutbound(dns), url))).toMatchObject({ reason: 'bad_url' })
    expect(dns.asked).toEqual([])
  })

  test.each([
    [{ 'feed.test': 'nxdomain' }, 'not_resolved', 'the name has no address'],
    [{ 'feed.test': 'servfail' }, 'not_resolved', 'the name server failed'],
    [{ 'feed.test': { a: ['10.0.0.1'] } }, 'address_refused', '10.0.0.1 is not a public address'],
    [{ 'feed.test': loopback }, 'unreachable', 'cannot connect to the host (ECONNREFUSED)'],
  ] as const)('%j is %s', async (zone, reason, what) => {
    await using dns = await DnsServer.start(zone)
    const server = await RawServer.start(ok)
    const { port } = server
    await server[Symbol.asyncDispose]()
    const error = await failure(fetchText(createOutbound(dns), `http://feed.test:${port}/`))
    expect(error).toMatchObject({ reason, host: 'feed.test' })
    expect(error.message).toBe(`the request to feed.test failed: ${what}; ${error.hint}`)
  })

  test('is cancelled by its signal before the request, while it waits and in the body', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback, 'slow.test': 'silence' })
    await using silent = await RawServer.start(() => caller.abort())
    await using halfway = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf')
    })
    const outbound = createOutbound(dns)
    const cancelled = { reason: 'cancelled' }
    let caller = new AbortController()
    const ask = (url: string) => fetchText(outbound, url, { signal: caller.signal })
    expect(await failure(ask(`http://feed.test:${silent.port}/`))).toMatchObject(cancelled)
    expect(await failure(ask(`http://feed.test:${silent.port}/`))).toMatchObject(cancelled)
    expect(silent.heads).toHaveLength(1)

    caller = new AbortController()
    const waiting = ask('http://slow.test/')
    caller.abort()
    expect(await failure(waiting)).toMatchObject(cancelled)

    caller = new AbortController()
    const url = `http://feed.test:${halfway.port}/`
    const { body } = await outbound.get({ ...wide, url, signal: caller.signal })
    const reader = body.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('half')
    caller.abort()
    expect(await failure(reader.read())).toMatchObject(cancelled)
    await halfway.idle()
  })

  test('errors name the host, but nothing that may be secret', async () => {
    await using dns = await DnsServer.start({
      'feed.test': loopback,
      'inner.test': { a: ['10.0.0.1'] },
    })
    const canary = 'canary-1f9a'
    await using closing = await RawServer.start((socket) => socket.destroy())
    await using moving = await RawServer.start(redirectsTo(`http://inner.test/${canary}`))
    const outbound = createOutbound(dns)
    const requests: readonly Partial<OutboundRequest>[] = [
      { url: `http://feed.test:${closing.port}/${canary}?key=${canary}#${canary}` },
      { url: `http://feed.test:${moving.port}/`, redirectsMax: 1 },
      { url: `http://feed.test:${moving.port}/` },
      { url: `http://inner.test/${canary}` },
      { url: `http://${canary}:${canary}@feed.test/` },
      { url: canary },
      { url: 'http://feed.test/', headers: { 'x-key': `${canary}\n${canary}` } },
      { url: 'http://feed.test/', headers: { [`${canary} x`]: 'value' } },
      { url: `http://feed.test:${closing.port}/`, headers: { 'x-key': canary } },
    ]
    for (const { url = '', ...rest } of requests) {
      const error = await failure(fetchText(outbound, url, rest))
      expect(Bun.inspect(error)).not.toContain(canary)
    }
  })
})

describe('redirects', () => {
  test('are failures by default', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start(redirectsFirst('/next'))
    const error = await failure(fetchText(createOutbound(dns), `http://feed.test:${server.port}/`))
    expect(error.reason).toBe('redirect_refused')
    expect(error.message).toContain('it redirects to feed.test')
    expect(server.connections).toBe(1)
  })

  test.each([[301], [302], [303], [307], [308]])('with %s are followed', async (status) => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start((socket, head) => {
      const answer = head.startsWith('GET /a/b?x ') ? redirectsTo('../c?y#z', status) : ok
      answer(socket, head)
    })
    const origin = `http://feed.test:${server.port}`
    const answer = await fetchText(createOutbound(dns), `${origin}/a/b?x`, { redirectsMax: 1 })
    expect([answer.url, answer.text]).toEqual([`${origin}/c?y`, 'ok'])
  })

  test('end after the allowed number', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start(redirectsTo('/again'))
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`, {
      redirectsMax: 3,
    })
    expect(await failure(work)).toMatchObject({ reason: 'redirect_refused' })
    expect(server.connections).toBe(4)
  })

  test('send the headers of the caller to the same origin only', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback, 'other.test': loopback })
    await using server = await RawServer.start((socket, head) => {
      const next = ['/', '/own', 'http://other.test:PORT/other', 'http://feed.test:PORT/back']
      const at = ['/ ', '/own ', '/other ', '/back '].findIndex((path) =>
        head.includes(`GET ${path}`),
      )
      const location = next[at + 1]?.replace('PORT', String(server.port))
      const answer = location === undefined ? ok : redirectsTo(location)
      answer(socket, head)
    })
    const headers = { authorization: 'Bearer canary', 'x-key': 'canary' }
    const url = `http://feed.test:${server.port}/`
    const { text } = await fetchText(createOutbound(dns), url, { redirectsMax: 3, headers })
    expect(text).toBe('ok')
    expect(server.heads.map((head) => head.includes('canary'))).toEqual([true, true, false, false])
  })

  test.each([
    ['ftp://feed.test/', 'bad_url'],
    ['http://user:secret@feed.test/', 'bad_url'],
    ['http://[::1', 'bad_url'],
    ['http://missing.test/', 'not_resolved'],
  ])('to %s are not followed', async (location, reason) => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start(redirectsTo(location))
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`, {
      redirectsMax: 3,
    })
    expect(await failure(work)).toMatchObject({ reason })
  })

  test('without a location are failures', async () => {
    await using dns = await DnsServer.start({ 'feed.test': loopback })
    await using server = await RawServer.start(says('HTTP/1.1 302 Found\r\n\r\n'))
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`, {
      redirectsMax: 3,
    })
    expect(await failure(work)).toMatchObject({ reason: 'redirect_refused' })
  })
})

describe('a proxy', () => {
  test.each([
    ['socks5://127.0.0.1:1080'],
    ['https://proxy.test:3128'],
    ['http://user:secret@proxy.test:3128'],
    ['http://proxy.test:3128/path'],
    ['proxy.test:3128'],
    [''],
  ])('is not accepted from %j', (proxy) => {
    const resolver = { addresses: () => Promise.resolve({ ok: true, value: [] } as const) }
    expect(() => new Outbound({ resolver, proxy, userAgent: 'weir/test' })).toThrow(
      'write the proxy as http://host:port',
    )
  })
})
