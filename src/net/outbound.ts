/**
 * The one way out to the network: whatever weir fetches, it fetches through here.
 *
 * A name is looked up once, every address it has is judged, and a judged address is dialled as a
 * literal, with the name in SNI, certificate check and `Host`. Built on node:http over connections of
 * our own, one per question: the runtime's `fetch` obeys the proxy variables of the environment
 * and cannot be told otherwise, while node:http dials nobody when it is handed a connection, knows
 * no proxy, inflates nothing, bounds headers and reads no faster than it is read from.
 */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { bodyStream, emptyBody } from './body.ts'
import { connectFirst, secure, tunnel } from './connection.ts'
import { addressRefusalTexts, judgeAddress, ownAddresses } from './dial-policy.ts'
import { exchange } from './exchange.ts'
import { Lifetime } from './lifetime.ts'
import { OutboundError } from './outbound-error.ts'
import type { ResolveFailure, Resolver } from './resolver.ts'
import { type Place, parseProxy, parseTarget, type Target } from './target.ts'

/** What to fetch, and what it may cost. */
export interface OutboundRequest {
  readonly url: string
  /** Sent to the origin of `url` only, not to where a redirect leads. */
  readonly headers?: Readonly<Record<string, string>>
  /** From the look-up to the last byte of the body, what its reader does in between included. */
  readonly timeoutMs: number
  /** Holds before and after inflating. */
  readonly bodyBytesMax: number
  /** Zero makes every redirect a failure. */
  readonly redirectsMax: number
  readonly signal?: AbortSignal
}

/** What was answered; the body is to be read to its end or cancelled. */
export interface OutboundAnswer {
  readonly status: number
  /** Of a body that was inflated, neither its encoding nor its length is among them. */
  readonly headers: Headers
  /** Where the answer comes from, after redirects. */
  readonly url: string
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What the way out is made of. */
export interface OutboundParts {
  readonly resolver: Pick<Resolver, 'addresses'>
  /** `http://host:port` of a proxy, which then looks names up and decides; null: no proxy. */
  readonly proxy: string | null
  readonly userAgent: string
  /** For tests: opens loopback, and trusts the authority `ca` (PEM) in place of the usual ones. */
  readonly testing?: { readonly allowLoopback: true; readonly ca?: string }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const emptyStatuses: ReadonlySet<number> = new Set([204, 304])

const resolveFailureTexts: Readonly<Record<ResolveFailure, string>> = {
  invalid_name: 'the name cannot be looked up',
  no_address: 'the name has no address',
  server_failed: 'the name server failed',
  timeout: 'the name server did not answer in time',
  cancelled: 'the look-up was cancelled',
}

/** Returns the caller's headers as pairs that can be sent. */
function callerHeaders(
  { headers }: OutboundRequest,
  host: string,
): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers(headers))
  } catch {
    // Without the cause, which quotes the value.
    throw new OutboundError('bad_header', host, 'a header cannot be sent')
  }
}

/** Returns where a redirect leads; throws when it is not to be followed. */
function redirected(from: Target, message: IncomingMessage, isAllowed: boolean): Target {
  const { location } = message.headers
  if (location === undefined) {
    throw new OutboundError('redirect_refused', from.host, 'it is redirected to nowhere')
  }
  const target = parseTarget(location, from.url)
  const isDowngrade = from.isSecure && !target.isSecure
  if (isAllowed && !isDowngrade) return target
  const what = `it is redirected to ${target.host}${isDowngrade ? ' without encryption' : ''}`
  throw new OutboundError('redirect_refused', from.host, what)
}

function parseEncoding(message: IncomingMessage, host: string): 'gzip' | 'identity' {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return 'identity'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  throw new OutboundError('unsupported_encoding', host, 'the answer has another encoding than gzip')
}

function parseHeaders(message: IncomingMessage): Headers {
  const headers = new Headers()
  const { rawHeaders } = message
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  }
  return headers
}

/** Returns the answer that `message` begins; its body ends the request when it is through. */
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
    const what = `the answer has ${length} bytes, and ${bytesMax} are allowed`
    throw new OutboundError('too_large', host, what)
  }
  if (encoding === 'gzip') {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  return { status, headers, url, body: bodyStream(message, { host, bytesMax, encoding, lifetime }) }
}

/** Fetches from public hosts, and from nowhere else. */
export class Outbound {
  readonly #parts: OutboundParts
  readonly #proxy: Place | null

  /** Throws an `OutboundError` when the proxy's address cannot be used. */
  constructor(parts: OutboundParts) {
    this.#parts = parts
    this.#proxy = parts.proxy === null ? null : parseProxy(parts.proxy)
  }

  /**
   * Fetches a URL and resolves with the answer, whatever its status, when its headers are there.
   *
   * Rejects with an `OutboundError`, and the body errors with one; redirects over `redirectsMax`,
   * inwards, or from https to http are among the failures.
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
        const next = redirected(target, message, redirects < request.redirectsMax)
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
    // A proxy is told the whole URL, unless the connection through it is the host's own.
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

  /** Returns where to connect to, the best first; throws unless every address may be dialled. */
  async #places({ host, isAddress, port }: Target, signal: AbortSignal): Promise<readonly Place[]> {
    if (this.#proxy !== null && !isAddress) return [this.#proxy]
    const policy = {
      own: ownAddresses(),
      allowLoopback: this.#parts.testing?.allowLoopback ?? false,
    }
    const judged = (isAddress ? [host] : await this.#resolve(host, signal)).map((text) => {
      const address = judgeAddress(text, policy)
      if (address.ok) return address.value
      const what = `${text} ${addressRefusalTexts[address.reason]}`
      throw new OutboundError('address_refused', host, what)
    })
    if (this.#proxy !== null) return [this.#proxy]
    const addresses = judged.toSorted((one, other) => one.family - other.family)
    return addresses.map(({ text }) => ({ address: text, port }))
  }

  async #resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const found = await this.#parts.resolver.addresses(name, signal)
    if (found.ok) return found.value
    throw new OutboundError('not_resolved', name, resolveFailureTexts[found.reason])
  }
}
