/** Kinships are counted as a plain map counts them, whatever comes and goes. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Kin, Kinships } from '../../src/index/kinships.ts'
import { registrableDomain } from '../../src/model/domain.ts'
import { runs } from './laws.ts'

/** Counts by looking at every listed name. */
class NaiveKin {
  readonly listed = new Set<string>()

  of(host: string): Kin {
    const registered = registrableDomain(host)
    if (registered === null) return { siblings: 0, family: 0 }
    const others = [...this.listed]
    const siblings = others.filter((name) => name !== registered && isBelow(name, registered))
    const pattern = patternOf(registered)
    const family = others.filter(
      (name) => pattern !== null && patternOf(registrableDomain(name)) === pattern,
    )
    return { siblings: siblings.length, family: family.length }
  }
}

const isBelow = (name: string, registered: string): boolean =>
  registrableDomain(name) === registered

/** The registered name with its label's digits taken for one, where four other characters are left. */
function patternOf(registered: string | null): string | null {
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
        const kin = Kinships.withCapacity(200, seed)
        for (const host of steps) {
          const isListed = model.listed.has(host)
          kin.note(host, isListed ? -1 : 1)
          if (isListed) model.listed.delete(host)
          else model.listed.add(host)
          for (const asked of [host, ...steps.slice(0, 5)]) {
            expect(kin.of(asked)).toEqual(model.of(asked))
          }
        }
      }),
      runs,
    )
  })

  test('never counts below none, and forgets nothing of what it never knew', () => {
    const kin = Kinships.withCapacity(10, 1)
    kin.note('a.evil.example', -1)
    expect(kin.of('evil.example')).toEqual({ siblings: 0, family: 0 })
    kin.note('a.evil.example', 1)
    kin.note('a.evil.example', -1)
    kin.note('a.evil.example', -1)
    kin.note('b.evil.example', 1)
    expect(kin.of('evil.example').siblings).toBe(1)
  })

  test('stays at its end once it is reached, as it is exact no longer', () => {
    const kin = Kinships.withCapacity(10, 1)
    for (let n = 0; n < 300; n++) kin.note(`n${n}.evil.example`, 1)
    expect(kin.of('evil.example').siblings).toBe(255)
    for (let n = 0; n < 300; n++) kin.note(`n${n}.evil.example`, -1)
    expect(kin.of('evil.example').siblings).toBe(255)
  })

  test('a full table counts on for what it knows, and knows nothing new', () => {
    const kin = Kinships.withCapacity(1, 7)
    kin.note('a.first.example', 1)
    for (let n = 0; n < 1_000; n++)
      kin.note(`a.many-${String.fromCharCode(97 + (n % 26))}${n}.example`, 1)
    kin.note('b.first.example', 1)
    expect(kin.of('first.example').siblings).toBe(2)
    expect(kin.of('never.example')).toEqual({ siblings: 0, family: 0 })
    kin.note('a.late.example', 1)
    expect(kin.of('late.example').siblings).toBe(0)
    kin.note('a.late.example', -1)
    expect(kin.of('late.example').siblings).toBe(0)
  })

  const rows: readonly [string, string, Kin][] = [
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
    const kin = Kinships.withCapacity(10, 3)
    kin.note(listed, 1)
    expect(kin.of(asked)).toEqual(expected)
  })
})

describe('Kinships.from', () => {
  const noted = (): Kinships => {
    const kin = Kinships.withCapacity(100, 5)
    for (const host of ['a.evil.example', 'b.evil.example', 'pay17jp.example']) kin.note(host, 1)
    return kin
  }

  test('makes the same count of its image, and goes on from there', () => {
    const original = noted()
    const copy = Kinships.from(structuredClone(original.serialise()))
    if (!copy.ok) throw new Error(copy.reason)
    expect(copy.value.of('evil.example')).toEqual({ siblings: 2, family: 0 })
    expect(copy.value.of('pay63jp.example')).toEqual({ siblings: 0, family: 1 })
    for (const kin of [original, copy.value]) kin.note('c.evil.example', 1)
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
      expect(Kinships.from({ header: changed, buffers: given })).toEqual({ ok: false, reason })
    }
  })

  test('of an image without a free slot answers all the same', () => {
    const { header } = noted().serialise()
    const hashes = new Uint32Array(4).fill(7)
    const kin = Kinships.from({ header, buffers: [hashes.buffer, new Uint8Array(4).buffer] })
    if (!kin.ok) throw new Error(kin.reason)
    kin.value.note('a.evil.example', 1)
    expect(kin.value.of('evil.example').siblings).toBe(0)
  })
})
