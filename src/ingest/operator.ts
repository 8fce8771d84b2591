/**
 * Reads the value that an operator names, and writes the operator's decision about it.
 *
 * An entry of a feed is judged, and refused when it would block too much. A decision overrides feeds and
 * guards, so the value is only read here.
 */

import { parseAddress, toUrlHost } from '../model/address.ts'
import { parseDigest } from '../model/digest.ts'
import { whyNotPublic } from '../model/domain.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { isPhoneLike, parsePhone } from '../model/phone.ts'
import type { Platforms } from '../model/platform.ts'
import { isPublicAddress } from '../model/public-address.ts'
import { refang, unwrap } from '../model/refang.ts'
import type { Result } from '../model/result.ts'
import { type CanonicalUrl, parsePublicUrl, type UrlRefusal, urlBytesMax } from '../model/url.ts'
import type { DecisionVerdict, Operation, Sighting } from '../store/batch.ts'
import type { Decision } from '../store/decisions.ts'
import type { ReadStore, WriteStore } from '../store/store.ts'
import { findListingAudiences } from './audiences.ts'

/** What the operator named. */
export type OperatorValue = Pick<Sighting, 'type' | 'value' | 'host' | 'platform' | 'doNotBlock'>

/** Why a text cannot be decided about. */
export type OperatorRefusal = UrlRefusal | 'not_an_email' | 'not_a_phone' | 'network'

const whatToName = 'name a domain, URL, IP address, digest, e-mail address or phone number'

/** What is wrong with a value, for the operator. */
export const operatorRefusalMessages: Readonly<Record<OperatorRefusal, string>> = {
  too_long: `longer than ${urlBytesMax} bytes, the maximum of a URL`,
  invalid_character: 'it contains characters that no name or URL may contain',
  missing_host: `no host in it; ${whatToName}`,
  unsupported_scheme: 'not http, https or ftp',
  invalid_host: `no valid name or address; ${whatToName}`,
  invalid_port: 'its port is not a number from 0 to 65535',
  not_public_host: 'not public: a local name, a private address or a suffix such as com',
  not_an_email: 'not a valid e-mail address',
  not_a_phone: 'not a phone number of ten digits after an optional +1',
  network: 'a network; name single addresses',
}

type Read = Result<OperatorValue, OperatorRefusal>

const refused = (reason: OperatorRefusal): Read => ({ ok: false, reason })

/**
 * Parses a domain, URL, IP address, file digest, e-mail address or phone number, also defanged. A URL that
 * is only a host's root page means the host.
 */
