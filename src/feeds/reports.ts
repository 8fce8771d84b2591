/**
 * Takes in what strangers report: reads it, masks what is personal in it, and proposes it to the store.
 *
 *     fields ─▶ each read, all that is wrong named ─▶ masked ─▶ one `report` in a batch of its own
 *
 * Nothing here changes what weir says: a report waits for an operator (`report-review`).
 */

import type { IndicatorType } from '../model/indicator.ts'
import { createManageToken, readManageToken } from '../model/manage-token.ts'
import {
  type KnownContacts,
  maskPersonalData,
  withoutPersonalParts,
} from '../model/personal-data.ts'
import { parsePhone } from '../model/phone.ts'
import type { Platforms } from '../model/platform.ts'
import { unwrap } from '../model/refang.ts'
import type { ReportField, ReportFields, ReportProgress, ReportStatus } from '../model/report.ts'
import type { Result } from '../model/result.ts'
import type { ProposedReport } from '../store/batch.ts'
import type { ReadStore } from '../store/store.ts'
import { operatorRefusalMessages, readOperatorValue } from './operator.ts'

/** What is wrong with a field, for whoever sent it. */
export interface FieldProblem {
  readonly field: ReportField
  readonly message: string
}

/** What a report names, masked. */
interface NamedValue {
  readonly value: string | null
  readonly valueType: IndicatorType | null
}

type Named = Result<NamedValue, FieldProblem>

const nothing: NamedValue = { value: null, valueType: null }
const wrongValue = (message: string): Named => ({ ok: false, reason: { field: 'value', message } })

/**
 * Line breaks stay; other control characters, halves of characters and what cannot be seen go. A blank in
 * their place would part an address or a number that they hide in, and it would not be masked.
 */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\v\f]/g, ' ')
    .replace(/[^\P{C}\n\t]/gu, '')
    .trim()
}

function readPhone(text: string): Named {
  const phone = parsePhone(text)
  if (!phone.ok) {
    return wrongValue(
      'Give a phone number of ten digits after an optional +1; tell of others as a message.',
    )
  }
  return { ok: true, value: { value: phone.value.e164, valueType: 'phone' } }
}

const asSentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

/** Reads a URL, a name, an address, a digest or a number to call. */
function readIndicator(text: string, platforms: Platforms): Named {
  // Whoever reports digits alone means a phone, and not the address that they could be as one number.
  if (/^\d+$/.test(unwrap(text))) {
    const phone = readPhone(unwrap(text))
    return phone.ok ? phone : wrongValue(asSentence(operatorRefusalMessages.invalid_host))
  }
  const read = readOperatorValue(text, platforms)
  if (!read.ok) return wrongValue(asSentence(operatorRefusalMessages[read.reason]))
  const { type: valueType, value } = read.value
  if (valueType !== 'url') return { ok: true, value: { value, valueType } }
  // What is left may be another page, or the host alone.
  const kept = readOperatorValue(withoutPersonalParts(value), platforms)
  if (!kept.ok) return wrongValue('Give a URL that names a page.')
  return { ok: true, value: { value: kept.value.value, valueType: kept.value.type } }
}

const urlTypes: readonly IndicatorType[] = ['url', 'domain', 'ip']

/** Reads what the report of a type names. */
function readValue({ type, value }: ReportFields, platforms: Platforms): Named {
  // An address is read as it was sent: without what cannot be seen in it, it may be another one.
  const sent = value ?? ''
  const text = cleanText(sent)
  if (text === '') {
    return type === 'false_positive'
      ? wrongValue('Give the URL, domain or number whose listing is wrong.')
      : { ok: true, value: nothing }
  }
  switch (type) {
    case 'url': {
      const named = readIndicator(sent, platforms)
      if (named.ok && urlTypes.includes(named.value.valueType ?? 'url')) return named
      return wrongValue('Give a URL or a bare domain.')
    }
    case 'email': {
      const named = readOperatorValue(sent, platforms)
      if (!named.ok || named.value.type !== 'email') return wrongValue('Give one e-mail address.')
      return { ok: true, value: { value: named.value.value, valueType: 'email' } }
    }
    case 'phone':
      return readPhone(text)
    case 'false_positive':
      return readIndicator(sent, platforms)
    case 'message':
    case 'other': {
      const named = readIndicator(sent, platforms)
      if (named.ok) return named
      const masked = maskPersonalData(text, { phone: null, email: null })
      return { ok: true, value: { value: masked, valueType: null } }
    }
  }
}

