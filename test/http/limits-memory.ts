/**
 * What limits take of memory, measured alone: `bun limits-memory.ts flood|quota` prints how much the
 * process has grown and what was admitted.
 */

import { RateLimits } from '../../src/http/limits.ts'

export interface MemoryFinding {
  readonly grownMiB: number
  readonly admitted: readonly number[]
}

function limitsOf(quota: number, windowMs: number, clock: { now: number }): RateLimits {
  const limits = { CHECK_URL: { quota, windowMs } }
  const exempt = { text: '', has: () => false }
  return new RateLimits({ limits, exempt, ipv6PrefixBits: 64 }, () => clock.now)
}

/** Counts how many of `tries` calls of a client are admitted, up to the first that is not. */
function admittedOf(limits: RateLimits, client: string, tries: number): number {
  let count = 0
  while (count < tries && limits.judge('CHECK_URL', client)?.isAdmitted === true) count++
  return count
}

/** A client that has used its quota, before and after a million others have called. */
function flood(): number[] {
  const clock = { now: 1_000_000 }
  const limits = limitsOf(30, 60_000, clock)
  const known = '203.0.113.9'
  const before = admittedOf(limits, known, 30)
  for (let i = 0; i < 1_000_000; i++) {
    limits.judge('CHECK_URL', `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`)
    if (i % 100 === 0) clock.now += 1
  }
  return [before, admittedOf(limits, known, 1)]
}

/** Clients that each want more than all of them together can be remembered for. */
function quota(): number[] {
  const limits = limitsOf(900_000, 86_400_000, { now: 0 })
  return Array.from({ length: 12 }, (_, client) =>
    admittedOf(limits, `203.0.113.${client}`, 900_000),
  )
}

if (import.meta.main) {
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const admitted = process.argv[2] === 'flood' ? flood() : quota()
  Bun.gc(true)
  const grownMiB = (process.memoryUsage.rss() - before) / 2 ** 20
  const finding: MemoryFinding = { grownMiB, admitted }
  console.log(JSON.stringify(finding))
}
