/**
 * E-mail addresses in plainly read text, wherever they stand: in prose, in URLs, encoded for one.
 *
 * Wider than what is valid, since whatever may be somebody's address is to be masked. Everything is
 * looked for from the `@`, on both sides of which no other can stand: linear.
 */

import { isDottedIpv4 } from './address.ts'
import type { Span } from './digit-groups.ts'
import { hasKnownSuffix } from './domain.ts'
import { parseEmailAddress } from './email-address.ts'
import { barrier } from './plain-reading.ts'

/** A longer address is nobody's (RFC 3696, errata). */
const emailLengthMax = 320

/** RFC 5321 §4.5.3.1.1. */
const localLengthMax = 64

/** The characters of a local part but for those that structure a URL, and letters beyond ASCII. */
const isLocal = (character: string): boolean => /[\w.!$%'*+^`{|}~\-\p{L}\p{N}]/u.test(character)
const isOfDomain = (character: string): boolean => /[\w.\-\p{L}\p{N}]/u.test(character)

/** Returns the longest beginning of a name that a mail domain can be: letters last, or IPv4. */
function mailDomain(name: string): string {
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
  while (start > 0 && isLocal(text.charAt(start - 1))) start--
  // Quotes and stars before an address are seldom of it.
  let word = start
  while (word < end && !/[\p{L}\d_]/u.test(text.charAt(word))) word++
  return word < end ? word : start
}

/** Reports whether what structures a URL may here be the end of a local part, and no `/@name` of a profile. */
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

/** How many blanks on either side of an `@` may be a disguise. */
const blanksMax = 3
const blanksBefore = / {0,3}$/
/** In a query a plus sign is one. */
const blanksAfter = /^[ +]{0,3}/

/** Returns the address around an `@`, or null when that is something else. */
function emailAround(text: string, at: number): Span | null {
  const blanks = blanksAfter.exec(text.slice(at + 1, at + 1 + blanksMax))?.[0].length ?? 0
  const isSpaced = blanks > 0
  const from = at + 1 + (text[at + 1] === '[' ? 1 : blanks)
  let end = from
  while (end < text.length && isOfDomain(text.charAt(end))) end++
  while (end > from && /[._-]/.test(text.charAt(end - 1))) end--
  const domain = mailDomain(text.slice(from, end))
  if (domain === '' || (isSpaced && !domain.includes('.'))) return null
  const gap = blanksBefore.exec(text.slice(Math.max(at - blanksMax, 0), at))?.[0].length ?? 0
  // A name without a full stop after `word @` is that of a profile.
  const localEnd = domain.includes('.') ? at - gap : at
  const start = findLocalStart(text, localEnd)
  const isAddress =
    start < localEnd || (localEnd === at && domain.includes('.') && canEndLocal(text, at))
  return isAddress ? { start, end: from + domain.length } : null
}

/** Returns the e-mail addresses in a plainly read text. Linear: neither part holds an `@`. */
export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const span = emailAround(text, at)
    if (span !== null) spans.push(span)
  }
  return spans
}

/** Returns the words that are base64 or hexadecimal of a text with an e-mail address. */
export function findEncodedEmails(text: string): Span[] {
  const spans: Span[] = []
  // No ASCII letter, digit or sign of an address makes a `+` or `/` in base64.
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

/** Returns an address in the one spelling that addresses are compared by. */
function emailKey(text: string): string {
  const bare = text.replaceAll(' ', '')
  const address = parseEmailAddress(bare)
  return address.ok ? address.value.value : bare.toLowerCase()
}

/** Returns where a known address stands, in whatever spelling. */
export function findEmail(text: string, email: string): Span[] {
  const key = emailKey(email)
  return findEmails(text).filter(
    ({ start, end }) => end - start <= emailLengthMax && emailKey(text.slice(start, end)) === key,
  )
}
