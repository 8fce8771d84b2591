/** The approximate set: what is certain, what is likely, and that the native hashing is in use. */

import { describe, expect, spyOn, test } from 'bun:test'
import { BloomFilter } from 'bloom-filters'
import fc from 'fast-check'
import { Membership } from '../../src/index/membership.ts'
import { runs } from './laws.ts'

const seed = 0xffff_ffff
const keys = (count: number, rest: string): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}${rest}`)

/** Makes a set of keys, with room for twice as many. */
function makeMembership(added: readonly string[], capacity = added.length * 2): Membership {
  const membership = new Membership(capacity, seed)
  for (const key of added) membership.add(key)
  return membership
}

const countMaybe = (membership: Membership, asked: readonly string[]): number =>
  asked.filter((key) => membership.test(key) === 'maybe').length

describe('Membership.test', () => {
  test('never says absent of a key that was added, even far above capacity', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.nat(),
        fc.nat(50),
        (added, secret, room) => {
          const membership = new Membership(room, secret)
          for (const key of added) membership.add(key)
          expect(added.every((key) => membership.test(key) === 'maybe')).toBe(true)
        },
      ),
      runs,
    )
  })

  test('says absent of everything while it is empty', () => {
    expect(countMaybe(new Membership(10, seed), keys(1_000, '.example/'))).toBe(0)
  })

  test('says maybe of fewer than 1 in 300 absent keys at capacity', () => {
    const membership = makeMembership(keys(100_000, '.example/'), 100_000)
    const rate = countMaybe(membership, keys(100_000, '.test/')) / 100_000
    expect(rate).toBeLessThan(1 / 300)
    expect(rate).toBeCloseTo(membership.falsePositiveRate, 3)
  })

  test('knows a key whatever the memory of its string looks like', () => {
    const membership = makeMembership(['example.com/a'])
    const wide = `\u4e00example.com/a`.slice(1)
    expect(membership.test(wide)).toBe('maybe')
    expect(membership.test(['example', '.com/a'].join(''))).toBe('maybe')
  })

  test('answers differently under another seed', () => {
    const asked = keys(200_000, '.test/')
    const falsePositives = (secret: number): string => {
      const membership = new Membership(1_000, secret)
      for (const key of keys(1_000, '.example/')) membership.add(key)
      return asked.filter((key) => membership.test(key) === 'maybe').join()
    }
    expect(falsePositives(1)).toBe(falsePositives(1))
    expect(falsePositives(1)).not.toBe(falsePositives(2))
  })
})

describe('the native hashing', () => {
  test('is what the library uses, twice a key and with different seeds', () => {
    const membership = new Membership(10, 7)
    const native = spyOn(Bun.hash, 'xxHash32')
    try {
      membership.add('example.com/a')
      membership.test('example.com/a')
      expect(native.mock.calls).toEqual([
        ['example.com/a', 8],
        ['example.com/a', 9],
        ['example.com/a', 8],
        ['example.com/a', 9],
      ])
    } finally {
      native.mockRestore()
    }
  })

  test('sets other bits than the stock hashing would, and as many', () => {
    const stock = new BloomFilter(16 * 10, 4)
    stock.seed = 7
    stock.add('example.com/a')
    const membership = new Membership(10, 7)
    membership.add('example.com/a')
    const [bits] = membership.serialise().buffers
    expect(bits?.byteLength).toBe(stock._filter.array.byteLength)
    expect(new Uint8Array(bits ?? new ArrayBuffer())).not.toEqual(stock._filter.array)
  })
})

describe('Membership.isDue', () => {
  test('is true at capacity', () => {
    const membership = makeMembership(keys(99, ''), 100)
    expect(membership.isDue).toBe(false)
    membership.add('last')
    expect(membership.isDue).toBe(true)
  })

  test('is true when more than a quarter of many keys are gone', () => {
    const membership = makeMembership(keys(10_000, ''))
    for (let gone = 0; gone < 2_500; gone++) membership.noteRemoved()
    expect(membership.isDue).toBe(false)
    membership.noteRemoved()
    expect(membership.isDue).toBe(true)
  })

  test('is false for a few that are gone, however few there are', () => {
    const membership = makeMembership(keys(10, ''))
    for (let gone = 0; gone < 10; gone++) membership.noteRemoved()
    expect(membership.isDue).toBe(false)
  })
})

describe('Membership.from', () => {
  const image = () => makeMembership(keys(1_000, '.example/')).serialise()

  test('makes the same set of its image, and goes on from there', () => {
    const original = makeMembership(keys(1_000, '.example/'))
    for (let gone = 0; gone < 500; gone++) original.noteRemoved()
    const copy = Membership.from(structuredClone(original.serialise()))
    if (!copy.ok) throw new Error(copy.reason)
    const asked = keys(20_000, '.test/')
    expect(countMaybe(copy.value, keys(1_000, '.example/'))).toBe(1_000)
    expect(asked.map((key) => copy.value.test(key))).toEqual(asked.map((key) => original.test(key)))
    for (const set of [original, copy.value]) set.add('one more')
    expect(copy.value.serialise()).toEqual(original.serialise())
  })

  test('takes the memory over when it is transferred', () => {
    const { header, buffers } = image()
    const moved = structuredClone(buffers, { transfer: [...buffers] })
    const copy = Membership.from({ header, buffers: moved })
    expect(copy.ok && copy.value.test('n1.example/')).toBe('maybe')
    expect(buffers[0]?.byteLength).toBe(0)
  })

  test('refuses what is no membership, of another version, or of another size', () => {
    const { header, buffers } = image()
    const withWord = (at: number, value: number) => {
      const changed = header.slice()
      changed[at] = value
      return changed
    }
    const cases = [
      [new Uint32Array(0), buffers, 'other_kind'],
      [withWord(0, 1), buffers, 'other_kind'],
      [withWord(1, 2), buffers, 'other_version'],
      [header.slice(0, 4), buffers, 'broken'],
      [withWord(3, 0), buffers, 'broken'],
      [withWord(3, 0xffff_ffff), buffers, 'broken'],
      [withWord(3, 1_999), buffers, 'broken'],
      [header, [], 'broken'],
      [header, [new ArrayBuffer(3)], 'broken'],
    ] as const
    for (const [changed, given, reason] of cases) {
      expect(Membership.from({ header: changed, buffers: given })).toEqual({ ok: false, reason })
    }
  })
})

describe('new Membership', () => {
  test('throws above the number of keys that one set holds', () => {
    expect(() => new Membership(2 ** 27 + 1, seed)).toThrow(/134217728 at most/)
  })
})
