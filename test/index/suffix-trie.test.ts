/** The trie against the laws and the naive index, and what is the trie's own: memory and images. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { hostFlag } from '../../src/index/host-match.ts'
import { type HashSecret, nodesPerName, SuffixTrie } from '../../src/index/suffix-trie.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import { anyHost, hostIndexLaws, listedName, matchInUrl, runs } from './laws.ts'
import { NaiveHosts } from './naive-hosts.ts'

const secret: HashSecret = [0x9e37_79b9, 0x0100_0193]
const { listed, pages, allowed } = hostFlag

hostIndexLaws('a naive index', () => new NaiveHosts())
hostIndexLaws('a trie with room', () => new SuffixTrie(1_000, secret))
hostIndexLaws('a trie that grows from nothing', () => new SuffixTrie(0, [0, 0]))
hostIndexLaws('a trie keyed with all ones', () => new SuffixTrie(5, [0xffff_ffff, 0xffff_ffff]))

/** Makes a trie of listed names, numbered from 1. */
function makeTrie(hosts: readonly string[], capacity = hosts.length * nodesPerName): SuffixTrie {
  const trie = new SuffixTrie(capacity, secret)
  for (const [index, host] of hosts.entries()) trie.set(host, listed, index + 1)
  return trie
}

const numbered = (count: number, rest: string): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}${rest}`)

const someHosts = fc.array(anyHost, { maxLength: 60, size: 'max' })

/** Returns the entries of a trie in an order of their own. */
function listEntries(trie: SuffixTrie): string[] {
  const entries: string[] = []
  trie.forEach((host, flags, record) => {
    entries.push(`${host} ${flags} ${record}`)
  })
  return entries.sort()
}

/**
 * Two texts in `texts` whose hash by `secret` is the same; the hash is written out again on
 * purpose.
 */
function collidingPair(texts: Iterable<string>): readonly [string, string] {
  const seen = new Map<number, string>()
  for (const text of texts) {
    let hash = secret[0] | 0
    for (const character of [...text].reverse()) {
      hash = Math.imul(hash ^ character.charCodeAt(0), secret[1] | 0x8001_0001)
      hash ^= hash >>> 15
    }
    const other = seen.get(hash)
    if (other !== undefined) return [other, text]
    seen.set(hash, text)
  }
  throw new Error('no two texts have the same hash; give more of them')
}

function* words(rest: string): Generator<string> {
  for (let number = 0; number < 2_000_000; number++) yield `${number.toString(36)}${rest}`
}

describe('SuffixTrie.get', () => {
  test('returns the entry of exactly the name, or null', () => {
    const trie = makeTrie(['a.example.com'])
    expect(trie.get('a.example.com')).toEqual({ flags: listed, record: 1 })
    expect(trie.get('example.com')).toBeNull()
    expect(trie.get('b.a.example.com')).toBeNull()
  })
})

describe('SuffixTrie.match', () => {
  test('looks at no character outside the range', () => {
    const trie = makeTrie(['evil.example'])
    const text = 'not.evil.example.com'
    const { found } = matchInUrl(trie, 'evil.example')
    expect(trie.match(text, 4, 16, found)).toBe(listed)
    expect(found.listedStart).toBe(4)
    expect(trie.match(text, 5, 16, found)).toBe(0)
    expect(trie.match(text, 4, 20, found)).toBe(0)
    expect(trie.match(text, 4, 4, found)).toBe(0)
  })

  test('compares characters, not their lower eight bits', () => {
    const trie = makeTrie(['evil.example'])
    expect(listedName(trie, `${String.fromCharCode(0x165)}vil.example`)).toBeNull()
  })

  test('tells names apart whose hashes are equal', () => {
    const [one, other] = collidingPair(words('.example.com'))
    const trie = makeTrie([one])
    expect(listedName(trie, one)).toBe(one)
    expect(listedName(trie, other)).toBeNull()
    trie.set(other, listed, 2)
    trie.clear(one)
    expect(listedName(trie, one)).toBeNull()
    expect(listedName(trie, other)).toBe(other)
  })

  test('tells top-level labels apart whose hashes are equal', () => {
    const [one, other] = collidingPair(words(''))
    const trie = makeTrie([`evil.${one}`])
    expect(listedName(trie, `www.evil.${other}`)).toBeNull()
    trie.set(`evil.${other}`, listed, 2)
    for (const top of [one, other]) expect(listedName(trie, `www.evil.${top}`)).toBe(`evil.${top}`)
  })

  test('finds a listed top-level label, and what is below it once it is gone', () => {
    const trie = makeTrie(['zip', 'evil.zip'])
    expect(listedName(trie, 'new.zip')).toBe('zip')
    trie.clear('zip')
    expect(listedName(trie, 'new.zip')).toBeNull()
    expect(listedName(trie, 'www.evil.zip')).toBe('evil.zip')
  })
})

describe('SuffixTrie.set', () => {
  test('throws at flags and records that an entry cannot hold', () => {
    const trie = new SuffixTrie(10, secret)
    for (const flags of [0, 256, 1.5, -1]) {
      expect(() => trie.set('example.com', flags, 1)).toThrow(/flags is/)
    }
    for (const record of [-1, 0xffff_ffff, 0.5]) {
      expect(() => trie.set('example.com', listed, record)).toThrow(/record is/)
    }
    expect(trie.set('example.com', 255, 0xffff_fffe)).toBe(true)
    expect(trie.get('example.com')).toEqual({ flags: 255, record: 0xffff_fffe })
  })

  test('grows as often as it must and forgets nothing', () => {
    const hosts = numbered(20_000, '.example.com')
    const trie = makeTrie(hosts, 1)
    expect(trie.size).toBe(hosts.length)
    expect(hosts.every((host, index) => trie.get(host)?.record === index + 1)).toBe(true)
    expect(trie.capacity).toBeLessThan(4 * hosts.length)
  })

  test('grows when every removed name is still the parent of another', () => {
    const manyLabels = `${'a.'.repeat(126)}b`
    for (const count of [1, 2, 5, 10, 20, 40, 80, 160, 320, 640]) {
      const hosts = numbered(count, '.example.com')
      const trie = makeTrie(hosts, count)
      for (const host of hosts) {
        trie.set(`www.${host}`, pages, 0)
        trie.clear(host)
      }
      trie.set(manyLabels, listed, 1)
      for (const host of hosts) trie.set(`mail.${host}`, pages, 0)
      expect(trie.size).toBe(2 * count + 1)
      expect(hosts.every((host) => trie.get(`www.${host}`) !== null)).toBe(true)
      expect(listedName(trie, manyLabels)).toBe(manyLabels)
    }
  })

  test('leaves dead nodes behind when it grows', () => {
    const hosts = numbered(2_000, '.example')
    const trie = makeTrie(hosts, 10)
    for (const host of hosts) trie.clear(host)
    expect(trie.deadBytes).toBeGreaterThan(0)
    const others = numbered(10_000, '.test')
    for (const host of others) trie.set(host, listed, 1)
    expect(trie.deadBytes).toBe(0)
    expect(trie.nodeCount).toBe(others.length + 1)
  })

  test('holds more than 65,535 names below one parent, and lets them go', () => {
    const hosts = numbered(70_000, '.example.com')
    const trie = makeTrie(['example.com', ...hosts])
    for (const host of hosts) trie.clear(host)
    expect(trie.size).toBe(1)
    expect(listedName(trie, hosts[69_999] ?? '')).toBe('example.com')
  })

  test('holds more than 16 MiB of labels', () => {
    const hosts = numbered(300_000, `${'x'.repeat(52)}.example`)
    const trie = makeTrie(hosts)
    expect(trie.byteLength).toBeGreaterThan(2 ** 24)
    expect(hosts.every((host) => listedName(trie, `www.${host}`) === host)).toBe(true)
    expect(hosts.some((host) => listedName(trie, `x${host}`) !== null)).toBe(false)
  })
})

describe('SuffixTrie.isDue', () => {
  test('is true at capacity, before the trie has to grow', () => {
    const trie = new SuffixTrie(1_000, secret)
    const hosts = numbered(2_000, '.example')
    const { byteLength, capacity } = trie
    let added = 0
    while (!trie.isDue) trie.set(hosts[added++] ?? '', listed, 1)
    expect(trie.nodeCount).toBe(capacity)
    expect(trie.byteLength).toBe(byteLength)
  })

  test('is true when a quarter of many nodes are dead, and not when they are back', () => {
    const hosts = numbered(10_000, '.example')
    const trie = makeTrie(hosts, 20_000)
    const gone = hosts.slice(0, 2_600)
    for (const host of gone) trie.clear(host)
    expect(trie.isDue).toBe(true)
    expect(trie.deadBytes).toBeGreaterThan(0)
    const { nodeCount } = trie
    for (const host of gone) trie.set(host, listed, 1)
    expect(trie.isDue).toBe(false)
    expect(trie.deadBytes).toBe(0)
    expect(trie.nodeCount).toBe(nodeCount)
  })

  test('is false for a few dead nodes, however few are alive', () => {
    const trie = makeTrie(numbered(10, '.example'), 100)
    for (const host of numbered(10, '.example')) trie.clear(host)
    expect(trie.isDue).toBe(false)
  })
})

describe('SuffixTrie.rebuilt', () => {
  test('makes a trie of the same entries under another secret, without what was dead', () => {
    fc.assert(
      fc.property(someHosts, someHosts, (added, removed) => {
        const trie = makeTrie(added, 10)
        for (const host of removed) trie.clear(host)
        const next = trie.rebuilt(10, [1, 2])
        expect(listEntries(next)).toEqual(listEntries(trie))
        expect(next.size).toBe(trie.size)
        expect(next.nodeCount).toBeLessThanOrEqual(trie.nodeCount)
        expect(next.deadBytes).toBe(0)
      }),
      runs,
    )
  })
})

describe('SuffixTrie.from', () => {
  const image = () => makeTrie(['a.example.com', 'b.example.com', '[::1]', 'zip'], 100).serialise()

  test('makes the same trie of its image, and goes on from there', () => {
    fc.assert(
      fc.property(someHosts, someHosts, (added, removed) => {
        const trie = makeTrie(added, 10)
        for (const host of removed) trie.clear(host)
        const { header, buffers } = trie.serialise()
        const copy = SuffixTrie.from({ header, buffers: structuredClone(buffers) })
        if (!copy.ok) throw new Error(copy.reason)
        expect(listEntries(copy.value)).toEqual(listEntries(trie))
        expect(copy.value.deadBytes).toBe(trie.deadBytes)
        for (const host of [...removed, ...added]) {
          expect(copy.value.set(host, allowed, 9)).toBe(trie.set(host, allowed, 9))
          expect(matchInUrl(copy.value, host)).toEqual(matchInUrl(trie, host))
        }
        expect(listEntries(copy.value)).toEqual(listEntries(trie))
        expect(copy.value.nodeCount).toBe(trie.nodeCount)
      }),
      runs,
    )
  })

  test('takes the memory over when it is transferred', () => {
    const { header, buffers } = image()
    const copy = SuffixTrie.from({
      header,
      buffers: structuredClone(buffers, { transfer: [...buffers] }),
    })
    expect(buffers[0]?.byteLength).toBe(0)
    expect(copy.ok && listedName(copy.value, 'x.a.example.com')).toBe('a.example.com')
  })

  test('refuses what is no trie, of another version, or of sizes that disagree', () => {
    const { header, buffers } = image()
    const [homes = new ArrayBuffer(), edges = new ArrayBuffer(), nodes = new ArrayBuffer()] =
      buffers
    const withWord = (at: number, value: number) => {
      const changed = header.slice()
      changed[at] = value
      return changed
    }
    const short = (buffer: ArrayBuffer) => buffer.slice(0, buffer.byteLength - 4)
    const cases = [
      [new Uint32Array(0), buffers, 'other_kind'],
      [withWord(0, 0x7472_6965), buffers, 'other_kind'],
      [withWord(1, 2), buffers, 'other_version'],
      [header.slice(0, 5), buffers, 'broken'],
      [withWord(4, 30), buffers, 'broken'],
      [withWord(4, 2), buffers, 'broken'],
      [withWord(5, nodes.byteLength), buffers, 'broken'],
      [withWord(5, 0), buffers, 'broken'],
      [withWord(6, 1_000), buffers, 'broken'],
      [withWord(7, 1_000), buffers, 'broken'],
      [withWord(8, 100), buffers, 'broken'],
      [header, [], 'broken'],
      [header, [homes, edges], 'broken'],
      [header, [short(homes), edges, nodes], 'broken'],
      [header, [homes, short(edges), nodes], 'broken'],
      [header, [homes, edges, nodes.slice(0, 40)], 'broken'],
      [header, [homes, edges, nodes.slice(0, nodes.byteLength - 2)], 'broken'],
    ] as const
    for (const [changed, given, reason] of cases) {
      expect(SuffixTrie.from({ header: changed, buffers: given })).toEqual({ ok: false, reason })
    }
  })

  test('a trie of damaged memory answers wrongly, but answers', () => {
    const whole = image()
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (places) => {
        const { header, buffers } = structuredClone(whole)
        for (const [index, place] of places.entries()) {
          const bytes = new Uint8Array(buffers[index % 3] ?? new ArrayBuffer())
          bytes[place % bytes.length] = place % 251
        }
        const damaged = SuffixTrie.from({ header, buffers })
        if (!damaged.ok) throw new Error(damaged.reason)
        for (const host of ['a.example.com', 'x.zip', '[::1]', 'c.b.example.com']) {
          matchInUrl(damaged.value, host)
        }
        expect(listEntries(damaged.value).length).toBeLessThan(10_000)
      }),
      runs,
    )
  })
})

const realList = 'domains/phishing_domains_union.txt.gz'

describeWith(realData(realList))('SuffixTrie on a real list', () => {
  test('agrees with a set of the names', () => {
    const text = new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(dataFolder, realList))))
    const names = text.split('\n')
    const trie = new SuffixTrie(names.length * nodesPerName, secret)
    const held = new Set(names.filter((name) => trie.set(name, listed, 1)))
    expect(trie.size).toBe(held.size)
    expect(held.size).toBeGreaterThan(234_000)
    const isListed = (host: string): boolean => {
      const labels = host.split('.')
      return labels.some((_, index) => held.has(labels.slice(index).join('.')))
    }
    let disagreements = 0
    for (const name of held) {
      for (const host of [name, `www.${name}`, `x${name}`, name.slice(1), name.slice(0, -1)]) {
        if (host.length <= 253 && (listedName(trie, host) !== null) !== isListed(host)) {
          disagreements++
        }
      }
    }
    expect(disagreements).toBe(0)
  })
})
