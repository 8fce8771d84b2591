/**
 * Canonical URLs: tables of invented addresses, and laws that hold for every text.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type CanonicalUrl,
  canonicalizeUrl,
  pageKey,
  parsePublicUrl,
  pathExpressions,
  type UrlRefusal,
  urlBytesMax,
  urlRefusalMessages,
} from '../../src/model/url.ts'

const { FUZZ_RUNS = '200' } = process.env
const runs = { numRuns: Number(FUZZ_RUNS) }

function canonical(input: string): CanonicalUrl {
  const url = canonicalizeUrl(input)
  if (!url.ok) throw new Error(`${input} was refused: ${url.reason}`)
  return url.value
}

const readings: readonly (readonly [input: string, value: string])[] = [
  // Canonical already.
  ['https://login.example.com/a/b.php?id=1', 'https://login.example.com/a/b.php?id=1'],
  ['http://example.com/', 'http://example.com/'],
  ['ftp://files.example.net/pub/', 'ftp://files.example.net/pub/'],
  ['http://203.0.113.7/x', 'http://203.0.113.7/x'],
  ['https://a_b.-c.example.com/', 'https://a_b.-c.example.com/'],
  ['https://example.com/.well-known/x/..y/...', 'https://example.com/.well-known/x/..y/...'],
  // The scheme.
  ['example.com', 'http://example.com/'],
  ['example.com/Path?Q', 'http://example.com/Path?Q'],
  ['HTTPS://EXAMPLE.com', 'https://example.com/'],
  ['//example.com/x', 'http://example.com/x'],
  ['\\\\example.com\\x', 'http://example.com/x'],
  ['https:example.com', 'https://example.com/'],
  ['https:////example.com/x', 'https://example.com/x'],
  ['example.com:8443/x', 'http://example.com/x'],
  ['example.com:/x', 'http://example.com/x'],
  ['http%3a%2f%2fexample.com%2fa%3Fb', 'http://example.com/a?b'],
  ['https%253A%252F%252Fexample.com', 'https://example.com/'],
  // Disguises and wrappers.
  [' \u200Bhttps://example.com/\u00A0', 'https://example.com/'],
  ['<"https://example.com/a">', 'https://example.com/a'],
  ['“example.com”', 'http://example.com/'],
  ['http://exam\r\n\tple.com/', 'http://example.com/'],
  ['hxxps://example[.]com/a', 'https://example.com/a'],
  ['hxxp[://]www(dot)example{.}com[/]a[.]php', 'http://www.example.com/a.php'],
  ['fxp://example.com', 'ftp://example.com/'],
  ['www . example . com', 'http://www.example.com/'],
  // The host.
  ['http://..Example..COM../', 'http://example.com/'],
  ['http://ex%61mple%2Ecom/', 'http://example.com/'],
  ['http://b\u00FCcher.example/', 'http://xn--bcher-kva.example/'],
  ['http://xn--bcher-kva.example/', 'http://xn--bcher-kva.example/'],
  ['http://\uFF45xample\u3002com/', 'http://example.com/'],
  ['http://exa\u00ADm\u200Bple.com/', 'http://example.com/'],
  ['http://user:pw@example.com/', 'http://example.com/'],
  ['http://example.org%40example.com/', 'http://example.com/'],
  ['http://a@b@example.com/', 'http://example.com/'],
  ['http://example.com\\@example.org/', 'http://example.com/@example.org/'],
  ['http://0xcb007107/', 'http://203.0.113.7/'],
  ['http://203.0.28935/', 'http://203.0.113.7/'],
  ['http://[2001:DB8:0:0::1]:8080/', 'http://[2001:db8::1]/'],
  ['2001:db8::1', 'http://[2001:db8::1]/'],
  ['http://[::ffff:203.0.113.7]/', 'http://203.0.113.7/'],
  // The path.
  ['http://example.com?a', 'http://example.com/?a'],
  ['http://example.com/a?', 'http://example.com/a?'],
  ['http://example.com/%7Ea%41', 'http://example.com/~aA'],
  ['http://example.com/%252541', 'http://example.com/A'],
  ['http://example.com/%%341', 'http://example.com/A'],
  ['http://example.com/100%', 'http://example.com/100%25'],
  ['http://example.com/caf\u00E9', 'http://example.com/caf%C3%A9'],
  ['http://example.com/caf%c3%a9', 'http://example.com/caf%C3%A9'],
  ['http://example.com/a%3Fb%23c%5Cd', 'http://example.com/a%3Fb%23c%5Cd'],
  ['http://example.com/a b%0A', 'http://example.com/a%20b%0A'],
  ['http://example.com/a/./b/../c//d/..', 'http://example.com/a/c/'],
  ['http://example.com/a//../b', 'http://example.com/a/b'],
  ['http://example.com/../../a', 'http://example.com/a'],
  ['http://example.com/%2e%2e/a%2fb', 'http://example.com/a/b'],
  ['http://example.com/ipfs/QmAbC/x', 'http://example.com/ipfs/QmAbC/x'],
  ['http://example.com/a[.]b', 'http://example.com/a[.]b'],
  // The query and the fragment.
  ['http://example.com/?a=%2F\\..//b[.]c', 'http://example.com/?a=%2F\\..//b[.]c'],
  ['http://example.com/?a b\u00E9', 'http://example.com/?a%20b%C3%A9'],
  ['http://example.com/a#b?c#d', 'http://example.com/a'],
  ['http://example.com#@example.org/', 'http://example.com/'],
]

const refusals: readonly (readonly [input: string, reason: UrlRefusal])[] = [
  ['', 'missing_host'],
  ['\u200B \n', 'missing_host'],
  ['http://', 'missing_host'],
  ['http://@/', 'missing_host'],
  ['http://:80/', 'missing_host'],
  ['http://.../', 'missing_host'],
  ['/login', 'missing_host'],
  ['/example.com', 'missing_host'],
  ['http:///login', 'missing_host'],
  ['ssh://example.com/', 'unsupported_scheme'],
  ['file:///etc/hosts', 'unsupported_scheme'],
  ['JavaScript:alert(1)', 'unsupported_scheme'],
  ['hxxpx://example.com', 'unsupported_scheme'],
  ['http://exam ple.com/', 'invalid_host'],
  ['see example . com now', 'invalid_host'],
  ['http://*.example.com/', 'invalid_host'],
  ['http://exa%00mple.com/', 'invalid_host'],
  ['http://example.com%2Fa/', 'invalid_host'],
  ['http://%FF.example.com/', 'invalid_host'],
  ['http://xn--a.example/', 'invalid_host'],
  ['http://256.1.1.1/', 'invalid_host'],
  ['http://1.2.3.4.5/', 'invalid_host'],
  ['http://[::1%25eth0]/', 'invalid_host'],
  ['http://[::1/', 'invalid_host'],
  [`http://${'a'.repeat(64)}.example/`, 'invalid_host'],
  [`http://${'a.'.repeat(130)}example/`, 'invalid_host'],
  ['http://example.com:x/', 'invalid_port'],
  ['http://example.com:65536/', 'invalid_port'],
  ['http://example.com:80:80/', 'invalid_port'],
  ['http://example.com/\0', 'invalid_character'],
  ['http://example.com/\uFFFD', 'invalid_character'],
  ['http://example.com/\uD800', 'invalid_character'],
  ['http%3A%2F%2Fexample.com%2F%FF', 'invalid_character'],
  [`http://example.com/${'a'.repeat(urlBytesMax)}`, 'too_long'],
  [`http://example.com/${'\u00E9'.repeat(urlBytesMax / 2)}`, 'too_long'],
  [`http://example.com/${' '.repeat(urlBytesMax / 2)}b`, 'too_long'],
]

describe('canonicalizeUrl', () => {
  test.each(readings)('reads %j as %s', (input, value) => {
    expect(canonical(input).value).toBe(value)
    expect(canonical(value).value).toBe(value)
  })

  test.each(refusals)('refuses %j as %s', (input, reason) => {
    expect(canonicalizeUrl(input)).toEqual({ ok: false, reason })
  })

  test('splits a URL into its parts', () => {
    expect(canonical('hxxps://me%3Apw@Ex\u00ADample.com:8443/a//b?c#d')).toEqual({
      scheme: 'https',
      host: 'example.com',
      isAddress: false,
      port: 8443,
      path: '/a/b',
      query: '?c',
      hasUserinfo: true,
      userinfo: 'me:pw',
      hasInvisible: true,
      value: 'https://example.com/a/b?c',
    })
  })

  test('reports a port only when it is not the default of the scheme', () => {
    const ports = ['http://example.com:80', 'https://example.com:443', 'https://example.com:080']
    expect(ports.map((input) => canonical(input).port)).toEqual([null, null, 80])
  })

  test('accepts exactly the documented number of bytes', () => {
    const start = 'http://example.com/'
    const longest = start + 'a'.repeat(urlBytesMax - start.length)
    expect(canonical(longest).value).toBe(longest)
    expect(canonicalizeUrl(`${longest}a`)).toEqual({ ok: false, reason: 'too_long' })
  })

  test('has a sentence for every refusal', () => {
    const reasons = new Set(refusals.map(([, reason]) => reason))
    expect(Object.keys(urlRefusalMessages).sort()).toEqual([...reasons, 'not_public_host'].sort())
    for (const message of Object.values(urlRefusalMessages)) expect(message).toMatch(/^Send .+\.$/)
  })
})

/** Texts that exercise the rules: meaningful pieces in any order. */
const pieces = [
  ...['http://', 'https:', 'ftp://', 'hxxp', '//', '\\', '/', '.', '..', '/./', '/../', ':', '@'],
  ...[
    '?',
    '#',
    '%',
    '%2',
    '%25',
    '%2e',
    '%2F',
    '%00',
    '%41',
    '%C3%A9',
    '[',
    ']',
    '[.]',
    ' . ',
    ' ',
  ],
  ...[
    'example',
    'com',
    'co.uk',
    'xn--',
    'xn--bcher-kva',
    '-',
    '_',
    '1',
    '0x7f',
    '256',
    '::1',
    '80',
  ],
  ...['\u00E9', '\u3002', '\u00AD', '\u200D', '\uFF0F', '\u{1F41F}', '\t', '<', '>', "'", '&', '='],
]
const roughText = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .tuple(fc.constantFrom('http://example.com/', 'example.com?'), fc.string())
    .map((t) => t.join('')),
)

