/** RelatedNames are counted as a plain map counts them, whatever comes and goes. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type RelatedCounts, RelatedNames } from '../../src/index/related-names.ts'
import { registrableDomain } from '../../src/model/domain.ts'
import { runs } from './laws.ts'

/** Counts by looking at every listed name. */
class NaiveKin {
  readonly listed = new Set<string>()

  count(host: string): RelatedCounts {
    const registered = registrableDomain(host)
    if (registered === null) return { siblings: 0, family: 0 }
    const others = [...this.listed]
    const siblings = others.filter((name) => name !== registered && isBelow(name, registered))
    const pattern = toDigitPattern(registered)
    const family = others.filter(
      (name) => pattern !== null && toDigitPattern(registrableDomain(name)) === pattern,
    )
    return { siblings: siblings.length, family: family.length }
  }
}

const isBelow = (name: string, registered: string): boolean =>
  registrableDomain(name) === registered

/** The registered name with its label's digits taken for one, where four other characters are left. */
function toDigitPattern(registered: string | null): string | null {
  if (registered === null || registered.startsWith('xn--')) return null
  const [label = '', ...ending] = registered.split('.')
  const rest = label.replaceAll(/[0-9]/g, '')
  if (rest.length < 4 || rest === label) return null
  return [label.replaceAll(/[0-9]/g, '#'), ...ending].join('.')
}

const anyName = fc
  .tuple(
    fc.constantFrom('', 'a.', 'b.', 'a.b.', 'www.'),
    fc.constantFrom('pay1jp', 'pay22jp', 'pay2jp', 'evil', 'bad7', 'abc1', '1234', 'xn--zbre1-4ra'),
    fc.constantFrom('example', 'co.uk', 'com', 'pages.dev'),
  )
  .map(([left, label, ending]) => `${left}${label}.${ending}`)
const anyHost = fc.oneof(anyName, fc.constantFrom('com', 'co.uk', '203.0.113.5', '[::1]', 'host'))

describe('Kinships.of', () => {
  test('counts what a plain count of all listed names counts', () => {
    fc.assert(
      fc.property(fc.array(anyHost, { maxLength: 60 }), fc.nat(), (steps, seed) => {
        const model = new NaiveKin()
        const related = RelatedNames.withCapacity(200, seed)
        for (const host of steps) {
          const isListed = model.listed.has(host)
          related.note(host, isListed ? -1 : 1)
          if (isListed) model.listed.delete(host)
          else model.listed.add(host)
          for (const asked of [host, ...steps.slice(0, 5)]) {
            expect(related.count(asked)).toEqual(model.count(asked))
          }
        }
      }),
      runs,
    )
  })

  test('never counts below none, and forgets nothing of what it never knew', () => {
    const related = RelatedNames.withCapacity(10, 1)
    related.note('a.evil.example', -1)
    expect(related.count('evil.example')).toEqual({ siblings: 0, family: 0 })
    related.note('a.evil.example', 1)
    related.note('a.evil.example', -1)
    related.note('a.evil.example', -1)
    related.note('b.evil.example', 1)
    expect(related.count('evil.example').siblings).toBe(1)
  })

  test('stays at its end once it is reached, as it is exact no longer', () => {
    const related = RelatedNames.withCapacity(10, 1)
    for (let n = 0; n < 300; n++) related.note(`n${n}.evil.example`, 1)
    expect(related.count('evil.example').siblings).toBe(255)
    for (let n = 0; n < 300; n++) related.note(`n${n}.evil.example`, -1)
    expect(related.count('evil.example').siblings).toBe(255)
  })

  test('a full table counts on for what it knows, and knows nothing new', () => {
    const related = RelatedNames.withCapacity(1, 7)
    related.note('a.first.example', 1)
    for (let n = 0; n < 1_000; n++)
      related.note(`a.many-${String.fromCharCode(97 + (n % 26))}${n}.example`, 1)
    related.note('b.first.example', 1)
    expect(related.count('first.example').siblings).toBe(2)
    expect(related.count('never.example')).toEqual({ siblings: 0, family: 0 })
    related.note('a.late.example', 1)
    expect(related.count('late.example').siblings).toBe(0)
    related.note('a.late.example', -1)
    expect(related.count('late.example').siblings).toBe(0)
  })

  const rows: readonly [string, string, RelatedCounts][] = [
    ['a.evil.example', 'evil.example', { siblings: 1, family: 0 }],
    ['evil.example', 'evil.example', { siblings: 0, family: 0 }],
    ['pay17jp.example', 'pay63jp.example', { siblings: 0, family: 1 }],
    ['pay17jp.example', 'pay6jp.example', { siblings: 0, family: 0 }],
    ['pay17jp.example', 'pay63jp.test', { siblings: 0, family: 0 }],
    ['x.pay17jp.example', 'y.pay63jp.example', { siblings: 0, family: 1 }],
    ['abc1.example', 'abc2.example', { siblings: 0, family: 0 }],
    ['a.one.pages.dev', 'one.pages.dev', { siblings: 1, family: 0 }],
    ['one.pages.dev', 'two.pages.dev', { siblings: 0, family: 0 }],
  ]
  test.each(rows)('%s beside %s is %j', (listed, asked, expected) => {
    const related = RelatedNames.withCapacity(10, 3)
    related.note(listed, 1)
    expect(related.count(asked)).toEqual(expected)
  })
})

