/**
 * Certificates and proxies: which certificates are trusted, and what a proxy may forward.
 */

import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Outbound } from '../../src/net/outbound.ts'
import { Resolver } from '../../src/net/resolver.ts'
import { type CertificateOptions, type Credentials, issue, selfSign } from './certificates.ts'
import { DnsServer } from './dns-server.ts'
import { createOutbound, createPublicOutbound, failure, fetchText } from './fixture.ts'
import { startProxy } from './proxy-server.ts'
import { RawServer, says } from './raw-server.ts'

const zone = { 'feed.test': { a: ['127.0.0.1'] }, 'other.test': { a: ['127.0.0.1'] } }

const ok = says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')

const good = await issue({ names: ['feed.test'] })

const past = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
const future = { notBefore: new Date('2120-01-01'), notAfter: new Date('2121-01-01') }

type Issuer = (options: CertificateOptions) => Promise<Credentials>

const refused: readonly (readonly [string, Issuer, CertificateOptions])[] = [
  ['for another name', issue, { names: ['other.test'] }],
  ['for a name above', issue, { names: ['test', '*.test'] }],
  ['for names below', issue, { names: ['*.feed.test'] }],
  ['for the address only', issue, { addresses: ['127.0.0.1'] }],
  ['for no name', issue, {}],
  ['of its own authority', selfSign, { names: ['feed.test'] }],
  ['that has expired', issue, { names: ['feed.test'], ...past }],
  ['that is not valid yet', issue, { names: ['feed.test'], ...future }],
]

describe('TLS', () => {
  test('names the host in SNI and Host, and trusts a certificate for it', async () => {
    await using dns = await DnsServer.start(zone)
    const names: unknown[] = []
    await using server = await RawServer.start((socket, head) => {
      names.push('servername' in socket ? socket.servername : null)
      ok(socket, head)
    }, good)
    const url = `https://FEED.test.:${server.port}/list`
    const answer = await fetchText(createOutbound(dns), url)
    expect([answer.text, answer.url]).toEqual(['ok', `https://feed.test:${server.port}/list`])
    expect(names).toEqual(['feed.test'])
    expect(server.heads[0]).toContain(`host: feed.test:${server.port}\r\n`)
  })

  test.each(refused)('sends nothing under a certificate %s', async (_, make, options) => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(ok, await make(options))
    const error = await failure(fetchText(createOutbound(dns), `https://feed.test:${server.port}/`))
    expect(error.reason).toBe('tls_failed')
    await server.idle()
    expect([server.connections, server.heads]).toEqual([1, []])
  })

  test('trusts no authority that the system does not know', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok, await issue({ addresses: ['127.0.0.1'] }))
    const url = `https://127.0.0.1:${server.port}/`
    expect((await fetchText(createOutbound(dns), url)).text).toBe('ok')
    const strict = new Outbound({
      resolver: new Resolver({ servers: [dns.address] }),
      proxy: null,
      userAgent: 'weir/test',
      testing: { allowLoopback: true },
    })
    expect((await failure(fetchText(strict, url))).reason).toBe('tls_failed')
  })

  test('requires a certificate for the address when the host is one', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok, good)
    const error = await failure(fetchText(createOutbound(dns), `https://127.0.0.1:${server.port}/`))
    expect([error.reason, server.heads]).toEqual(['tls_failed', []])
  })

  test('fails with a server that does not speak it', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = createServer((socket) => {
      // The client disconnects as soon as it has read this.
      socket.on('error', () => {})
      socket.resume().write('HTTP/1.1 200 OK\r\n\r\n')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : null
    const error = await failure(fetchText(createOutbound(dns), `https://feed.test:${port}/`))
    expect(error.reason).toBe('tls_failed')
  })

  test('cannot be left by a redirect', async () => {
    await using dns = await DnsServer.start(zone)
    await using plain = await RawServer.start(ok)
    await using server = await RawServer.start(
      says(`HTTP/1.1 301 Moved\r\nlocation: http://other.test:${plain.port}/\r\n\r\n`),
      good,
    )
    const url = `https://feed.test:${server.port}/`
    const error = await failure(fetchText(createOutbound(dns), url, { redirectsMax: 3 }))
    expect(error.reason).toBe('redirect_refused')
    expect(error.message).toContain('it redirects to other.test without encryption')
    expect(plain.connections).toBe(0)
  })

  test('may start with a redirect', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(ok, good)
    const location = `https://feed.test:${server.port}/`
    await using plain = await RawServer.start(
      says(`HTTP/1.1 301 Moved\r\nlocation: ${location}\r\n\r\n`),
    )
    const url = `http://other.test:${plain.port}/`
    const answer = await fetchText(createOutbound(dns), url, { redirectsMax: 1 })
    expect([answer.text, answer.url]).toEqual(['ok', location])
  })
})

