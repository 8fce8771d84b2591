/**
 * The operator's word about one value: how the value is read, and how the word is given.
 *
 * A feed's entry is judged and may be refused for what it would block. The operator's word stands above
 * feeds and guards, so here a value is only read.
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
import { audiencesOfIndicator } from './audiences.ts'

/** What the operator named. */
export type OperatorValue = Pick<Sighting, 'type' | 'value' | 'host' | 'platform' | 'doNotBlock'>

/** Why a text names nothing the operator could have a word about. */
export type OperatorRefusal = UrlRefusal | 'not_an_email' | 'not_a_phone' | 'network'

const whatToName = 'name a domain, URL, IP address, digest, e-mail address or phone number'

/** What is wrong with a value, for the operator. */
export const operatorRefusalMessages: Readonly<Record<OperatorRefusal, string>> = {
  too_long: `longer than the ${urlBytesMax} bytes a URL may have`,
  invalid_character: 'it holds characters that no name or URL holds',
  missing_host: `no host in it; ${whatToName}`,
  unsupported_scheme: 'not http, https or ftp',
  invalid_host: `no valid name or address; ${whatToName}`,
  invalid_port: 'its port is no number from 0 to 65535',
  not_public_host: 'not public: a local name, a private address or a suffix such as com',
  not_an_email: 'no e-mail address that can be read',
  not_a_phone: 'no phone number of ten digits after an optional +1',
  network: 'a whole network; name the addresses in it',
}

type Read = Result<OperatorValue, OperatorRefusal>

const refused = (reason: OperatorRefusal): Read => ({ ok: false, reason })

/**
 * Reads what the operator names: a domain, URL, IP address, file digest, e-mail address or phone number, as
 * it comes or defanged. A URL that is only a host's root page means the host.
 */
export function readOperatorValue(text: string, platforms: Platforms): Read {
  const plain = refang(unwrap(text))
  const digest = parseDigest(plain)
  if (digest.ok) return { ok: true, value: { type: digest.value.type, value: digest.value.value } }
  if (isNetwork(plain)) return refused('network')
  // With a path or query around it, what stands before the @ belongs to a URL.
  if (plain.includes('@') && !/[\\/?#]/.test(plain)) return readEmail(plain, platforms)
  // Ten bare digits may as well be an address written as one number.
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
  return { ok: true, value: { type: 'email', value, host: domain, ...lyingOn(domain, platforms) } }
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
  const platform = lyingOn(host, platforms)
  if (!isHost) return { ok: true, value: { type: 'url', value, host, ...platform } }
  const place = platform.platform === host ? { doNotBlock: true as const } : platform
  return { ok: true, value: { type: 'domain', value: host, ...place } }
}

function lyingOn(host: string, platforms: Platforms): Pick<OperatorValue, 'platform'> {
  const platform = platforms.findPlatform(host)
  return platform === null ? {} : { platform: platform.apex }
}

/** A page is matched whatever its scheme, and listed under the one that a feed names. */
const schemes = ['https', 'http', 'ftp'] as const

/** Returns every value under which a feed may list what is named, the one that was named first. */
export function spellingsOf({ type, value }: OperatorValue): readonly string[] {
  if (type !== 'url') return [value]
  const rest = value.slice(value.indexOf('://'))
  return [...new Set([value, ...schemes.map((scheme) => scheme + rest)])]
}

/** Returns the values that a word is about: at least one, but none for a `clear` of no word. */
function valuesFor(
  store: ReadStore,
  named: OperatorValue,
  verdict: DecisionVerdict,
): readonly string[] {
  const known = spellingsOf(named).filter((value) => store.byValue(value, named.type) !== null)
  switch (verdict) {
    case 'block':
      return known.length > 0 ? known : [named.value]
    case 'allow':
      // Any of them may be listed by a feed to come; hardly one will be for ftp.
      return spellingsOf(named).filter(
        (value) => !value.startsWith('ftp:') || known.includes(value) || value === named.value,
      )
    case 'clear':
      return known.filter((value) => wordAbout(store, named.type, value) !== null)
  }
}

/** Returns the word that stands about exactly this value, or null. */
export function wordAbout(store: ReadStore, type: IndicatorType, value: string): Decision | null {
  const row = store.byValue(value, type)
  return row === null ? null : store.decisions.find(row.id)
}

/** What the operator says. */
export interface OperatorWord {
  readonly verdict: DecisionVerdict
  readonly reason: string
  readonly by: string
  /** When it ends by itself, milliseconds since the epoch. */
  readonly until: number | null
  /** The brand that what is blocked imitates, where no list has named one. */
  readonly targetBrand?: string
  /** It is the answer to an appeal. */
  readonly isAppeal?: true
}

/** What became of a word. */
export interface Decided {
  /** What it is about: a page in each spelling; none when there was no word to take back. */
  readonly values: readonly string[]
  /** The word that stood before, or null. */
  readonly replaced: Decision | null
  /** The number to which views must come to answer so. */
  readonly seq: number
}

/** What the operator's word is worth, of 100. */
const blockedConfidence = 100

/** Returns what writes the operator's word, or its end: an operation for each spelling that it is about. */
export function wordOperations(
  store: ReadStore,
  named: OperatorValue,
  word: OperatorWord,
): readonly (Operation & { op: 'decide' })[] {
  const { verdict, targetBrand } = word
  const isListed = verdict === 'block' && named.doNotBlock !== true
  const proposal = { ...named, ...(targetBrand === undefined ? {} : { targetBrand }) }
  const worth = { threatType: 'phishing', confidence: blockedConfidence } as const
  const audiences = isListed ? { audiences: audiencesOfIndicator({ ...proposal, ...worth }) } : {}
  return valuesFor(store, named, word.verdict).map((value) => {
    return { op: 'decide', ...named, value, ...word, ...audiences }
  })
}

/** Gives the operator's word, or takes it back, as one batch. */
export async function decide(
  store: WriteStore,
  named: OperatorValue,
  word: OperatorWord,
  at: number,
): Promise<Decided> {
  const operations = wordOperations(store, named, word)
  const values = operations.map(({ value }) => value)
  const words = values.map((value) => wordAbout(store, named.type, value))
  const replaced = words.find((row) => row !== null) ?? null
  if (values.length === 0) return { values, replaced, seq: store.meta().seq }
  const { seq } = await store.write({ at, operations })
  return { values, replaced, seq }
}
