/**
 * The only HTTP client of weir: everything that weir fetches goes through here.
 *
 * A name is looked up once, all its addresses are checked against the dial policy, and weir connects to one
 * of them as a literal, with the name in SNI, certificate check and `Host`. Built on node:http over
 * connections of our own, one per request: Bun's `fetch` always obeys the proxy variables of the
 * environment, while node:http, when it is given a connection, opens none itself, uses no proxy, inflates
 * nothing, bounds headers and reads only on demand.
 */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { bodyStream, emptyBody } from './body.ts'
import { connectFirst, secure, tunnel } from './connection.ts'
import { addressRefusalTexts, listOwnAddresses, parseDialable } from './dial-policy.ts'
import { exchange } from './exchange.ts'
import { Lifetime } from './lifetime.ts'
import { OutboundError } from './outbound-error.ts'
import type { ResolveFailure, Resolver } from './resolver.ts'
import { parseProxy, parseTarget, type SocketAddress, type Target } from './target.ts'

/** What to fetch, and its limits. */
export interface OutboundRequest {
  readonly url: string
  /** Sent to the origin of `url` only, not to where a redirect leads. */
  readonly headers?: Readonly<Record<string, string>>
  /** From the DNS lookup to the last byte of the body, the time of the body's reader included. */
  readonly timeoutMs: number
  /** Applies before and after inflating. */
  readonly bodyBytesMax: number
  /** Zero makes every redirect a failure. */
  readonly redirectsMax: number
  readonly signal?: AbortSignal
}

/** An answer; its body must be read to the end or cancelled. */
export interface OutboundAnswer {
  readonly status: number
  /** Without the encoding and the length of a body that was inflated. */
  readonly headers: Headers
  /** The URL of the answer, after redirects. */
  readonly url: string
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What an `Outbound` needs. */
export interface OutboundParts {
  readonly resolver: Pick<Resolver, 'addresses'>
  /** `http://host:port` of a proxy, which then looks up names and decides; null for none. */
  readonly proxy: string | null
  readonly userAgent: string
  /** For tests: allows loopback, and trusts the authority `ca` (PEM) instead of the usual ones. */
  readonly testing?: { readonly allowLoopback: true; readonly ca?: string }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const emptyStatuses: ReadonlySet<number> = new Set([204, 304])

const resolveFailureTexts: Readonly<Record<ResolveFailure, string>> = {
  invalid_name: 'the name cannot be looked up',
  no_address: 'the name has no address',
  server_failed: 'the name server failed',
  timeout: 'the name server did not answer in time',
  cancelled: 'the lookup was cancelled',
}

/** Returns the caller's headers, validated. */
function callerHeaders(
  { headers }: OutboundRequest,
  host: string,
): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers(headers))
  } catch {
    // The cause would quote the value.
    throw new OutboundError('bad_header', host, 'a header cannot be sent')
  }
}

/** Returns the target of a redirect; throws when weir must not follow it. */
function followRedirect(from: Target, message: IncomingMessage, isAllowed: boolean): Target {
  const { location } = message.headers
  if (location === undefined) {
    throw new OutboundError('redirect_refused', from.host, 'it redirects without a location')
  }
  const target = parseTarget(location, from.url)
  const isDowngrade = from.isSecure && !target.isSecure
  if (isAllowed && !isDowngrade) return target
  const what = `it redirects to ${target.host}${isDowngrade ? ' without encryption' : ''}`
  throw new OutboundError('redirect_refused', from.host, what)
}

function parseEncoding(message: IncomingMessage, host: string): 'gzip' | 'identity' {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return 'identity'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  throw new OutboundError('unsupported_encoding', host, 'the encoding of the answer is not gzip')
}

function parseHeaders(message: IncomingMessage): Headers {
  const headers = new Headers()
  const { rawHeaders } = message
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  }
  return headers
}

