/** IP addresses in all the spellings that browsers accept, each with its canonical form. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  endsInNumber,
  isDottedIpv4,
  parseAddress,
  parseIpv4,
  toUrlHost,
} from '../../src/model/address.ts'

const { FUZZ_RUNS = '200' } = process.env
const runs = { numRuns: Number(FUZZ_RUNS) }

describe('parseIpv4', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['3405803783', '203.0.113.7'],
    ['0xcb007107', '203.0.113.7'],
    ['0XCB.0.0x71.7', '203.0.113.7'],
    ['0313.0.0161.07', '203.0.113.7'],
    ['031300070407', '203.0.113.7'],
    ['203.28935', '203.0.113.7'],
    ['203.0.28935', '203.0.113.7'],
    ['00000000000000000000000000000001', '0.0.0.1'],
    ['0x', '0.0.0.0'],
    ['4294967295', '255.255.255.255'],
  ])('reads %s as %s', (text, address) => {
    expect(parseIpv4(text)).toBe(address)
  })

  test.each([
    ['256.1.1.1'],
    ['276.2.3'],
    ['1.2.65536'],
    ['4294967296'],
    ['99999999999999999999999999'],
    ['1.2.3.08'],
    ['0xg'],
    ['1.2.3.4.5'],
    ['1..2.3'],
    ['1.2.3.'],
    [''],
    ['1.2.3.-4'],
    ['1.2.3.4e0'],
    ['1.2.3. 4'],
  ])('refuses %j', (text) => {
    expect(parseIpv4(text)).toBeNull()
  })

  test('agrees with the URL parser on every spelling of a number', () => {
    const part = fc
      .tuple(fc.constantFrom(10, 8, 16), fc.nat({ max: 0x1_ffff_ffff }), fc.nat({ max: 3 }))
      .map(([base, value, shift]) => {
        const digits = Math.floor(value / 256 ** shift).toString(base)
        return base === 10 ? digits : base === 8 ? `0${digits}` : `0x${digits}`
      })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const text = parts.join('.')
        expect(parseIpv4(text)).toBe(URL.parse(`http://${text}/`)?.hostname ?? null)
      }),
      runs,
    )
  })
})

describe('isDottedIpv4', () => {
  test('accepts canonical spelling only', () => {
    expect(['203.0.113.7', '255.255.255.255', '0.0.0.0'].map(isDottedIpv4)).not.toContain(false)
    const others = ['1.2.3', '01.2.3.4', '1.2.3.256', '1.2.3.4.5', '1..2.3.4', '1.2.3.', 'a.b.c.d']
    expect([...others, '1.2.3.00', '.1.2.3', ''].map(isDottedIpv4)).not.toContain(true)
  })
})

describe('endsInNumber', () => {
  test('checks the last label', () => {
    expect(['1', 'a.1', '1.2.3.08', 'a.0x', 'a.0Xf', '5.6.7.8.9'].map(endsInNumber)).not.toContain(
      false,
    )
    expect(['1.a', '3com', 'a.0xg', 'a.1a', '', 'xn--1'].map(endsInNumber)).not.toContain(true)
  })
})

describe('parseAddress', () => {
  test.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::1.2.3.4', '::102:304'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::FFFF:cb00:7107]', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b:1::1', '64:ff9b:1::1'],
    ['0x7f.1', '127.0.0.1'],
  ])('reads %s as %s', (text, address) => {
    expect(parseAddress(text)?.text).toBe(address)
  })

  test.each([
    ['example.com'],
    ['1:2:3:4:5:6:7'],
    ['1:2:3:4:5:6:7:8:9'],
    ['1:2:3:4:5:6:7:8::'],
    ['1::2::3'],
    [':::'],
    [':1'],
    ['1:'],
    ['12345::'],
    ['::g'],
    ['fe80::1%eth0'],
    ['::1.2.3'],
    ['::1.2.3.04'],
    ['1.2.3.4::'],
    ['[::1'],
    ['[]'],
    ['[1.2.3.4]'],
    [`${'0:'.repeat(4000)}:`],
  ])('refuses %j', (text) => {
    expect(parseAddress(text)).toBeNull()
  })

  test('agrees with the URL parser on IPv6', () => {
    const group = fc
      .oneof(fc.constant(0), fc.nat({ max: 0xffff }))
      .map((value) => value.toString(16))
    const text = fc
      .tuple(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.nat({ max: 7 }),
        fc.nat({ max: 8 }),
      )
      .map(([groups, from, to]) =>
        to > from
          ? `${groups.slice(0, from).join(':')}::${groups.slice(to).join(':')}`
          : groups.join(':'),
      )
    fc.assert(
      fc.property(text, (address) => {
        const parsed = parseAddress(address)
        if (parsed?.family === 4) return
        const host = URL.parse(`http://[${address}]/`)?.hostname
        expect(parsed === null ? undefined : toUrlHost(parsed)).toBe(host)
      }),
      runs,
    )
  })
})

describe('toUrlHost', () => {
  test('puts IPv6 in brackets', () => {
    expect(toUrlHost({ family: 6, text: '2001:db8::1' })).toBe('[2001:db8::1]')
    expect(toUrlHost({ family: 4, text: '203.0.113.7' })).toBe('203.0.113.7')
  })
})
