/**
 * IP addresses as in URLs and lists, in one spelling each.
 *
 * IPv4 in every form a browser understands becomes dotted decimal; IPv6 becomes compressed lower
 * case (RFC 5952), or IPv4 when it only wraps IPv4. A host has IPv6 in brackets.
 */

/** An address in canonical spelling, IPv6 without brackets. */
export interface Address {
  readonly family: 4 | 6
  readonly text: string
}

const ipv4PartsMax = 4
const ipv4ValueMax = 0xffff_ffff
const ipv6Groups = 8
/** The longest spelling: six groups of four digits and a dotted IPv4 at the end. */
const ipv6TextMax = 45

const zero = 0x30
const nine = 0x39
const dot = 0x2e

/**
 * Reports whether the name's last label is a number, decimal or hexadecimal: the host is then an
 * IPv4 address or invalid, but not a name (WHATWG URL, "ends in a number").
 */
export function endsInNumber(host: string): boolean {
  const start = host.lastIndexOf('.') + 1
  const first = host.charCodeAt(start)
  if (!(first >= zero && first <= nine)) return false
  return /^(?:[0-9]+|0x[0-9a-f]*)$/i.test(host.slice(start))
}

/** Reports whether `text` is IPv4 in canonical spelling; allocates nothing. */
export function isDottedIpv4(text: string): boolean {
  if (text.length < 7 || text.length > 15) return false
  let parts = 0
  let digits = 0
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === dot) {
      if (digits === 0) return false
      parts++
      digits = 0
      value = 0
    } else if (code >= zero && code <= nine) {
      // A second digit after a leading zero means octal.
      if (digits > 0 && value === 0) return false
      value = value * 10 + code - zero
      if (value > 255) return false
      digits++
    } else return false
  }
  return parts === ipv4PartsMax - 1 && digits > 0
}

/** Parses one part as decimal, `0…` octal or `0x…` hexadecimal; -1 when it is invalid or over 32 bits. */
function readIpv4Part(text: string): number {
  if (text === '') return -1
  const isHex = /^0x/i.test(text)
  const base = isHex ? 16 : text.length > 1 && text.startsWith('0') ? 8 : 10
  let value = 0
  for (let i = isHex ? 2 : 0; i < text.length; i++) {
    const digit = Number.parseInt(text.charAt(i), base)
    // Also catches NaN; checking the bound in the loop keeps endless digits exact.
    if (!(digit >= 0 && value <= ipv4ValueMax)) return -1
    value = value * base + digit
  }
  return value <= ipv4ValueMax ? value : -1
}

const dotted = (value: number): string =>
  `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`

/**
 * Returns dotted decimal for IPv4 in any form (`0x7f.1`, `2130706433`, `017700000001`), or null.
 *
 * Overflow is refused as browsers refuse it (`276.2.3`, `256.1.1.1`).
 */
export function parseIpv4(text: string): string | null {
  if (isDottedIpv4(text)) return text
  const parts = text.split('.', ipv4PartsMax + 1)
  if (parts.length > ipv4PartsMax) return null
  let address = 0
  for (const [index, part] of parts.entries()) {
    const value = readIpv4Part(part)
    // The last part fills all remaining bytes.
    const isLast = index === parts.length - 1
    const bytes = isLast ? ipv4PartsMax - index : 1
    if (value < 0 || value >= 256 ** bytes) return null
    address += isLast ? value : value * 256 ** (ipv4PartsMax - 1 - index)
  }
  return dotted(address)
}

/** Parses colon-separated groups; dotted IPv4 at the very end counts as two. Null when malformed. */
function readGroups(text: string, mayEndInIpv4: boolean): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  const pieces = text.split(':')
  for (const [index, piece] of pieces.entries()) {
    if (mayEndInIpv4 && index === pieces.length - 1 && isDottedIpv4(piece)) {
      const [a = 0, b = 0, c = 0, d = 0] = piece.split('.').map(Number)
      groups.push(a * 256 + b, c * 256 + d)
    } else if (/^[0-9a-f]{1,4}$/i.test(piece)) {
      groups.push(Number.parseInt(piece, 16))
    } else return null
  }
  return groups
}

function expandIpv6(text: string): number[] | null {
  const gap = text.indexOf('::')
  if (gap === -1) {
    const groups = readGroups(text, true)
    return groups?.length === ipv6Groups ? groups : null
  }
  const head = readGroups(text.slice(0, gap), false)
  const tail = readGroups(text.slice(gap + 2), true)
  if (head === null || tail === null) return null
  const missing = ipv6Groups - head.length - tail.length
  if (missing < 1) return null
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/** Formats the groups with the first longest run of two or more zeros as `::` (RFC 5952, 4.2). */
function compressIpv6(groups: readonly number[]): string {
  let bestStart = 0
  let bestLength = 1
  let runStart = 0
  for (let i = 0; i <= groups.length; i++) {
    if (groups[i] === 0) continue
    if (i - runStart > bestLength) {
      bestStart = runStart
      bestLength = i - runStart
    }
    runStart = i + 1
  }
  const hex = groups.map((group) => group.toString(16))
  if (bestLength === 1) return hex.join(':')
  return `${hex.slice(0, bestStart).join(':')}::${hex.slice(bestStart + bestLength).join(':')}`
}

/**
 * Parses IPv6 without brackets; null when it is invalid or has a zone id.
 *
 * `::ffff:a.b.c.d` and the NAT64 prefix `64:ff9b::/96` become the IPv4 address that they embed.
 */
function parseIpv6(text: string): Address | null {
  if (text.length > ipv6TextMax) return null
  const groups = expandIpv6(text)
  if (groups === null) return null
  const prefix = groups.slice(0, 6).join()
  if (prefix === '0,0,0,0,0,65535' || prefix === '100,65435,0,0,0,0') {
    const [high = 0, low = 0] = groups.slice(6)
    return { family: 4, text: dotted(high * 65_536 + low) }
  }
  return { family: 6, text: compressIpv6(groups) }
}

/** Parses an address in any form, IPv6 with or without brackets; null when it is not an address. */
export function parseAddress(text: string): Address | null {
  if (text.startsWith('[')) return text.endsWith(']') ? parseIpv6(text.slice(1, -1)) : null
  if (text.includes(':')) return parseIpv6(text)
  if (!endsInNumber(text)) return null
  const ipv4 = parseIpv4(text)
  return ipv4 === null ? null : { family: 4, text: ipv4 }
}

/** Returns the address as a URL's host: IPv6 in brackets. */
export function toUrlHost(address: Address): string {
  return address.family === 6 ? `[${address.text}]` : address.text
}
