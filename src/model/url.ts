/**
 * URLs in the canonical spelling that weir matches by.
 *
 * A path is parsed as in Safe Browsing ("Canonicalization"), a host as in browsers, since that determines
 * which host is contacted. Purely syntactic: nothing is resolved, fetched or looked up. Canonicalizing
 * canonical text changes nothing.
 *
 *   text ──▶ readCanonical ──▶ CanonicalUrl      one scan; 98 of 100 URLs in real lists
 *                 │ null: not canonical yet
 *                 └──▶ unwrap ▶ refang ▶ scheme ▶ host ▶ path and query ──▶ CanonicalUrl
 */

import { endsInNumber, isDottedIpv4, parseAddress, toUrlHost } from './address.ts'
import { hasInvisible } from './characters.ts'
import { findNameEnd, parseHost, whyNotPublic } from './domain.ts'
import {
  canonicalPath,
  canonicalQuery,
  scratchBytes,
  unescapeFully,
  unescapeOnce,
} from './percent.ts'
import { refang, unwrap } from './refang.ts'
import type { Result } from './result.ts'

/** The longest URL, in bytes of UTF-8, as input and in canonical form. */
export const urlBytesMax = scratchBytes

export type UrlScheme = 'http' | 'https' | 'ftp'

/** A URL in canonical form, split into its parts. */
export interface CanonicalUrl {
  readonly scheme: UrlScheme
  /** A canonical name or address, IPv6 in brackets. */
  readonly host: string
  readonly isAddress: boolean
  /** The port, when it is not the default of the scheme; not part of `value`. */
  readonly port: number | null
  /** Starts with `/`; contains no `?`. */
  readonly path: string
  /** Starts with `?`, or is empty. */
  readonly query: string
  /** The host is preceded by user information and an `@`. */
  readonly hasUserinfo: boolean
  /** That user information, unescaped; empty when there is none. */
  readonly userinfo: string
  /** The host contains invisible characters. */
  readonly hasInvisible: boolean
  /** The canonical URL as text: scheme, host, path and query. */
  readonly value: string
}

/** Why a text is not a URL that weir can look up. */
export type UrlRefusal =
  | 'too_long'
  | 'invalid_character'
  | 'missing_host'
  | 'unsupported_scheme'
  | 'invalid_host'
  | 'invalid_port'
  | 'not_public_host'

/** What the client should send instead. */
export const urlRefusalMessages: Readonly<Record<UrlRefusal, string>> = {
  too_long: `Send a URL of at most ${urlBytesMax} bytes, escapes included.`,
  invalid_character: 'Send the URL as valid UTF-8 without NUL characters.',
  missing_host: 'Send a URL with a host, such as https://example.com/login, or a bare domain.',
  unsupported_scheme: 'Send an http, https or ftp URL, or a bare domain.',
  invalid_host: 'Send a URL whose host is a domain name or an IP address.',
  invalid_port: 'Send a URL whose port is a number from 0 to 65535.',
  not_public_host:
    'Send a host on the public internet: not a local name, nor a suffix such as com.',
}

const defaultPorts: Readonly<Record<UrlScheme, number>> = { http: 80, https: 443, ftp: 21 }
/** Maximum number of layers of escaping of a URL that was escaped as a whole. */
const layersMax = 4

const refuse = <Reason extends UrlRefusal>(reason: Reason) => ({ ok: false, reason }) as const

// Kinds of ASCII characters after the host; canonical text has none of kind 0 there.
const plain = 1
const slash = 2
const question = 3
const queryOnly = 4
const kinds = new Uint8Array(128).fill(plain, 0x21, 0x7f)
kinds[0x2f] = slash
kinds[0x3f] = question
kinds[0x25] = queryOnly
kinds[0x5c] = queryOnly
kinds[0x23] = 0

/** Reports whether a segment that needs resolving starts at `start`: `//`, `/.` or `/..`. */
function isUnresolved(text: string, start: number): boolean {
  const first = text.charCodeAt(start)
  if (first !== 0x2e) return first === 0x2f
  const end = text.charCodeAt(start + 1) === 0x2e ? start + 2 : start + 1
  return end >= text.length || kinds[text.charCodeAt(end)] !== plain
}

/** Returns where the query starts, `text.length` when there is none, or -1 when the text is not canonical. */
function scanPath(text: string, start: number): number {
  let queryAt = text.length
  for (let i = start; i < text.length; i++) {
    const kind = kinds[text.charCodeAt(i)]
    if (kind === plain) continue
    if (kind === slash) {
      if (i < queryAt && isUnresolved(text, i + 1)) return -1
    } else if (kind === question) {
      if (i < queryAt) queryAt = i
    } else if (kind !== queryOnly || i < queryAt) return -1
  }
  return queryAt
}