export function readOperatorValue(text: string, platforms: Platforms): Read {
  const plain = refang(unwrap(text))
  const digest = parseDigest(plain)
  if (digest.ok) return { ok: true, value: { type: digest.value.type, value: digest.value.value } }
  if (isNetwork(plain)) return refused('network')
  // With a path or query, the @ is part of a URL.
  if (plain.includes('@') && !/[\\/?#]/.test(plain)) return readEmail(plain, platforms)
  // Ten bare digits may also be an IPv4 address written as one number.
  if (isPhoneLike(plain) && !/^\d+$/.test(plain)) return readPhone(plain)
  const url = parsePublicUrl(text)
  return url.ok ? readUrl(url.value, platforms) : url
}

function isNetwork(text: string): boolean {
  const slash = text.indexOf('/')
  return (
    slash !== -1 &&
    /^\/\d{1,3}$/.test(text.slice(slash)) &&
    parseAddress(text.slice(0, slash)) !== null
  )
}

function readPhone(text: string): Read {
  const phone = parsePhone(text)
  return phone.ok
    ? { ok: true, value: { type: 'phone', value: phone.value.e164 } }
    : refused('not_a_phone')
}

function readEmail(text: string, platforms: Platforms): Read {
  const email = parseEmailAddress(text)
  if (!email.ok) return email
  const { value, domain } = email.value
  if (whyNotPublic(domain) !== null) return refused('not_public_host')
  return {
    ok: true,
    value: { type: 'email', value, host: domain, ...findPlatformField(domain, platforms) },
  }
}

function readUrl(url: CanonicalUrl, platforms: Platforms): Read {
  // A bare "?" asks for the same page.
  const hasQuery = url.query !== '' && url.query !== '?'
  const isHost = url.path === '/' && !hasQuery
  const value = url.query === '?' ? url.value.slice(0, -1) : url.value
  if (url.isAddress) {
    const address = parseAddress(url.host)
    if (address === null || !isPublicAddress(address)) return refused('not_public_host')
    if (isHost) return { ok: true, value: { type: 'ip', value: address.text } }
    return { ok: true, value: { type: 'url', value, host: toUrlHost(address) } }
  }
  const { host } = url
  const platform = findPlatformField(host, platforms)
  if (!isHost) return { ok: true, value: { type: 'url', value, host, ...platform } }
  const place = platform.platform === host ? { doNotBlock: true as const } : platform
  return { ok: true, value: { type: 'domain', value: host, ...place } }
}

function findPlatformField(host: string, platforms: Platforms): Pick<OperatorValue, 'platform'> {
  const platform = platforms.findPlatform(host)
  return platform === null ? {} : { platform: platform.apex }
}

/** Checks ignore the scheme of a page; a listing keeps the scheme of its feed. */
const schemes = ['https', 'http', 'ftp'] as const

/** Returns every spelling under which a feed may list the value, the given one first. */
export function toSpellings({ type, value }: OperatorValue): readonly string[] {
  if (type !== 'url') return [value]
  const rest = value.slice(value.indexOf('://'))
  return [...new Set([value, ...schemes.map((scheme) => scheme + rest)])]
}

/** Returns the spellings that a decision applies to: at least one, but none when there is nothing to clear. */
function findDecided(
  store: ReadStore,
  named: OperatorValue,
  verdict: DecisionVerdict,
): readonly string[] {
  const known = toSpellings(named).filter((value) => store.byValue(value, named.type) !== null)
  switch (verdict) {
    case 'block':
      return known.length > 0 ? known : [named.value]
    case 'allow':
      // A feed may list any of them later; ftp is too rare for a decision in advance.
      return toSpellings(named).filter(
        (value) => !value.startsWith('ftp:') || known.includes(value) || value === named.value,
      )
    case 'clear':
      return known.filter((value) => findDecision(store, named.type, value) !== null)
  }
}

/** Returns the active decision about exactly this value, or null. */
export function findDecision(
  store: ReadStore,
  type: IndicatorType,
  value: string,
): Decision | null {
  const row = store.byValue(value, type)
  return row === null ? null : store.decisions.find(row.id)
}

/** A decision to write. */
export interface DecisionRequest {
  readonly verdict: DecisionVerdict
  readonly reason: string
  readonly by: string
  /** When it expires, milliseconds since the epoch; null: never. */
  readonly until: number | null
  /** The brand that a blocked value imitates, when no list names one. */
  readonly targetBrand?: string
  /** Whether it answers an appeal. */
  readonly isAppeal?: true
}

/** What a decision changed. */
export interface Decided {
  /** Every spelling it applies to; empty when there was nothing to clear. */
  readonly values: readonly string[]
  /** The decision it replaced, or null. */
  readonly replaced: Decision | null
  /** The sequence number from which views answer accordingly. */
  readonly seq: number
}

/** The confidence of a block. */
const blockedConfidence = 100

/** Returns the operations that write a decision, one for each spelling that it applies to. */
export function toDecideOperations(
  store: ReadStore,
  named: OperatorValue,
  decision: DecisionRequest,
): readonly (Operation & { op: 'decide' })[] {
  const { verdict, targetBrand } = decision
  const isListed = verdict === 'block' && named.doNotBlock !== true
  const proposal = { ...named, ...(targetBrand === undefined ? {} : { targetBrand }) }
  const rating = { threatType: 'phishing', confidence: blockedConfidence } as const
  const audiences = isListed ? { audiences: findListingAudiences({ ...proposal, ...rating }) } : {}
  return findDecided(store, named, verdict).map((value) => {
    return { op: 'decide', ...named, value, ...decision, ...audiences }
  })
}

/** Writes or clears a decision in one batch, and returns what changed. */
export async function decide(
  store: WriteStore,
  named: OperatorValue,
  decision: DecisionRequest,
  at: number,
): Promise<Decided> {
  const operations = toDecideOperations(store, named, decision)
  const values = operations.map(({ value }) => value)
  const earlier = values.map((value) => findDecision(store, named.type, value))
  const replaced = earlier.find((row) => row !== null) ?? null
  if (values.length === 0) return { values, replaced, seq: store.meta().seq }
  const { seq } = await store.write({ at, operations })
  return { values, replaced, seq }
}
