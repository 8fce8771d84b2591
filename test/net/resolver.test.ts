/** The resolver against a real name server on loopback. */

import { describe, expect, test } from 'bun:test'
import { Resolver } from '../../src/net/resolver.ts'
import { DnsServer } from './dns-server.ts'

describe('Resolver', () => {
  test.each([
    [
      'both families, IPv4 first',
      { a: ['192.0.2.1'], aaaa: ['2001:db8::1'] },
      ['192.0.2.1', '2001:db8::1'],
    ],
    ['IPv4 only', { a: ['192.0.2.1', '192.0.2.2'] }, ['192.0.2.1', '192.0.2.2']],
    ['IPv6 only', { aaaa: ['2001:db8::1'] }, ['2001:db8::1']],
  ])('answers with %s', async (_, addresses, found) => {
    await using dns = await DnsServer.start({ 'feed.test': addresses })
    const resolver = new Resolver({ servers: [dns.address] })
    expect(await resolver.addresses('feed.test')).toEqual({ ok: true, value: found })
  })

  test.each([
    ['nxdomain', 'no_address'],
    [{}, 'no_address'],
    ['servfail', 'server_failed'],
    ['refused', 'server_failed'],
  ] as const)('a name that answers %j is %s', async (scripted, reason) => {
    await using dns = await DnsServer.start({ 'feed.test': scripted })
    const resolver = new Resolver({ servers: [dns.address] })
    expect(await resolver.addresses('feed.test')).toEqual({ ok: false, reason })
  })

  test('a silent server times out at the deadline', async () => {
    await using dns = await DnsServer.start({ 'feed.test': 'silence' })
    const resolver = new Resolver({ servers: [dns.address], deadlineMs: 20 })
    expect(await resolver.addresses('feed.test')).toEqual({ ok: false, reason: 'timeout' })
    resolver.cancel()
  })

  test.each([
    [{ a: ['192.0.2.1'], aaaa: 'silence' }, ['192.0.2.1']],
    [{ a: 'servfail', aaaa: ['2001:db8::1'] }, ['2001:db8::1']],
  ] as const)('%j does not lose the family that has answered', async (addresses, found) => {
    await using dns = await DnsServer.start({ 'feed.test': addresses })
    const resolver = new Resolver({ servers: [dns.address], deadlineMs: 500 })
    expect(await resolver.addresses('feed.test')).toEqual({ ok: true, value: [...found] })
    resolver.cancel()
  })

  test.each([
    [{ a: [], aaaa: 'servfail' }, 'server_failed'],
    [{ a: 'silence' }, 'timeout'],
  ] as const)('%j leaves open whether there is an address: %s', async (addresses, reason) => {
    await using dns = await DnsServer.start({ 'feed.test': addresses })
    const resolver = new Resolver({ servers: [dns.address], deadlineMs: 20 })
    expect(await resolver.addresses('feed.test')).toEqual({ ok: false, reason })
    resolver.cancel()
  })

  test('asks for each family once, by the full name, which no search list extends', async () => {
    await using dns = await DnsServer.start({ single: { a: ['192.0.2.1'] } })
    const resolver = new Resolver({ servers: [dns.address] })
    await resolver.addresses('Single.')
    await resolver.addresses('missing')
    expect(dns.asked.toSorted()).toEqual(['a missing', 'a single', 'aaaa missing', 'aaaa single'])
  })

  test('a name in the hosts file is looked up like any other', async () => {
    await using dns = await DnsServer.start({})
    const resolver = new Resolver({ servers: [dns.address] })
    expect(await resolver.addresses('localhost')).toEqual({ ok: false, reason: 'no_address' })
    expect(dns.asked).toContain('a localhost')
  })

  test.each([
    [''],
    ['.'],
    ['192.0.2.1'],
    ['2130706433'],
    ['[::1]'],
    ['a b.test'],
    ['a\0.test'],
    ['*.feed.test'],
    ['user@feed.test'],
    [`${'a'.repeat(64)}.test`],
    ['a.'.repeat(128)],
    ['xn--a.test'],
  ])('asks no server for %j', async (name) => {
    await using dns = await DnsServer.start({})
    const resolver = new Resolver({ servers: [dns.address] })
    expect(await resolver.addresses(name)).toEqual({ ok: false, reason: 'invalid_name' })
    expect(dns.asked).toEqual([])
  })

  test('reads at most sixteen answers', async () => {
    const a = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`)
    await using dns = await DnsServer.start({ 'feed.test': { a, aaaa: ['2001:db8::1'] } })
    const found = await new Resolver({ servers: [dns.address] }).addresses('feed.test')
    expect(found).toEqual({ ok: true, value: a.slice(0, 16) })
  })

  test('a signal ends the wait, before it and during it', async () => {
    await using dns = await DnsServer.start({ 'feed.test': 'silence' })
    const resolver = new Resolver({ servers: [dns.address] })
    const caller = new AbortController()
    const waiting = resolver.addresses('feed.test', caller.signal)
    caller.abort()
    expect(await waiting).toEqual({ ok: false, reason: 'cancelled' })
    expect(await resolver.addresses('feed.test', caller.signal)).toEqual(await waiting)
    resolver.cancel()
  })

  test('cancelling ends every running query', async () => {
    await using dns = await DnsServer.start({ 'feed.test': 'silence', 'other.test': 'silence' })
    const resolver = new Resolver({ servers: [dns.address] })
    const waiting = ['feed.test', 'other.test'].map((name) => resolver.addresses(name))
    resolver.cancel()
    const cancelled = { ok: false, reason: 'cancelled' } as const
    expect(await Promise.all(waiting)).toEqual([cancelled, cancelled])
  })

  const ok = (...records: readonly (readonly [number, string])[]) => ({
    status: 'ok',
    records: records.map(([priority, exchange]) => ({ priority, exchange })),
  })
  const without = (status: string) => ({ status, records: [] })

  test.each([
    [
      'servers, in the order to try them',
      { mx: ['20 b.mail.test', '10 Z.Mail.test', '20 a.mail.test'] },
      ok([10, 'z.mail.test'], [20, 'a.mail.test'], [20, 'b.mail.test']),
    ],
    ['a null server', { mx: ['0 .'], a: ['192.0.2.1'] }, without('null')],
    [
      'a null server, ignored next to another',
      { mx: ['0 .', '10 mail.test'] },
      ok([10, 'mail.test']),
    ],
    ['an address only', { a: ['192.0.2.1'] }, without('implicit')],
    ['an IPv6 address only', { aaaa: ['2001:db8::1'] }, without('implicit')],
    [
      'an address next to a family that fails',
      { a: ['192.0.2.1'], aaaa: 'servfail' },
      without('implicit'),
    ],
    ['its own name servers only', { ns: ['ns.mail.test'] }, without('none')],
    ['nothing at all', {}, without('no_domain')],
    ['no existence', 'nxdomain', without('no_domain')],
    ['a server that fails', 'servfail', without('unknown')],
    ['a server that refuses', 'refused', without('unknown')],
    [
      'mail servers that cannot be looked up',
      { mx: 'servfail', a: ['192.0.2.1'] },
      without('unknown'),
    ],
    ['addresses that cannot be looked up', { a: 'servfail' }, without('unknown')],
    ['name servers that cannot be looked up', { ns: 'refused' }, without('unknown')],
    [
      'an answer too long for UDP',
      { mx: ['10 mail.test'], overTcp: 'answer' },
      ok([10, 'mail.test']),
    ],
  ] as const)('returns the mail route of a domain with %s', async (_, scripted, route) => {
    await using dns = await DnsServer.start({ 'sender.test': scripted })
    const resolver = new Resolver({ servers: [dns.address] })
    expect<unknown>(await resolver.mail('sender.test')).toEqual(route)
  })

  test('a name below a registered one exists for mail, though nothing answers for it', async () => {
    await using dns = await DnsServer.start({ 'sender.test': { ns: ['ns.sender.test'] } })
    const resolver = new Resolver({ servers: [dns.address] })
    expect<unknown>(await resolver.mail('news.sender.test')).toEqual(without('none'))
    expect(dns.asked[0]).toBe('mx news.sender.test')
    expect(dns.asked).toContain('ns sender.test')
  })

  test.each([
    ['silence'],
    [{ a: 'silence' }],
    [{ ns: 'silence' }],
    [{ overTcp: 'silence' }],
  ] as const)('returns an unknown mail route at the deadline with %j', async (scripted) => {
    await using dns = await DnsServer.start({ 'sender.test': scripted })
    const resolver = new Resolver({ servers: [dns.address], deadlineMs: 30 })
    expect<unknown>(await resolver.mail('sender.test')).toEqual(without('unknown'))
    resolver.cancel()
  })

  test('reads at most sixteen mail servers', async () => {
    const mx = Array.from({ length: 20 }, (_, n) => `${n} m${n}.test`)
    await using dns = await DnsServer.start({ 'sender.test': { mx } })
    const { records } = await new Resolver({ servers: [dns.address] }).mail('sender.test')
    expect(records.map(({ priority }) => priority)).toEqual([...Array(16).keys()])
  })

  test('a signal ends the wait for mail servers, and no server is asked after it', async () => {
    await using dns = await DnsServer.start({ 'sender.test': { a: 'silence' } })
    const resolver = new Resolver({ servers: [dns.address] })
    const caller = new AbortController()
    const waiting = resolver.mail('sender.test', caller.signal)
    caller.abort()
    expect<unknown>(await waiting).toEqual(without('unknown'))
    const asked = dns.asked.length
    expect<unknown>(await resolver.mail('other.test', caller.signal)).toEqual(without('unknown'))
    expect(dns.asked).toHaveLength(asked)
    resolver.cancel()
  })

  test.each([[''], ['192.0.2.1'], ['a b.test'], ['xn--a.test']])(
    'asks no server for the mail of %j',
    async (name) => {
      await using dns = await DnsServer.start({})
      const resolver = new Resolver({ servers: [dns.address] })
      expect<unknown>(await resolver.mail(name)).toEqual(without('no_domain'))
      expect(dns.asked).toEqual([])
    },
  )

  test('throws for a server that is not an address', () => {
    expect(() => new Resolver({ servers: ['dns.example.com'] })).toThrow(TypeError)
  })
})
