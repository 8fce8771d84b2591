/**
 * Digits in a plain reading that are not a personal number although there are enough of them: dates, times,
 * amounts, addresses, host names, digests.
 *
 * With further digits next to them, as in `2024-05-17-001`, they do not count as explained.
 */

import { hasKnownSuffix } from '../model/domain.ts'
import { barrier } from '../model/plain-reading.ts'
import type { Span } from './digit-groups.ts'

const byte = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const month = '(?:1[0-2]|0?[1-9])'
const day = '(?:3[01]|[12]\\d|0?[1-9])'
/** Dates, times, amounts and addresses. */
const explained: readonly RegExp[] = [
  // IPv4
  new RegExp(`(?<!\\d\\.?)${byte}(?:\\.${byte}){3}(?!\\.?\\d)`, 'g'),
  // 2024-05-17, then 17.05.2024 and 5/17/24
  new RegExp(`(?<!\\d[-./]?)(?:19|20)\\d\\d([-./])${month}\\1${day}(?![-./]?\\d)`, 'g'),
  new RegExp(`(?<!\\d[-./]?)${day}([-./])${day}\\1(?:19|20)?\\d\\d(?![-./]?\\d)`, 'g'),
  // 10:20:30.123 +0200
  /(?<!\d:?)\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[+-]\d\d:?\d\d)?(?!:?\d)/g,
  // $1,234.56 and 99.50
  /(?<!\d[-.,]?)[$€£¥₹] ?\d{1,9}(?![-.]?\d)/g,
  /(?<!\d[-.,]?)(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,2})?|(?:0|[1-9]\d{0,8})\.\d\d)(?![-.]?\d)/g,
]
/** Host names: `ec2-203-0-113-25.compute.example`. */
const hostName = /(?<![\w.@-])(?:[a-z\d_-]{1,63}\.)+[a-z]{2,24}(?![\w-])/gi
/** Digests, wallet addresses and UUIDs. */
const hexadecimal =
  /(?<![\da-z])(?:0x)?(?:[\da-f]{64}|[\da-f]{40}|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\da-z])/gi
/** Groups between colons, up to the maximum. */
const ipv6 = /(?<![\da-z:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\da-z:]|\.\d)/gi
/** RFC 4291 §2.2; with fewer there must be a `::`. */
const ipv6Parts = 8

/** Returns the matches of a global pattern. */
export function findMatches(pattern: RegExp, text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: match, index } of text.matchAll(pattern)) {
    spans.push({ start: index, end: index + match.length })
  }
  return spans
}

/** Yields the host names in a text that contain digits: `ec2-203-0-113-25.compute.example.com`. */
export function* findHosts(text: string): Generator<Span> {
  for (const { 0: name, index } of text.matchAll(hostName)) {
    const isOwn = /\d/.test(name) && /[a-z]/i.test(name.slice(0, name.lastIndexOf('.')))
    if (isOwn && hasKnownSuffix(name.toLowerCase())) {
      yield { start: index, end: index + name.length }
    }
  }
}

/** Returns the dates, times, amounts and IPv4 addresses in a text. */
export function findExplanations(text: string): Span[] {
  return explained.flatMap((pattern) => findMatches(pattern, text))
}

/** Returns a text with barriers in place of digests and IPv6 addresses, whose digits are not numbers. */
export function hideHexadecimal(text: string): string {
  // Digits only are more likely two card numbers in a row.
  const undigested = text.replace(hexadecimal, (digest) =>
    /[a-f]/i.test(digest) ? barrier.repeat(digest.length) : digest,
  )
  return undigested.replace(ipv6, (address) => {
    const isWhole = address.includes('::') || address.split(':').length === ipv6Parts
    return isWhole ? barrier.repeat(address.length) : address
  })
}
