/**
 * The sender of a mail, as people write it: `ann@example.com`, `Ann <ann@example.com>`,
 * `"Bank, Support" <x@example.com>`, with comments, encoded words and quoted local parts (RFC 5322
 * §3.4, RFC 6531), also defanged (`x@evil[.]example`).
 *
 * As lenient as real mails require, but strict about what matters: the domain of the address. Linear in the
 * text; never throws.
 */

import { withoutSteering } from './characters.ts'
import { type DomainName, isPublicName, parseDomainName } from './domain.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import type { Result } from './result.ts'

/** A sender: a display name and an address. */
export interface Mailbox {
  /** The name next to the address, decoded; null when there is none. */
  readonly displayName: string | null
  /** `local@domain` in lower case, the domain canonical. */
  readonly address: string
  readonly domain: DomainName
}

/** Why a text is not a sender. */
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

/** What the client should send instead. */
export const mailboxRefusalMessages: Readonly<Record<MailboxRefusal, string>> = {
  empty: 'Send an address such as name@example.com.',
  too_long: `Send a sender of at most ${mailboxLengthMax} characters.`,
  no_at_sign: 'Send an address with an @, such as name@example.com.',
  several_at_signs: 'Send one address with one @, such as name@example.com.',
  unclosed: 'Close every quote and bracket, as in "Name" <name@example.com>.',
  invalid_local_part:
    'Send an address with 1 to 64 characters and no spaces before the @, such as name@example.com.',
  invalid_domain: 'Send an address whose part after the @ is a domain name, such as example.com.',
  not_public_domain:
    'Send an address on the public internet: not at a local name, nor at a suffix such as com.',
}

/** RFC 5321 §4.5.3.1.1; those of international addresses count in bytes there. */
const localPartMax = 64

/** RFC 5322 §3.2.3, and any letter beyond ASCII (RFC 6531 §3.3). */
const localPart = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-\u00a1-\u{10ffff}]+$/u

const refuse = (reason: MailboxRefusal) => ({ ok: false, reason }) as const

/** The parts of a sender, before they are parsed. */
interface Parts {
  readonly name: string
  readonly spec: string
}

/** Removes `( … )`, which may be nested; null when one is not closed. */
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

/** Replaces every quoted or commented character. */
const covered = '\0'

/**
 * Returns the text with quotes and comments covered, at the same length, so that the remaining brackets and
 * commas separate addresses; the text itself when one is not closed.
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

/** Splits name and address; the address is between the last `<` and the `>` at the end. */
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
  // When nothing precedes `<a@b>`, a comment after it is the name, as old programs write it.
  const name = text.slice(0, open).trim() || text.slice(closed + 1).replace(/[()]/g, ' ')
  return { ok: true, value: { name, spec: inside.rest } }
}

/** Removes quotes and escapes from a name and decodes it; null when nothing is left. */
function parseName(text: string): string | null {
  const bare = text.replaceAll('\\"', '').replaceAll('"', '').replaceAll('\\', '')
  const name = withoutSteering(decodeEncodedWords(bare)).replace(/\s+/g, ' ').trim()
  return name === '' ? null : name
}

/** Returns the index after the quoted local part at the start of `spec`; -1 if it is not closed. */
function findQuoteEnd(spec: string): number {
  for (let i = 1; i < spec.length; i++) {
    if (spec[i] === '\\') i++
    else if (spec[i] === '"') return i + 1
  }
  return -1
}

/** An address before its domain is parsed. */
interface Spec {
  readonly local: string
  readonly domain: string
}

/** Removes the route of a mail (`@relay.example:ann@bank.example`), which mail programs ignore. */
function withoutRoute(spec: string): string {
  const end = spec.startsWith('@') ? spec.indexOf(':') : -1
  return spec.slice(end + 1)
}

/** Removes unnecessary quotes, which make no difference to the mailbox (RFC 5321 §4.1.2). */
function withoutQuotes(local: string): string {
  const content = local.slice(1, -1).replace(/\\(.)/gs, '$1')
  return localPart.test(content) ? content : local
}

function parseSpec(text: string): Result<Spec, MailboxRefusal> {
  const spec = withoutRoute(text)
  const isQuoted = spec.startsWith('"')
  const quoteEnd = isQuoted ? findQuoteEnd(spec) : 0
  if (quoteEnd === -1) return refuse('unclosed')
  const at = spec.indexOf('@', quoteEnd)
  if (at === -1) return refuse('no_at_sign')
  if (spec.includes('@', at + 1)) return refuse('several_at_signs')
  const local = spec.slice(0, at).trim()
  const isValid = isQuoted ? local.length === quoteEnd && quoteEnd > 2 : localPart.test(local)
  if (!isValid || local.length > localPartMax) return refuse('invalid_local_part')
  const plain = isQuoted ? withoutQuotes(local) : local
  return { ok: true, value: { local: plain, domain: spec.slice(at + 1) } }
}

/** Removes what people copy with an address: spaces, `mailto:`, a comma or semicolon after it. */
function trimCopied(text: string): string {
  const bare = text.trim().replace(/[,;]$/, '').trimEnd()
  return bare.slice(0, 7).toLowerCase() === 'mailto:' ? bare.slice(7) : bare
}

/** Parses a sender, or returns why the text is not one. */
export function parseMailbox(text: string): Result<Mailbox, MailboxRefusal> {
  if (text.length > mailboxLengthMax) return refuse('too_long')
  const given = trimCopied(text)
  if (given === '') return refuse('empty')
  const parts = splitParts(given)
  if (!parts.ok) return parts
  const address = parseSpec(withoutSteering(parts.value.spec).trim())
  if (!address.ok) return address
  const domain = parseDomainName(address.value.domain.replaceAll('[.]', '.'))
  if (!domain.ok) return refuse('invalid_domain')
  if (!isPublicName(domain.value)) return refuse('not_public_domain')
  return {
    ok: true,
    value: {
      displayName: parseName(parts.value.name),
      address: `${address.value.local.toLowerCase()}@${domain.value}`,
      domain: domain.value,
    },
  }
}

/** Maximum number of addresses of one sender. */
export const mailboxesMax = 5

/** Splits at the commas and semicolons between addresses; a part without an address joins the next. */
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

/** Removes the name of a group: `Team: ann@example.com`. */
function withoutGroup(item: string): string {
  const bare = withoutQuoted(item)
  const colon = bare.indexOf(':')
  return colon !== -1 && colon < bare.indexOf('@') && !bare.includes('<')
    ? item.slice(colon + 1)
    : item
}

/**
 * Parses a sender that may be several, as in forged mails: every address once, at most `mailboxesMax`, first
 * the one that the whole text is parsed as; or returns why there is none.
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
