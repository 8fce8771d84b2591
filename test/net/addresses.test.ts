/**
 * Addresses that weir never connects to: every form of an address that is not public, in a URL, from a
 * name server, or in a redirect. A listener on loopback counts the connections.
 */

import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import { listOwnAddresses, parseDialable } from '../../src/net/dial-policy.ts'
import { Outbound } from '../../src/net/outbound.ts'
import { DnsServer } from './dns-server.ts'
import { createOutbound, createPublicOutbound, failure, fetchText, wide } from './fixture.ts'
import { RawServer, says } from './raw-server.ts'

const emptyAnswer = says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

const ipv4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.1.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
]

/** Spellings that browsers and system calls parse as addresses. */
const otherSpellings = [
  '0',
  '127.1',
  '127.0.1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0x7f000001',
  '0X7F.1',
  '0x7f.0x0.0x0.0x1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
]

const ipv6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]

const literals = [...ipv4, ...otherSpellings, ...ipv6.map((text) => `[${text}]`)]

/** Texts that no name server can answer, but a resolver might return. */
const notAddresses = ['fe80::1%lo', '::1%1', '', 'feed.test', '127.0.0.1:80', '127.0.0.1/8']

describe('Outbound', () => {
  test(`refuses ${literals.length} forms of addresses as hosts and connects to none`, async () => {
    await using dns = await DnsServer.start({})
    await using listener = await RawServer.start(emptyAnswer)
    const outbound = createPublicOutbound(dns)
    for (const host of literals) {
      const { reason } = await failure(fetchText(outbound, `http://${host}:${listener.port}/`))
      expect([host, reason]).toEqual([host, 'address_refused'])
    }
    expect([listener.connections, dns.asked]).toEqual([0, []])
  })

  test.each([
    ['[fe80::1%25lo]'],
    ['[fe80::1%lo]'],
    ['[::1'],
    ['127.0.0.256'],
    ['4294967296'],
    ['1.2.3.4.5'],
    ['127.0.0.1 '],
    ['::1'],
  ])('finds no host in %s', async (host) => {
    await using dns = await DnsServer.start({})
    const { reason } = await failure(fetchText(createPublicOutbound(dns), `http://${host}:80/`))
    expect([reason, dns.asked]).toEqual(['bad_url', []])
  })

  test('refuses the same addresses as answers of a name server', async () => {
    const answers = [...ipv4, ...ipv6].map((text, n) => [`n${n}.test`, text] as const)
    await using dns = await DnsServer.start(
      Object.fromEntries(
        answers.map(([name, text]) => [name, isIP(text) === 4 ? { a: [text] } : { aaaa: [text] }]),
      ),
    )
    await using listener = await RawServer.start(emptyAnswer)
    const outbound = createPublicOutbound(dns)
    for (const [name, text] of answers) {
      const { reason } = await failure(fetchText(outbound, `http://${name}:${listener.port}/`))
      expect([text, reason]).toEqual([text, 'address_refused'])
    }
    expect(listener.connections).toBe(0)
  })

  test.each(notAddresses.map((text) => [text]))('refuses %j from a resolver', async (text) => {
    const resolver = { addresses: () => Promise.resolve({ ok: true, value: [text] } as const) }
    const testing = { allowLoopback: true } as const
    const outbound = new Outbound({ resolver, proxy: null, userAgent: 'weir/test', testing })
    const { reason } = await failure(outbound.get({ ...wide, url: 'http://feed.test/' }))
    expect(reason).toBe('address_refused')
  })

  test.each([
    [{ a: ['127.0.0.1', '10.0.0.1'] }],
    [{ a: ['10.0.0.1', '127.0.0.1'] }],
    [{ a: ['127.0.0.1'], aaaa: ['fd00::1'] }],
    [{ a: ['127.0.0.1'], aaaa: ['::ffff:127.0.0.1'] }],
  ])('refuses a name with one address that is not allowed: %j', async (addresses) => {
    await using dns = await DnsServer.start({ 'feed.test': addresses })
    await using listener = await RawServer.start(emptyAnswer)
    const { reason } = await failure(
      fetchText(createOutbound(dns), `http://feed.test:${listener.port}/`),
    )
    expect([reason, listener.connections]).toEqual(['address_refused', 0])
  })

  test('looks up a name once, and connects to the address that it has checked', async () => {
    await using dns = await DnsServer.start({
      'feed.test': [{ a: ['127.0.0.1'] }, { a: ['169.254.169.254'] }],
    })
    await using listener = await RawServer.start(emptyAnswer)
    const outbound = createOutbound(dns)
    const url = `http://feed.test:${listener.port}/`
    expect((await fetchText(outbound, url)).status).toBe(200)
    expect(dns.asked.toSorted()).toEqual(['a feed.test', 'aaaa feed.test'])
    // The name now has an internal address; the next request checks it again.
    expect((await failure(fetchText(outbound, url))).reason).toBe('address_refused')
    expect(listener.connections).toBe(1)
  })

  test.each([
    ['http://10.0.0.1/'],
    ['http://169.254.169.254/latest/'],
    ['//0xa.1/'],
    ['http://[::ffff:127.0.0.1]/'],
    ['http://inner.test/'],
    ['http://moved.test/'],
  ])('refuses a redirect to the internal %s', async (location) => {
    await using dns = await DnsServer.start({
      'inner.test': { a: ['10.0.0.1'] },
      'moved.test': [{ a: ['127.0.0.1'] }, { a: ['10.0.0.1'] }],
    })
    await using server = await RawServer.start(
      says(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    )
    const url = `http://moved.test:${server.port}/`
    const { reason } = await failure(fetchText(createOutbound(dns), url, { redirectsMax: 3 }))
    expect([reason, server.connections]).toEqual(['address_refused', 1])
  })

  test('checks an address even when a proxy would connect to it', async () => {
    await using dns = await DnsServer.start({})
    await using proxy = await RawServer.start(emptyAnswer)
    const outbound = createPublicOutbound(dns, `http://127.0.0.1:${proxy.port}`)
    for (const url of ['http://10.0.0.1/', 'https://[::1]/', 'http://127.0.0.1/']) {
      expect((await failure(fetchText(outbound, url))).reason).toBe('address_refused')
    }
    expect(proxy.connections).toBe(0)
  })
})

describe('parseDialable', () => {
  const closed = { own: new Set(['8.8.8.8', '2606:4700::1111']), allowLoopback: false }

  test.each([
    ['8.8.4.4', '8.8.4.4'],
    ['2606:4700:0:0::1001', '2606:4700::1001'],
  ])('accepts %s', (text, canonical) => {
    expect(parseDialable(text, closed)).toMatchObject({ ok: true, value: { text: canonical } })
  })

  test.each([['8.8.8.8'], ['2606:4700::1111'], ['2606:4700:0::0:1111']])(
    'refuses %s when it is an address of this machine',
    (text) => {
      expect(parseDialable(text, closed)).toEqual({ ok: false, reason: 'own_address' })
    },
  )

  test('allows loopback in tests, and nothing else', () => {
    const open = { own: listOwnAddresses(), allowLoopback: true }
    const allowed = [...ipv4, ...ipv6].filter((text) => parseDialable(text, open).ok)
    expect(allowed).toEqual(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'])
  })
})

describe('listOwnAddresses', () => {
  test('returns those of the interfaces, loopback included', () => {
    expect(listOwnAddresses().has('127.0.0.1')).toBe(true)
  })
})
