/**
 * The address index against a naive one that looks at every address, and what is its own: ranks,
 * memory, and generations.
 */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  AddressIndex,
  type AddressIndexOptions,
  type AddressPart,
  addressPartsMax,
} from '../../src/search/address-index.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import { randomNumbers } from '../random-numbers.ts'

const { FUZZ_RUNS = '200' } = process.env
/** How often a property is tried. */
const runs = { numRuns: Number(FUZZ_RUNS) }

/** Everything happens as soon as it can. */
const early: AddressIndexOptions = { capacity: 0, deadMin: 1, slotsPerChange: 2, sortMax: 2 }

const separators = './-?=&_@:'
const lowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (a) => a.toLowerCase())

/** Returns how well a value matches a part, as the search speaks of it: 1 to 4; 0 is not at all. */
function findRank(value: string, { text, where }: AddressPart): number {
  const [scheme = ''] = /^[a-z]{1,8}:\/\//.exec(value) ?? []
  const bare = value.slice(scheme.length)
  const wholes = [value, bare]
  if (scheme !== '') wholes.push(value.replace(/\/$/, ''), bare.replace(/\/$/, ''))
  if (wholes.includes(text)) return 1
  if (value.startsWith(text) || bare.startsWith(text)) return 2
  for (let at = value.indexOf(text); at !== -1; at = value.indexOf(text, at + 1)) {
    if (separators.includes(value.charAt(at - 1) || '/')) return 3
  }
  return where === 'anywhere' && value.includes(text) ? 4 : 0
}

/** Searches by looking at everything. */
class NaiveIndex {
  readonly #entries = new Map<number, { id: number; value: string; listedSeq: number }>()

  get size(): number {
    return this.#entries.size
  }

  set(id: number, value: string, listedSeq: number): void {
    this.#entries.set(id, { id, value: lowerCase(value), listedSeq })
  }

  delete(id: number): void {
    this.#entries.delete(id)
  }

  search(parts: readonly AddressPart[]): number[] {
    const found: { id: number; listedSeq: number; rank: number }[] = []
    for (const { id, value, listedSeq } of this.#entries.values()) {
      const ranks = parts.map((part) => findRank(value, part))
      const [first = 0] = ranks
      const rank = first <= 2 ? first : Math.max(3, ...ranks)
      if (!ranks.includes(0)) found.push({ id, listedSeq, rank })
    }
    found.sort((a, b) => a.rank - b.rank || b.listedSeq - a.listedSeq || b.id - a.id)
    return found.map(({ id }) => id)
  }
}

/** Makes parts of words as the search does: short ones match from where a label begins. */
const toParts = (query: string): AddressPart[] =>
  query
    .split(' ')
    .map((text) => ({ text, where: [...text].length > 2 ? 'anywhere' : 'label_start' }))

/** Makes an index of values, with ids from 1, listed one after the other. */
function buildIndex(values: readonly string[], options: Partial<AddressIndexOptions> = {}) {
  const index = new AddressIndex(options)
  for (const [at, value] of values.entries()) index.set(at + 1, value, 100 + at)
  return index
}

/** Returns the values that a query finds, in order. */
function found(values: readonly string[], query: string): (string | undefined)[] {
  const matches = buildIndex(values).search(toParts(query))
  const ids = matches.ids(0, values.length + 1)
  expect(matches.total).toBe(ids.length)
  return ids.map((id) => values[id - 1])
}

/** The index and the naive one, told the same. */
class Twins {
  readonly #index: AddressIndex
  readonly #model = new NaiveIndex()

  constructor(options: Partial<AddressIndexOptions> = {}) {
    this.#index = new AddressIndex(options)
  }

  set(id: number, value: string, listedSeq: number): void {
    this.#index.set(id, value, listedSeq)
    this.#model.set(id, value, listedSeq)
    expect(this.#index.size).toBe(this.#model.size)
  }

  delete(id: number): void {
    this.#index.delete(id)
    this.#model.delete(id)
    expect(this.#index.size).toBe(this.#model.size)
  }

  /** Checks that both find the same, on the pages that begin there. */
  agree(parts: readonly AddressPart[], starts: readonly number[], count: number): void {
    const matches = this.#index.search(parts)
    const ids = this.#model.search(parts)
    expect(matches.total).toBe(ids.length)
    for (const from of starts) {
      expect(matches.ids(from, count)).toEqual(ids.slice(from, from + count))
    }
  }
}

// Few characters, so that much matches; some of them share a class in the lists.
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'aa', 'ab', 'aba', 'A', 'B') },
  { weight: 4, arbitrary: fc.constantFrom(...separators) },
  { weight: 2, arbitrary: fc.constantFrom('é', 'É', '|', '{', '\u{1f600}', '\0', '%') },
  { weight: 1, arbitrary: fc.constantFrom('http://', 'https://', 'a://', '://', 'abcdefghi://') },
)
const someValue = fc
  .tuple(
    fc.constantFrom('', '', '', 'https://', 'http://'),
    fc.array(piece, { maxLength: 8 }),
    fc.constantFrom('', '', '/'),
  )
  .map(([scheme, pieces, end]) => scheme + pieces.join('') + end)
