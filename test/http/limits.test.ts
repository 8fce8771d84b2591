/** Rate limits against a naive model, under a flood of addresses, and with a clock that jumps. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { policyNames } from '../../src/config.ts'
import {
  type Judgement,
  type LimitSettings,
  type Limits,
  type PolicyOccupancy,
  RateLimits,
} from '../../src/http/limits.ts'
import { parseNetworks } from '../../src/setting-values.ts'
import type { MemoryFinding } from './limits-memory.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
const exemptNone = { text: '', has: () => false }

interface Clock {
  now: number
}

function limitsOf(limits: Limits, clock: Clock, settings: Partial<LimitSettings> = {}): RateLimits {
  return new RateLimits(
    { limits, exempt: exemptNone, ipv6PrefixBits: 64, ...settings },
    () => clock.now,
  )
}

function judged(judgement: Judgement | null): Judgement {
  if (judgement === null) throw new Error('no limit applied')
  return judgement
}

/** How long that may take where others use the machine. */
const measuredMs = 60_000

/** Runs a case of `limits-memory` in a process of its own, where nothing else uses memory. */
function measured(name: 'flood' | 'quota'): MemoryFinding {
  const script = join(import.meta.dir, 'limits-memory.ts')
  const { stdout } = Bun.spawnSync([process.execPath, script, name], { stderr: 'inherit' })
  return JSON.parse(stdout.toString())
}

