/**
 * E-mail addresses in a plain reading: in prose, in URLs, and encoded.
 *
 * Finds more than valid addresses, since everything that may be an address must be masked. Searches from each
 * `@` to both sides, up to the next one: linear.
 */

import { isDottedIpv4 } from '../model/address.ts'
import { hasKnownSuffix } from '../model/domain.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import { barrier } from '../model/plain-reading.ts'
import type { Span } from './digit-groups.ts'

/** No address is longer (RFC 3696, errata). */
const emailLengthMax = 320

/** RFC 5321 §4.5.3.1.1. */
const localLengthMax = 64

/** The characters of a local part except those that structure a URL, and non-ASCII letters. */
const isLocalCharacter = (character: string): boolean =>
  /[\w.!$%'*+^`{|}~\-\p{L}\p{N}]/u.test(character)
const isDomainCharacter = (character: string): boolean => /[\w.\-\p{L}\p{N}]/u.test(character)

/** Returns the longest prefix of a name that can be a mail domain: one that ends in letters, or IPv4. */
function findMailDomain(name: string): string {
  if (isDottedIpv4(name)) return name
  let end = name.length
  for (;;) {
    const dot = name.lastIndexOf('.', end - 1)
    if (/^\p{L}./u.test(name.slice(dot + 1, end))) return name.slice(0, end)
    if (dot < 1) return ''
    end = dot
  }
}

/** Returns where the local part that ends at `end` begins; `end` when there is none. */
function findLocalStart(text: string, end: number): number {
  if (text[end - 1] === '"') {
    const head = text.slice(Math.max(end - localLengthMax, 0), end - 1)
    const quote = head.lastIndexOf('"')
    return quote <= head.lastIndexOf(barrier) ? end : end - 1 - head.length + quote
  }
  let start = end
  while (start > 0 && isLocalCharacter(text.charAt(start - 1))) start--
  // Quotes and stars before an address rarely belong to it.
  let word = start
  while (word < end && !/[\p{L}\d_]/u.test(text.charAt(word))) word++
  return word < end ? word : start
}

/** Reports whether a separator of a URL may end a local part here, unlike in the `/@name` of a profile. */
function canEndLocal(text: string, end: number): boolean {
  const sign = text.charAt(end - 1)
  if (sign !== '/') return /[=?&#]/.test(sign)
  const word =
    text
      .slice(Math.max(end - localLengthMax, 0), end)
      .split(/[\s"'()<>]/)
      .at(-1) ?? ''
  const host = word.slice(0, word.indexOf('/'))
  return !word.includes(barrier) && !hasKnownSuffix(host.toLowerCase())
}

/** Maximum number of spaces on either side of an `@` as a disguise. */
const blanksMax = 3
const blanksBefore = / {0,3}$/
/** In a query, a plus sign is a space. */
const blanksAfter = /^[ +]{0,3}/

/** Returns the address around an `@`, or null when it is something else. */
function findEmailAround(text: string, at: number): Span | null {
  const blanks = blanksAfter.exec(text.slice(at + 1, at + 1 + blanksMax))?.[0].length ?? 0
  const isSpaced = blanks > 0
  const from = at + 1 + (text[at + 1] === '[' ? 1 : blanks)
  let end = from
  while (end < text.length && isDomainCharacter(text.charAt(end))) end++
  while (end > from && /[._-]/.test(text.charAt(end - 1))) end--
  const domain = findMailDomain(text.slice(from, end))
  if (domain === '' || (isSpaced && !domain.includes('.'))) return null
  const gap = blanksBefore.exec(text.slice(Math.max(at - blanksMax, 0), at))?.[0].length ?? 0
  // A name without a dot after `word @` is a profile.
  const localEnd = domain.includes('.') ? at - gap : at
  const start = findLocalStart(text, localEnd)
  const isAddress =
    start < localEnd || (localEnd === at && domain.includes('.') && canEndLocal(text, at))
  return isAddress ? { start, end: from + domain.length } : null
}

/** Returns the e-mail addresses in a plain reading. Linear: neither part contains an `@`. */
export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const span = findEmailAround(text, at)
    if (span !== null) spans.push(span)
  }
  return spans
}

/** Returns the words that encode a text with an e-mail address in base64 or hexadecimal. */
export function findEncodedEmails(text: string): Span[] {
  const spans: Span[] = []
  // No ASCII character of an address produces a `+` or `/` in base64.
  for (const { 0: word, index } of text.matchAll(/[A-Za-z\d]{8,}={0,2}/g)) {
    const encoding = /^(?:[\da-f]{2})+$/i.test(word) ? 'hex' : 'base64'
    const decoded = Buffer.from(word, encoding).toString('latin1')
    const isText = /^[\s!-~]*$/.test(decoded)
    if (isText && /[\w.+-]@[\w-]+\.[a-z]{2}/i.test(decoded)) {
      spans.push({ start: index, end: index + word.length })
    }
  }
  return spans
}

/** Returns an address in the spelling used for comparison. */
function toEmailKey(text: string): string {
  const bare = text.replaceAll(' ', '')
  const address = parseEmailAddress(bare)
  return address.ok ? address.value.value : bare.toLowerCase()
}

/** Returns the places of a known address, in any spelling. */
export function findEmail(text: string, email: string): Span[] {
  const key = toEmailKey(email)
  return findEmails(text).filter(
    ({ start, end }) => end - start <= emailLengthMax && toEmailKey(text.slice(start, end)) === key,
  )
}
