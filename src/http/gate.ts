/**
 * What every call passes before anything of it is read: is weir ready, are few enough like it under
 * way, has the client calls left, is the body short enough.
 *
 *   request ──▶ known endpoint? ──▶ loaded? ──▶ room? ──▶ limit ──▶ body length ──▶ routes
 *                    │ no             │ no        │ no      │ no        │ no          + RateLimit
 *                    ▼                ▼           ▼         ▼           ▼
 *                 routes             503         503       429         413
 *
 * It goes by the path alone, so that neither HEAD, a trailing slash nor a wrong method gets round a
 * limit; it reads the path exactly as Elysia does. It stands around the routes, not in a hook of
 * theirs: there every header would be written anew, which costs a check about half a microsecond.
 */

import type { PolicyName } from '../config.ts'
import type { Networks } from '../setting-values.ts'
import { clientAddress, clientKey, plainAddress } from './client-ip.ts'
import { type ClassOccupancy, type CostlyClass, type FullGate, InFlight } from './in-flight.ts'
import { type Judgement, type PolicyLimits, type PolicyOccupancy, RateLimits } from './limits.ts'
import { bodyTooLarge, tooManyRequests, unavailable } from './problem.ts'
import { endOfBody } from './streamed.ts'

export type Handler = (request: Request) => Response | Promise<Response>

/** A path under a limit. All of them answer from data that must be loaded. */
export interface Endpoint {
  /** One that ends with `/*` is limited with all that lies under it, known or not. */
  readonly path: string
  readonly policy: PolicyName
  /** For paths that take a body. */
  readonly bodyBytesMax?: number
  /** For paths whose answers take memory or a thread for a while; only these are gated. */
  readonly costly?: CostlyClass
}

/** How much of the gate is taken. */
export interface GateOccupancy {
  readonly policies: readonly PolicyOccupancy[]
  readonly inFlight: readonly ClassOccupancy[]
}

/** The app behind the gate. */
export interface Gate {
  readonly fetch: Handler
  occupancy(): GateOccupancy
}

export interface GateServices {
  readonly limits: PolicyLimits
  /** Clients without limits, and without a gate of their own. */
  readonly limitExempt: Networks
  readonly limitIpv6Prefix: number
  readonly trustedProxies: Networks
  /** Milliseconds since the epoch. */
  now(): number
  /** Reports whether the data behind the limited endpoints is still being loaded. */
  isLoading(): boolean
  /** Returns the address of the socket's peer; null when there is none, as on a Unix socket. */
  addressOf(request: Request): string | null
}

/** For paths that take no body: a little is ignored, more is refused. */
const defaultBodyBytesMax = 65_536
const loadingRetrySeconds = 1
const fullRetrySeconds = 1
/** Callers without an address share one count and one gate: whoever hangs up behind his calls is such. */
const unknownAddress = 'unknown'

const fullDetails: Readonly<Record<FullGate, string>> = {
  client: 'Too many costly calls of yours are being answered; wait for one of them to end.',
  class: 'Too many calls of this kind are being answered; try again shortly.',
}

/** `http://` or `https://`, and at least one character of a host. */
const schemeLength = 8

/** Returns where the path starts in a request's URL. */
function startOfPath(url: string): number {
  // Without a usable Host header Bun gives the path alone.
  return url.startsWith('/') ? 0 : url.indexOf('/', schemeLength)
}

/** Returns the path of a request's URL, as Elysia reads it. */
export function pathOf(url: string): string {
  const start = startOfPath(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Reports whether the path of a request's URL starts with `prefix`. */
export function isUnder(url: string, prefix: string): boolean {
  return url.startsWith(prefix, startOfPath(url))
}

function isBodyTooLarge(request: Request, bytesMax: number): boolean {
  // The body of a GET is never read; Bun drops it as it arrives.
  if (request.method === 'GET') return false
  return Number(request.headers.get('content-length')) > bytesMax
}

function withRateLimit(response: Response, { policyField, stateField }: Judgement): Response {
  const { headers } = response
  headers.set('ratelimit-policy', policyField)
  headers.set('ratelimit', stateField)
  return response
}

/** Returns a function from a path to the endpoint that it is, or lies under; undefined for all others. */
function createEndpointOf(endpoints: readonly Endpoint[]): (path: string) => Endpoint | undefined {
  const exact = new Map<string, Endpoint>()
  const open: { readonly prefix: string; readonly endpoint: Endpoint }[] = []
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/\/\*$/, '')
    exact.set(path, endpoint)
    exact.set(`${path}/`, endpoint)
    if (path !== endpoint.path) open.push({ prefix: `${path}/`, endpoint })
  }
  return (path) => exact.get(path) ?? open.find(({ prefix }) => path.startsWith(prefix))?.endpoint
}

/** Returns `inner` behind the gate; only `endpoints` are limited. */
export function gated(
  inner: Handler,
  endpoints: readonly Endpoint[],
  services: GateServices,
): Gate {
  const { limits, limitExempt: exempt, limitIpv6Prefix: ipv6PrefixBits, trustedProxies } = services
  const rateLimits = new RateLimits({ limits, exempt, ipv6PrefixBits }, services.now)
  const inFlight = new InFlight(endpoints.flatMap(({ costly }) => costly ?? []))
  const endpointAt = createEndpointOf(endpoints)

  const callerOf = (request: Request): string => {
    const peer = plainAddress(services.addressOf(request) ?? unknownAddress)
    if (!trustedProxies.has(peer)) return peer
    return clientAddress(peer, request.headers.get('x-forwarded-for'), trustedProxies)
  }

  const sized = (request: Request, bytesMax = defaultBodyBytesMax): Response | Promise<Response> =>
    isBodyTooLarge(request, bytesMax) ? bodyTooLarge(bytesMax) : inner(request)

  const limited = (request: Request, endpoint: Endpoint, caller: string) => {
    const judgement = rateLimits.judge(endpoint.policy, caller)
    if (judgement === null) return sized(request, endpoint.bodyBytesMax)
    if (!judgement.isAdmitted) {
      return withRateLimit(tooManyRequests(judgement.retryAfterSeconds), judgement)
    }
    const response = sized(request, endpoint.bodyBytesMax)
    return response instanceof Promise
      ? response.then((settled) => withRateLimit(settled, judgement))
      : withRateLimit(response, judgement)
  }

  const counted = (request: Request, endpoint: Endpoint, caller: string, name: string) => {
    const client = exempt.has(caller) ? null : clientKey(caller, ipv6PrefixBits)
    const full = inFlight.fullGate(name, client)
    if (full !== null) return unavailable(fullDetails[full], fullRetrySeconds)
    const response = limited(request, endpoint, caller)
    return response instanceof Promise
      ? inFlight.during(name, client, response, endOfBody)
      : response
  }

  return {
    fetch: (request) => {
      const endpoint = endpointAt(pathOf(request.url))
      if (endpoint === undefined) return sized(request)
      if (services.isLoading()) {
        return unavailable('The data is still being loaded.', loadingRetrySeconds)
      }
      const caller = callerOf(request)
      const { costly } = endpoint
      if (costly === undefined) return limited(request, endpoint, caller)
      return counted(request, endpoint, caller, costly.class)
    },
    occupancy: () => ({ policies: rateLimits.occupancy(), inFlight: inFlight.occupancy() }),
  }
}
