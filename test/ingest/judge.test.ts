import { describe, expect, test } from 'bun:test'
import type { EntryKind } from '../../src/ingest/formats/format.ts'
import type { Guards } from '../../src/ingest/guards.ts'
import { judge, type Refusal } from '../../src/ingest/judge.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import type { Sighting } from '../../src/store/batch.ts'

const guards: Guards = {
  isProtected: (host) => host === 'bank.example' || host === 'www.bank.example',
  isProtectedAddress: (address) => address === '192.0.2.53' || address === '2001:db8::35',
  isProtectedDigest: (digest) => digest === 'd41d8cd98f00b204e9800998ecf8427e',
  platforms: parsePlatforms(
    'za.com registry\nhosting.example tenant\ndocs.example page\nshort.example redirect',
  ),
}

describe('judging', () => {
  const rows: readonly [string, EntryKind, string, Sighting | Refusal][] = [
    ['a name', 'name', 'Evil.Example.', { type: 'domain', value: 'evil.example' }],
    [
      'a Unicode name',
      'name',
      'bücher.example',
      { type: 'domain', value: 'xn--bcher-kva.example' },
    ],
    ['an address in a list of names', 'name', '203.0.113.7', { type: 'ip', value: '203.0.113.7' }],
    ['IPv6', 'name', '2001:DB8:0::1', { type: 'ip', value: '2001:db8::1' }],
    ['a private address', 'name', '10.1.2.3', 'not_public_host'],
    ['loopback written as a number', 'name', '2130706433', 'not_public_host'],
    ['localhost', 'name', 'localhost', 'not_public_host'],
    ['a public suffix', 'name', 'co.uk', 'not_public_host'],
    ['a name with a port', 'name', 'evil.example:8080', 'invalid_character'],
    ['garbage', 'name', '%20%25**)(redacted@x.example', 'invalid_character'],
    ['a registry that is a private suffix', 'name', 'za.com', 'not_public_host'],
    ['a protected name', 'name', 'bank.example', 'protected_name'],
    ['a protected name with www', 'name', 'www.bank.example', 'protected_name'],
    [
      'a name below a protected one',
      'name',
      'evil.bank.example',
      { type: 'domain', value: 'evil.bank.example' },
    ],
    [
      'a tenant',
      'name',
      'evil.hosting.example',
      { type: 'domain', value: 'evil.hosting.example', platform: 'hosting.example' },
    ],
    [
      'a platform',
      'name',
      'hosting.example',
      { type: 'domain', value: 'hosting.example', doNotBlock: true },
    ],
    ['a platform with www', 'name', 'www.hosting.example', 'whole_platform'],
    [
      'a page',
      'url',
      'HTTP://Evil.Example:80/a#b',
      { type: 'url', value: 'http://evil.example/a', host: 'evil.example' },
    ],
    [
      'a page on an address',
      'url',
      'http://203.0.113.7/x',
      { type: 'url', value: 'http://203.0.113.7/x', host: '203.0.113.7' },
    ],
    ['a page on a private address', 'url', 'http://192.168.1.1/x', 'not_public_host'],
    [
      'a page of a platform',
      'url',
      'https://docs.example/d/1',
      {
        type: 'url',
        value: 'https://docs.example/d/1',
        host: 'docs.example',
        platform: 'docs.example',
      },
    ],
    ['the front page of a platform', 'url', 'https://docs.example/', 'whole_platform'],
    ['the front page of a platform with www', 'url', 'https://www.docs.example', 'whole_platform'],
    [
      'the front page of a tenant',
      'url',
      'https://evil.hosting.example/',
      {
        type: 'url',
        value: 'https://evil.hosting.example/',
        host: 'evil.hosting.example',
        platform: 'hosting.example',
      },
    ],
    ['the front page of a protected name', 'url', 'https://bank.example/', 'protected_name'],
    [
      'a page of a protected name',
      'url',
      'https://bank.example/hacked/login.php',
      { type: 'url', value: 'https://bank.example/hacked/login.php', host: 'bank.example' },
    ],
    [
      'a popular endpoint without its query',
      'url',
      'https://bank.example/search',
      'protected_name',
    ],
    [
      'the front page of a protected name with a query',
      'url',
      'https://bank.example/?x',
      'protected_name',
    ],
    ['a part of all pages of a platform', 'url', 'https://docs.example/forms/', 'whole_platform'],
    [
      'a page with a bare question mark',
      'url',
      'http://evil.example/login?',
      { type: 'url', value: 'http://evil.example/login', host: 'evil.example' },
    ],
    ['a section of a protected name', 'url', 'https://bank.example/online/', 'protected_name'],
    ['a directory of a protected name', 'url', 'https://bank.example/amp/s/', 'protected_name'],
    [
      'a directory of a protected name with a query',
      'url',
      'https://bank.example/amp/s/?id=1',
      { type: 'url', value: 'https://bank.example/amp/s/?id=1', host: 'bank.example' },
    ],
    [
      'a page to sign in to a protected name, its query cut off',
      'url',
      'https://bank.example/oauth2/v2.0/Authorize?',
      'protected_name',
    ],
    [
      'a page to sign in to a protected name with its query',
      'url',
      'https://bank.example/oauth2/authorize?client_id=1',
      {
        type: 'url',
        value: 'https://bank.example/oauth2/authorize?client_id=1',
        host: 'bank.example',
      },
    ],
    [
      'a page to sign in elsewhere',
      'url',
      'https://evil.example/oauth2/authorize',
      { type: 'url', value: 'https://evil.example/oauth2/authorize', host: 'evil.example' },
    ],
    [
      'a directory of everybody on a platform',
      'url',
      'https://docs.example/forms/d/e/',
      'whole_platform',
    ],
    [
      'a directory of somebody on a platform',
      'url',
      'https://docs.example/view/evil/',
      {
        type: 'url',
        value: 'https://docs.example/view/evil/',
        host: 'docs.example',
        platform: 'docs.example',
      },
    ],
    [
      'a short directory of a tenant',
      'url',
      'https://evil.hosting.example/a/b/',
      {
        type: 'url',
        value: 'https://evil.hosting.example/a/b/',
        host: 'evil.hosting.example',
        platform: 'hosting.example',
      },
    ],
    ['the front page of a protected address', 'url', 'http://192.0.2.53/', 'protected_address'],
    ['a protected address as a number', 'url', 'http://0xC0000235/', 'protected_address'],
    ['a protected IPv6 address', 'url', 'http://[2001:DB8::35]/', 'protected_address'],
    ['any: a protected address and port', 'any', '192.0.2.53:53/', 'protected_address'],
    [
      'a section of a protected address',
      'url',
      'https://192.0.2.53/dns-query',
      'protected_address',
    ],
    [
      'a page of a protected address',
      'url',
      'http://192.0.2.53/hacked/pay.html',
      { type: 'url', value: 'http://192.0.2.53/hacked/pay.html', host: '192.0.2.53' },
    ],
    ['another scheme', 'url', 'javascript:alert(1)', 'unsupported_scheme'],
    ['no host', 'url', 'http:///x', 'missing_host'],
    ['an address with a port', 'address', '203.0.113.7:443', { type: 'ip', value: '203.0.113.7' }],
    ['IPv6 with a port', 'address', '[2001:db8::1]:443', { type: 'ip', value: '2001:db8::1' }],
    ['a protected address', 'name', '192.0.2.53', 'protected_address'],
    ['a name that claims to be an address', 'address', 'a.example', 'invalid_host'],
    ['a network', 'network', '203.0.113.0/24', 'unsupported_type'],
    ['any: a network', 'any', '203.0.113.0/24', 'unsupported_type'],
    [
      'any: an address with a port',
      'any',
      '203.0.113.7:8443',
      { type: 'ip', value: '203.0.113.7' },
    ],
    [
      'any: a page of an address',
      'any',
      '203.0.113.7/x.php',
      { type: 'url', value: 'http://203.0.113.7/x.php', host: '203.0.113.7' },
    ],
    ['any: a name', 'any', 'evil.example', { type: 'domain', value: 'evil.example' }],
    ['any: an IPv6 address', 'any', '2001:db8::1', { type: 'ip', value: '2001:db8::1' }],
    ['any: a path alone', 'any', '/gate.php', 'missing_host'],
    [
      'any: a digest',
      'any',
      'DA39A3EE5E6B4B0D3255BFEF95601890AFD80709',
      { type: 'sha1', value: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' },
    ],
    [
      'a digest of harmless files',
      'digest',
      'd41d8cd98f00b204e9800998ecf8427e',
      'protected_digest',
    ],
    ['a digest of no known length', 'digest', 'abc', 'not_a_digest'],
    [
      'any: an e-mail address',
      'any',
      'Evil@Mail.Example',
      { type: 'email', value: 'evil@mail.example', host: 'mail.example' },
    ],
    ['an e-mail address without a name', 'email', '@mail.example', 'not_an_email'],
  ]
  for (const [name, kind, text, expected] of rows) {
    test(name, () => {
      const judged = judge({ kind, text }, guards)
      expect<Sighting | Refusal>(judged.ok ? judged.value : judged.reason).toEqual(expected)
    })
  }
})
