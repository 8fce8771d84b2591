/**
 * Who sent a mail, as people pass it on: `ann@example.com`, `Ann <ann@example.com>`,
 * `"Bank, Support" <x@example.com>`, with comments, encoded words and quoted local parts (RFC 5322
 * §3.4, RFC 6531), also defanged (`x@evil[.]example`).
 *
 * Laxer than the standard where mails are, strict about the one thing that matters: which domain the
 * address is of. Linear in the text; never throws.
 */

import { withoutSteering } from './characters.ts'
import { type DomainName, isPublicName, parseDomainName } from './domain.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import type { Result } from './result.ts'

/** A sender: what he calls himself, and his address. */
export interface Mailbox {
  /** The name beside the address, decoded; null when there is none. */
  readonly displayName: string | null
  /** `local@domain` in lower case, the domain canonical. */
  readonly address: string
  readonly domain: DomainName
}

/** Why a text names no sender. */
export type MailboxRefusal =
  | 'empty'
  | 'too_long'
  | 'no_at_sign'
  | 'several_at_signs'
  | 'unclosed'
  | 'invalid_local_part'
  | 'invalid_domain'
  | 'not_public_domain'

/** The longest sender: a name, and an address of at most 320 characters (RFC 3696, errata). */
export const mailboxLengthMax = 1_000

/** What to send instead, for the caller. */
export const mailboxRefusalMessages: Readonly<Record<MailboxRefusal, string>> = {
  empty: 'Send an address such as name@example.com.',
  too_long: `Send a sender of at most ${mailboxLengthMax} characters.`,
  no_at_sign: 'Send an address with an @, such as name@example.com.',
  several_at_signs: 'Send one address with one @, such as name@example.com.',
  unclosed: 'Close what was opened, as in "Name" <name@example.com>.',
  invalid_local_part:
    'Send an address with 1 to 64 characters and no blanks before the @, such as name@example.com.',
  invalid_domain: 'Send an address whose part after the @ is a domain name, such as example.com.',
  not_public_domain:
    'Send an address on the public internet: not of a local name, nor of a suffix such as com.',
}

/** RFC 5321 §4.5.3.1.1; those of international addresses count in bytes there. */
const localPartMax = 64

/** RFC 5322 §3.2.3, and any letter beyond ASCII (RFC 6531 §3.3). */
const localPart = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-\u00a1-\u{10ffff}]+$/u

const refuse = (reason: MailboxRefusal) => ({ ok: false, reason }) as const

/** The parts of a sender before each is read. */
interface Parts {
  readonly name: string
  readonly spec: string
}

/** Takes `( … )` off, which may be nested; null when one is not closed. */
function withoutComments(text: string): { readonly rest: string; readonly comment: string } | null {
  if (!text.includes('(')) return { rest: text, comment: '' }
  let depth = 0
  let isQuoted = false
  let rest = ''
  let comment = ''
  for (const character of text) {
    if (depth === 0 && character === '"') isQuoted = !isQuoted
    if (character === '(' && !isQuoted) depth++
    else if (character === ')' && depth > 0) depth--
    else if (depth === 0) rest += character
    else comment += character
  }
  return depth === 0 ? { rest, comment } : null
}

/** Stands for every character that is only quoted or a remark. */
const covered = '\0'

/**
 * Returns the text with what stands in quotes and comments covered, of the same length, so that the
 * brackets and commas that are left part addresses; the text itself when one is never closed.
 */
function withoutQuoted(text: string): string {
  if (!/["(]/.test(text)) return text
  let bare = ''
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const isInside = isQuoted || depth > 0
    if (isInside && character === '\\' && at + 1 < text.length) {
      at++
      bare += covered
    } else if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (character === '(' && !isQuoted) depth++
    else if (character === ')' && depth > 0) depth--
    bare += isInside || isQuoted || depth > 0 ? covered : character
  }
  return isQuoted || depth > 0 ? text : bare
}

/** Parts the address from the name: it stands between the last `<` and the `>` at the end. */
function splitParts(text: string): Result<Parts, MailboxRefusal> {
  const bare = withoutQuoted(text)
  const closed = bare.lastIndexOf('>')
  const open = bare.lastIndexOf('<')
  if (open === -1 && closed === -1) {
    const parts = withoutComments(text)
    if (parts === null) return refuse('unclosed')
    const named = /^"[^"\\]*"\s/.exec(parts.rest.trimStart())?.[0] ?? ''
    const spec = parts.rest.trimStart().slice(named.length)
    return { ok: true, value: { name: named.trim() || parts.comment, spec } }
  }
  if (closed < open || open === -1) return refuse('unclosed')
  const inside = withoutComments(text.slice(open + 1, closed))
  if (inside === null) return refuse('unclosed')
  // In `<a@b>` with nothing before it, a comment after it is the name, as old programs write it.
  const name = text.slice(0, open).trim() || text.slice(closed + 1).replace(/[()]/g, ' ')
  return { ok: true, value: { name, spec: inside.rest } }
}

/** Takes quotes and escapes off a name and decodes it; null when nothing is left of it. */
function readName(text: string): string | null {
  const bare = text.replaceAll('\\"', '').replaceAll('"', '').replaceAll('\\', '')
  const name = withoutSteering(decodeEncodedWords(bare)).replace(/\s+/g, ' ').trim()
  return name === '' ? null : name
}

