/**
 * E-mail addresses as indicators: the local part in lower case, the domain canonical (RFC 5321 §2.3.11;
 * quoted local parts and address literals are refused).
 */

import { type DomainName, parseDomainName } from './domain.ts'
import type { Result } from './result.ts'

export interface EmailAddress {
  /** `local@domain`, in lower case. */
  readonly value: string
  readonly domain: DomainName
}

/** RFC 5321 §4.5.3.1.1. */
const localPartMax = 64

/** The characters of a local part without quotes (RFC 5322 §3.2.3, "atext" and dots). */
const localPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/

/** Parses a bare address, without a display name. */
export function parseEmailAddress(text: string): Result<EmailAddress, 'not_an_email'> {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).trim().toLowerCase()
  const domain = parseDomainName(text.slice(at + 1).trim())
  if (at < 1 || local.length > localPartMax || !localPart.test(local) || !domain.ok) {
    return { ok: false, reason: 'not_an_email' }
  }
  return { ok: true, value: { value: `${local}@${domain.value}`, domain: domain.value } }
}
