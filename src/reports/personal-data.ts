/**
 * Personal data in reports, masked before it is stored: e-mail addresses, phone, card and social-security
 * numbers, and secrets in URLs.
 *
 *     text ──▶ plain reading ──▶ known e-mail kept ▶ users, e-mail ▶ known phone kept ──╮
 *     text ◀── marks ◀── until nothing is found: numbers ▶ parameters ▶ users, e-mail ◀──╯
 *
 * Each step sees a barrier in place of what the steps before it kept or found, so that masking a masked
 * text changes nothing. When in doubt, it masks. Linear; never throws.
 */

import { barrier, type PlainReading, readPlainly } from '../model/plain-reading.ts'
import type { Span } from './digit-groups.ts'
import { findEmail, findEmails, findEncodedEmails } from './personal-emails.ts'
import { findNamedSsns, findPersonalNumbers, findPhone } from './personal-numbers.ts'
import { findAuthorities, findSecrets } from './url-secrets.ts'

/** The contacts that a report is about, which stay readable. */
export interface KnownContacts {
  /** In E.164: `+12025552368`. */
  readonly phone: string | null
  readonly email: string | null
}

const noContacts: KnownContacts = { phone: null, email: null }

/** What replaces each kind of data. */
const marks = {
  email: '[e-mail]',
  phone: '[phone]',
  card: '[card]',
  ssn: '[ssn]',
  hidden: '[hidden]',
} as const
type Kind = keyof typeof marks
const kinds: readonly Kind[] = ['email', 'phone', 'card', 'ssn', 'hidden']
const markTexts = kinds.map((kind) => marks[kind])

/** Personal data in a source. */
interface Finding extends Span {
  readonly kind: Kind
}

const free = 0
/** Stays: reported contacts and earlier marks. Kinds count from one. */
const kept = 255
/** Is masked only as part of a parameter: the hosts of URLs. */
const passed = 254

/** A source, with a decision on each character of its plain reading. */
class Masking {
  readonly reading: PlainReading
  readonly #decisions: Uint8Array
  #undecided: string | null = null

  constructor(source: string) {
    this.reading = readPlainly(source, markTexts)
    this.#decisions = new Uint8Array(this.reading.text.length)
    const { text } = this.reading
    for (let at = text.indexOf(barrier); at !== -1; at = text.indexOf(barrier, at + 1)) {
      this.#decisions[at] = kept
    }
  }

  /** Returns the plain reading with a barrier for every decided character. */
  undecided(): string {
    this.#undecided ??= this.#veil()
    return this.#undecided
  }