describe('a configured proxy', () => {
  test('receives names, looks them up itself, and forwards plain requests', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok)
    await using proxy = await startProxy({ 'feed.test': server.port })
    const outbound = createPublicOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    expect((await fetchText(outbound, 'http://feed.test/list?x')).text).toBe('ok')
    expect(proxy.heads[0]).toStartWith('GET http://feed.test/list?x HTTP/1.1\r\n')
    expect(proxy.heads[0]).toContain('host: feed.test\r\n')
    expect(dns.asked).toEqual([])
  })

  test('forwards TLS without reading it', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok, good)
    await using proxy = await startProxy({ 'feed.test:443': server.port })
    const outbound = createOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    const headers = { 'x-key': 'canary' }
    expect((await fetchText(outbound, 'https://feed.test/list', { headers })).text).toBe('ok')
    expect(proxy.heads[0]).toStartWith('CONNECT feed.test:443 HTTP/1.1\r\n')
    expect(proxy.heads.join('')).not.toContain('canary')
    expect(server.heads[0]).toStartWith('GET /list HTTP/1.1\r\n')
    expect(server.heads[0]).toContain('canary')
    await proxy.idle()
    await server.idle()
  })

  test('cannot impersonate the host', async () => {
    await using dns = await DnsServer.start({})
    await using server = await RawServer.start(ok, await issue({ names: ['other.test'] }))
    await using proxy = await startProxy({ 'feed.test:8443': server.port })
    const outbound = createOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    const error = await failure(fetchText(outbound, 'https://feed.test:8443/'))
    expect([error.reason, server.heads]).toEqual(['tls_failed', []])
  })

  test.each([
    ['refuses', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n', 'the proxy answered 403'],
    ['asks for a password', 'HTTP/1.1 407 Who\r\n\r\n', 'the proxy answered 407'],
    ['sends bytes before the host does', 'HTTP/1.1 200 OK\r\n\r\nhello', 'the proxy answered 200'],
    ['speaks another protocol', 'SSH-2.0-Server\r\n', 'the proxy does not connect'],
    ['hangs up', '', 'the proxy does not connect'],
  ])('fails the request when it %s', async (_, said, what) => {
    await using dns = await DnsServer.start({})
    await using proxy = await RawServer.start(says(said))
    const outbound = createOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    const error = await failure(fetchText(outbound, 'https://feed.test/'))
    expect(error.reason).toBe('proxy_refused')
    expect(error.message).toContain(what)
    await proxy.idle()
  })

  test('is named in the error when it cannot be reached', async () => {
    await using dns = await DnsServer.start({})
    const proxy = await RawServer.start(ok)
    const outbound = createOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    await proxy[Symbol.asyncDispose]()
    const error = await failure(fetchText(outbound, 'https://feed.test/'))
    expect(error.reason).toBe('unreachable')
    expect(error.message).toContain('cannot connect to the proxy (ECONNREFUSED)')
  })

  test('is subject to the time-out', async () => {
    await using dns = await DnsServer.start({})
    await using proxy = await RawServer.start(() => {})
    const outbound = createOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    const work = fetchText(outbound, 'https://feed.test/', { timeoutMs: 60 })
    expect((await failure(work)).reason).toBe('timeout')
    await proxy.idle()
  })
})
