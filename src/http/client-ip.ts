/**
 * The client that is calling: its address behind trusted proxies, and the key that limits count it by.
 *
 * A header is trusted only when the socket's peer is a trusted proxy; anyone can send the rest of it.
 */

import { isIP, isIPv4 } from 'node:net'
import { parseAddress } from '../model/address.ts'
import type { Networks } from '../setting-values.ts'

const forwardedLengthMax = 8192
const hopsMax = 32

const mappedPrefix = '::ffff:'

/** Returns an address without its zone, and as IPv4 when it is IPv4 mapped into IPv6. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  const zoneAt = address.indexOf('%')
  const bare = zoneAt === -1 ? address : address.slice(0, zoneAt)
  if (bare.slice(0, mappedPrefix.length).toLowerCase() !== mappedPrefix) return bare
  const embedded = bare.slice(mappedPrefix.length)
  return isIPv4(embedded) ? embedded : bare
}

/** Parses one hop: an address, perhaps with a port or in brackets; null when it is neither. */
function parseHop(hop: string): string | null {
  const text = hop.trim()
  const withPort = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text)
  const address = plainAddress(withPort?.[1] ?? text)
  // The check is strict; the parser then gives the address its one canonical spelling.
  return isIP(address) === 0 ? null : (parseAddress(address)?.text ?? null)
}

/**
 * Returns the client's address: the socket's `peer`, or, when that is a trusted proxy, the
 * rightmost address of `X-Forwarded-For` that is not a trusted proxy.
 *
 * Each proxy appends the address that called it, so only the part from the rightmost untrusted address
 * on can be trusted. A hop that is not an address ends the walk at the last good one.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: Networks,
): string {
  let good = peer
  if (forwardedFor === null) return good
  const hops = forwardedFor.slice(-forwardedLengthMax).split(',').slice(-hopsMax)
  for (const hop of hops.reverse()) {
    if (!trusted.has(good)) return good
    const address = parseHop(hop)
    if (address === null) return good
    good = address
  }
  return good
}

const groupsTotal = 8
const groupBits = 16

/** Returns where the first `count` groups end, or -1 when zeros are left out (`::`) before that. */
function findEndOfGroups(address: string, count: number): number {
  let end = -1
  for (let group = 0; group < count; group++) {
    const next = address.indexOf(':', end + 1)
    if (next === end + 1) return -1
    end = next
  }
  return end
}

/** Expands a valid IPv6 address into its eight groups in hexadecimal. */
function expandIpv6(address: string): string[] {
  const [head = '', tail = ''] = address.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail.split(':').filter(Boolean)
  while (first.length + last.length < groupsTotal) first.push('0')
  return [...first, ...last]
}

/** Returns what makes one client: the IPv4 address, or the leading bits of an IPv6 address. */
export function clientKey(address: string, ipv6PrefixBits: number): string {
  if (!address.includes(':')) return address
  const whole = Math.floor(ipv6PrefixBits / groupBits)
  const extraBits = ipv6PrefixBits % groupBits
  // Nearly every address has the groups written out that count.
  const end = extraBits === 0 ? findEndOfGroups(address, whole) : -1
  if (end > 0) return address.slice(0, end)
  const groups = expandIpv6(address)
  const network = groups.slice(0, whole).join(':')
  if (extraBits === 0) return network
  const rest = Number.parseInt(groups[whole] ?? '0', 16) >>> (groupBits - extraBits)
  return `${network}:${rest.toString(16)}`
}
