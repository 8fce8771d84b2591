/**
 * Domain names: their canonical spelling, which of them are public, and their registrable part.
 *
 * A canonical name is lower case, in A-labels (`xn--…`), without a trailing dot; its labels have 1 to
 * 63 letters, digits, hyphens and underscores, the whole at most 253. The URL parser of Bun is less
 * strict about length, dots and characters, so it is used for Unicode only.
 */

import { domainToUnicode } from 'node:url'
import { parse as readSuffix } from 'tldts'
import { endsInNumber, parseAddress, toUrlHost } from './address.ts'
import type { Result } from './result.ts'

declare const brand: unique symbol

/** A canonical domain name; made by `parseDomainName` only. */
export type DomainName = string & { readonly [brand]: 'DomainName' }

/** Why a text is not a domain name. */
export type DomainRefusal = 'empty' | 'address' | 'too_long' | 'invalid_character' | 'invalid_idn'

/** What the client should send instead. */
export const domainRefusalMessages: Readonly<Record<DomainRefusal, string>> = {
  empty: 'Send a domain name such as example.com.',
  address: 'Send a domain name, not an IP address or a number.',
  too_long: 'Send a domain name of at most 253 characters with at most 63 between the dots.',
  invalid_character: 'Send a domain name of letters, digits, hyphens and dots only.',
  invalid_idn: 'Send an international domain name that can be decoded.',
}

const nameLengthMax = 253
const labelLengthMax = 63
/** Longer names in Unicode are refused unparsed: encoding them takes quadratic time. */
const unicodeLengthMax = nameLengthMax

const isNameCode = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_') {
  isNameCode[character.charCodeAt(0)] = 1
}
const dot = 0x2e

/**
 * Returns where the lower-case name that starts at `start` ends, or -1 when a label there is empty
 * or too long, or the name is too long. Labels that start with `xn--` may still be undecodable.
 */
export function findNameEnd(text: string, start: number): number {
  let labelStart = start
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (isNameCode[code] === 1) continue
    if (code !== dot) break
    if (end === labelStart || end - labelStart > labelLengthMax) return -1
    labelStart = end + 1
  }
  const lastLength = end - labelStart
  return lastLength > 0 && lastLength <= labelLengthMax && end - start <= nameLengthMax ? end : -1
}

/** Collapses runs of dots and drops leading and trailing dots. */
function collapseDots(name: string): string {
  return name.split('.').filter(Boolean).join('.')
}

/** Maps letters as browsers do (UTS 46, non-transitional), Unicode dots and digits included. */
function toAscii(name: string): Result<string, DomainRefusal> {
  const lowered = name.toLowerCase()
  // The URL parser would accept more ASCII characters than a name may have.
  if (!/^[a-z0-9._\-\u0080-\u{10FFFF}]*$/u.test(lowered)) {
    return { ok: false, reason: 'invalid_character' }
  }
  if (/^[\0-\x7f]*$/.test(lowered) && !lowered.includes('xn--')) return { ok: true, value: lowered }
  if (name.length > unicodeLengthMax) return { ok: false, reason: 'too_long' }
  const mapped = URL.parse(`http://${name}/`)?.hostname
  return mapped === undefined || mapped === ''
    ? { ok: false, reason: 'invalid_idn' }
    : { ok: true, value: mapped }
}

/** Reports whether `text` is already canonical and has no A-label, which may be invalid. */
function isPlainName(text: string): boolean {
  return findNameEnd(text, 0) === text.length && !text.includes('xn--') && !endsInNumber(text)
}

/** A host in canonical spelling, IPv6 in brackets. */
export interface Host {
  readonly text: string
  readonly isAddress: boolean
}

/** Parses a name or an address in any spelling, IPv6 in brackets. */
export function parseHost(text: string): Result<Host, DomainRefusal> {
  if (text.startsWith('[')) return parseAddressHost(text)
  if (isPlainName(text)) return { ok: true, value: { text, isAddress: false } }
  const ascii = toAscii(text)
  if (!ascii.ok) return ascii
  const name = collapseDots(ascii.value)
  if (name === '') return { ok: false, reason: 'empty' }
  if (endsInNumber(name)) return parseAddressHost(name)
  const end = findNameEnd(name, 0)
  if (end === name.length) return { ok: true, value: { text: name, isAddress: false } }
  return { ok: false, reason: end === -1 ? 'too_long' : 'invalid_character' }
}