describe('Kinships.from', () => {
  const noted = (): RelatedNames => {
    const related = RelatedNames.withCapacity(100, 5)
    for (const host of ['a.evil.example', 'b.evil.example', 'pay17jp.example'])
      related.note(host, 1)
    return related
  }

  test('makes the same count of its image, and goes on from there', () => {
    const original = noted()
    const copy = RelatedNames.from(structuredClone(original.serialise()))
    if (!copy.ok) throw new Error(copy.reason)
    expect(copy.value.count('evil.example')).toEqual({ siblings: 2, family: 0 })
    expect(copy.value.count('pay63jp.example')).toEqual({ siblings: 0, family: 1 })
    for (const related of [original, copy.value]) related.note('c.evil.example', 1)
    expect(copy.value.serialise()).toEqual(original.serialise())
  })

  test('refuses what is no count, of another version, or of another size', () => {
    const { header, buffers } = noted().serialise()
    const withWord = (at: number, value: number) => {
      const changed = header.slice()
      changed[at] = value
      return changed
    }
    const [hashes, counts] = buffers
    const cases = [
      [new Uint32Array(0), buffers, 'other_kind'],
      [withWord(0, 1), buffers, 'other_kind'],
      [withWord(1, 99), buffers, 'other_version'],
      [header.slice(0, 3), buffers, 'broken'],
      [header, [], 'broken'],
      [header, [hashes ?? new ArrayBuffer()], 'broken'],
      [header, [counts ?? new ArrayBuffer(), hashes ?? new ArrayBuffer()], 'broken'],
      [header, [new ArrayBuffer(0), new ArrayBuffer(0)], 'broken'],
      [header, [new ArrayBuffer(6), new ArrayBuffer(1)], 'broken'],
    ] as const
    for (const [changed, given, reason] of cases) {
      expect(RelatedNames.from({ header: changed, buffers: given })).toEqual({ ok: false, reason })
    }
  })

  test('of an image without a free slot answers all the same', () => {
    const { header } = noted().serialise()
    const hashes = new Uint32Array(4).fill(7)
    const related = RelatedNames.from({
      header,
      buffers: [hashes.buffer, new Uint8Array(4).buffer],
    })
    if (!related.ok) throw new Error(related.reason)
    related.value.note('a.evil.example', 1)
    expect(related.value.count('evil.example').siblings).toBe(0)
  })
})