/** Parses text that is already canonical except perhaps for the scheme or the path `/`; otherwise null. */
function readCanonical(text: string): CanonicalUrl | null {
  let scheme: UrlScheme = 'http'
  let start = 0
  if (text.startsWith('https://')) {
    scheme = 'https'
    start = 8
  } else if (text.startsWith('http://')) start = 7
  else if (text.startsWith('ftp://')) {
    scheme = 'ftp'
    start = 6
  }
  const hostEnd = findNameEnd(text, start)
  if (hostEnd === -1) return null
  const host = text.slice(start, hostEnd)
  const isAddress = endsInNumber(host)
  // An A-label may be undecodable, which only the slow path checks.
  if (isAddress ? !isDottedIpv4(host) : host.includes('xn--')) return null

  const next = text.charCodeAt(hostEnd)
  const hasPath = next === 0x2f
  if (!hasPath && next !== 0x3f && hostEnd < text.length) return null
  const queryAt = scanPath(text, hostEnd)
  if (queryAt === -1) return null
  const path = hasPath ? text.slice(hostEnd, queryAt) : '/'
  const query = text.slice(queryAt)
  const value = hasPath && start > 0 ? text : `${scheme}://${host}${path}${query}`
  if (value.length > urlBytesMax) return null
  return {
    scheme,
    host,
    isAddress,
    port: null,
    path,
    query,
    hasUserinfo: false,
    userinfo: '',
    hasInvisible: false,
    value,
  }
}

interface SchemeSplit {
  readonly scheme: UrlScheme
  /** From the host on. */
  readonly rest: string
}

function isUrlScheme(word: string): word is UrlScheme {
  return Object.hasOwn(defaultPorts, word)
}

