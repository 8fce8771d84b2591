/**
 * The way out as tests use it: names from a scripted name server, loopback open, and certificates of
 * the tests' own authority trusted.
 */

import { Outbound, type OutboundAnswer, type OutboundRequest } from '../../src/net/outbound.ts'
import { OutboundError } from '../../src/net/outbound-error.ts'
import { Resolver } from '../../src/net/resolver.ts'
import { authorityCertificate } from './certificates.ts'
import type { DnsServer } from './dns-server.ts'

/** Limits wide enough not to matter. */
export const wide = { timeoutMs: 20_000, bodyBytesMax: 1024 ** 2, redirectsMax: 0 } as const

/** Returns a way out to loopback. */
export function wayOut(dns: DnsServer, proxy: string | null = null): Outbound {
  return new Outbound({
    resolver: new Resolver({ servers: [dns.address] }),
    proxy,
    userAgent: 'weir/test',
    testing: { allowLoopback: true, ca: authorityCertificate },
  })
}

/** Returns a way out as it is in service. */
export function closedWayOut(dns: DnsServer, proxy: string | null = null): Outbound {
  const resolver = new Resolver({ servers: [dns.address] })
  return new Outbound({ resolver, proxy, userAgent: 'weir/test' })
}

/** Returns what a request or its body fails with; throws when it does not. */
export async function failure(work: Promise<unknown>): Promise<OutboundError> {
  try {
    await work
  } catch (error) {
    if (error instanceof OutboundError) return error
    throw error
  }
  throw new Error('nothing failed')
}

/** Fetches with wide limits, `limits` apart, and resolves with the answer and its text. */
export async function fetchText(
  outbound: Outbound,
  url: string,
  limits: Partial<OutboundRequest> = {},
): Promise<OutboundAnswer & { readonly text: string }> {
  const answer = await outbound.get({ ...wide, ...limits, url })
  return { ...answer, text: await new Response(answer.body).text() }
}
