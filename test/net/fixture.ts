/** An `Outbound` for tests: names from a scripted name server, loopback allowed, the tests' authority trusted. */

import { Outbound, type OutboundAnswer, type OutboundRequest } from '../../src/net/outbound.ts'
import { OutboundError } from '../../src/net/outbound-error.ts'
import { Resolver } from '../../src/net/resolver.ts'
import { authorityCertificate } from './certificates.ts'
import type { DnsServer } from './dns-server.ts'

/** Limits that no test reaches. */
export const wide = { timeoutMs: 20_000, bodyBytesMax: 1024 ** 2, redirectsMax: 0 } as const

/** Creates an `Outbound` that may connect to loopback. */
export function createOutbound(dns: DnsServer, proxy: string | null = null): Outbound {
  return new Outbound({
    resolver: new Resolver({ servers: [dns.address] }),
    proxy,
    userAgent: 'weir/test',
    testing: { allowLoopback: true, ca: authorityCertificate },
  })
}

/** Creates an `Outbound` as in production. */
export function createPublicOutbound(dns: DnsServer, proxy: string | null = null): Outbound {
  const resolver = new Resolver({ servers: [dns.address] })
  return new Outbound({ resolver, proxy, userAgent: 'weir/test' })
}

/** Returns the error of a request or its body; throws when it does not fail. */
export async function failure(work: Promise<unknown>): Promise<OutboundError> {
  try {
    await work
  } catch (error) {
    if (error instanceof OutboundError) return error
    throw error
  }
  throw new Error('nothing failed')
}

/** Fetches with wide limits but for `limits`, and returns the answer with its text. */
export async function fetchText(
  outbound: Outbound,
  url: string,
  limits: Partial<OutboundRequest> = {},
): Promise<OutboundAnswer & { readonly text: string }> {
  const answer = await outbound.get({ ...wide, ...limits, url })
  return { ...answer, text: await new Response(answer.body).text() }
}
