/**
 * Which addresses are public, and which of them weir may connect to.
 */

import { describe, expect, test } from 'bun:test'
import { parseAddress } from '../../src/model/address.ts'
import { isDialableAddress, isPublicAddress } from '../../src/model/public-address.ts'

function judged(text: string): { isPublic: boolean; isDialable: boolean } {
  const address = parseAddress(text)
  if (address === null) throw new Error(`${text} is not an address`)
  return { isPublic: isPublicAddress(address), isDialable: isDialableAddress(address) }
}

describe('isDialableAddress', () => {
  test.each([
    ['1.0.0.0'],
    ['9.255.255.255'],
    ['100.63.255.255'],
    ['100.128.0.0'],
    ['126.255.255.255'],
    ['168.63.129.15'],
    ['172.15.255.255'],
    ['172.32.0.0'],
    ['192.0.1.0'],
    ['198.17.255.255'],
    ['198.20.0.0'],
    ['223.255.255.255'],
    ['2000::'],
    ['2001:200::1'],
    ['2606:4700::1111'],
    ['3ffe:ffff::1'],
  ])('%s is public, and weir may connect to it', (text) => {
    expect(judged(text)).toEqual({ isPublic: true, isDialable: true })
  })

  test.each([
    ['192.0.2.1'],
    ['198.51.100.1'],
    ['203.0.113.255'],
    ['168.63.129.16'],
    ['2001:db8::1'],
    ['3fff:fff::1'],
  ])('%s is public, but weir must not connect to it', (text) => {
    expect(judged(text)).toEqual({ isPublic: true, isDialable: false })
  })

  test.each([
    ['0.0.0.0'],
    ['10.0.0.1'],
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['255.255.255.255'],
    ['::1'],
    ['2002:7f00:1::'],
    ['fd00::1'],
    ['ff02::1'],
  ])('%s is neither', (text) => {
    expect(judged(text)).toEqual({ isPublic: false, isDialable: false })
  })
})