/** What makes two reports the same one: all that they say, but for case and white space. */
function computeIdentity(report: Omit<ProposedReport, 'name' | 'identity' | 'contact'>): string {
  const { type, value, valueType, description, targetBrand } = report
  const words = [description, targetBrand].map(
    (text) => text?.toLowerCase().replace(/\s+/g, ' ').trim() ?? null,
  )
  const said = JSON.stringify([type, valueType, value, ...words])
  return new Bun.CryptoHasher('sha256').update(said).digest('base64url')
}

/** Reads a report, or names every field that is wrong. `name` is random. */
export function readReport(
  fields: ReportFields,
  platforms: Platforms,
  name: string,
): Result<ProposedReport, readonly FieldProblem[]> {
  const named = readValue(fields, platforms)
  if (!named.ok) return { ok: false, reason: [named.reason] }
  const { value, valueType } = named.value
  const known: KnownContacts = {
    phone: valueType === 'phone' ? value : null,
    email: valueType === 'email' ? value : null,
  }
  const masked = (text: string | null): string | null => {
    const clean = text === null ? '' : cleanText(text)
    return clean === '' ? null : maskPersonalData(clean, known)
  }
  const description = masked(fields.description)
  if (value === null && description === null) {
    const message = 'Send a value, a description, or both.'
    return { ok: false, reason: [{ field: 'value', message }] }
  }
  const targetBrand = masked(fields.targetBrand)?.replace(/\s+/g, ' ') ?? null
  const said = { type: fields.type, value, valueType, description, targetBrand }
  const contact = fields.contact === null ? null : cleanText(fields.contact) || null
  return { ok: true, value: { ...said, name, identity: computeIdentity(said), contact } }
}

/** A report that was taken down. */
export interface SubmittedReport {
  readonly id: string
  /** Of one that repeats another, how that fares. */
  readonly status: ReportStatus
  /** By this its reporter asks how it fares. */
  readonly token: string
}

/** Why a report was not taken down. */
export type SubmitRefusal =
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** Too many wait for an operator. */
  | { readonly kind: 'full' }
  /** The disk is full, or whoever writes has gone. */
  | { readonly kind: 'write_failed'; readonly cause: unknown }

export interface ReportIntakeParts {
  readonly store: ReadStore
  readonly platforms: Platforms
  /** The key of the instance, for tokens. */
  readonly key: Uint8Array
  /** Writes a report, and returns the name it is known by; null: too many wait. */
  readonly write: (report: ProposedReport) => Promise<string | null>
}

/** Takes reports in, and tells how they fare. */
export class ReportIntake {
  readonly #parts: ReportIntakeParts

  constructor(parts: ReportIntakeParts) {
    this.#parts = parts
  }

  /** Takes a report down; one that repeats another gets its id. Resolves once it is on disk. */
  async submit(fields: ReportFields): Promise<Result<SubmittedReport, SubmitRefusal>> {
    const { platforms, key, store, write } = this.#parts
    const read = readReport(fields, platforms, crypto.randomUUID())
    if (!read.ok) return { ok: false, reason: { kind: 'invalid', problems: read.reason } }
    try {
      const id = await write(read.value)
      if (id === null) return { ok: false, reason: { kind: 'full' } }
      const status = store.reports.byName(id)?.status ?? 'received'
      return { ok: true, value: { id, status, token: createManageToken(key, 'report', id) } }
    } catch (cause) {
      return { ok: false, reason: { kind: 'write_failed', cause } }
    }
  }

  /** Returns how the report fares for which a token was given, or null. */
  status(token: string): ReportProgress | null {
    const { store, key } = this.#parts
    const id = readManageToken(key, 'report', token)
    const row = id === null ? null : store.reports.byName(id)
    if (row === null) return null
    const { name, status, reason, createdAt, updatedAt } = row
    return { id: name, status, reason, createdAt, updatedAt }
  }
}