/** Splits off the scheme and slashes; http when there is none. */
function splitScheme(text: string): Result<SchemeSplit, UrlRefusal> {
  const wordEnd = text.search(/[:/\\?#]/)
  const word = text.charAt(wordEnd) === ':' ? text.slice(0, wordEnd).toLowerCase() : ''
  const hasScheme = isUrlScheme(word)
  // With a dot before it, a colon starts a port: `example.com:8443`.
  if (!hasScheme && /^[a-z][a-z0-9+-]*$/.test(word)) return refuse('unsupported_scheme')
  const tail = hasScheme ? text.slice(wordEnd + 1) : text
  const rest = tail.replace(/^[\\/]+/, '')
  const slashes = tail.length - rest.length
  // A single slash starts a path. Browsers skip any number after a scheme, so senders may write
  // `https:////evil.example`; without a dot, the host is more likely missing.
  if (!hasScheme && slashes === 1) return refuse('missing_host')
  const authority = rest.slice(0, findAuthorityEnd(rest))
  if (slashes > 2 && !authority.includes('.')) return refuse('missing_host')
  return { ok: true, value: { scheme: hasScheme ? word : 'http', rest } }
}

function findAuthorityEnd(rest: string): number {
  const end = rest.search(/[\\/?#]/)
  return end === -1 ? rest.length : end
}

/** Parses a port; null when it is empty, undefined when it is invalid. */
function parsePort(digits: string): number | null | undefined {
  if (digits === '') return null
  const port = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  return port <= 65_535 ? port : undefined
}

type Authority = Pick<
  CanonicalUrl,
  'host' | 'isAddress' | 'port' | 'hasUserinfo' | 'userinfo' | 'hasInvisible'
>

/** Parses `userinfo@host:port`; escapes are decoded first, so the last `@` decides. */
function readAuthority(text: string): Result<Authority, UrlRefusal> {
  const authority = unescapeFully(text)
  const at = authority.lastIndexOf('@')
  const hostAndPort = authority.slice(at + 1)
  // The colons of an IPv6 address are before its bracket.
  const colon = hostAndPort.indexOf(':', Math.max(hostAndPort.lastIndexOf(']'), 0))
  const hostText = colon === -1 ? hostAndPort : hostAndPort.slice(0, colon)
  if (hostText === '') return refuse('missing_host')
  const host = parseHost(hostText)
  if (!host.ok) return refuse(host.reason === 'empty' ? 'missing_host' : 'invalid_host')
  const port = colon === -1 ? null : parsePort(hostAndPort.slice(colon + 1))
  if (port === undefined) return refuse('invalid_port')
  return {
    ok: true,
    value: {
      host: host.value.text,
      isAddress: host.value.isAddress,
      port,
      hasUserinfo: at !== -1,
      userinfo: authority.slice(0, Math.max(at, 0)),
      hasInvisible: hasInvisible(hostText),
    },
  }
}

/** Unescapes a URL that was escaped as a whole: `http%3A%2F%2Fexample.com`. */
function unescapeWhole(text: string): string {
  let plainText = text
  for (let layer = 0; layer < layersMax; layer++) {
    if (!/^[a-z]{3,5}%(?:25){0,3}3a/i.test(plainText)) break
    plainText = unescapeOnce(plainText)
  }
  return plainText
}

/** Puts brackets around a bare IPv6 address, whose colons would look like a scheme or a port. */
function bracketAddress(text: string): string {
  const address = parseAddress(text)
  return address === null ? text : toUrlHost(address)
}

/** Parses a URL as people, reports and mail programs write it. */
function readLoosely(input: string): Result<CanonicalUrl, UrlRefusal> {
  const text = bracketAddress(refang(unescapeWhole(unwrap(input))))
  if (text.includes('\uFFFD')) return refuse('invalid_character')
  const split = splitScheme(text)
  if (!split.ok) return split
  const { scheme, rest } = split.value
  const authorityEnd = findAuthorityEnd(rest)
  const authority = readAuthority(rest.slice(0, authorityEnd))
  if (!authority.ok) return authority

  const fragmentAt = rest.indexOf('#', authorityEnd)
  const tail = rest.slice(authorityEnd, fragmentAt === -1 ? undefined : fragmentAt)
  const questionAt = tail.indexOf('?')
  const pathEnd = questionAt === -1 ? tail.length : questionAt
  const path = canonicalPath(tail.slice(0, pathEnd).replaceAll('\\', '/') || '/')
  const query = canonicalQuery(tail.slice(pathEnd))
  const { host, isAddress, hasUserinfo, userinfo, hasInvisible } = authority.value
  const value = `${scheme}://${host}${path}${query}`
  if (value.length > urlBytesMax) return refuse('too_long')
  const port = authority.value.port === defaultPorts[scheme] ? null : authority.value.port
  return {
    ok: true,
    value: {
      scheme,
      host,
      isAddress,
      port,
      path,
      query,
      hasUserinfo,
      userinfo,
      hasInvisible,
      value,
    },
  }
}

/**
 * Parses a URL or a bare name, defanged or not, into its canonical form, or returns why it cannot.
 *
 * Linear in the length. Accepts host names of one label and local names, which `parsePublicUrl` refuses.
 */
export function canonicalizeUrl(input: string): Result<CanonicalUrl, UrlRefusal> {
  const canonical = readCanonical(input)
  if (canonical !== null) return { ok: true, value: canonical }
  if (input.length > urlBytesMax || Buffer.byteLength(input) > urlBytesMax)
    return refuse('too_long')
  // A decoder puts U+FFFD for bytes that are not UTF-8; what they were cannot be known.
  if (!input.isWellFormed() || /[\0\uFFFD]/.test(input)) return refuse('invalid_character')
  return readLoosely(input)
}

/** Parses a URL like `canonicalizeUrl`, but refuses a host that is not public. */
export function parsePublicUrl(input: string): Result<CanonicalUrl, UrlRefusal> {
  const url = canonicalizeUrl(input)
  if (!url.ok || url.value.isAddress || whyNotPublic(url.value.host) === null) return url
  return refuse('not_public_host')
}

/** Returns the key of a page: host, path and query. */
export function pageKey(url: CanonicalUrl): string {
  return url.value.slice(url.scheme.length + 3)
}

/** Maximum number of directories below `/` to try (Safe Browsing, "Suffix/prefix expressions"). */
const directoriesMax = 3

/**
 * Returns the page keys to look up, most specific first: with the query, without it, then the
 * directories above, longest first, ending with `/`; at most six.
 */
export function pathExpressions(url: CanonicalUrl): string[] {
  const { host, path, query } = url
  const keys = query === '' ? [host + path] : [host + path + query, host + path]
  const directories: string[] = []
  let end = 0
  for (let depth = 0; depth <= directoriesMax && end !== -1; depth++) {
    if (end !== path.length - 1) directories.push(host + path.slice(0, end + 1))
    end = path.indexOf('/', end + 1)
  }
  return keys.concat(directories.reverse())
}
