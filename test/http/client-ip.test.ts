/** The client that is calling, and the key that limits count it by. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { clientAddress, clientKey, plainAddress } from '../../src/http/client-ip.ts'
import { type Networks, parseNetworks } from '../../src/setting-values.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)

function networks(text: string): Networks {
  const parsed = parseNetworks(text)
  if (parsed === undefined) throw new Error(`not a list of networks: ${text}`)
  return parsed
}

describe('plainAddress', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:0:1', '::ffff:0:1'],
  ])('%s is %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain)
  })
})

describe('clientAddress', () => {
  const trusted = networks('10.0.0.0/8, 2001:db8:aaaa::/48')
  const cases: readonly (readonly [string, string, string | null, string])[] = [
    ['no header: the peer', '10.0.0.1', null, '10.0.0.1'],
    ['the header of an untrusted peer is ignored', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the header of a trusted peer is used', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'the rightmost counts, not what the client sent',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'further trusted proxies are skipped',
      '10.0.0.1',
      '198.51.100.1,10.0.0.3, 10.0.0.2',
      '198.51.100.1',
    ],
    ['only trusted proxies: the leftmost', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a word ends the walk', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    [
      'the last good one before it counts',
      '10.0.0.1',
      '198.51.100.1, _hidden, 10.0.0.2',
      '10.0.0.2',
    ],
    ['an empty hop ends the walk', '10.0.0.1', '198.51.100.1,,10.0.0.2', '10.0.0.2'],
    ['an empty header changes nothing', '10.0.0.1', '', '10.0.0.1'],
    ['a port is dropped', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['brackets are dropped', '10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['IPv6 has one spelling', '10.0.0.1', '2001:0DB8:0:0::0005', '2001:db8::5'],
    ['mapped IPv4 is IPv4', '10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a zone is dropped', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['an IPv6 proxy is skipped', '10.0.0.1', '198.51.100.1, 2001:db8:aaaa::7', '198.51.100.1'],
    ['a mapped proxy is skipped', '10.0.0.1', '198.51.100.1, ::ffff:10.0.0.9', '198.51.100.1'],
    ['a number in another form is not an address', '10.0.0.1', '0x7f.1', '10.0.0.1'],
    ['a name is not an address', '10.0.0.1', 'client.example.com', '10.0.0.1'],
  ]
  test.each(cases)('%s', (_name, peer, header, client) => {
    expect(clientAddress(peer, header, trusted)).toBe(client)
  })

  test('reads at most 32 hops', () => {
    const header = `198.51.100.1${', 10.0.0.2'.repeat(32)}`
    expect(clientAddress('10.0.0.1', header, trusted)).toBe('10.0.0.2')
  })

  test('reads at most 8 KiB of the header', () => {
    const header = `198.51.100.1, ${' '.repeat(9000)}10.0.0.2`
    expect(clientAddress('10.0.0.1', header, trusted)).toBe('10.0.0.2')
  })

  test('returns the peer, whatever the header, when the peer is not trusted', () => {
    const property = fc.property(fc.string(), (header) => {
      expect(clientAddress('203.0.113.9', header, trusted)).toBe('203.0.113.9')
    })
    fc.assert(property, { numRuns })
  })
})

describe('clientKey', () => {
  test('is the address for IPv4', () => {
    expect(clientKey('203.0.113.9', 64)).toBe('203.0.113.9')
  })

  const sameNetwork: readonly (readonly [number, string, string])[] = [
    [64, '2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'],
    [64, '2001:db8::1', '2001:db8::ffff:0:0:1'],
    [64, '2001:db8::1', '2001:db8:0:0:1:2:3:4'],
    [64, '::1', '::2'],
    [48, '2001:db8:1:2::1', '2001:db8:1:ffff::1'],
    [56, '2001:db8:1:1200::1', '2001:db8:1:12ff::1'],
    [60, '2001:db8:0:1::', '2001:db8:0:f::9'],
    [16, '2001:db8::', '2001:1::'],
    [128, '2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ]
  test.each(sameNetwork)('with /%d, %s and %s are one client', (bits, one, other) => {
    expect(clientKey(one, bits)).toBe(clientKey(other, bits))
  })

  const apart: readonly (readonly [number, string, string])[] = [
    [64, '2001:db8:1:2::1', '2001:db8:1:3::1'],
    [64, '2001:db8::1', '2001:db8:0:1::1'],
    [64, '2001:db8:1::', '2001:db8:0:1::'],
    [56, '2001:db8:1:1200::1', '2001:db8:1:1300::1'],
    [128, '2001:db8::1', '2001:db8::2'],
  ]
  test.each(apart)('with /%d, %s and %s are two clients', (bits, one, other) => {
    expect(clientKey(one, bits)).not.toBe(clientKey(other, bits))
  })

  test('agrees with a reading of all 128 bits', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    const groups = fc.array(group, { minLength: 8, maxLength: 8 })
    // The URL parser gives an address its canonical spelling.
    const toAddress = (values: readonly number[]): string =>
      new URL(`http://[${values.map((value) => value.toString(16)).join(':')}]`).hostname.slice(
        1,
        -1,
      )
    const firstBits = (values: readonly number[], bits: number): string =>
      values
        .map((value) => value.toString(2).padStart(16, '0'))
        .join('')
        .slice(0, bits)
    const property = fc.property(
      groups,
      groups,
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 16, max: 128 }),
      (one, tail, shared, bits) => {
        const other = [...one.slice(0, shared), ...tail.slice(shared)]
        const isSame = firstBits(one, bits) === firstBits(other, bits)
        expect(clientKey(toAddress(one), bits) === clientKey(toAddress(other), bits)).toBe(isSame)
      },
    )
    fc.assert(property, { numRuns })
  })
})
