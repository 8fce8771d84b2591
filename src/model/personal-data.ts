/**
 * Personal data in what strangers report, masked before it is stored: e-mail addresses, phone, card and
 * social-security numbers, and what in a URL gives access (safety.md §6).
 *
 *     text ──▶ plain reading ──▶ known e-mail kept ▶ users, e-mail ▶ known phone kept ──╮
 *     text ◀── marks ◀── until nothing is found: numbers ▶ parameters ▶ users, e-mail ◀──╯
 *
 * Each step sees a barrier in place of what the steps before it kept or found, so that masking a masked
 * text changes nothing. In doubt it masks. Linear; never throws.
 */

import type { Span } from './digit-groups.ts'
import { findEmail, findEmails, findEncodedEmails } from './personal-emails.ts'
import { findNamedSsns, findPersonalNumbers, findPhone } from './personal-numbers.ts'
import { barrier, type PlainReading, readPlainly } from './plain-reading.ts'
import { findAuthorities, findSecrets } from './url-secrets.ts'

/** What a report is about, and is known anyway: it stays readable. */
export interface KnownContacts {
  /** In E.164: `+12025552368`. */
  readonly phone: string | null
  readonly email: string | null
}

const nobody: KnownContacts = { phone: null, email: null }

/** What is put in place of each kind of data. */
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
/** What stays: reported contacts and marks that were there before. Kinds count from one. */
const kept = 255
/** What only the value of a parameter hides: the hosts of URLs. */
const passed = 254

/** A source of which it is decided, character by character of its plain reading, what is masked. */
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

  /** The plain reading with a barrier for every character that is decided. */
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

  /** Masks what is not decided, or with `over` what is not kept. */
  mask(kind: Kind, spans: readonly Span[], over = false): void {
    const decision = kinds.indexOf(kind) + 1
    this.#decide(spans, decision, (before) => before === free || (over && before !== kept))
  }

  /** Returns what is masked, where it stands in the source. */
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

/** How often it is looked for what shows only when something glued to it is masked. */
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
  // Masked whole, be there something else in it.
  masking.mask('hidden', findSecrets(masking.reading, masking.undecided()), true)
  masking.mask('ssn', findNamedSsns(masking.undecided()))
}

/** Decides what of a source is personal data, but for the reported contacts. */
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
 * Returns a stranger's text with marks such as `[e-mail]` in place of personal data, but for the reported
 * contacts. Text that was masked before comes back unchanged.
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

/** How a phone number is written, and not the number of an order: how it ends, or that it begins with a zero. */
const phoneForm = /(?<!\d)\d{3}[^\d]{1,3}\d{4}$|^\(?0[1-9]\d*[^\d]/
const extension = /[^\d]*(?:ext|x|#)\D*\d+$/i

/** Reports whether what was found in a path is somebody's, and not how a site names its pages. */
function isPersonalInPath(kind: Kind, spelled: string): boolean {
  const { text } = readPlainly(spelled, [])
  if (text.startsWith('@')) return false
  if (/^\d*$/.test(text)) {
    // Whoever writes digits in other characters hides them.
    const isNumbered = kind !== 'email' && text === spelled
    return !isNumbered || (kind === 'card' && /^[2-6]/.test(text))
  }
  if (kind !== 'phone' || text.startsWith('+')) return true
  const number = text.replace(extension, '')
  return phoneForm.test(number) || (number !== text && /ext/i.test(text))
}

/** Where in a path the personal part begins that a finding belongs to; -1 when it may stay. */
function findPathCut(path: string, { kind, start, end }: Finding): number {
  if (!isPersonalInPath(kind, path.slice(start, end))) return -1
  const segment = path.lastIndexOf('/', start) + 1
  const parameter = path.lastIndexOf(';', start)
  return kind === 'hidden' && parameter > segment ? parameter : segment
}

/**
 * Returns a canonical URL without what is personal in it, so that it can be listed.
 *
 * Parameters go whole, and so does a path from the first segment on that holds an address, as phishing
 * kits put it there for the page to greet its victim by. User and fragment always go.
 * What is no URL with a host comes back masked.
 */
export function withoutPersonalParts(url: string, known: KnownContacts = nobody): string {
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

/** Drops the parameters of a query that a finding touches; `offset` is where the query begins for those. */
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
