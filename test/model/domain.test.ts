/** Domain names: their spelling, which are public, and which part is registered. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type DomainRefusal,
  domainRefusalMessages,
  hasKnownSuffix,
  isPublicName,
  type NotPublicReason,
  parseDomainName,
  parseHost,
  privateSuffix,
  registrableDomain,
  toUnicode,
  whyNotPublic,
} from '../../src/model/domain.ts'

const { FUZZ_RUNS = '200' } = process.env
const runs = { numRuns: Number(FUZZ_RUNS) }

const labels = (count: number, length: number) =>
  new Array(count).fill('a'.repeat(length)).join('.')

describe('parseDomainName', () => {
  test.each([
    ['example.com', 'example.com'],
    [' WWW.Example.COM. ', 'www.example.com'],
    ['..a..example..', 'a.example'],
    ['b\u00FCcher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['fa\u00DF.example', 'xn--fa-hia.example'],
    ['\uFF45xample\uFF0Ecom', 'example.com'],
    ['exa\u00ADmple.com', 'example.com'],
    ['_dmarc.-a-.example.com', '_dmarc.-a-.example.com'],
    ['3com.example', '3com.example'],
    ['host', 'host'],
    [`${labels(3, 63)}.${'a'.repeat(61)}`, `${labels(3, 63)}.${'a'.repeat(61)}`],
  ])('reads %j as %s', (text, name) => {
    expect<unknown>(parseDomainName(text)).toEqual({ ok: true, value: name })
  })

  const refusals: readonly (readonly [string, DomainRefusal])[] = [
    ['', 'empty'],
    [' . ', 'empty'],
    ['203.0.113.7', 'address'],
    ['0x7f.1', 'address'],
    ['[::1]', 'address'],
    ['1.2.3.4.5', 'address'],
    [`${'a'.repeat(64)}.example`, 'too_long'],
    [`${labels(3, 63)}.${'a'.repeat(62)}`, 'too_long'],
    ['\u00E9'.repeat(2000), 'too_long'],
    ['exam ple.com', 'invalid_character'],
    ['*.example.com', 'invalid_character'],
    ['me@example.com', 'invalid_character'],
    ['example.com/a', 'invalid_character'],
    ['example.com:80', 'invalid_character'],
    ['example%2Ecom', 'invalid_character'],
    ['exam\0ple.com', 'invalid_character'],
    ['xn--a.example', 'invalid_idn'],
    ['a\uFF0Fb.example', 'invalid_idn'],
    ['\uD800.example', 'invalid_idn'],
    ['\uFFFD.example', 'invalid_idn'],
  ]
  test.each(refusals)('refuses %j as %s', (text, reason) => {
    expect(parseDomainName(text)).toEqual({ ok: false, reason })
    expect(domainRefusalMessages[reason]).toMatch(/^Send .+\.$/)
  })

  test('parsing a canonical name or its display form returns the name', () => {
    const name = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.domain())
      .map((t) => t.join(''))
    fc.assert(
      fc.property(fc.oneof(name, fc.domain()), (text) => {
        const first = parseDomainName(text)
        if (!first.ok) return
        expect(parseDomainName(first.value)).toEqual(first)
        expect(parseDomainName(toUnicode(first.value) ?? first.value)).toEqual(first)
        expect(first.value).toMatch(/^[a-z0-9._-]{1,253}$/)
      }),
      runs,
    )
  })
})

describe('parseHost', () => {
  test('distinguishes names from addresses', () => {
    expect(parseHost('Example.com')).toEqual({
      ok: true,
      value: { text: 'example.com', isAddress: false },
    })
    expect(parseHost('[2001:DB8::1]')).toEqual({
      ok: true,
      value: { text: '[2001:db8::1]', isAddress: true },
    })
    expect(parseHost('\uFF11.2.3.4')).toEqual({
      ok: true,
      value: { text: '1.2.3.4', isAddress: true },
    })
  })
})

describe('whyNotPublic', () => {
  const reasons: readonly (readonly [string, NotPublicReason])[] = [
    ['router', 'single_label'],
    ['com', 'single_label'],
    ['localhost', 'single_label'],
    ['a.localhost', 'reserved'],
    ['printer.local', 'reserved'],
    ['db.internal', 'reserved'],
    ['nas.lan', 'reserved'],
    ['home.arpa', 'reserved'],
    ['nas.home.arpa', 'reserved'],
    ['example.onion', 'reserved'],
    ['example.alt', 'reserved'],
    ['foo.invalid', 'reserved'],
    ['co.uk', 'public_suffix'],
    ['any.ck', 'public_suffix'],
  ]
  test.each(reasons)('%s is not public: %s', (host, reason) => {
    expect(whyNotPublic(host)).toBe(reason)
    expect(isPublicName(host)).toBe(false)
  })

  test.each([
    ['example.com'],
    ['a.example'],
    ['found.weir.test'],
    ['github.io'],
    ['a.github.io'],
    ['www.ck'],
    ['local.example.com'],
    ['203.0.113.7'],
    ['[::1]'],
  ])('%s is public', (host) => {
    expect(whyNotPublic(host)).toBeNull()
    expect(isPublicName(host)).toBe(true)
  })
})

describe('registrableDomain', () => {
  test.each([
    ['a.b.example.com', 'example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['a.tenant.pages.dev', 'tenant.pages.dev'],
    ['-a.example.com', 'example.com'],
    ['a.b.unknown-ending', 'b.unknown-ending'],
    ['pages.dev', null],
    ['com', null],
    ['203.0.113.7', null],
    ['[2001:db8::1]', null],
  ])('%s: %s', (host, domain) => {
    expect(registrableDomain(host)).toBe(domain)
  })

  test('does not depend on earlier calls', () => {
    const hosts = ['a.example.com', 'b.a.example.org', 'a.example.com', 'pages.dev', 'x.pages.dev']
    const separately = hosts.map((host) => {
      registrableDomain('other.example.net')
      return registrableDomain(host)
    })
    expect(hosts.map(registrableDomain)).toEqual(separately)
  })
})

describe('privateSuffix', () => {
  test('is the suffix that a company runs', () => {
    expect(privateSuffix('a.tenant.pages.dev')).toBe('pages.dev')
    expect(privateSuffix('pages.dev')).toBe('pages.dev')
    expect(privateSuffix('www.example.co.uk')).toBeNull()
    expect(privateSuffix('[::1]')).toBeNull()
  })
})

describe('toUnicode', () => {
  test('is null when the name is the same', () => {
    expect(toUnicode('example.com')).toBeNull()
    expect(toUnicode('axn--b.example')).toBeNull()
    expect(toUnicode('xn--bcher-kva.example')).toBe('b\u00FCcher.example')
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        toUnicode(`xn--${text}`)
      }),
      runs,
    )
    expect(toUnicode('xn--zzzzzzz99999.com')).toBeNull()
  })
})

describe('hasKnownSuffix', () => {
  test.each([
    ['example.com', true],
    ['a.example.co.uk', true],
    ['a.github.io', true],
    ['xn--e1afmkfd.xn--p1ai', true],
    ['node.js', false],
    ['report.invalid', false],
    ['hostname', false],
  ])('%s: %p', (host, isKnown) => {
    expect(hasKnownSuffix(host)).toBe(isKnown)
  })
})