/** Returns where the quoted local part that `spec` starts with ends, past its quote; -1 if nowhere. */
function findQuoteEnd(spec: string): number {
  for (let i = 1; i < spec.length; i++) {
    if (spec[i] === '\\') i++
    else if (spec[i] === '"') return i + 1
  }
  return -1
}

interface Address {
  readonly local: string
  readonly domain: string
}

/** Takes off the way that a mail was to go (`@relay.example:ann@bank.example`), which programs ignore. */
function withoutRoute(spec: string): string {
  const end = spec.startsWith('@') ? spec.indexOf(':') : -1
  return spec.slice(end + 1)
}

/** Takes quotes off that are not needed: with and without, it is the same mailbox (RFC 5321 §4.1.2). */
function withoutQuotes(local: string): string {
  const content = local.slice(1, -1).replace(/\\(.)/gs, '$1')
  return localPart.test(content) ? content : local
}

function readSpec(text: string): Result<Address, MailboxRefusal> {
  const spec = withoutRoute(text)
  const isQuoted = spec.startsWith('"')
  const quoteEnd = isQuoted ? findQuoteEnd(spec) : 0
  if (quoteEnd === -1) return refuse('unclosed')
  const at = spec.indexOf('@', quoteEnd)
  if (at === -1) return refuse('no_at_sign')
  if (spec.includes('@', at + 1)) return refuse('several_at_signs')
  const local = spec.slice(0, at).trim()
  const isRead = isQuoted ? local.length === quoteEnd && quoteEnd > 2 : localPart.test(local)
  if (!isRead || local.length > localPartMax) return refuse('invalid_local_part')
  const plain = isQuoted ? withoutQuotes(local) : local
  return { ok: true, value: { local: plain, domain: spec.slice(at + 1) } }
}

/** Takes off what people copy along: blanks, `mailto:`, a comma or semicolon after it. */
function trimmed(text: string): string {
  const bare = text.trim().replace(/[,;]$/, '').trimEnd()
  return bare.slice(0, 7).toLowerCase() === 'mailto:' ? bare.slice(7) : bare
}

/** Reads a sender, or says why there is none. */
export function parseMailbox(text: string): Result<Mailbox, MailboxRefusal> {
  if (text.length > mailboxLengthMax) return refuse('too_long')
  const given = trimmed(text)
  if (given === '') return refuse('empty')
  const parts = splitParts(given)
  if (!parts.ok) return parts
  const address = readSpec(withoutSteering(parts.value.spec).trim())
  if (!address.ok) return address
  const domain = parseDomainName(address.value.domain.replaceAll('[.]', '.'))
  if (!domain.ok) return refuse('invalid_domain')
  if (!isPublicName(domain.value)) return refuse('not_public_domain')
  return {
    ok: true,
    value: {
      displayName: readName(parts.value.name),
      address: `${address.value.local.toLowerCase()}@${domain.value}`,
      domain: domain.value,
    },
  }
}

/** The most addresses that are read of one sender. */
export const mailboxesMax = 5

/** Splits at the commas and semicolons that part addresses; what holds none belongs to the next. */
function splitMailboxes(text: string): string[] {
  const bare = withoutQuoted(text)
  const items: string[] = []
  let start = 0
  let isInBrackets = false
  for (let at = 0; at <= text.length; at++) {
    const character = bare.charAt(at)
    if (character === '<') isInBrackets = true
    else if (character === '>') isInBrackets = false
    const isEnd = at === text.length
    if (!isEnd && (isInBrackets || (character !== ',' && character !== ';'))) continue
    if (!isEnd && !bare.slice(start, at).includes('@')) continue
    items.push(text.slice(start, at))
    start = at + 1
  }
  return items
}

/** Takes the name off a group: `Team: ann@example.com`. */
function withoutGroup(item: string): string {
  const bare = withoutQuoted(item)
  const colon = bare.indexOf(':')
  return colon !== -1 && colon < bare.indexOf('@') && !bare.includes('<')
    ? item.slice(colon + 1)
    : item
}

/**
 * Reads a sender who may be several, as forged mails have it: every address once, at most
 * `mailboxesMax`, the one that the whole is read as first; or says why there is none.
 */
export function parseMailboxes(text: string): Result<readonly Mailbox[], MailboxRefusal> {
  const whole = parseMailbox(text)
  if (!whole.ok && whole.reason === 'too_long') return whole
  const bracketed = [...withoutQuoted(text).matchAll(/<[^<>]*>/g)]
  const others = [
    ...splitMailboxes(text).map(withoutGroup),
    ...bracketed.map(({ index, 0: { length } }) => text.slice(index, index + length)),
  ].map(parseMailbox)
  const found = new Map<string, Mailbox>()
  for (const read of [whole, ...others]) {
    if (!read.ok || found.has(read.value.address)) continue
    found.set(read.value.address, read.value)
    if (found.size === mailboxesMax) break
  }
  if (found.size > 0) return { ok: true, value: [...found.values()] }
  return whole.ok ? refuse('empty') : whole
}
