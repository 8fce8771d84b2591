/**
 * Kills each of weir's threads at random moments while calls are under way: from the outside, by an exit,
 * an uncaught error and an unhandled rejection in the thread.
 *
 * What is drawn comes from a seed, which a failure names; `SEED` repeats it. `bun run trials threads` runs
 * more rounds and prints how long calls took to settle and threads to return.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ThreadError } from '../../src/threads/thread-error.ts'
import { randomNumbers } from '../random-numbers.ts'
import { countRounds, seed, timeoutMs } from '../rounds.ts'
import { epochMs, MortalWorkers, waysToDie } from './mortal-workers.ts'
import { type Victim, VictimWorld } from './victims.ts'

const rounds = countRounds(3)
const random = randomNumbers(seed)

let world: VictimWorld
let workers: MortalWorkers
beforeAll(async () => {
  workers = new MortalWorkers()
  world = await VictimWorld.create()
})
afterAll(() => {
  workers[Symbol.dispose]()
  world.close()
})

/** What one kill did; null when the thread had no more to do, and was gone. */
interface Kill {
  /** From its death until the last pending call was rejected, and until a new call was answered. */
  readonly settledMs: number
  readonly returnedMs: number
  readonly rejected: number
}

/** Returns how long the work takes when nothing is killed; the first time, code is loaded as well. */
async function measureWork(victim: Victim): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < 3; time++) {
    const startedAt = performance.now()
    await Promise.all(victim.work())
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

async function kill(victim: Victim, workMs: number): Promise<Kill | null> {
  let pending = 0
  let rejected = 0
  let settledAt = 0
  const follow = async (call: Promise<unknown>): Promise<void> => {
    pending++
    try {
      await call
    } catch (error) {
      if (!(error instanceof ThreadError) || error.reason !== 'lost') throw error
      expect(victim.isDegraded()).toBe(true)
      rejected++
    } finally {
      pending--
      settledAt = epochMs()
    }
  }
  const calls = victim.work().map(follow)
  await Bun.sleep(random() * workMs)
  // Half of them from the outside: a thread in a synchronous handler hears of no other death.
  const how = waysToDie[Math.floor(random() ** 2 * waysToDie.length)] ?? 'terminate'
  const diedAt = await workers.kill(victim.entry, how)
  await nextTurn()
  const isLost = victim.isDegraded()
  const asked = victim.ask().then(() => pending)
  await Promise.all(calls)
  expect(await asked).toBe(0)
  const returnedMs = epochMs() - diedAt
  expect(victim.isDegraded()).toBe(false)
  return isLost ? { settledMs: Math.max(0, settledAt - diedAt), returnedMs, rejected } : null
}

/** Prints how long it took, over all kills. */
function printTimes(name: string, kills: readonly Kill[]): void {
  const describeMs = (times: readonly number[]): string => {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number): string =>
      (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0).padStart(5)
    return `${at(0.5)} median ${at(0.99)} p99 ${at(1)} max`
  }
  const rejected = kills.reduce((sum, kill) => sum + kill.rejected, 0)
  console.log(
    `${name.padEnd(26)}${kills.length} kills, ${rejected} calls rejected; ` +
      `ms to settle ${describeMs(kills.map(({ settledMs }) => settledMs))}; ` +
      `ms to return ${describeMs(kills.map(({ returnedMs }) => returnedMs))}`,
  )
}

describe(`each thread, killed at random (SEED=${seed})`, () => {
  const victims = ['writer', 'lists', 'stix', 'search', 'generations'] as const
  test.each(victims)(
    '%s: pending calls are rejected first, it returns, and nothing is lost',
    async (name) => {
      const victim = world[name]()
      const workMs = await measureWork(victim)
      const kills: Kill[] = []
      for (let round = 0; round < rounds; round++) {
        const killed = await kill(victim, workMs)
        if (killed !== null) kills.push(killed)
        expect(world.findLost()).toEqual([])
      }
      await victim.close()
      world.checkIntegrity()
      expect(world.findLost()).toEqual([])
      expect(world.countAcknowledged()).toBeGreaterThan(rounds)
      if (rounds > 3) printTimes(name, kills)
    },
    timeoutMs(rounds),
  )
})