describe('RateLimits', () => {
  test('admits the whole quota at once and not one more', () => {
    const clock = { now: 1_000_000 }
    const limits = limitsOf({ CHECK_URL: { quota: 30, windowMs: 60_000 } }, clock)
    const admitted = Array.from({ length: 35 }, () => {
      return judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted
    })
    expect(admitted.filter(Boolean)).toHaveLength(30)
    expect(admitted.lastIndexOf(true)).toBe(29)
  })

  test('admits a call after the seconds it named, and none before', () => {
    const clock = { now: 5_000 }
    const limits = limitsOf({ CHECK_URL: { quota: 2, windowMs: 60_000 } }, clock)
    const judge = () => judged(limits.judge('CHECK_URL', '203.0.113.9'))
    judge()
    clock.now += 12_345
    judge()
    clock.now += 700
    const refused = judge()
    expect(refused).toMatchObject({ isAdmitted: false, retryAfterSeconds: 47 })
    clock.now += 60_000 - 12_345 - 700 - 1
    expect(judge()).toMatchObject({ isAdmitted: false, retryAfterSeconds: 1 })
    clock.now += 1
    expect(judge().isAdmitted).toBe(true)
  })

  test('a refused call does not count', () => {
    const clock = { now: 0 }
    const limits = limitsOf({ BULK: { quota: 1, windowMs: 1_000 } }, clock)
    const judge = () => judged(limits.judge('BULK', '203.0.113.9')).isAdmitted
    expect(judge()).toBe(true)
    for (clock.now = 100; clock.now < 1_000; clock.now += 100) expect(judge()).toBe(false)
    expect(judge()).toBe(true)
  })

  test('writes the fields of the IETF draft', () => {
    const clock = { now: 0 }
    const limits = limitsOf({ CHECK_URL: { quota: 3, windowMs: 60_000 } }, clock)
    const judge = () => judged(limits.judge('CHECK_URL', '203.0.113.9'))
    expect(judge()).toMatchObject({
      policyField: '"check-url";q=3;w=60',
      stateField: '"check-url";r=2;t=60',
    })
    clock.now = 25_500
    expect(judge().stateField).toBe('"check-url";r=1;t=35')
    expect(judge().stateField).toBe('"check-url";r=0;t=35')
    expect(judge()).toMatchObject({ stateField: '"check-url";r=0;t=35', retryAfterSeconds: 35 })
  })

  test('counts every policy and every client apart', () => {
    const one = { quota: 1, windowMs: 1_000 }
    const limits = limitsOf({ CHECK_URL: one, BULK: one }, { now: 0 })
    expect(judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted).toBe(true)
    expect(judged(limits.judge('BULK', '203.0.113.9')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '203.0.113.10')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted).toBe(false)
  })

  test('knows every policy there is, each with the general one beside it', () => {
    const limit = { quota: 2, windowMs: 1_000 }
    for (const policy of policyNames.filter((name) => name !== 'GENERAL')) {
      const general = { quota: 9, windowMs: 9_000 }
      const limits = limitsOf({ [policy]: limit, GENERAL: general }, { now: 0 })
      const name = policy.toLowerCase().replaceAll('_', '-')
      expect(judged(limits.judge(policy, '203.0.113.9'))).toMatchObject({
        policyField: `"${name}";q=2;w=1, "general";q=9;w=9`,
        stateField: `"${name}";r=1;t=1, "general";r=8;t=9`,
      })
    }
    expect(limitsOf({}, { now: 0 }).judge('BULK', '203.0.113.9')).toBeNull()
  })

  test('takes one IPv6 network for one client', () => {
    const limits = limitsOf({ CHECK_URL: { quota: 1, windowMs: 1_000 } }, { now: 0 })
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:1::1')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:1:ffff::1')).isAdmitted).toBe(false)
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:2::1')).isAdmitted).toBe(true)
  })

  test('does not apply where a limit is off or a client is exempt', () => {
    const exempt = parseNetworks('203.0.113.0/24') ?? exemptNone
    const limits = limitsOf({ BULK: { quota: 1, windowMs: 1_000 } }, { now: 0 }, { exempt })
    expect(limits.judge('CHECK_URL', '198.51.100.1')).toBeNull()
    expect(limits.judge('BULK', '203.0.113.9')).toBeNull()
    expect(limits.judge('BULK', '198.51.100.1')).not.toBeNull()
  })

  test('a general limit counts all endpoints together, and a refusal counts nowhere', () => {
    const clock = { now: 0 }
    const limits = limitsOf(
      {
        GENERAL: { quota: 3, windowMs: 10_000 },
        CHECK_URL: { quota: 2, windowMs: 1_000 },
        BULK: { quota: 9, windowMs: 1_000 },
      },
      clock,
    )
    const judge = (policy: 'CHECK_URL' | 'BULK') => judged(limits.judge(policy, '203.0.113.9'))
    expect(judge('CHECK_URL').policyField).toBe('"check-url";q=2;w=1, "general";q=3;w=10')
    expect(judge('CHECK_URL').stateField).toBe('"check-url";r=0;t=1, "general";r=1;t=10')
    expect(judge('CHECK_URL')).toMatchObject({ isAdmitted: false, retryAfterSeconds: 1 })
    expect(judge('BULK').stateField).toBe('"bulk";r=8;t=1, "general";r=0;t=10')
    clock.now = 1_000
    expect(judge('CHECK_URL')).toMatchObject({ isAdmitted: false, retryAfterSeconds: 9 })
    expect(judge('CHECK_URL').stateField).toBe('"check-url";r=2;t=1, "general";r=0;t=9')
  })

  test('a clock that is set back locks nobody out', () => {
    const clock = { now: 10_000_000 }
    const limits = limitsOf({ CHECK_URL: { quota: 1, windowMs: 1_000 } }, clock)
    const judge = () => judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted
    expect(judge()).toBe(true)
    clock.now = 1_000
    expect(judge()).toBe(false)
    clock.now = 2_000
    expect(judge()).toBe(true)
  })

  test('agrees with a naive model, call by call', () => {
    const call = fc.record({
      client: fc.integer({ min: 1, max: 4 }),
      afterMs: fc.oneof(
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom(0, 99, 100, 101, 200, 500),
      ),
    })
    const property = fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(call, { maxLength: 120 }),
      (quota, calls) => {
        const clock = { now: 1_000 }
        const windowMs = 100
        const limits = limitsOf({ CHECK_URL: { quota, windowMs } }, clock)
        const admittedAt = new Map<number, number[]>()
        for (const { client, afterMs } of calls) {
          clock.now += afterMs
          const before = admittedAt.get(client) ?? []
          const inWindow = before.filter((time) => time > clock.now - windowMs)
          const judgement = judged(limits.judge('CHECK_URL', `203.0.113.${client}`))
          expect(judgement.isAdmitted).toBe(inWindow.length < quota)
          if (judgement.isAdmitted) admittedAt.set(client, [...before, clock.now])
        }
      },
    )
    fc.assert(property, { numRuns })
  })

  test('a full memory admits no more than the quota, and known clients keep theirs', () => {
    const call = fc.record({
      network: fc.integer({ min: 0, max: 3 }),
      host: fc.integer({ min: 1, max: 3 }),
      afterMs: fc.constantFrom(0, 0, 1, 30, 99, 100, 150),
    })
    const property = fc.property(fc.array(call, { maxLength: 150 }), (calls) => {
      const clock = { now: 1_000 }
      const windowMs = 100
      const quota = 3
      const memory = { clientsMax: 3, networksMax: 2 }
      const limits = limitsOf({ CHECK_URL: { quota, windowMs } }, clock, memory)
      const admittedAt = new Map<string, number[]>()
      const known = '198.51.100.1'
      const judge = (client: string): void => {
        const before = (admittedAt.get(client) ?? []).filter((at) => at > clock.now - windowMs)
        const { isAdmitted } = judged(limits.judge('CHECK_URL', client))
        if (isAdmitted) admittedAt.set(client, [...before, clock.now])
        if (isAdmitted) expect(before.length).toBeLessThan(quota)
        if (client === known) expect(isAdmitted).toBe(before.length < quota)
      }
      for (const { network, host, afterMs } of calls) {
        clock.now += afterMs
        judge(known)
        judge(`203.0.${network}.${host}`)
      }
    })
    fc.assert(property, { numRuns })
  })

  test('tells how many clients and networks a policy knows, and forgets them with time', () => {
    const clock = { now: 1_000 }
    const memory = { clientsMax: 2, networksMax: 3 }
    const limits = limitsOf({ CHECK_URL: { quota: 3, windowMs: 100 }, BULK: null }, clock, memory)
    const known = (clients: number, networks: number): PolicyOccupancy[] => [
      { policy: 'CHECK_URL', clients, clientsMax: 2, networks, networksMax: 3 },
    ]
    expect(limits.occupancy()).toEqual(known(0, 0))
    for (let i = 0; i < 6; i++) limits.judge('CHECK_URL', `203.0.${i}.1`)
    expect(limits.occupancy()).toEqual(known(2, 3))
    clock.now += 100
    limits.judge('CHECK_URL', '203.0.0.1')
    clock.now += 100
    expect(limits.occupancy()).toEqual(known(1, 0))
    clock.now += 200
    expect(limits.occupancy()).toEqual(known(0, 0))
  })

  test('the first calls of a network count, though nobody shared a count before', () => {
    const limits = limitsOf(
      { CHECK_URL: { quota: 3, windowMs: 100 } },
      { now: 1_000 },
      { clientsMax: 1, networksMax: 2 },
    )
    limits.judge('CHECK_URL', '198.51.100.1')
    const admitted = Array.from(
      { length: 4 },
      () => judged(limits.judge('CHECK_URL', '203.0.113.1')).isAdmitted,
    )
    expect(admitted).toEqual([true, true, true, false])
  })

  test(
    'a million networks neither fill the memory nor free a known client',
    () => {
      const { grownMiB, admitted } = measured('flood')
      expect(admitted).toEqual([30, 0])
      expect(grownMiB).toBeLessThan(150)
    },
    measuredMs,
  )

  test(
    'a quota that no memory could hold is cut, not the memory',
    () => {
      const { grownMiB, admitted } = measured('quota')
      expect(admitted[0]).toBe(900_000)
      expect(admitted.at(-1)).toBeLessThan(900_000)
      expect(admitted.at(-1)).toBeGreaterThan(0)
      expect(grownMiB).toBeLessThan(150)
    },
    measuredMs,
  )
})
