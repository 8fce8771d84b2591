/**
 * Which addresses are public (global unicast), and which of them weir may connect to.
 *
 * The blocks are those of the IANA special-purpose registries (RFC 6890 and its successors).
 */

import { BlockList } from 'node:net'
import type { Address } from './address.ts'

const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/** Inside 2000::/3; everything outside it is not global unicast. */
const specialIpv6 = ['2001::/23', '2002::/16', '2620:4f:8000::/48'] as const

const globalIpv6 = '2000::/3'

/** Documentation blocks, and the address of the platform services of each Azure machine. */
const undialableIpv4 = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '168.63.129.16/32',
] as const

const undialableIpv6 = ['2001:db8::/32', '3fff::/20'] as const

function createBlockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

const special4 = createBlockList(specialIpv4, 'ipv4')
const special6 = createBlockList(specialIpv6, 'ipv6')
const global6 = createBlockList([globalIpv6], 'ipv6')
const undialable4 = createBlockList(undialableIpv4, 'ipv4')
const undialable6 = createBlockList(undialableIpv6, 'ipv6')

/**
 * Reports whether an address is reachable from anywhere.
 *
 * Documentation blocks count as public: no one owns them, but like `example.com` they may be listed.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.family === 4) return !special4.check(address.text, 'ipv4')
  return global6.check(address.text, 'ipv6') && !special6.check(address.text, 'ipv6')
}

/**
 * Reports whether weir may connect to an address: it is public, and neither for documentation nor for platform
 * services of a machine.
 */
export function isDialableAddress(address: Address): boolean {
  if (!isPublicAddress(address)) return false
  return address.family === 4
    ? !undialable4.check(address.text, 'ipv4')
    : !undialable6.check(address.text, 'ipv6')
}
