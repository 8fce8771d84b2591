/**
 * Records, requests and problems that several examples hold. The world they are from is invented, and is built anew in
 * `test/http/contract`, which asks for every example.
 */

import type { Example } from '../description.ts'

/** A listed domain, as a match. */
export const accountIoc = {
  type: 'domain',
  value: 'paypa1-account.example',
  domain: 'paypa1-account.example',
  threat_type: 'phishing',
  threat_level: 'high',
  confidence: 80,
  target_brand: 'PayPal',
  malware_family: null,
  do_not_block: 0,
  sources: ['open-feed'],
  first_seen: '2026-03-12T08:01:00.000Z',
  last_seen: '2026-03-12T09:02:00.000Z',
  listed_at: '2026-03-12T08:01:00.000Z',
  reference: 'https://open-feed.example/reports/4711',
} as const

/** The newest entry of the list. */
export const mailboxEntry = {
  domain: 'mailbox-upgrade.example',
  do_not_block: 0,
  threat_type: 'phishing',
  threat_level: 'high',
  target_brand: 'Microsoft',
  confidence: 80,
  sources: ['open-feed'],
  first_seen: '2026-03-12T09:02:00.000Z',
  last_seen: '2026-03-12T09:02:00.000Z',
  listed_at: '2026-03-12T09:02:00.000Z',
} as const

/** An entry of little weight. */
export const perhapsEntry = {
  domain: 'perhaps-phishing.example',
  do_not_block: 0,
  threat_type: 'phishing',
  threat_level: 'low',
  target_brand: null,
  confidence: 40,
  sources: ['second-feed'],
  first_seen: '2026-03-12T09:01:00.000Z',
  last_seen: '2026-03-12T09:01:00.000Z',
  listed_at: '2026-03-12T09:01:00.000Z',
} as const

/** When anything last changed. */
export const updated = '2026-03-12T09:02:00.000Z'

/** Returns the problem document that names these fields. */
export function wrongFields(...errors: readonly (readonly [field: string, message: string])[]) {
  const [[field, message] = ['', '']] = errors
  return {
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail:
      errors.length === 1
        ? `${field}: ${message}`
        : `${errors.length} fields are wrong; errors names each.`,
    errors: errors.map(([name, text]) => ({ field: name, message: text })),
  }
}

/** Returns how examples send JSON to a path. */
export const postTo =
  (path: string) =>
  (body: unknown): Example['request'] => ({
    path,
    headers: { 'content-type': 'application/json' },
    body,
  })

/** Returns what is sent and answered when a body is one byte over its limit. */
export function overLimit(path: string, bytesMax: number) {
  return {
    request: { path, headers: { 'content-type': 'application/json' }, blanks: bytesMax + 1 },
    body: {
      type: 'about:blank',
      title: 'Content Too Large',
      status: 413,
      detail: `The body may have at most ${bytesMax} bytes.`,
      errors: [],
    },
  } as const
}
