/**
 * The laws of an index of hosts, and what they are tried on: whatever answers `match` must pass
 * them.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { emptyHostMatch, type HostMatch, hostFlag } from '../../src/index/host-match.ts'
import { NaiveHosts } from './naive-hosts.ts'

/**
 * The part of an index that the laws speak of; the trie's own documentation says what each does.
 */
export interface HostIndex {
  readonly size: number
  set(host: string, flags: number, record: number): boolean
  clear(host: string, flags: number): boolean
  match(text: string, start: number, end: number, found: HostMatch): number
}

const { FUZZ_RUNS = '200' } = process.env
/** How often a property is tried. */
export const runs = { numRuns: Number(FUZZ_RUNS) }

const { listed, doNotBlock, platformTenant, platformRedirect, pages, allowed } = hostFlag

/** Looks `host` up in the middle of a URL, as a check does. */
export function matchInUrl(index: HostIndex, host: string): { met: number; found: HostMatch } {
  const found = emptyHostMatch()
  const url = `https://${host}/a.b?c=d.e`
  return { met: index.match(url, 8, 8 + host.length, found), found }
}

/** Returns the nearest listed name at or above `host`, or null. */
export function listedName(index: HostIndex, host: string): string | null {
  const { found } = matchInUrl(index, host)
  return found.listedStart === -1 ? null : host.slice(found.listedStart - 8)
}

const label = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'aa', 'ab', 'ba', 'abc', 'bc', 'c') },
  { weight: 2, arbitrary: fc.constantFrom('com', 'co', 'uk', 'm', 'om', '1', '13', '203') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'tostring', '-', '_', '0') },
  { weight: 1, arbitrary: fc.constantFrom('xn--80ak6aa92e', 'login-secure-account-update') },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 64 }).map((length) => 'l'.repeat(length)) },
)

/** Hosts that share labels and parents, some of them too long, and single labels. */
export const anyHost: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 12, arbitrary: fc.array(label, { minLength: 1, maxLength: 5 }) },
    { weight: 1, arbitrary: fc.integer({ min: 120, max: 128 }).map((n) => Array(n).fill('a')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(['[2001:db8::1]'], ['[::1]'], ['a', '[::1]'], ['', 'a']),
    },
  )
  .map((labels) => labels.join('.'))

const flags = fc.oneof(
  fc.constantFrom(listed, pages, platformTenant, allowed, listed | doNotBlock),
  fc.integer({ min: 1, max: 255 }),
)
const record = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff_fffe }))

/** Something done to an index or asked of it. */
type Step = (index: HostIndex) => unknown

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(anyHost, flags, record).map(
      ([host, given, id]): Step =>
        (index) =>
          index.set(host, given, id),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(anyHost, flags).map(
      ([host, taken]): Step =>
        (index) =>
          index.clear(host, taken),
    ),
  },
  {
    weight: 4,
    arbitrary: anyHost.map(
      (host): Step =>
        (index) =>
          matchInUrl(index, host),
    ),
  },
)

