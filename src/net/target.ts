/**
 * Where a request goes: a URL taken apart once, so that what is judged, dialled, checked and asked
 * for is one and the same host.
 */

import { endsInNumber } from '../model/address.ts'
import { parseDomainName } from '../model/domain.ts'
import { OutboundError } from './outbound-error.ts'

/** An origin and what to ask it for. */
export interface Target {
  readonly origin: string
  readonly isSecure: boolean
  /** Canonical name, or address without brackets. */
  readonly host: string
  readonly isAddress: boolean
  readonly port: number
  /** Host as it stands in a URL, with the port where it is not the scheme's own. */
  readonly authority: string
  /** The same with the port always. */
  readonly endpoint: string
  /** Path and query. */
  readonly path: string
  /** Without a fragment. */
  readonly url: string
}

/** A machine's end of a connection; the address may be a name where it is the operator's proxy. */
export interface Place {
  readonly address: string
  readonly port: number
}

const schemePorts: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
])

const hasCredentials = (url: URL): boolean => url.username !== '' || url.password !== ''

function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** Reads a URL, relative to `base` if there is one; throws an `OutboundError` when it is none. */
export function parseTarget(text: string, base?: string): Target {
  const url = URL.parse(text, base)
  const schemePort = schemePorts.get(url?.protocol ?? '')
  if (url === null || schemePort === undefined || hasCredentials(url)) {
    // A text that is no URL is not shown: it may be a key that was put in the wrong place.
    throw new OutboundError('bad_url', url?.hostname || 'the host', 'weir cannot fetch such a URL')
  }
  const isAddress = url.hostname.startsWith('[') || endsInNumber(url.hostname)
  const name = isAddress ? null : parseDomainName(url.hostname)
  if (name?.ok === false) throw new OutboundError('bad_url', url.hostname, 'the host is no name')
  // As canonical as the name that is looked up: the URL's own may end in a dot.
  const host = name?.value ?? url.hostname
  const port = url.port === '' ? schemePort : Number(url.port)
  const authority = url.port === '' ? host : `${host}:${port}`
  return {
    origin: `${url.protocol}//${authority}`,
    isSecure: url.protocol === 'https:',
    host: withoutBrackets(host),
    isAddress,
    port,
    authority,
    endpoint: `${host}:${port}`,
    path: `${url.pathname}${url.search}`,
    url: `${url.protocol}//${authority}${url.pathname}${url.search}`,
  }
}

/** Reads the address of a proxy, `http://host:port`; throws an `OutboundError` when it is none. */
export function parseProxy(text: string): Place {
  const url = URL.parse(text)
  const isOriginOnly = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url?.protocol !== 'http:' || hasCredentials(url) || !isOriginOnly) {
    throw new OutboundError('bad_proxy', 'the proxy', 'its address cannot be used')
  }
  return { address: withoutBrackets(url.hostname), port: url.port === '' ? 80 : Number(url.port) }
}