/** Returns the answer that starts with `message`; the end of its body ends the request. */
function toAnswer(
  message: IncomingMessage,
  { host, url }: Target,
  bytesMax: number,
  lifetime: Lifetime,
): OutboundAnswer {
  const { statusCode: status = 0 } = message
  const headers = parseHeaders(message)
  if (emptyStatuses.has(status)) {
    lifetime.end()
    return { status, headers, url, body: emptyBody() }
  }
  const encoding = parseEncoding(message, host)
  const length = Number(headers.get('content-length') ?? 0)
  if (length > bytesMax) {
    const what = `the answer has ${length} bytes, but at most ${bytesMax} are allowed`
    throw new OutboundError('too_large', host, what)
  }
  if (encoding === 'gzip') {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  return { status, headers, url, body: bodyStream(message, { host, bytesMax, encoding, lifetime }) }
}

/** Fetches from public hosts only. */
export class Outbound {
  readonly #parts: OutboundParts
  readonly #proxy: SocketAddress | null

  /** Throws an `OutboundError` when the proxy's address cannot be used. */
  constructor(parts: OutboundParts) {
    this.#parts = parts
    this.#proxy = parts.proxy === null ? null : parseProxy(parts.proxy)
  }

  /**
   * Fetches a URL and returns the answer, whatever its status, when its headers have arrived.
   *
   * Rejects with an `OutboundError`, and so does reading the body. More than `redirectsMax` redirects, one to
   * an internal address, and one from https to http are failures.
   */
  async get(request: OutboundRequest): Promise<OutboundAnswer> {
    let target = parseTarget(request.url)
    let headers = callerHeaders(request, target.host)
    const lifetime = new Lifetime(request.timeoutMs, request.signal)
    try {
      for (let redirects = 0; ; redirects++) {
        const message = await this.#ask(target, headers, lifetime.signal)
        if (!redirectStatuses.has(message.statusCode ?? 0)) {
          return toAnswer(message, target, request.bodyBytesMax, lifetime)
        }
        message.destroy()
        const next = followRedirect(target, message, redirects < request.redirectsMax)
        if (next.origin !== target.origin) headers = {}
        target = next
      }
    } catch (error) {
      const failure = lifetime.explain(error, target.host)
      lifetime.end()
      throw failure
    }
  }

  async #ask(
    target: Target,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const socket = await this.#connect(target, signal)
    // A proxy needs the whole URL, unless the connection is a tunnel to the host.
    const isToProxy = this.#proxy !== null && !target.isSecure
    const sent = {
      ...headers,
      host: target.authority,
      'user-agent': this.#parts.userAgent,
      'accept-encoding': 'gzip',
      connection: 'close',
    }
    return exchange(socket, isToProxy ? target.url : target.path, sent, target.host)
  }

  async #connect(target: Target, signal: AbortSignal): Promise<Socket> {
    const places = await this.#places(target, signal)
    const whose = this.#proxy === null ? 'host' : 'proxy'
    const socket = await connectFirst(places, target.host, whose, signal)
    if (!target.isSecure) return socket
    const through = this.#proxy === null ? socket : await tunnel(socket, target)
    return secure(through, target, this.#parts.testing?.ca, signal)
  }

  /** Returns where to connect, the best first; throws unless all addresses pass the dial policy. */
  async #places(
    { host, isAddress, port }: Target,
    signal: AbortSignal,
  ): Promise<readonly SocketAddress[]> {
    if (this.#proxy !== null && !isAddress) return [this.#proxy]
    const policy = {
      own: listOwnAddresses(),
      allowLoopback: this.#parts.testing?.allowLoopback ?? false,
    }
    const checked = (isAddress ? [host] : await this.#resolve(host, signal)).map((text) => {
      const address = parseDialable(text, policy)
      if (address.ok) return address.value
      const what = `${text} ${addressRefusalTexts[address.reason]}`
      throw new OutboundError('address_refused', host, what)
    })
    if (this.#proxy !== null) return [this.#proxy]
    const addresses = checked.toSorted((one, other) => one.family - other.family)
    return addresses.map(({ text }) => ({ address: text, port }))
  }

  async #resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const found = await this.#parts.resolver.addresses(name, signal)
    if (found.ok) return found.value
    throw new OutboundError('not_resolved', name, resolveFailureTexts[found.reason])
  }
}
