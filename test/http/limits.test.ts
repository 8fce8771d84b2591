/** Rate limits against a naive model, with more clients than fit, and with a clock that jumps. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { policyNames } from '../../src/config.ts'
import { CallLogs } from '../../src/http/call-log.ts'
import {
  type Judgement,
  type LimitSettings,
  type PolicyLimits,
  RateLimits,
} from '../../src/http/limits.ts'
import { parseNetworks } from '../../src/setting-values.ts'
import type { MemoryFinding } from './limits-memory.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
const exemptNone = { text: '', has: () => false }

interface Clock {
  now: number
}

function createLimits(
  limits: PolicyLimits,
  clock: Clock,
  settings: Partial<LimitSettings> = {},
): RateLimits {
  return new RateLimits(
    { limits, exempt: exemptNone, ipv6PrefixBits: 64, ...settings },
    () => clock.now,
  )
}

function judged(judgement: Judgement | null): Judgement {
  if (judgement === null) throw new Error('no limit applied')
  return judgement
}

/** Enough for a machine that is busy otherwise. */
const measuredMs = 60_000

/** Runs a case of `limits-memory` in a process of its own, where nothing else uses memory. */
function measureMemory(name: 'clients' | 'calls'): MemoryFinding {
  const script = join(import.meta.dir, 'limits-memory.ts')
  const { stdout } = Bun.spawnSync([process.execPath, script, name], { stderr: 'inherit' })
  return JSON.parse(stdout.toString())
}