const somePart: fc.Arbitrary<AddressPart> = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([pieces, isStrict]) => {
    const text = lowerCase(pieces.join(''))
    const isShort = [...text].length < 3
    return { text, where: isShort || isStrict ? 'label_start' : 'anywhere' }
  })
const someId = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom(2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 53 - 1) },
)
const someSeq = fc.oneof(fc.nat({ max: 9 }), fc.maxSafeNat())

const someStep = fc.record({
  do: fc.constantFrom('set', 'set', 'set', 'delete', 'search', 'search'),
  id: someId,
  value: someValue,
  seq: someSeq,
  parts: fc.array(somePart, { minLength: 1, maxLength: 3 }),
  from: fc.nat({ max: 5 }),
  count: fc.nat({ max: 5 }),
})

describe('AddressIndex', () => {
  test('finds what looking at every address finds, in that order, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(someStep, { maxLength: 80, size: 'max' }), (steps) => {
        const twins = new Twins(early)
        for (const step of steps) {
          if (step.do === 'delete') twins.delete(step.id)
          else if (step.do === 'set') twins.set(step.id, step.value, step.seq)
          else {
            twins.agree(step.parts, [0], 100)
            twins.agree(step.parts, [step.from], step.count)
          }
        }
      }),
      runs,
    )
  })

  test('agrees with looking at every address on many pages of memory, in two generations', () => {
    const random = randomNumbers(7)
    const pick = <Item>(items: readonly Item[]): Item | undefined =>
      items[Math.floor(random() * items.length)]
    const words = ['pay', 'pal', 'login', 'secure', 'bank', 'a', 'b', 'xn--', 'verify', '1', '22']
    const endings = ['com', 'top', 'weeblysite.com', 'co.uk', 'example']
    const twins = new Twins({ capacity: 10_000 })
    const set = (id: number, value: string): void => {
      twins.set(id, value, Math.floor(random() * 2 ** 40))
    }
    const agree = (): void => {
      for (const query of 'pay|com|https|b|co|weeblysite.com|login pal|zzz'.split('|')) {
        twins.agree(toParts(query), [0, 20, 500, 9_980], 20)
      }
    }
    for (let id = 0; id < 40_000; id++) {
      const host = `${pick(words)}${pick(words)}-${id.toString(36)}.${pick(endings)}`
      set(id, random() < 0.5 ? host : `https://${host}/${pick(words)}/index.html?id=${id}`)
    }
    agree()
    for (let id = 0; id < 40_000; id += 2) {
      twins.delete(id)
      if (id % 10 === 0) set(id + 1, `https://moved-${id}.example/pay`)
    }
    agree()
  })

  test('lets the next generation know all that changes while it is built', () => {
    const twins = new Twins({ deadMin: 10, slotsPerChange: 2 })
    for (let id = 0; id < 400; id++) twins.set(id, `${id}.test`, id)
    for (let id = 0; id < 101; id++) twins.delete(id)
    // It has begun, and goes on by two slots a change: of these some have been moved, some have not.
    for (let id = 0; id < 400; id += 5) twins.set(id, `${id}.test`, 1_000 + id)
    for (let id = 1; id < 400; id += 5) twins.set(id, `${id}.example`, 2_000 + id)
    for (let id = 2; id < 400; id += 10) twins.delete(id)
    for (let id = 2; id < 400; id += 20) twins.set(id, `${id}.test`, 3_000 + id)
    for (let id = 0; id < 800; id++) {
      if (id % 100 === 0) for (const query of ['.test', '1']) twins.agree(toParts(query), [0], 999)
      twins.set(3 + 5 * (id % 40), `${3 + 5 * (id % 40)}.test`, 4_000 + id)
    }
  })
})

