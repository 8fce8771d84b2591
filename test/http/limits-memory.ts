/**
 * Measures the memory of rate limits in a process of its own: `bun limits-memory.ts clients|calls` prints
 * how much more memory is held afterwards, and how many calls were admitted.
 */

import { RateLimits } from '../../src/http/limits.ts'

export interface MemoryFinding {
  readonly heldMiB: number
  readonly admitted: readonly number[]
}

function createLimits(quota: number, windowMs: number): RateLimits {
  const limits = { CHECK_URL: { quota, windowMs } }
  const exempt = { text: '', has: () => false }
  return new RateLimits({ limits, exempt, ipv6PrefixBits: 64 }, () => 1_000_000)
}

/** Counts how many of `tries` calls of a client are admitted, up to the first that is not. */
function countAdmitted(limits: RateLimits, client: string, tries: number): number {
  let count = 0
  while (count < tries && limits.judge('CHECK_URL', client)?.isAdmitted === true) count++
  return count
}

/** A client that has used its quota and keeps calling while a million others call once. */
function callFromManyClients(limits: RateLimits): number[] {
  const known = '203.0.113.9'
  const admitted = [countAdmitted(limits, known, 31)]
  for (let i = 0; i < 1_000_000; i++) {
    limits.judge('CHECK_URL', `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`)
    if (i % 90_000 === 0) admitted.push(countAdmitted(limits, known, 1))
  }
  return admitted
}

/** Clients whose quotas together are more calls than are remembered. */
function callOften(limits: RateLimits): number[] {
  return Array.from({ length: 12 }, (_, client) =>
    countAdmitted(limits, `203.0.113.${client}`, 900_001),
  )
}

if (import.meta.main) {
  const isClients = process.argv[2] === 'clients'
  const limits = isClients ? createLimits(30, 60_000) : createLimits(900_000, 86_400_000)
  Bun.gc(true)
  const before = process.memoryUsage().heapUsed
  const admitted = isClients ? callFromManyClients(limits) : callOften(limits)
  Bun.gc(true)
  const heldMiB = (process.memoryUsage().heapUsed - before) / 2 ** 20
  const finding: MemoryFinding = { heldMiB, admitted }
  if (limits.occupancy().length > 0) console.log(JSON.stringify(finding))
}
