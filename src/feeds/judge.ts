/**
 * Decides what may be listed: an entry of a feed becomes a sighting, or is refused with a reason.
 *
 * A feed can never block the popular web. A protected name is refused, a shared-infrastructure apex
 * is listed with `doNotBlock`, and a URL is listed as that page alone, never as its host.
 */

import { hostOfAddress, parseAddress } from '../model/address.ts'
import {
  type DomainRefusal,
  parseDomainName,
  privateSuffix,
  whyNotPublic,
} from '../model/domain.ts'
import type { Platform } from '../model/platform.ts'
import { isPublicAddress } from '../model/public-address.ts'
import type { Result } from '../model/result.ts'
import { type CanonicalUrl, parsePublicUrl, type UrlRefusal } from '../model/url.ts'
import type { Sighting } from '../store/batch.ts'
import type { EntryKind } from './formats/format.ts'
import type { Guards } from './guards.ts'

/** Why an entry was refused. */
export type Refusal =
  | UrlRefusal
  | DomainRefusal
  | 'protected_name'
  | 'whole_platform'
  | 'line_too_long'

/** What each reason means, for reports. */
export const refusalMeanings: Readonly<Record<Refusal, string>> = {
  empty: 'no name in it',
  address: 'a number that is no address',
  too_long: 'longer than a name or URL may be',
  invalid_character: 'characters that no name or URL holds',
  invalid_idn: 'a name that cannot be decoded',
  missing_host: 'no host in it',
  unsupported_scheme: 'not http, https or ftp',
  invalid_host: 'no valid name or address',
  invalid_port: 'no valid port',
  not_public_host: 'no public name or address',
  protected_name: 'a popular site, which no feed may block',
  whole_platform: 'a whole shared platform instead of a page of it',
  line_too_long: 'a line too long to be an entry',
}

const refused = (reason: Refusal): Result<Sighting, Refusal> => ({ ok: false, reason })

/** Judges one entry of a feed. */
export function judge(kind: EntryKind, text: string, guards: Guards): Result<Sighting, Refusal> {
  return kind === 'url' ? judgeUrl(text, guards) : judgeName(text, guards)
}

function judgeName(text: string, guards: Guards): Result<Sighting, Refusal> {
  const address = parseAddress(text)
  if (address !== null) {
    if (!isPublicAddress(address)) return refused('not_public_host')
    return { ok: true, value: { type: 'ip', value: address.text } }
  }
  const name = parseDomainName(text)
  if (!name.ok) return refused(name.reason)
  const { value } = name
  if (whyNotPublic(value) !== null) return refused('not_public_host')
  const platform = guards.platforms.platformOf(value)
  // A private suffix that is no platform sells names like any registry: all of them lie below it.
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

function judgeUrl(text: string, guards: Guards): Result<Sighting, Refusal> {
  const parsed = parsePublicUrl(text)
  if (!parsed.ok) return refused(parsed.reason)
  const url = parsed.value
  if (url.isAddress) {
    const address = parseAddress(url.host)
    if (address === null || !isPublicAddress(address)) return refused('not_public_host')
    return { ok: true, value: { type: 'url', value: url.value, host: hostOfAddress(address) } }
  }
  const platform = guards.platforms.platformOf(url.host)
  if (isWhole(url, platform)) return refused('whole_platform')
  if (isSection(url.path) && guards.isProtected(url.host)) return refused('protected_name')
  // A bare "?" asks for the same page.
  const value = url.query === '?' ? url.value.slice(0, -1) : url.value
  const sighting = { type: 'url', value, host: url.host } as const
  return {
    ok: true,
    value: platform === null ? sighting : { ...sighting, platform: platform.apex },
  }
}

/** Reports whether `host` is the apex, under its own name or as `www.`. */
function isApex(host: string, apex: string): boolean {
  return host === apex || host === `www.${apex}`
}

/** Reports whether a page stands for all of its platform, or for a first-level part of all pages. */
function isWhole({ host, path }: CanonicalUrl, platform: Platform | null): boolean {
  if (platform === null || !isApex(host, platform.apex)) return false
  return path === '/' || (platform.mode !== 'tenant' && isSection(path) && path.endsWith('/'))
}

/** Reports whether a path has at most one segment: the front page, or what stands right below it. */
function isSection(path: string): boolean {
  const secondSlash = path.indexOf('/', 1)
  return secondSlash === -1 || secondSlash === path.length - 1
}
