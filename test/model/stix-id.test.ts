import { describe, expect, test } from 'bun:test'
import {
  identityIdOf,
  idKeyOf,
  idsOfSubject,
  indicatesIdOf,
  indicatorIdOf,
  subjectKeyOf,
} from '../../src/model/stix-id.ts'

const name = { type: 'domain', value: 'evil.test', generation: 1 } as const

describe('ids', () => {
  test('are UUIDs of version 5 that never change', () => {
    // Whoever has them stored would have everything twice.
    expect(indicatorIdOf(name)).toBe('indicator--6f673d01-104f-5a77-9511-94b772c21422')
    expect(indicatesIdOf(name, 'brand', 'paypal')).toBe(
      'relationship--5c42969d-9d22-5e7f-baa8-05178f21c726',
    )
    expect(identityIdOf('publisher', 'weir')).toBe('identity--3c449b3d-586a-5eb4-ab07-d716a1895898')
  })

  test('differ by everything that they are made of', () => {
    const ids = [
      indicatorIdOf(name),
      indicatorIdOf({ ...name, generation: 2 }),
      indicatorIdOf({ ...name, type: 'url' }),
      indicatorIdOf({ ...name, value: 'evil.test#1' }),
      indicatesIdOf(name, 'brand', 'a'),
      indicatesIdOf(name, 'family', 'a'),
      indicatesIdOf({ ...name, generation: 2 }, 'brand', 'a'),
      ...idsOfSubject('brand', 'a'),
      ...idsOfSubject('family', 'a'),
      identityIdOf('publisher', 'a'),
    ]
    const uuids = ids.map((id) => id.slice(id.indexOf('--') + 2))
    expect(new Set(uuids).size).toBe(ids.length)
    for (const uuid of uuids) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})

describe('idKeyOf', () => {
  test('returns the first 48 bits of the UUID, exactly', () => {
    expect(idKeyOf('indicator--ffffffff-ffff-5fff-bfff-ffffffffffff')).toBe(2 ** 48 - 1)
    expect(idKeyOf('x-a--00000000-0001-4000-8000-000000000000')).toBe(1)
  })

  test.each([
    '',
    'indicator',
    'indicator--x',
    'indicator--FFFFFFFF-ffff-5fff-bfff-ffffffffffff',
    '--ffffffff-ffff-5fff-bfff-ffffffffffff',
    'indicator--ffffffff-ffff-5fff-bfff-ffffffffffff\n',
  ])('returns null for %p', (text) => {
    expect(idKeyOf(text)).toBeNull()
  })
})

describe('subjectKeyOf', () => {
  test('folds ASCII letters alone, as the database does', () => {
    expect(subjectKeyOf('PayPal')).toBe('paypal')
    expect(subjectKeyOf('CRÉDIT Agricole')).toBe('crÉdit agricole')
  })
})