describe('RateLimits', () => {
  test('admits the whole quota at once and not one more', () => {
    const clock = { now: 1_000_000 }
    const limits = createLimits({ CHECK_URL: { quota: 30, windowMs: 60_000 } }, clock)
    const admitted = Array.from({ length: 35 }, () => {
      return judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted
    })
    expect(admitted.filter(Boolean)).toHaveLength(30)
    expect(admitted.lastIndexOf(true)).toBe(29)
  })

  test('admits a call after the seconds it named, and none before', () => {
    const clock = { now: 5_000 }
    const limits = createLimits({ CHECK_URL: { quota: 2, windowMs: 60_000 } }, clock)
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
    const limits = createLimits({ BULK: { quota: 1, windowMs: 1_000 } }, clock)
    const judge = () => judged(limits.judge('BULK', '203.0.113.9')).isAdmitted
    expect(judge()).toBe(true)
    for (clock.now = 100; clock.now < 1_000; clock.now += 100) expect(judge()).toBe(false)
    expect(judge()).toBe(true)
  })

  test('writes the fields of the IETF draft', () => {
    const clock = { now: 0 }
    const limits = createLimits({ CHECK_URL: { quota: 3, windowMs: 60_000 } }, clock)
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

  test('counts every policy and every client separately', () => {
    const one = { quota: 1, windowMs: 1_000 }
    const limits = createLimits({ CHECK_URL: one, BULK: one }, { now: 0 })
    expect(judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted).toBe(true)
    expect(judged(limits.judge('BULK', '203.0.113.9')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '203.0.113.10')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted).toBe(false)
  })

  test('knows every policy, each with the general one next to it', () => {
    const limit = { quota: 2, windowMs: 1_000 }
    for (const policy of policyNames.filter((name) => name !== 'GENERAL')) {
      const general = { quota: 9, windowMs: 9_000 }
      const limits = createLimits({ [policy]: limit, GENERAL: general }, { now: 0 })
      const name = policy.toLowerCase().replaceAll('_', '-')
      expect(judged(limits.judge(policy, '203.0.113.9'))).toMatchObject({
        policyField: `"${name}";q=2;w=1, "general";q=9;w=9`,
        stateField: `"${name}";r=1;t=1, "general";r=8;t=9`,
      })
    }
    expect(createLimits({}, { now: 0 }).judge('BULK', '203.0.113.9')).toBeNull()
  })

  test('counts one IPv6 network as one client', () => {
    const limits = createLimits({ CHECK_URL: { quota: 1, windowMs: 1_000 } }, { now: 0 })
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:1::1')).isAdmitted).toBe(true)
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:1:ffff::1')).isAdmitted).toBe(false)
    expect(judged(limits.judge('CHECK_URL', '2001:db8:0:2::1')).isAdmitted).toBe(true)
  })

  test('does not apply where a limit is off or a client is exempt', () => {
    const exempt = parseNetworks('203.0.113.0/24') ?? exemptNone
    const limits = createLimits({ BULK: { quota: 1, windowMs: 1_000 } }, { now: 0 }, { exempt })
    expect(limits.judge('CHECK_URL', '198.51.100.1')).toBeNull()
    expect(limits.judge('BULK', '203.0.113.9')).toBeNull()
    expect(limits.judge('BULK', '198.51.100.1')).not.toBeNull()
  })

  test('a general limit counts all endpoints together, and a refusal counts nowhere', () => {
    const clock = { now: 0 }
    const limits = createLimits(
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

  test('a clock that is set back locks no client out', () => {
    const clock = { now: 10_000_000 }
    const limits = createLimits({ CHECK_URL: { quota: 1, windowMs: 1_000 } }, clock)
    const judge = () => judged(limits.judge('CHECK_URL', '203.0.113.9')).isAdmitted
    expect(judge()).toBe(true)
    clock.now = 1_000
    expect(judge()).toBe(false)
    clock.now = 2_000
    expect(judge()).toBe(true)
  })

  test('agrees with a naive model, call by call, when not all clients fit', () => {
    const windowMs = 100
    const call = fc.record({
      client: fc.integer({ min: 1, max: 5 }),
      afterMs: fc.oneof(
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom(0, 99, 100, 101, 200, 500),
      ),
    })
    const sizes = fc.record({
      quota: fc.integer({ min: 1, max: 12 }),
      clientsMax: fc.integer({ min: 1, max: 6 }),
    })
    const property = fc.property(sizes, fc.array(call, { maxLength: 150 }), (size, calls) => {
      const { quota, clientsMax } = size
      const clock = { now: 1_000 }
      const limits = createLimits({ CHECK_URL: { quota, windowMs } }, clock, { clientsMax })
      // The least recently seen client is the first key.
      const admittedAt = new Map<number, number[]>()
      for (const { client, afterMs } of calls) {
        clock.now += afterMs
        const before = admittedAt.get(client) ?? []
        const inWindow = before.filter((time) => time > clock.now - windowMs)
        const { isAdmitted, stateField } = judged(limits.judge('CHECK_URL', `203.0.113.${client}`))
        expect(isAdmitted).toBe(inWindow.length < quota)
        if (isAdmitted) inWindow.push(clock.now)
        expect(stateField).toStartWith(`"check-url";r=${quota - inWindow.length};`)
        admittedAt.delete(client)
        admittedAt.set(client, inWindow)
        const [oldest] = admittedAt.keys()
        if (admittedAt.size > clientsMax && oldest !== undefined) admittedAt.delete(oldest)
      }
    })
    fc.assert(property, { numRuns })
  })

  test('reports how many clients a policy remembers, and forgets those not seen for a window', () => {
    const clock = { now: 1_000 }
    const limits = createLimits({ CHECK_URL: { quota: 3, windowMs: 100 }, BULK: null }, clock, {
      clientsMax: 2,
    })
    const expectClients = (clients: number): void => {
      expect(limits.occupancy()).toEqual([{ policy: 'CHECK_URL', clients, clientsMax: 2 }])
    }
    expectClients(0)
    for (let i = 0; i < 6; i++) limits.judge('CHECK_URL', `203.0.${i}.1`)
    expectClients(2)
    clock.now += 99
    limits.judge('CHECK_URL', '203.0.5.1')
    clock.now += 1
    expectClients(1)
    clock.now += 99
    expectClients(0)
  })

  test(
    'a million clients fill no more memory, and do not free one that keeps calling',
    () => {
      const { heldMiB, admitted } = measureMemory('clients')
      expect(admitted).toEqual([30, ...new Array<number>(12).fill(0)])
      expect(heldMiB).toBeLessThan(64)
    },
    measuredMs,
  )

  test(
    'quotas larger than the memory fill no more of it',
    () => {
      const { heldMiB, admitted } = measureMemory('calls')
      expect(admitted).toEqual(new Array<number>(12).fill(900_000))
      expect(heldMiB).toBeLessThan(64)
    },
    measuredMs,
  )
})

describe('CallLogs', () => {
  test('forgets the least recently seen clients when there are too many calls', () => {
    const logs = new CallLogs(1_000, 100, 6)
    const call = (client: string, times: number): void => {
      for (let i = 0; i < times; i++) logs.add(logs.see(client, 1), 1)
    }
    call('a', 2)
    call('b', 2)
    call('c', 2)
    logs.see('a', 2)
    call('d', 1)
    expect(['a', 'b', 'c', 'd'].map((client) => logs.see(client, 3).count)).toEqual([2, 0, 2, 1])
    call('e', 9)
    expect(logs.countClients(3)).toBe(1)
    expect(logs.see('e', 3).count).toBe(9)
  })
})
