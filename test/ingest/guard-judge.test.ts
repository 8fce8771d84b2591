import { describe, expect, test } from 'bun:test'
import type { EntryKind } from '../../src/ingest/formats/format.ts'
import { judgeGuard } from '../../src/ingest/guard-judge.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import type { Refusal } from '../../src/ingest/judge.ts'
import type { PlatformMode } from '../../src/model/platform.ts'
import type { GuardEntry } from '../../src/store/batch.ts'

const guards = loadGuards()
const name = (value: string): GuardEntry => ({ kind: 'name', value })

describe('judging a guard', () => {
  const rows: readonly [
    string,
    EntryKind,
    PlatformMode | null,
    string,
    readonly GuardEntry[] | Refusal,
  ][] = [
    ['a name', 'name', null, 'Popular.Example.', [name('popular.example')]],
    ['a name with www, which is the same site', 'name', null, 'www.a.example', [name('a.example')]],
    [
      'a name below others, which nobody may list either',
      'name',
      null,
      'cdn.static.a.example',
      [name('cdn.static.a.example'), name('static.a.example'), name('a.example')],
    ],
    ['a public suffix', 'name', null, 'co.uk', 'not_public_host'],
    ['a single label', 'name', null, 'domain', 'not_public_host'],
    ['garbage', 'name', null, 'a b.example', 'invalid_character'],
    [
      'a platform',
      'name',
      'page',
      'pages.example',
      [{ kind: 'platform', value: 'pages.example', mode: 'page' }],
    ],
    ['a popular site among platforms', 'name', 'page', 'google.com', [name('google.com')]],
    [
      'a platform below another name',
      'name',
      'tenant',
      'sites.a.example',
      [{ kind: 'platform', value: 'sites.a.example', mode: 'tenant' }, name('a.example')],
    ],
    ['an address', 'address', null, '192.0.2.7', [{ kind: 'network', value: '192.0.2.7/32' }]],
    [
      'an address among names',
      'name',
      null,
      '192.0.2.7',
      [{ kind: 'network', value: '192.0.2.7/32' }],
    ],
    ['a network', 'network', null, '192.0.2.0/24', [{ kind: 'network', value: '192.0.2.0/24' }]],
    [
      'an IPv6 network',
      'network',
      null,
      '2001:DB8::/32',
      [{ kind: 'network', value: '2001:db8::/32' }],
    ],
    ['a network of too many bits', 'network', null, '192.0.2.0/33', 'invalid_host'],
    ['a network without bits', 'network', null, '192.0.2.0/', 'invalid_host'],
    [
      'the widest network',
      'network',
      null,
      '10.0.0.0/8',
      [{ kind: 'network', value: '10.0.0.0/8' }],
    ],
    ['a wider network', 'network', null, '10.0.0.0/7', 'too_wide'],
    ['every address', 'network', null, '0.0.0.0/0', 'too_wide'],
    [
      'the widest IPv6 network',
      'network',
      null,
      '2001::/16',
      [{ kind: 'network', value: '2001::/16' }],
    ],
    ['a wider IPv6 network', 'network', null, '2000::/15', 'too_wide'],
    ['any: a network', 'any', null, '192.0.2.0/24', [{ kind: 'network', value: '192.0.2.0/24' }]],
    [
      'any: a digest',
      'any',
      null,
      'D41D8CD98F00B204E9800998ECF8427E',
      [{ kind: 'digest', value: 'd41d8cd98f00b204e9800998ecf8427e' }],
    ],
    ['a digest of no known length', 'digest', null, 'abc', 'not_a_digest'],
    ['a page', 'url', null, 'https://a.example/x', 'unsupported_type'],
    ['an e-mail address', 'email', null, 'a@b.example', 'unsupported_type'],
  ]
  for (const [title, kind, mode, text, expected] of rows) {
    test(title, () => {
      const judged = judgeGuard({ kind, text }, mode, guards)
      expect<readonly GuardEntry[] | Refusal>(judged.ok ? judged.value : judged.reason).toEqual(
        expected,
      )
    })
  }
})

describe('what ships with weir', () => {
  test('protects popular sites, the names above them, and public resolvers', () => {
    expect(guards.isProtected('google.com')).toBe(true)
    expect(guards.isProtected('www.google.com')).toBe(true)
    expect(guards.isProtected('evil.google.com')).toBe(false)
    expect(guards.isProtectedAddress('1.1.1.1')).toBe(true)
    expect(guards.isProtectedAddress('2606:4700:4700::1111')).toBe(true)
    expect(guards.isProtectedAddress('203.0.113.7')).toBe(false)
  })
})