  #veil(): string {
    const { text } = this.reading
    let veiled = ''
    for (let at = 0; at < text.length; ) {
      const isDecided = this.#decisions[at] !== free
      let end = at + 1
      while (end < text.length && (this.#decisions[end] !== free) === isDecided) end++
      veiled += isDecided ? barrier.repeat(end - at) : text.slice(at, end)
      at = end
    }
    return veiled
  }

  #decide(
    spans: readonly Span[],
    decision: number,
    isOpen: (before: number | undefined) => boolean,
  ): void {
    if (spans.length > 0) this.#undecided = null
    for (const { start, end } of spans) {
      for (let at = start; at < end; at++) {
        if (isOpen(this.#decisions[at])) this.#decisions[at] = decision
      }
    }
  }

  keep(spans: readonly Span[], decision: typeof kept | typeof passed): void {
    this.#decide(spans, decision, (before) => before === free)
  }

  /** Masks what is undecided, or with `over` everything that is not kept. */
  mask(kind: Kind, spans: readonly Span[], over = false): void {
    const decision = kinds.indexOf(kind) + 1
    this.#decide(spans, decision, (before) => before === free || (over && before !== kept))
  }

  /** Returns what is masked, by its place in the source. */
  findings(): Finding[] {
    const { starts, ends } = this.reading
    const findings: Finding[] = []
    let sourceEnd = 0
    for (let at = 0; at < this.#decisions.length; ) {
      const decision = this.#decisions[at]
      let next = at + 1
      while (this.#decisions[next] === decision) next++
      const kind = kinds[(decision ?? free) - 1]
      if (kind !== undefined) {
        const start = Math.max(starts[at] ?? 0, sourceEnd)
        sourceEnd = Math.max(ends[next - 1] ?? 0, start)
        findings.push({ kind, start, end: sourceEnd })
      }
      at = next
    }
    return findings
  }
}

/** Maximum number of rounds: masking one thing may reveal another that was attached to it. */
const roundsMax = 6

/** Masks users in URLs and e-mail addresses; hosts stay, and so do their digits. */
function maskAddresses(masking: Masking): void {
  const authorities = findAuthorities(masking.undecided())
  const userinfos = authorities.map(({ userinfo }) => userinfo)
  const hosts = authorities.map(({ host }) => host)
  masking.mask('hidden', userinfos)
  masking.keep(hosts, passed)
  masking.mask('email', findEmails(masking.undecided()))
  masking.mask('email', findEncodedEmails(masking.undecided()))
}

function maskNumbersAndSecrets(masking: Masking): void {
  for (const number of findPersonalNumbers(masking.undecided())) masking.mask(number.kind, [number])
  // Masked completely, even if it contains something else.
  masking.mask('hidden', findSecrets(masking.reading, masking.undecided()), true)
  masking.mask('ssn', findNamedSsns(masking.undecided()))
}

/** Returns the personal data in a source, except for the reported contacts. */
function findPersonalData(source: string, known: KnownContacts): Finding[] {
  const masking = new Masking(source)
  if (known.email !== null) {
    masking.keep(findEmail(masking.undecided(), known.email), kept)
  }
  maskAddresses(masking)
  if (known.phone !== null) {
    masking.keep(findPhone(masking.undecided(), known.phone), kept)
  }
  for (let round = 0; round < roundsMax; round++) {
    const before = masking.undecided()
    maskNumbersAndSecrets(masking)
    if (masking.undecided() === before) break
    maskAddresses(masking)
  }
  return masking.findings()
}

/**
 * Returns a text with marks such as `[e-mail]` in place of personal data, except for the reported contacts.
 * Masking a masked text changes nothing.
 */
export function maskPersonalData(text: string, known: KnownContacts): string {
  let masked = ''
  let from = 0
  for (const { kind, start, end } of findPersonalData(text, known)) {
    masked += text.slice(from, start) + marks[kind]
    from = end
  }
  return masked + text.slice(from)
}

/** The form of a phone number, as opposed to an order number: its end, or a leading zero. */
const phoneForm = /(?<!\d)\d{3}[^\d]{1,3}\d{4}$|^\(?0[1-9]\d*[^\d]/
const extension = /[^\d]*(?:ext|x|#)\D*\d+$/i

/** Reports whether a finding in a path is personal, not part of how a site names its pages. */
function isPersonalInPath(kind: Kind, spelled: string): boolean {
  const { text } = readPlainly(spelled, [])
  if (text.startsWith('@')) return false
  if (/^\d*$/.test(text)) {
    // Digits in disguise are hidden on purpose.
    const isNumbered = kind !== 'email' && text === spelled
    return !isNumbered || (kind === 'card' && /^[2-6]/.test(text))
  }
  if (kind !== 'phone' || text.startsWith('+')) return true
  const number = text.replace(extension, '')
  return phoneForm.test(number) || (number !== text && /ext/i.test(text))
}

/** Returns where the personal part of a path that contains a finding begins; -1 when it may stay. */
function findPathCut(path: string, { kind, start, end }: Finding): number {
  if (!isPersonalInPath(kind, path.slice(start, end))) return -1
  const segment = path.lastIndexOf('/', start) + 1
  const parameter = path.lastIndexOf(';', start)
  return kind === 'hidden' && parameter > segment ? parameter : segment
}

/**
 * Returns a canonical URL without what is personal in it, so that it can be listed.
 *
 * Removes whole parameters, and the path from the first segment with an address on, which phishing kits put
 * there to greet their victim. Always removes user and fragment. A text that is not a URL with a host is masked.
 */
export function withoutPersonalParts(url: string, known: KnownContacts = noContacts): string {
  let clean = url
  for (let round = 0; round < roundsMax; round++) {
    const cleaner = dropPersonalParts(clean, known)
    if (cleaner === clean) break
    clean = cleaner
  }
  return clean
}

function dropPersonalParts(url: string, known: KnownContacts): string {
  const [, scheme = '', authority = '', rest = ''] =
    /^([a-z]+:\/\/)([^/?#]+)([^#]*)/i.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host === '') return maskPersonalData(url, known)
  const base = scheme + host
  const findings = findPersonalData(base + rest, known).map(({ kind, start, end }) => ({
    kind,
    start: start - base.length,
    end: end - base.length,
  }))
  const queryAt = rest.indexOf('?')
  const pathEnd = queryAt === -1 ? rest.length : queryAt
  const path = rest.slice(0, pathEnd)
  for (const finding of findings) {
    const cut = finding.start >= 0 && finding.start < pathEnd ? findPathCut(path, finding) : -1
    if (cut !== -1) return base + path.slice(0, cut)
  }
  return base + path + dropPersonalParameters(rest.slice(pathEnd), pathEnd, findings)
}

/** Drops the parameters of a query that overlap a finding; `offset` is where the query begins. */
function dropPersonalParameters(
  query: string,
  offset: number,
  findings: readonly Finding[],
): string {
  const parameters: string[] = []
  let next = 0
  let start = 1
  let isWhole = true
  while (start <= query.length) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    while ((findings[next]?.end ?? Number.POSITIVE_INFINITY) <= offset + start) next++
    const isPersonal = (findings[next]?.start ?? Number.POSITIVE_INFINITY) < offset + end
    if (isPersonal) isWhole = false
    else parameters.push(query.slice(start, end))
    start = end + 1
  }
  if (isWhole) return query
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}