describe('AddressIndex.search', () => {
  // What is looked for, what there is from the oldest to the newest, and what is found.
  const rows: readonly [string, string, string][] = [
    ['a.test', 'xa.test my.a.test a.test.x a.test', 'a.test a.test.x my.a.test xa.test'],
    ['a.test', 'a.test http://a.test/ http://a.test/b', 'http://a.test/ a.test http://a.test/b'],
    ['http://a.test/b', 'http://a.test/b/ https://a.test/b', 'http://a.test/b/'],
    ['http://a.test', 'http://a.test/b http://a.test/', 'http://a.test/ http://a.test/b'],
    ['a.test/b', 'http://a.test/b/ a.test/b/ a.test/b', 'a.test/b http://a.test/b/ a.test/b/'],
    ['pay', 'xpay.test x-pay.test pay.test pa.y', 'pay.test x-pay.test xpay.test'],
    ['pay', 'abcdefghi://pay x-pay', 'x-pay abcdefghi://pay'],
    ['pa', 'opa.test o.pa http://x.test/pa', 'http://x.test/pa o.pa'],
    ['p', 'op.test x.test?p=1 x.test?o=p p.test', 'p.test x.test?o=p x.test?p=1'],
    ['.top', 'stop.test a.top top.test b.top', 'b.top a.top'],
    ['198.51', '198.51.100.7 1.198.51.1', '198.51.100.7 1.198.51.1'],
    ['pay log', 'log.pay.t pay-log.t pay.t xlog-pay.t', 'pay-log.t log.pay.t xlog-pay.t'],
    ['lo pay', 'loan.pay.test hello.pay.test', 'loan.pay.test'],
    ['aaa', 'aaaa.test xaaaa.test', 'aaaa.test xaaaa.test'],
    ['aaaa', 'baaa aaa.test', ''],
    ['bücher', 'bücher.test x-BüCHER.test', 'bücher.test x-BüCHER.test'],
    ['ü', 'über.test bü.test', 'über.test'],
    ['evil.test', 'EVIL.test', 'EVIL.test'],
    ['nothing', 'evil.test', ''],
  ]
  test.each(rows)('%s in %s finds %s', (query, values, expected) => {
    expect(found(values.split(' '), query).join(' ')).toBe(expected)
  })

  test('begins labels after every separator, and after no other character', () => {
    const values = Array.from('./-?=&_@:%+~,;|', (character) => `x${character}pay`)
    const matches = buildIndex(values).search(toParts('pay x'))
    const atLabel = matches.ids(0, separators.length).map((id) => values[id - 1]?.charAt(1))
    expect(atLabel.toReversed().join('')).toBe(separators)
    expect(matches.total).toBe(values.length)
  })

  test('takes one to five parts', () => {
    const index = buildIndex(['evil.test'])
    const part: AddressPart = { text: 'evil', where: 'anywhere' }
    expect(() => index.search([])).toThrow(/0 parts/)
    expect(() => index.search(Array(6).fill(part))).toThrow(/6 parts/)
    expect(index.search(Array(addressPartsMax).fill(part)).total).toBe(1)
  })

  test('refuses a text that is too short, and finds none that is too long', () => {
    const index = buildIndex(['evil.test'])
    expect(() => index.search([{ text: 'ev', where: 'anywhere' }])).toThrow(/too short/)
    expect(() => index.search([{ text: '', where: 'label_start' }])).toThrow(/too short/)
    expect(index.search([{ text: 'evil.test'.repeat(8_000), where: 'anywhere' }]).total).toBe(0)
  })

  test('finds the end of the longest value, and the one after it', () => {
    const longest = `${'a'.repeat(65_531)}.end`
    expect(found([longest, 'after.end'], 'end')).toEqual(['after.end', longest])
    expect(found([longest, 'after.end'], 'aaa.end')).toEqual([longest])
  })
})

