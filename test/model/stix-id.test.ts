import { describe, expect, test } from 'bun:test'
import {
  listSubjectIds,
  parseIdKey,
  toIdentityId,
  toIndicatesId,
  toIndicatorId,
  toSubjectKey,
} from '../../src/model/stix-id.ts'

const name = { type: 'domain', value: 'evil.test', generation: 1 } as const

describe('ids', () => {
  test('are UUIDs of version 5 that never change', () => {
    // Otherwise clients that have stored them would store every object again.
    expect(toIndicatorId(name)).toBe('indicator--6f673d01-104f-5a77-9511-94b772c21422')
    expect(toIndicatesId(name, 'brand', 'paypal')).toBe(
      'relationship--5c42969d-9d22-5e7f-baa8-05178f21c726',
    )
    expect(toIdentityId('publisher', 'weir')).toBe('identity--3c449b3d-586a-5eb4-ab07-d716a1895898')
  })

  test('differ when any part of their name differs', () => {
    const ids = [
      toIndicatorId(name),
      toIndicatorId({ ...name, generation: 2 }),
      toIndicatorId({ ...name, type: 'url' }),
      toIndicatorId({ ...name, value: 'evil.test#1' }),
      toIndicatesId(name, 'brand', 'a'),
      toIndicatesId(name, 'family', 'a'),
      toIndicatesId({ ...name, generation: 2 }, 'brand', 'a'),
      ...listSubjectIds('brand', 'a'),
      ...listSubjectIds('family', 'a'),
      toIdentityId('publisher', 'a'),
    ]
    const uuids = ids.map((id) => id.slice(id.indexOf('--') + 2))
    expect(new Set(uuids).size).toBe(ids.length)
    for (const uuid of uuids) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})

describe('parseIdKey', () => {
  test('returns the first 48 bits of the UUID, exactly', () => {
    expect(parseIdKey('indicator--ffffffff-ffff-5fff-bfff-ffffffffffff')).toBe(2 ** 48 - 1)
    expect(parseIdKey('x-a--00000000-0001-4000-8000-000000000000')).toBe(1)
  })

  test.each([
    '',
    'indicator',
    'indicator--x',
    'indicator--FFFFFFFF-ffff-5fff-bfff-ffffffffffff',
    '--ffffffff-ffff-5fff-bfff-ffffffffffff',
    'indicator--ffffffff-ffff-5fff-bfff-ffffffffffff\n',
  ])('returns null for %p', (text) => {
    expect(parseIdKey(text)).toBeNull()
  })
})

describe('toSubjectKey', () => {
  test('folds only ASCII letters, like the database', () => {
    expect(toSubjectKey('PayPal')).toBe('paypal')
    expect(toSubjectKey('CRÉDIT Agricole')).toBe('crÉdit agricole')
  })
})
