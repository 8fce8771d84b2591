/** How each full list is written, and that nothing can be in it but entries about themselves. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ListName,
  listFormats,
  listHeader,
  listNames,
} from '../../../src/publish/lists/list-formats.ts'
import { facts, findWanted, hostileValues, listText, nastyNames } from './list-text.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
/** Any code units, halves of pairs among them. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((codes) => String.fromCharCode(...codes))
const domainLists = listNames.filter((name) => listFormats[name].type === 'domain')

/** A line of each list after its header. */
const entryLines: Readonly<Record<ListName, RegExp>> = {
  'domains.txt': /^[a-z0-9_.-]+$/,
  'domains.hosts': /^0\.0\.0\.0 [a-z0-9_.-]+$/,
  'domains.adblock': /^\|\|[a-z0-9_.-]+\^$/,
  'domains.dnsmasq': /^local=\/[a-z0-9_.-]+\/$/,
  'domains.unbound': /^local-zone: "[a-z0-9_.-]+" always_nxdomain$/,
  'domains.rpz': /^(?:\*\.)?[a-z0-9_.-]+ CNAME \.$/,
  'urls.txt': /^(?:https?|ftp):\/\/[\x21-\x7e]+$/,
}

const formatEntries = (name: ListName, values: readonly string[]): string[] =>
  listText(name, values)
    .slice(listHeader(name, { ...facts, entryCount: findWanted(name, values).length }).length)
    .split('\n')

describe('listHeader', () => {
  const comments = (mark: string): string[] => [
    `${mark} Title: weir phishing domains`,
    `${mark} Description: Domains of phishing, malware, scams and spam, without platforms that many people share`,
    `${mark} Version: 12305`,
    `${mark} Last modified: 2026-11-20T08:15:30.123Z`,
    `${mark} Expires: 1 hour`,
    `${mark} Number of entries: 2`,
    `${mark} Licence: each entry has the licence of its sources`,
    `${mark} Source: Example list (CC0-1.0)`,
    `${mark} Source: Second list (MIT)`,
    `${mark} Homepage: https://weir.example.org`,
  ]

  test.each<[ListName, string[]]>([
    ['domains.txt', comments('#')],
    ['domains.hosts', comments('#')],
    ['domains.adblock', ['[Adblock Plus]', ...comments('!')]],
    ['domains.dnsmasq', comments('#')],
    ['domains.unbound', [...comments('#'), 'server:']],
    [
      'domains.rpz',
      [
        ...comments(';'),
        '$TTL 300',
        '@ SOA localhost. root.localhost. 3 3600 600 604800 300',
        '@ NS localhost.',
      ],
    ],
  ])('says what %s is, in its own syntax', (name, lines) => {
    expect(listHeader(name, facts).split('\n')).toEqual([...lines, ''])
  })

  test('says that URLs are pages', () => {
    expect(listHeader('urls.txt', facts)).toStartWith('# Title: weir phishing URLs\n')
  })

  test('holds whatever sources are called on one short line each', () => {
    const property = fc.property(anyText, fc.nat(20), (text, count) => {
      const source = `${text}\nlocal=/everything.test/${text.repeat(count)}`
      for (const name of listNames) {
        const header = listHeader(name, { ...facts, sources: [source] })
        expect(header.split('\n')).toHaveLength(listHeader(name, facts).split('\n').length - 1)
        // dnsmasq reads a line in pieces of 1,024 bytes.
        const longest = Math.max(...header.split('\n').map((line) => Buffer.byteLength(line)))
        expect(longest).toBeLessThan(1_000)
      }
    })
    fc.assert(property, { numRuns })
  })

  test('has a serial that ascends with the number and fits into 32 bits', () => {
    const serialAt = (number: number): number =>
      Number(/SOA \S+ \S+ (\d+) /.exec(listHeader('domains.rpz', { ...facts, number }))?.[1])
    const numbers = [0, 4095, 4096, 8191, 8192, 4096 * 0xffff_ffff]
    expect(numbers.map(serialAt)).toEqual([0, 0, 1, 1, 2, 0xffff_ffff])
  })
})

describe('entries', () => {
  test.each<[ListName, string, string]>([
    ['domains.txt', 'evil.test', 'evil.test\n'],
    ['domains.hosts', 'evil.test', '0.0.0.0 evil.test\n'],
    ['domains.adblock', 'evil.test', '||evil.test^\n'],
    ['domains.dnsmasq', 'evil.test', 'local=/evil.test/\n'],
    ['domains.unbound', 'evil.test', 'local-zone: "evil.test" always_nxdomain\n'],
    ['domains.rpz', 'evil.test', 'evil.test CNAME .\n*.evil.test CNAME .\n'],
    ['urls.txt', 'https://evil.test/a?b=%0A', 'https://evil.test/a?b=%0A\n'],
  ])('of %s for %s are %j', (name, value, lines) => {
    expect(listFormats[name].isWanted(value)).toBe(true)
    expect(listFormats[name].lines(value)).toBe(lines)
  })

  test.each(domainLists)('of %s leave out what is no canonical name', (name) => {
    expect(findWanted(name, hostileValues)).toEqual([])
  })

  test.each([
    'https://evil.test/a b',
    'https://evil.test/\nhttps://second.test/',
    'https://evil.test/\u2028',
    'https://evil.test/ü',
    'https://',
    'javascript:alert(1)',
    'evil.test/',
    '# https://evil.test/',
    '',
  ])('of urls.txt leave out %j', (value) => {
    expect(listFormats['urls.txt'].isWanted(value)).toBe(false)
  })

  test('of domains.txt, hosts, dnsmasq and unbound hold every canonical name', () => {
    for (const name of [
      'domains.txt',
      'domains.hosts',
      'domains.dnsmasq',
      'domains.unbound',
    ] as const) {
      expect(findWanted(name, nastyNames)).toEqual([...nastyNames])
    }
  })

  test('of adblock leave out names that would stand for all that end like them', () => {
    const left = nastyNames.filter((name) => !listFormats['domains.adblock'].isWanted(name))
    expect(left.filter((name) => /^[a-z0-9]/.test(name))).toEqual([])
    expect(left).toContain('_dmarc.evil.test')
  })

  test('of rpz leave out rules about addresses and servers, and what a zone may have no room for', () => {
    const left = nastyNames.filter((name) => !listFormats['domains.rpz'].isWanted(name))
    expect(left.filter((name) => !name.includes('.rpz-') && name.length <= 187)).toEqual([])
    for (const name of nastyNames.filter((each) => each.includes('.rpz-')))
      expect(left).toContain(name)
    const ofLength = (length: number): string =>
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(length - 133)}.test`
    expect(listFormats['domains.rpz'].isWanted(ofLength(187))).toBe(true)
    expect(listFormats['domains.rpz'].isWanted(ofLength(188))).toBe(false)
  })

  test('are all there is, whatever the values', () => {
    const value = fc.oneof(
      anyText,
      fc.constantFrom(...hostileValues, ...nastyNames),
      anyText.map((text) => `https://evil.test/${text}`),
    )
    const property = fc.property(fc.array(value), (values) => {
      for (const name of listNames) {
        const lines = formatEntries(name, values)
        expect(lines.pop()).toBe('')
        expect(lines.filter((line) => !entryLines[name].test(line))).toEqual([])
        const perEntry = name === 'domains.rpz' ? 2 : 1
        expect(lines).toHaveLength(findWanted(name, values).length * perEntry)
      }
    })
    fc.assert(property, { numRuns })
  })
})
