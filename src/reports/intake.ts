/**
 * Reads the reports of strangers, masks personal data in them, and proposes them to the store.
 *
 *     fields ─▶ each read, all errors named ─▶ masked ─▶ one `report` in a batch of its own
 *
 * Nothing here changes what weir answers: a report waits for an operator (`review`).
 */

import { operatorRefusalMessages, readOperatorValue } from '../ingest/operator.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { createManageToken, readManageToken } from '../model/manage-token.ts'
import { parsePhone } from '../model/phone.ts'
import type { Platforms } from '../model/platform.ts'
import { unwrap } from '../model/refang.ts'
import type { ReportField, ReportFields, ReportProgress, ReportStatus } from '../model/report.ts'
import type { Result } from '../model/result.ts'
import type { ProposedReport } from '../store/batch.ts'
import type { ReadStore } from '../store/store.ts'
import { type KnownContacts, maskPersonalData, withoutPersonalParts } from './personal-data.ts'

/** What is wrong with a field, for its sender. */
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
 * Removes control characters but line breaks, unpaired surrogates and invisible characters. A space in their
 * place would split an address or a number that contains them, which would then not be masked.
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
      'Give a phone number of ten digits after an optional +1; report others as a message.',
    )
  }
  return { ok: true, value: { value: phone.value.e164, valueType: 'phone' } }
}

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Reads a URL, a name, an address, a digest or a phone number. */
function readIndicator(text: string, platforms: Platforms): Named {
  // Digits alone mean a phone number, not an IPv4 address written as one number.
  if (/^\d+$/.test(unwrap(text))) {
    const phone = readPhone(unwrap(text))
    return phone.ok ? phone : wrongValue(toSentence(operatorRefusalMessages.invalid_host))
  }
  const read = readOperatorValue(text, platforms)
  if (!read.ok) return wrongValue(toSentence(operatorRefusalMessages[read.reason]))
  const { type: valueType, value } = read.value
  if (valueType !== 'url') return { ok: true, value: { value, valueType } }
  // The remainder may be another page, or the host alone.
  const kept = readOperatorValue(withoutPersonalParts(value), platforms)
  if (!kept.ok) return wrongValue('Give a URL that names a page.')
  return { ok: true, value: { value: kept.value.value, valueType: kept.value.type } }
}

const urlTypes: readonly IndicatorType[] = ['url', 'domain', 'ip']

/** Reads the value of a report, as its type asks. */
function readValue({ type, value }: ReportFields, platforms: Platforms): Named {
  // An address is read as it was sent: without its invisible characters it may be another one.
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

/** Returns the same text for reports that differ only in case and white space. */
function computeIdentity(report: Omit<ProposedReport, 'name' | 'identity' | 'contact'>): string {
  const { type, value, valueType, description, targetBrand } = report
  const texts = [description, targetBrand].map(
    (text) => text?.toLowerCase().replace(/\s+/g, ' ').trim() ?? null,
  )
  const content = JSON.stringify([type, valueType, value, ...texts])
  return new Bun.CryptoHasher('sha256').update(content).digest('base64url')
}

/** Reads a report, or names the fields that are invalid. `name` is random. */
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
  const report = { type: fields.type, value, valueType, description, targetBrand }
  const contact = fields.contact === null ? null : cleanText(fields.contact) || null
  return { ok: true, value: { ...report, name, identity: computeIdentity(report), contact } }
}

/** A report that was saved. */
export interface SubmittedReport {
  readonly id: string
  /** The status of the earlier report when this one repeats it. */
  readonly status: ReportStatus
  /** With it the reporter reads the status. */
  readonly token: string
}

/** Why a report was not saved. */
export type SubmitRefusal =
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** Too many reports wait for an operator. */
  | { readonly kind: 'full' }
  /** The disk is full, or the writer's thread has ended. */
  | { readonly kind: 'write_failed'; readonly cause: unknown }

export interface ReportIntakeParts {
  readonly store: ReadStore
  readonly platforms: Platforms
  /** The key of the instance, for tokens. */
  readonly key: Uint8Array
  /** Writes a report, and returns its public name; null when too many wait. */
  readonly write: (report: ProposedReport) => Promise<string | null>
}

/** Saves reports, and returns their status. */
export class ReportIntake {
  readonly #parts: ReportIntakeParts

  constructor(parts: ReportIntakeParts) {
    this.#parts = parts
  }

  /** Saves a report; one that repeats another gets its id. Resolves once it is on disk. */
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

  /** Returns the status of the report of a token, or null. */
  status(token: string): ReportProgress | null {
    const { store, key } = this.#parts
    const id = readManageToken(key, 'report', token)
    const row = id === null ? null : store.reports.byName(id)
    if (row === null) return null
    const { name, status, reason, createdAt, updatedAt } = row
    return { id: name, status, reason, createdAt, updatedAt }
  }
}
