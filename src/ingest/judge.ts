/**
 * Turns an entry of a feed into a sighting, or refuses it with a reason.
 *
 * No feed can block the popular web: a protected name is refused, the apex of shared infrastructure is listed
 * with `doNotBlock`, and a URL is listed as that page alone, never as its host.
 */

import { parseAddress, toUrlHost } from '../model/address.ts'
import { parseDigest } from '../model/digest.ts'
import {
  type DomainRefusal,
  parseDomainName,
  privateSuffix,
  whyNotPublic,
} from '../model/domain.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { findPlanProblem, parsePhone } from '../model/phone.ts'
import type { Platform } from '../model/platform.ts'
import { isPublicAddress } from '../model/public-address.ts'
import type { Result } from '../model/result.ts'
import { type CanonicalUrl, parsePublicUrl, type UrlRefusal } from '../model/url.ts'
import type { Sighting } from '../store/batch.ts'
import type { EntryKind, FeedEntry, FormatRefusal } from './formats/format.ts'
import type { Guards } from './guards.ts'
import { toSightingFields } from './sighting-fields.ts'

/** Why an entry was refused. */
export type Refusal =
  | UrlRefusal
  | DomainRefusal
  | FormatRefusal
  | 'not_a_digest'
  | 'not_an_email'
  | 'not_a_phone'
  | 'forbidden_number'
  | 'protected_name'
  | 'protected_address'
  | 'protected_digest'
  | 'too_wide'
  | 'whole_platform'
  | 'line_too_long'
  | 'expired'
  | 'too_old'

/** The meaning of each reason, for reports. */
export const refusalMeanings: Readonly<Record<Refusal, string>> = {
  empty: 'no name in it',
  address: 'a number that is not an address',
  too_long: 'longer than a name or URL may be',
  invalid_character: 'characters that no name or URL may contain',
  invalid_idn: 'a name that cannot be decoded',
  missing_host: 'no host in it',
  unsupported_scheme: 'not http, https or ftp',
  invalid_host: 'no valid name or address',
  invalid_port: 'no valid port',
  not_public_host: 'no public name or address',
  not_a_digest: 'not a SHA-256, SHA-1 or MD5 digest',
  not_an_email: 'not an e-mail address',
  not_a_phone: 'not a phone number of ten digits',
  forbidden_number: 'an unassignable phone number',
  malformed_row: 'a malformed row',
  withdrawn: 'withdrawn by the publisher',
  not_shareable: 'marked as not redistributable',
  not_an_indicator: 'marked as context by the publisher',
  unsupported_type: 'a type that weir does not list',
  no_number: 'a call without a number',
  no_article: 'an article without a title or an address',
  protected_name: 'a popular site, which no feed may block',
  protected_address: 'an address of a popular service, which no feed may block',
  protected_digest: 'a digest of harmless files',
  too_wide: 'a network that is too wide to protect',
  whole_platform: 'a whole shared platform instead of a page on it',
  line_too_long: 'a line too long to be an entry',
  expired: 'expired according to the publisher',
  too_old: 'an article more than two years old',
}

type Judged = Result<Sighting, Refusal>

const refused = (reason: Refusal): Judged => ({ ok: false, reason })

/** The kind of entry for each type of indicator. */
const entryKinds: Readonly<Record<IndicatorType, EntryKind>> = {
  domain: 'name',
  url: 'url',
  ip: 'address',
  sha256: 'digest',
  sha1: 'digest',
  md5: 'digest',
  email: 'email',
  phone: 'phone',
}

/** Returns the sighting of an indicator as if a list had named it, or why it is refused. */
export function judgeIndicator(
  { type, value }: Pick<Sighting, 'type' | 'value'>,
  guards: Guards,
): Judged {
  return judgeText(entryKinds[type], value, guards)
}

/** Returns the sighting of an entry of a feed, with its fields, or why it is refused. */
export function judge(entry: FeedEntry, guards: Guards): Judged {
  const judged = judgeText(entry.kind, entry.text, guards)
  return judged.ok ? { ok: true, value: { ...judged.value, ...toSightingFields(entry) } } : judged
}

function judgeText(kind: EntryKind, text: string, guards: Guards): Judged {
  switch (kind) {
    case 'name':
      return judgeName(text, guards)
    case 'url':
      return judgeUrl(text, guards)
    case 'address':
      return judgeAddress(text, guards)
    case 'digest':
      return judgeDigest(text, guards)
    case 'email':
      return judgeEmail(text, guards)
    case 'phone':
      return judgePhone(text)
    case 'network':
      return refused('unsupported_type')
    case 'any':
      return judgeText(recogniseKind(text), text, guards)
  }
}

/** Returns the kind of an entry by its spelling. */
export function recogniseKind(text: string): Exclude<EntryKind, 'any'> {
  const trimmed = text.trim()
  if (parseDigest(trimmed).ok) return 'digest'
  if (trimmed.includes('://')) return 'url'
  const slash = trimmed.indexOf('/')
  const isAddress = parseAddress(withoutPort(slash === -1 ? trimmed : trimmed.slice(0, slash)))
  if (slash !== -1) {
    return isAddress !== null && /^\/\d{1,3}$/.test(trimmed.slice(slash)) ? 'network' : 'url'
  }
  if (isAddress !== null) return 'address'
  if (trimmed.includes('@')) return 'email'
  return trimmed.includes(':') ? 'url' : 'name'
}