describe('canonicalizeUrl, for every text', () => {
  test('parsing canonical text or its parts changes nothing', () => {
    fc.assert(
      fc.property(roughText, (text) => {
        const url = canonicalizeUrl(text)
        if (!url.ok) return
        const { value, scheme, host, path, query } = url.value
        const again = canonical(value)
        expect(again).toMatchObject({ value, scheme, host, path, query })
        expect(value).toBe(`${scheme}://${host}${path}${query}`)
        expect(value).toMatch(/^[!-~]+$/)
      }),
      runs,
    )
  })

  test('the fast path and the slow path agree', () => {
    fc.assert(
      // A space in front only prevents the fast path.
      fc.property(roughText, (text) => {
        expect(canonicalizeUrl(` ${text}`)).toEqual(canonicalizeUrl(text))
      }),
      runs,
    )
  })

  // In quadratic time this would take minutes and exceed the timeout of the test.
  test('hostile text takes linear time', () => {
    const hostile = [
      '%25',
      '%',
      '/../',
      '/./',
      '@',
      '[',
      '.',
      '[.]',
      ' . ',
      ':',
      '\u200B',
      '\u00E9.',
    ]
    for (const piece of [...hostile, '<', '&u=//', '%61', '\u00E9', '//', '\\', 'xn--', '%2525']) {
      const body = piece.repeat(Math.floor(8_000 / Buffer.byteLength(piece)))
      for (const text of [body, `http://${body}`, `http://example.com/${body}`]) {
        const { ok } = canonicalizeUrl(text)
        for (let n = 0; n < 40; n++) expect(canonicalizeUrl(text).ok).toBe(ok)
      }
    }
  })
})

