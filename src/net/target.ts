/**
 * The target of a request: a URL parsed once, so that the same host is checked, connected to, verified by
 * its certificate and named in the request.
 */

import { endsInNumber } from '../model/address.ts'
import { parseDomainName } from '../model/domain.ts'
import { OutboundError } from './outbound-error.ts'

/** An origin, and what to request of it. */
export interface Target {
  readonly origin: string
  readonly isSecure: boolean
  /** Canonical name, or address without brackets. */
  readonly host: string
  readonly isAddress: boolean
  readonly port: number
  /** The host as in a URL, with the port if it is not the default of the scheme. */
  readonly authority: string
  /** The same, always with the port. */
  readonly endpoint: string
  /** Path and query. */
  readonly path: string
  /** Without a fragment. */
  readonly url: string
}

/** Where to connect; the address may be a name if it is that of the operator's proxy. */
export interface SocketAddress {
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

/** Parses a URL, relative to `base` if there is one; throws an `OutboundError` if weir cannot fetch it. */
export function parseTarget(text: string, base?: string): Target {
  const url = URL.parse(text, base)
  const schemePort = schemePorts.get(url?.protocol ?? '')
  if (url === null || schemePort === undefined || hasCredentials(url)) {
    // An invalid URL is not shown: it may be a key that was put in the wrong place.
    throw new OutboundError('bad_url', url?.hostname || 'the host', 'weir cannot fetch such a URL')
  }
  const isAddress = url.hostname.startsWith('[') || endsInNumber(url.hostname)
  const name = isAddress ? null : parseDomainName(url.hostname)
  if (name?.ok === false)
    throw new OutboundError('bad_url', url.hostname, 'the host is not a valid name')
  // Canonical, like the name that is looked up: the host in the URL may end in a dot.
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

/** Parses the address of a proxy, `http://host:port`; throws an `OutboundError` if it is not one. */
export function parseProxy(text: string): SocketAddress {
  const url = URL.parse(text)
  const isOriginOnly = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url?.protocol !== 'http:' || hasCredentials(url) || !isOriginOnly) {
    throw new OutboundError('bad_proxy', 'the proxy', 'its address cannot be used')
  }
  return { address: withoutBrackets(url.hostname), port: url.port === '' ? 80 : Number(url.port) }
}
