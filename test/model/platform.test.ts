/**
 * Shared infrastructure: the platform of a host, and what to judge there.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FactError } from '../../src/model/fact-lines.ts'
import {
  extendPlatforms,
  findPlatformUnit,
  type Platform,
  PlatformTable,
  parsePlatforms,
  platformNote,
} from '../../src/model/platform.ts'
import { canonicalizeUrl } from '../../src/model/url.ts'

const { FUZZ_RUNS = '200' } = process.env
const runs = { numRuns: Number(FUZZ_RUNS) }

const platforms = parsePlatforms(`
# Invented platforms.
builder.example tenant
pages.builder.example page   # a special part of it
docs.example.com  page\r
sho.example\tredirect
eu.org registry
shop.eu.org tenant
constructor.example tenant
`)

function canonical(text: string) {
  const url = canonicalizeUrl(text)
  if (!url.ok) throw new Error(`${text} was refused: ${url.reason}`)
  return url.value
}

describe('findPlatform', () => {
  test.each([
    ['builder.example', 'builder.example', 'tenant'],
    ['shop.builder.example', 'builder.example', 'tenant'],
    ['a.b.c.builder.example', 'builder.example', 'tenant'],
    ['pages.builder.example', 'pages.builder.example', 'page'],
    ['x.pages.builder.example', 'pages.builder.example', 'page'],
    ['docs.example.com', 'docs.example.com', 'page'],
    ['sho.example', 'sho.example', 'redirect'],
    ['a.shop.eu.org', 'shop.eu.org', 'tenant'],
    // From the private section of the Public Suffix List.
    ['pages.dev', 'pages.dev', 'tenant'],
    ['a.tenant.pages.dev', 'pages.dev', 'tenant'],
    ['tenant.github.io', 'github.io', 'tenant'],
  ] as const)('%s lies on %s', (host, apex, mode) => {
    expect(platforms.findPlatform(host)).toMatchObject({ apex, mode })
  })

  test.each([
    ['example.com'],
    ['www.example.com'],
    ['notbuilder.example'],
    ['example'],
    ['builder.example.com'],
    ['eu.org'],
    ['example.eu.org'],
    ['constructor'],
    ['__proto__'],
    ['a.constructor'],
    ['toString.__proto__'],
    ['203.0.113.7'],
    ['[2001:db8::1]'],
    [''],
  ])('%j is on none', (host) => {
    expect(platforms.findPlatform(host)).toBeNull()
  })

  test('a longer suffix of the public list wins over the table, an equal one does not', () => {
    const rows = parsePlatforms('cloudflare.net tenant\ncdn.cloudflare.net page\ngithub.io page')
    expect(rows.findPlatform('a.github.io')).toEqual({ apex: 'github.io', mode: 'page' })
    const wide = parsePlatforms('appspot.com page')
    expect(wide.findPlatform('a.appspot.com')).toEqual({ apex: 'appspot.com', mode: 'page' })
    expect(wide.findPlatform('a.ey.r.appspot.com')).toEqual({
      apex: 'ey.r.appspot.com',
      mode: 'tenant',
    })
  })

  test('finds the longest row above a host, like a search of all rows', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
      .map((labels) => [...labels, 'example'].join('.'))
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), name, (apexes, host) => {
        const table = parsePlatforms(apexes.map((apex) => `${apex} page`).join('\n'))
        const above = apexes.filter((apex) => `.${host}`.endsWith(`.${apex}`))
        const longest = above.sort((a, b) => b.length - a.length)[0]
        expect(table.findPlatform(host)?.apex).toBe(longest)
      }),
      runs,
    )
  })
})

describe('parsePlatforms', () => {
  test('lists the platforms of the table in its order, without registries', () => {
    expect(platforms.named.map(({ apex }) => apex)).toEqual([
      'builder.example',
      'pages.builder.example',
      'docs.example.com',
      'sho.example',
      'shop.eu.org',
      'constructor.example',
    ])
    expect(parsePlatforms('').named).toEqual([])
  })

  test.each([
    ['builder.example', 'line 1, "builder.example"'],
    ['\nbuilder.example host', 'line 2, "builder.example host"'],
    ['builder.example page page', 'one of tenant, page, redirect, registry'],
    ['Builder.example page', 'lower case'],
    ['b\u00FCcher.example page', 'A-labels'],
    ['*.builder.example page', 'lower case'],
    ['203.0.113.7 page', 'lower case'],
    ['com tenant', 'public name'],
    ['co.uk tenant', 'public name'],
    [
      'a.example page\na.example tenant',
      'line 2, "a.example tenant": a.example is already in the table',
    ],
  ])('refuses %j with its line and the mistake', (text, message) => {
    expect(() => parsePlatforms(text)).toThrow(FactError)
    expect(() => parsePlatforms(text)).toThrow(message)
  })
})

describe('extendPlatforms', () => {
  const added: Platform[] = [
    { apex: 'new.example', mode: 'page' },
    { apex: 'shop.builder.example', mode: 'redirect' },
    // Entries of the base and the Public Suffix List remain.
    { apex: 'builder.example', mode: 'redirect' },
    { apex: 'eu.org', mode: 'tenant' },
    { apex: 'github.io', mode: 'page' },
    { apex: 'new.example', mode: 'tenant' },
  ]
  const extended = extendPlatforms(platforms, added)

  test.each([
    ['a.new.example', 'new.example', 'page'],
    ['a.shop.builder.example', 'shop.builder.example', 'redirect'],
    ['a.builder.example', 'builder.example', 'tenant'],
    ['a.github.io', 'github.io', 'tenant'],
    ['a.shop.eu.org', 'shop.eu.org', 'tenant'],
  ] as const)('%s lies on %s', (host, apex, mode) => {
    expect(extended.findPlatform(host)).toEqual({ apex, mode })
  })

  test('a registry of the base is no platform, nor is a name below it on a shorter platform', () => {
    expect(extended.findPlatform('a.eu.org')).toBeNull()
    const registry = parsePlatforms('market.example.com registry')
    const wide = extendPlatforms(registry, [{ apex: 'example.com', mode: 'tenant' }])
    expect(wide.findPlatform('shop.market.example.com')).toBeNull()
    expect(wide.findPlatform('shop.example.com')?.apex).toBe('example.com')
  })

  test('appends what it added to the base, and does not change the base', () => {
    const before = platforms.named.length
    expect(extended.named.slice(before)).toEqual(added.slice(0, 2))
    expect([...extended.rows()].slice(0, before + 1)).toEqual([...platforms.rows()])
    expect(platforms.named).toHaveLength(before)
    expect(platforms.findPlatform('new.example')).toBeNull()
  })

  test('answers like a table of all rows', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
      .map((labels) => [...labels, 'example'].join('.'))
    const names = fc.uniqueArray(name, { maxLength: 8 })
    const platformsAt = (apexes: readonly string[]) =>
      apexes.map((apex) => ({ apex, mode: 'page' }) as const)
    fc.assert(
      fc.property(names, names, name, (some, others, host) => {
        const first = extendPlatforms(new PlatformTable(), platformsAt(some))
        const both = extendPlatforms(first, platformsAt(others))
        const all = parsePlatforms(
          [...new Set([...some, ...others])].map((apex) => `${apex} page`).join('\n'),
        )
        expect(both.findPlatform(host)).toEqual(all.findPlatform(host))
        expect(both.named).toEqual(all.named)
      }),
      runs,
    )
  })
})

const tenant: Platform = { apex: 'builder.example', mode: 'tenant' }
const page: Platform = { apex: 'docs.example.com', mode: 'page' }
const redirect: Platform = { apex: 'sho.example', mode: 'redirect' }

describe('findPlatformUnit', () => {
  test.each([
    [tenant, 'https://a.b.builder.example/x', 'the exact subdomain', 'b.builder.example'],
    [tenant, 'https://b.builder.example/', 'the exact subdomain', 'b.builder.example'],
    [tenant, 'https://builder.example/', 'the exact subdomain', 'builder.example'],
    [page, 'https://docs.example.com/d/1?x', 'the exact page', 'docs.example.com/d/1?x'],
    [redirect, 'https://sho.example/abc', 'the exact page', 'sho.example/abc'],
  ] as const)('on %o, %s is judged as %s', (platform, url, phrase, value) => {
    expect(findPlatformUnit(platform, canonical(url))).toEqual({ phrase, value })
  })
})

describe('platformNote', () => {
  test('names the platform and the unit in one sentence', () => {
    expect(platformNote(tenant)).toBe(
      'builder.example hosts pages of many people; judge the exact subdomain.',
    )
    expect(platformNote(page)).toContain('judge the exact page.')
    expect(platformNote(redirect)).toMatch(/unknown, as it is never fetched\.$/)
  })
})
