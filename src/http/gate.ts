/**
 * What every call to an endpoint passes before anything of it is read: the data is loaded, few enough calls of
 * its class are in flight, the client has calls left, the body is short enough.
 *
 *   request ──▶ loaded? ──▶ in flight? ──▶ limit ──▶ body length ──▶ reader, handler
 *                 │ no         │ too many    │ used up    │ too long       + RateLimit
 *                 ▼            ▼             ▼            ▼
 *                503          503           429          413
 *
 * Every method of a path passes the same gate, so that neither HEAD nor a wrong method bypasses a limit. It wraps
 * the handler instead of being a hook of Elysia: a hook makes Elysia write every header again, which costs a check
 * about half a microsecond.
 */

import type { PolicyName } from '../config.ts'
import type { Networks } from '../setting-values.ts'
import { clientAddress, clientKey, plainAddress } from './client-ip.ts'
import type { Answering, Handler } from './endpoint.ts'
import { type ClassOccupancy, type CostlyClass, type FullGate, InFlight } from './in-flight.ts'
import { type Judgement, type PolicyLimits, type PolicyOccupancy, RateLimits } from './limits.ts'
import type { PathTexts } from './parameter-reader.ts'
import { bodyTooLarge, tooManyRequests, unavailable } from './problem.ts'
import { endOfBody } from './streamed.ts'

/** What the gate needs to know about an endpoint. */
export interface Gated {
  /** The limit that calls count against; null for none, and for an endpoint that answers while data is loading. */
  readonly policy: PolicyName | null
  readonly bodyBytesMax?: number
  readonly costly?: CostlyClass
}

/** How full the gate is. */
export interface GateOccupancy {
  readonly policies: readonly PolicyOccupancy[]
  readonly inFlight: readonly ClassOccupancy[]
}

/** The gate of an app. Its counts are shared by all endpoints. */
export interface Gate {
  /** Returns `inner` behind the gate. */
  before(endpoint: Gated, inner: Handler): Handler
  occupancy(): GateOccupancy
}

export interface GateServices {
  readonly limits: PolicyLimits
  /** Clients without limits. */
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

/** For paths that take no body: a short one is ignored, a longer one is refused. */
const defaultBodyBytesMax = 65_536
const loadingRetrySeconds = 1
const fullRetrySeconds = 1
/** Callers without an address share one count: a client that has closed its connection has none. */
const unknownAddress = 'unknown'

const fullDetails: Readonly<Record<FullGate, string>> = {
  client: 'Too many costly calls of yours are being answered; wait for one of them to end.',
  class: 'Too many calls of this kind are being answered; try again shortly.',
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

/** Returns the gate of an app; `classes` are those of all its endpoints. */
export function createGate(classes: readonly CostlyClass[], services: GateServices): Gate {
  const { limits, limitExempt: exempt, limitIpv6Prefix: ipv6PrefixBits, trustedProxies } = services
  const rateLimits = new RateLimits({ limits, exempt, ipv6PrefixBits }, services.now)
  const inFlight = new InFlight(classes)

  const callerOf = (request: Request): string => {
    const peer = plainAddress(services.addressOf(request) ?? unknownAddress)
    if (!trustedProxies.has(peer)) return peer
    return clientAddress(peer, request.headers.get('x-forwarded-for'), trustedProxies)
  }

  const before = (endpoint: Gated, inner: Handler): Handler => {
    const { policy, costly, bodyBytesMax = defaultBodyBytesMax } = endpoint
    const sized: Handler = (request, path) =>
      isBodyTooLarge(request, bodyBytesMax) ? bodyTooLarge(bodyBytesMax) : inner(request, path)
    if (policy === null) return sized

    const limited = (request: Request, path: PathTexts, caller: string): Answering => {
      const judgement = rateLimits.judge(policy, caller)
      if (judgement === null) return sized(request, path)
      if (!judgement.isAdmitted) {
        return withRateLimit(tooManyRequests(judgement.retryAfterSeconds), judgement)
      }
      const response = sized(request, path)
      return response instanceof Promise
        ? response.then((settled) => withRateLimit(settled, judgement))
        : withRateLimit(response, judgement)
    }

    const counted = (request: Request, path: PathTexts, caller: string, name: string) => {
      const client = exempt.has(caller) ? null : clientKey(caller, ipv6PrefixBits)
      const full = inFlight.fullGate(name, client)
      if (full !== null) return unavailable(fullDetails[full], fullRetrySeconds)
      const response = limited(request, path, caller)
      return response instanceof Promise
        ? inFlight.during(name, client, response, endOfBody)
        : response
    }

    return (request, path) => {
      if (services.isLoading()) {
        return unavailable('The data is still being loaded.', loadingRetrySeconds)
      }
      const caller = callerOf(request)
      return costly === undefined
        ? limited(request, path, caller)
        : counted(request, path, caller, costly.class)
    }
  }

  return {
    before,
    occupancy: () => ({ policies: rateLimits.occupancy(), inFlight: inFlight.occupancy() }),
  }
}