/** Declares the laws for the index that `makeSubject` makes, empty each time. */
export function hostIndexLaws(name: string, makeSubject: () => HostIndex): void {
  describe(`${name} keeps the laws of a host index`, () => {
    test('an empty index has no entry for anything', () => {
      const index = makeSubject()
      expect(matchInUrl(index, 'www.example.com')).toEqual({ met: 0, found: emptyHostMatch() })
      expect(index.size).toBe(0)
    })

    test('a listed name and every name below it are listed', () => {
      const index = makeSubject()
      index.set('evil.example', listed, 7)
      for (const host of ['evil.example', 'www.evil.example', 'a.b.c.d.e.f.evil.example']) {
        expect(listedName(index, host)).toBe('evil.example')
        expect(matchInUrl(index, host).found.listedRecord).toBe(7)
      }
    })

    test('a name above, next to or merely ending in a listed name is not listed', () => {
      const index = makeSubject()
      index.set('evil.example.com', listed, 7)
      const others = [
        'com',
        'example.com',
        'good.example.com',
        'notevil.example.com',
        'il.example.com',
      ]
      for (const host of [...others, 'evil.example', 'evil.example.co', 'evil.example.com.au']) {
        expect(listedName(index, host)).toBeNull()
      }
    })

    test('the nearest of several listed parents answers', () => {
      const index = makeSubject()
      index.set('example.com', listed | doNotBlock, 1)
      index.set('shop.example.com', listed, 2)
      expect(listedName(index, 'a.shop.example.com')).toBe('shop.example.com')
      expect(matchInUrl(index, 'a.shop.example.com').found.listedRecord).toBe(2)
      expect(matchInUrl(index, 'a.example.com').found.listedFlags).toBe(listed | doNotBlock)
    })

    test('an allowed name is reported along with the listing it overrides', () => {
      const index = makeSubject()
      index.set('example.com', listed, 1)
      index.set('good.example.com', allowed, 2)
      const { found } = matchInUrl(index, 'www.good.example.com')
      expect(found.allowedStart).toBeLessThan(found.listedStart)
      expect(found.allowedRecord).toBe(2)
    })

    test('the flags of the host itself are distinguished from those of its parents', () => {
      const index = makeSubject()
      index.set('pages.example', platformTenant, 0)
      index.set('t.pages.example', pages, 0)
      const tenant = matchInUrl(index, 't.pages.example')
      expect(tenant.found).toMatchObject({ hostFlags: pages, platformFlags: platformTenant })
      expect(tenant.met).toBe(pages | platformTenant)
      expect(matchInUrl(index, 'u.pages.example').found.hostFlags).toBe(0)
    })

    test('flags add up, and a record stays until another is given', () => {
      const index = makeSubject()
      index.set('example.com', listed, 5)
      index.set('example.com', pages, 0)
      expect(matchInUrl(index, 'example.com').found).toMatchObject({
        hostFlags: listed | pages,
        hostRecord: 5,
      })
      expect(index.size).toBe(1)
    })

    test('a name without its last flag is gone, record and all, and can come back', () => {
      const index = makeSubject()
      index.set('a.example.com', listed, 1)
      index.set('example.com', listed | platformRedirect, 2)
      expect(index.clear('example.com', listed)).toBe(true)
      expect(index.clear('example.com', listed)).toBe(false)
      expect(index.size).toBe(2)
      expect(index.clear('example.com', 255)).toBe(true)
      expect(index.size).toBe(1)
      expect(listedName(index, 'b.example.com')).toBeNull()
      expect(listedName(index, 'a.example.com')).toBe('a.example.com')
      index.set('example.com', pages, 0)
      expect(matchInUrl(index, 'example.com').found.hostRecord).toBe(0)
    })

    test('names that objects have by themselves are names like others', () => {
      const index = makeSubject()
      expect(listedName(index, 'constructor.__proto__')).toBeNull()
      index.set('__proto__.example.com', listed, 1)
      index.set('constructor', listed, 2)
      expect(listedName(index, 'x.__proto__.example.com')).toBe('__proto__.example.com')
      expect(listedName(index, '__proto__.constructor')).toBe('constructor')
      expect(listedName(index, 'tostring.example.com')).toBeNull()
    })

    test('addresses are names: four labels, or one in brackets', () => {
      const index = makeSubject()
      index.set('203.0.113.7', listed, 1)
      index.set('[2001:db8::1]', listed, 2)
      expect(listedName(index, '203.0.113.7')).toBe('203.0.113.7')
      expect(listedName(index, '203.0.113.17')).toBeNull()
      expect(listedName(index, '[2001:db8::1]')).toBe('[2001:db8::1]')
      expect(listedName(index, '[2001:db8::11]')).toBeNull()
    })

    test('what cannot be a canonical host is refused and leaves nothing behind', () => {
      const index = makeSubject()
      const tooLong = `${'a.'.repeat(126)}bc`
      const bad = ['', '.', '.com', 'com.', 'a..b', 'EVIL.example', 'bücher.example', 'a b.example']
      for (const host of [...bad, `${'a'.repeat(64)}.com`, tooLong, 'a\u0000.com']) {
        expect(index.set(host, listed, 1)).toBe(false)
        expect(index.clear(host, listed)).toBe(false)
      }
      expect(index.size).toBe(0)
    })

    test('the longest host, in labels and in characters, is held', () => {
      const index = makeSubject()
      const manyLabels = `${'a.'.repeat(126)}b`
      const longLabels = ['a', 'b', 'c', 'd'].map((c) => c.repeat(c === 'a' ? 61 : 63)).join('.')
      for (const host of [manyLabels, longLabels]) {
        expect(host).toHaveLength(253)
        expect(index.set(host, listed, 1)).toBe(true)
        expect(listedName(index, host)).toBe(host)
        expect(listedName(index, host.slice(2))).toBeNull()
      }
    })

    test('any sequence of additions, removals and look-ups answers as the naive index does', () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
          const index = makeSubject()
          const naive = new NaiveHosts()
          for (const act of steps) {
            expect(act(index)).toEqual(act(naive))
            expect(index.size).toBe(naive.size)
          }
        }),
        runs,
      )
    })
  })
}