function parseAddressHost(text: string): Result<Host, DomainRefusal> {
  const address = parseAddress(text)
  if (address === null) return { ok: false, reason: 'address' }
  return { ok: true, value: { text: toUrlHost(address), isAddress: true } }
}

/**
 * Parses a domain name in any case, in Unicode or A-labels, with or without a trailing dot.
 *
 * Refuses addresses, but not names that are not public (`whyNotPublic`).
 */
export function parseDomainName(text: string): Result<DomainName, DomainRefusal> {
  const host = parseHost(text.trim())
  if (!host.ok) return host
  if (host.value.isAddress) return { ok: false, reason: 'address' }
  return { ok: true, value: host.value.text as DomainName }
}

/** Why no one can own a name on the public internet. */
export type NotPublicReason = 'single_label' | 'reserved' | 'public_suffix'

const reservedEndings: ReadonlySet<string> = new Set([
  'localhost',
  'local',
  'internal',
  'lan',
  'onion',
  'alt',
  'invalid',
])

const suffixOptions = {
  allowPrivateDomains: true,
  // The default refuses names that exist, such as those with a leading hyphen.
  validateHostname: false,
  extractHostname: false,
  detectIp: false,
  detectSpecialUse: false,
} as const

type Suffix = ReturnType<typeof readSuffix>

let lastSuffix: Suffix = readSuffix('', suffixOptions)

/**
 * Returns the entry of the Public Suffix List for `host`.
 *
 * Takes about 0.2 µs; the latest answer is cached, since one lookup asks several times for the same host.
 */
function findSuffix(host: string): Suffix {
  if (lastSuffix.hostname !== host) lastSuffix = readSuffix(host, suffixOptions)
  return lastSuffix
}

/**
 * Returns why the canonical `host` is not public, or null when it is (addresses always are).
 *
 * Names for examples that no one can own (`example.com`, `.test`) are public, and so are suffixes that a
 * company runs (`github.io`); suffixes of a registry (`co.uk`) are not.
 */
export function whyNotPublic(host: string): NotPublicReason | null {
  const lastDot = host.lastIndexOf('.')
  if (lastDot === -1) return host.startsWith('[') ? null : 'single_label'
  if (reservedEndings.has(host.slice(lastDot + 1))) return 'reserved'
  if (host === 'home.arpa' || host.endsWith('.home.arpa')) return 'reserved'
  const suffix = findSuffix(host)
  return suffix.isIcann === true && suffix.publicSuffix === host ? 'public_suffix' : null
}

/** Reports whether someone can own the canonical `host` on the public internet. */
export function isPublicName(host: string): boolean {
  return whyNotPublic(host) === null
}

/**
 * Returns the registered name: one label more than the public suffix, which may be that of a hosting
 * platform (`evil.pages.dev`); null for a suffix itself and for addresses.
 */
export function registrableDomain(host: string): string | null {
  return host.startsWith('[') || endsInNumber(host) ? null : findSuffix(host).domain
}

/** Returns the suffix under which names are registered, a company's (`pages.dev`) or a registry's; or null. */
export function publicSuffix(host: string): string | null {
  return findSuffix(host).publicSuffix
}

/** Reports whether `host` ends in a suffix of the Public Suffix List: `node.js` does not. */
export function hasKnownSuffix(host: string): boolean {
  const { isIcann, isPrivate } = findSuffix(host)
  return isIcann === true || isPrivate === true
}

/** Returns the suffix above or equal to `host` that a company runs (`pages.dev`), or null. */
export function privateSuffix(host: string): string | null {
  const suffix = findSuffix(host)
  return suffix.isPrivate === true ? suffix.publicSuffix : null
}

/** Returns the name in Unicode for display, or null when that is the same; never throws. */
export function toUnicode(name: string): string | null {
  if (!name.includes('xn--')) return null
  const unicode = domainToUnicode(name)
  return unicode === '' || unicode === name ? null : unicode
}