/** Cuts the port off `1.2.3.4:443` and `[2001:db8::1]:443`. */
function withoutPort(text: string): string {
  const bracket = text.indexOf(']:')
  if (text.startsWith('[') && bracket !== -1) return text.slice(1, bracket)
  const colon = text.indexOf(':')
  return colon !== -1 && colon === text.lastIndexOf(':') ? text.slice(0, colon) : text
}

function judgeAddress(text: string, guards: Guards): Judged {
  const address = parseAddress(withoutPort(text.trim()))
  if (address === null) return refused('invalid_host')
  if (!isPublicAddress(address)) return refused('not_public_host')
  if (guards.isProtectedAddress(address.text)) return refused('protected_address')
  return { ok: true, value: { type: 'ip', value: address.text } }
}

function judgeDigest(text: string, guards: Guards): Judged {
  const digest = parseDigest(text)
  if (!digest.ok) return refused('not_a_digest')
  const { type, value } = digest.value
  return guards.isProtectedDigest(value)
    ? refused('protected_digest')
    : { ok: true, value: { type, value } }
}

function judgeEmail(text: string, guards: Guards): Judged {
  const email = parseEmailAddress(text)
  if (!email.ok) return refused(email.reason)
  const { value, domain } = email.value
  if (whyNotPublic(domain) !== null) return refused('not_public_host')
  const platform = guards.platforms.findPlatform(domain)
  const sighting = { type: 'email', value, host: domain } as const
  return {
    ok: true,
    value: platform === null ? sighting : { ...sighting, platform: platform.apex },
  }
}

function judgePhone(text: string): Judged {
  const number = parsePhone(text)
  if (!number.ok) return refused('not_a_phone')
  if (findPlanProblem(number.value) !== null) return refused('forbidden_number')
  return { ok: true, value: { type: 'phone', value: number.value.e164 } }
}

function judgeName(text: string, guards: Guards): Judged {
  if (parseAddress(text) !== null) return judgeAddress(text, guards)
  const name = parseDomainName(text)
  if (!name.ok) return refused(name.reason)
  const { value } = name
  if (whyNotPublic(value) !== null) return refused('not_public_host')
  const platform = guards.platforms.findPlatform(value)
  // A private suffix that is not a platform is a registry: listing it would cover every name below it.
  if (platform === null && privateSuffix(value) === value) return refused('not_public_host')
  if (value === `www.${platform?.apex}`) return refused('whole_platform')
  if (platform?.apex === value)
    return { ok: true, value: { type: 'domain', value, doNotBlock: true } }
  if (guards.isProtected(value)) return refused('protected_name')
  const sighting = { type: 'domain', value } as const
  return {
    ok: true,
    value: platform === null ? sighting : { ...sighting, platform: platform.apex },
  }
}

function judgeUrl(text: string, guards: Guards): Judged {
  const parsed = parsePublicUrl(text)
  if (!parsed.ok) return refused(parsed.reason)
  const url = parsed.value
  if (url.isAddress) {
    const address = parseAddress(url.host)
    if (address === null || !isPublicAddress(address)) return refused('not_public_host')
    if (isShared(url) && guards.isProtectedAddress(address.text)) {
      return refused('protected_address')
    }
    return { ok: true, value: { type: 'url', value: url.value, host: toUrlHost(address) } }
  }
  const platform = guards.platforms.findPlatform(url.host)
  if (isWholePlatform(url, platform)) return refused('whole_platform')
  if (isShared(url) && guards.isProtected(url.host)) return refused('protected_name')
  // A bare "?" asks for the same page.
  const value = url.query === '?' ? url.value.slice(0, -1) : url.value
  const sighting = { type: 'url', value, host: url.host } as const
  return {
    ok: true,
    value: platform === null ? sighting : { ...sighting, platform: platform.apex },
  }
}

/** Reports whether `host` is the apex or its `www.`. */
function isApex(host: string, apex: string): boolean {
  return host === apex || host === `www.${apex}`
}

/** The minimum length of the last segment of a personal directory; `d`, `e` and `s` are shared. */
const ownSegmentMin = 3

/** Reports whether a page covers its whole platform, or a shared part of it. */
function isWholePlatform({ host, path }: CanonicalUrl, platform: Platform | null): boolean {
  if (platform === null || !isApex(host, platform.apex)) return false
  if (path === '/') return true
  if (platform.mode === 'tenant' || !path.endsWith('/')) return false
  return isSection(path) || lastSegment(path).length < ownSegmentMin
}

/**
 * Last path segments of sign-in pages, in lower case. A feed that cuts off the query
 * (`/oauth2/v2.0/authorize?client_id=…`) must not block every sign-in of a popular site.
 */
const signInPages: ReadonlySet<string> = new Set(
  'auth authorize identifier login logon oauth oauth2 servicelogin signin sign-in sso token'.split(
    ' ',
  ),
)

/**
 * Reports whether everyone uses a page of a popular site: the front page, a page directly below it, a
 * directory at any depth, a sign-in page. Shared directories are never listed.
 */
function isShared({ path, query }: CanonicalUrl): boolean {
  if (isSection(path)) return true
  if (query !== '' && query !== '?') return false
  return path.endsWith('/') || signInPages.has(lastSegment(path).toLowerCase())
}

/** Returns the last segment of a path; for a directory, its name. */
function lastSegment(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

/** Reports whether a path has at most one segment: the front page, or a page directly below it. */
function isSection(path: string): boolean {
  const secondSlash = path.indexOf('/', 1)
  return secondSlash === -1 || secondSlash === path.length - 1
}