describe('AddressIndex.set', () => {
  const all = (index: AddressIndex): number[] => index.search(toParts('test')).ids(0, 10)

  test('moves a value that is listed anew to the front', () => {
    const index = buildIndex(['a.test', 'b.test', 'c.test'])
    expect(all(index)).toEqual([3, 2, 1])
    index.set(1, 'a.test', 200)
    expect(all(index)).toEqual([1, 3, 2])
    expect(index.size).toBe(3)
  })

  test('orders by the listing, not by when it was added', () => {
    const index = buildIndex(['a.test', 'b.test'])
    index.set(9, 'old.test', 1)
    expect(all(index)).toEqual([2, 1, 9])
  })

  test('throws at what it cannot hold', () => {
    const index = new AddressIndex()
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => index.set(wrong, 'a.test', 1)).toThrow(/id is/)
      expect(() => index.set(1, 'a.test', wrong)).toThrow(/listing number is/)
    }
    expect(() => index.set(1, 'é'.repeat(32_768), 1)).toThrow(/more than 65535 bytes/)
    expect(index.size).toBe(0)
  })
})

describe('AddressIndex.delete', () => {
  test('removes the value, and nothing when there is none', () => {
    const index = buildIndex(['a.test', 'b.test'])
    index.delete(1)
    index.delete(1)
    index.delete(7)
    expect(index.size).toBe(1)
    expect(index.search(toParts('test')).ids(0, 10)).toEqual([2])
  })
})

describe('AddressIndex.bytes', () => {
  test('does not grow by values that leave and come back, nor by new numbers', () => {
    const values = Array.from({ length: 500 }, (_, at) => `${'long-'.repeat(10)}${at}.test`)
    const index = buildIndex(values)
    const before = index.bytes
    for (let round = 1; round < 100; round++) {
      for (const [at, value] of values.entries()) {
        if (round % 2 === 0) index.delete(at + 1)
        index.set(at + 1, value, round * 1_000 + at)
      }
    }
    expect(index.bytes).toBe(before)
  })

  test('stays within two generations when every value is replaced again and again', () => {
    const index = new AddressIndex({ deadMin: 100 })
    const fill = (round: number): void => {
      for (let id = 0; id < 500; id++) index.set(id, `${'long-'.repeat(10)}${round}-${id}.test`, id)
    }
    fill(0)
    const before = index.bytes
    for (let round = 1; round < 150; round++) fill(round)
    expect(index.bytes).toBeLessThan(2.2 * before)
    expect(index.size).toBe(500)
  })
})

describe('AddressMatches.leading', () => {
  test('counts what is the first part or begins with it', () => {
    const index = buildIndex(['a.test', 'a.test.x', 'http://a.test/', 'b.a.test', 'b.test'])
    expect(index.search(toParts('a.test')).leading).toBe(3)
    expect(index.search(toParts('a.test b')).leading).toBe(0)
  })
})

describe('AddressMatches.ids', () => {
  test('throws once the index has changed, and not when nothing did', () => {
    const index = buildIndex(['a.test'])
    const matches = index.search(toParts('test'))
    index.delete(7)
    index.set(1, 'a.test', 100)
    expect(matches.ids(0, 1)).toEqual([1])
    index.set(1, 'a.test', 101)
    expect(() => matches.ids(0, 1)).toThrow(/has changed/)
  })

  test('gives nothing beyond the last match', () => {
    const matches = buildIndex(['a.test', 'b.test']).search(toParts('test'))
    expect(matches.ids(1, 10)).toEqual([1])
    expect(matches.ids(2, 10)).toEqual([])
    expect(matches.ids(0, 0)).toEqual([])
  })

  test('orders listings of one number by id, and numbers far apart', () => {
    const index = new AddressIndex({ sortMax: 3 })
    const seqs = [5, 5, 5, 5, 5, 2 ** 53 - 1, 0, 6, 2 ** 52, 7]
    for (const [at, seq] of seqs.entries()) index.set(at + 1, `${at}.test`, seq)
    const matches = index.search(toParts('test'))
    const expected = [6, 9, 10, 8, 5, 4, 3, 2, 1, 7]
    expect(matches.ids(0, 10)).toEqual(expected)
    for (const from of expected.keys()) {
      expect(matches.ids(from, 2)).toEqual(expected.slice(from, from + 2))
    }
  })
})

const realList = 'urls/pd_links-active5_2026-02-15.txt.gz'

describeWith(realData(realList))('AddressIndex of a real list', () => {
  test('agrees with looking at every address', () => {
    const text = new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(dataFolder, realList))))
    const twins = new Twins()
    const random = randomNumbers(3)
    for (const [id, value] of text.split('\n').entries()) {
      twins.set(id, value, Math.floor(random() * 2 ** 50))
    }
    for (const query of 'pay|weeblysite|https|.com|login|com login|e|wp|/wp-'.split('|')) {
      twins.agree(toParts(query), [0, 9_950], 50)
    }
  })
})
