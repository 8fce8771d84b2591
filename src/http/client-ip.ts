/**
 * Who is calling: the client's address behind trusted proxies, and the keys that limits count by.
 *
 * A header is believed only when the socket's peer is a trusted proxy; everything else in it is
 * text that anybody can send.
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

/** Reads one hop: an address, perhaps with a port or in brackets; null when it is neither. */
function parseHop(hop: string): string | null {
  const text = hop.trim()
  const withPort = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text)
  const address = plainAddress(withPort?.[1] ?? text)
  // The check is strict; the parser then writes what it let through in the one canonical way.
  return isIP(address) === 0 ? null : (parseAddress(address)?.text ?? null)
}

/**
 * Returns the client's address: the socket's `peer`, or, when that is a trusted proxy, the
 * rightmost address of `X-Forwarded-For` that is not one.
 *
 * Each proxy appends whom it was called by, so only what stands right of the first untrusted
 * address is known. A hop that is no address ends the walk at the last good one.
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
const colon = 0x3a

/** Expands a valid IPv6 text into its eight groups in hexadecimal. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail.split(':').filter(Boolean)
  const zeros = new Array<string>(Math.max(groupsTotal - first.length - last.length, 0)).fill('0')
  return [...first, ...zeros, ...last]
}

/** Returns where the first `count` groups end, or -1 when a gap (`::`) comes before that. */
function endOfGroups(address: string, count: number): number {
  let colons = 0
  for (let i = 0; i < address.length; i++) {
    if (address.charCodeAt(i) !== colon) continue
    if (++colons === count) return i
    if (address.charCodeAt(i + 1) === colon) return -1
  }
  return -1
}

/** Returns the leading bits of an IPv6 address in canonical spelling. */
function ipv6Network(address: string, prefixBits: number): string {
  const whole = Math.floor(prefixBits / groupBits)
  const rest = prefixBits % groupBits
  // Nearly every address has the bits that count written out.
  const end = rest === 0 ? endOfGroups(address, whole) : -1
  if (end > 0) return address.slice(0, end)
  const groups = groupsOf(address)
  const network = groups.slice(0, whole).join(':')
  if (rest === 0) return network
  const part = Number.parseInt(groups[whole] ?? '0', 16) >>> (groupBits - rest)
  return `${network}:${part.toString(16)}`
}

/** Returns what makes one client: the IPv4 address, or the leading bits of an IPv6 address. */
export function clientKey(address: string, ipv6PrefixBits: number): string {
  return address.includes(':') ? ipv6Network(address, ipv6PrefixBits) : address
}

/** The network whose strangers share a count when too many clients are known: /24 or /48. */
export function networkKey(address: string, ipv6PrefixBits: number): string {
  if (address.includes(':')) return ipv6Network(address, Math.min(48, ipv6PrefixBits))
  return address.slice(0, address.lastIndexOf('.') + 1)
}