describe('parsePublicUrl', () => {
  test.each([
    ['http://localhost:8080/'],
    ['http://router/'],
    ['com'],
    ['https://co.uk/'],
    ['http://printer.local'],
    ['http://example.onion/'],
  ])('refuses %j', (input) => {
    expect(canonicalizeUrl(input).ok).toBe(true)
    expect(parsePublicUrl(input)).toEqual({ ok: false, reason: 'not_public_host' })
  })

  test.each([
    ['http://example.com/'],
    ['http://found.weir.test/'],
    ['https://github.io/'],
    ['http://192.168.0.1/'],
    ['http://[::1]/'],
  ])('reads %j as canonicalizeUrl does', (input) => {
    expect(parsePublicUrl(input)).toEqual(canonicalizeUrl(input))
    expect(parsePublicUrl(input).ok).toBe(true)
  })

  test('keeps the reason why a text is not a URL', () => {
    expect(parsePublicUrl('data:,x')).toEqual({ ok: false, reason: 'unsupported_scheme' })
  })
})

describe('pageKey', () => {
  test('omits the scheme, the port and the user information', () => {
    const inputs = ['http://example.com/a?b', 'https://me@example.com:8443/a?b', 'example.com/a?b']
    for (const input of inputs) expect(pageKey(canonical(input))).toBe('example.com/a?b')
  })
})

describe('pathExpressions', () => {
  test.each([
    ['example.com', ['example.com/']],
    ['example.com/?q', ['example.com/?q', 'example.com/']],
    ['example.com/a/', ['example.com/a/', 'example.com/']],
    [
      'example.com/a/b/c/d/e.php?q/r',
      [
        'example.com/a/b/c/d/e.php?q/r',
        'example.com/a/b/c/d/e.php',
        'example.com/a/b/c/',
        'example.com/a/b/',
        'example.com/a/',
        'example.com/',
      ],
    ],
  ])('lists the pages to try for %s, most specific first', (input, keys) => {
    expect(pathExpressions(canonical(input))).toEqual(keys)
  })

  test('starts with the page itself, ends with the root and repeats nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
        const url = canonical(text)
        const keys = pathExpressions(url)
        expect(keys[0]).toBe(pageKey(url))
        expect(keys.at(-1)).toBe(`${url.host}/`)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.length).toBeLessThanOrEqual(6)
      }),
      runs,
    )
  })
})
