/** The IOC record and the two ways in which values are written. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { iocRecord } from '../../src/publish/ioc.ts'
import { jsonText, timeText } from '../../src/publish/wire.ts'
import { indicatorOf } from '../http/stand-ins.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)

describe('iocRecord', () => {
  test('writes everything that is known', () => {
    const indicator = indicatorOf('https://evil.test/login', {
      type: 'url',
      host: 'evil.test',
      doNotBlock: true,
      threatType: 'malware',
      threatLevel: 'critical',
      confidence: 95,
      targetBrand: 'Example',
      malwareFamily: 'example-rat',
      sources: ['one', 'two'],
      reference: 'https://source.example/1',
    })
    expect(iocRecord(indicator)).toEqual({
      type: 'url',
      value: 'https://evil.test/login',
      domain: 'evil.test',
      threat_type: 'malware',
      threat_level: 'critical',
      confidence: 95,
      target_brand: 'Example',
      malware_family: 'example-rat',
      do_not_block: 1,
      sources: ['one', 'two'],
      first_seen: '2026-11-19T08:15:30.123Z',
      last_seen: '2026-11-20T08:15:30.123Z',
      listed_at: '2026-11-20T08:15:30.123Z',
      reference: 'https://source.example/1',
    })
  })

  test('what is not known is null', () => {
    const record = iocRecord(indicatorOf('a'.repeat(64), { type: 'sha256' }))
    const { domain, target_brand, malware_family, reference, do_not_block } = record
    expect({ domain, target_brand, malware_family, reference, do_not_block }).toEqual({
      domain: null,
      target_brand: null,
      malware_family: null,
      reference: null,
      do_not_block: 0,
    })
  })

  test('a domain is its own domain', () => {
    expect(iocRecord(indicatorOf('evil.test')).domain).toBe('evil.test')
  })
})

describe('jsonText', () => {
  test('is the same value with every < escaped', () => {
    const value = { '<a>': ['</script>', '<!--', 'a < b', '\ud800', '\u2028'] }
    expect(jsonText(value)).not.toContain('<')
    expect(JSON.parse(jsonText(value))).toEqual(value)
  })
})

describe('timeText', () => {
  test('is RFC 3339 in UTC with milliseconds', () => {
    expect(timeText(Date.UTC(2026, 10, 20, 8, 15, 30, 7))).toBe('2026-11-20T08:15:30.007Z')
  })

  test('agrees with Date on every time there is', () => {
    const property = fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (time) => {
      expect(timeText(time)).toBe(new Date(time).toISOString())
    })
    fc.assert(property, {
      numRuns,
      examples: [[0], [-1], [8.64e15], [-8.64e15], [253402300800000]],
    })
  })

  test('cuts fractions of a millisecond', () => {
    expect(timeText(1.9)).toBe('1970-01-01T00:00:00.001Z')
  })

  test('refuses what is no time', () => {
    expect(() => timeText(Number.NaN)).toThrow(RangeError)
  })
})
