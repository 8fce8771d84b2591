/** What becomes of a running weir when one of its threads ends by itself, or cannot start. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { loadConfig } from '../src/config.ts'
import type { ThreadEntry } from '../src/threads/entries.ts'
import { startWeir, type Weir } from '../src/weir.ts'
import { DataDir, eventually } from './commands/process.ts'
import { MortalWorkers, type WayToDie } from './threads/mortal-workers.ts'

let dataDir: DataDir
let workers: MortalWorkers
let reported: unknown[]
let weir: Weir

async function start(): Promise<Weir> {
  const { config } = await loadConfig({
    WEIR_DATA: dataDir.path,
    WEIR_STARTER: 'off',
    WEIR_FETCH: 'off',
    WEIR_BACKUP_EVERY: '1d',
  })
  return startWeir(config, [], (error) => reported.push(error))
}

beforeEach(() => {
  dataDir = new DataDir()
  workers = new MortalWorkers()
  reported = []
})
afterEach(async () => {
  await weir.stop()
  workers[Symbol.dispose]()
  dataDir[Symbol.dispose]()
})

const status = (): string => weir.state().status

async function untilReady(): Promise<void> {
  await eventually('weir is ready again', () => (status() === 'ready' ? true : null))
}

/** Sends a report; returns its id, or why it was not written. */
async function report(description: string): Promise<string> {
  const empty = { value: null, targetBrand: null, contact: null }
  const submitted = await weir.reports.submit({ type: 'message', description, ...empty })
  return submitted.ok ? submitted.value.id : submitted.reason.kind
}

const search = (): Promise<string> =>
  weir.search.ask({ text: 'name', category: 'all', page: 1, limit: 1 })

/** Kills a thread under a call that it answers, which settles; returns the state right after. */
async function killUnder(
  call: () => Promise<unknown>,
  entry: ThreadEntry,
  how: WayToDie,
): Promise<string> {
  const settled = call().then(
    () => 'answered',
    () => 'rejected',
  )
  await workers.kill(entry, how)
  await settled
  return status()
}

describe('a thread of weir that ends by itself', () => {
  test.each(['terminate', 'exit', 'throw', 'reject'] as const)(
    'the writer’s, by %s: weir is degraded until it is back, and writes again',
    async (how) => {
      weir = await start()
      await weir.ready
      const first = await report('the first')
      await untilReady()
      expect(await killUnder(() => weir.backUp(), 'writer-worker.ts', how)).toBe('degraded')
      const second = await report('the second')
      expect(second).toMatch(/^[0-9a-f-]{36}$/)
      await untilReady()
      expect(await report('The  FIRST')).toBe(first)
      await weir.backUp()
      expect(reported).toHaveLength(1)
    },
  )

  test('the one that searches: likewise', async () => {
    weir = await start()
    await weir.ready
    await search()
    await untilReady()
    expect(await killUnder(search, 'search/search-worker.ts', 'exit')).toBe('degraded')
    expect(JSON.parse(await search())).toMatchObject({ total: 0 })
    await untilReady()
  })

  test('while it starts: weir starts all the same', async () => {
    workers.stillborn = 3
    weir = await start()
    await weir.ready
    expect(await report('after all')).toMatch(/^[0-9a-f-]{36}$/)
    await untilReady()
    expect(reported).toHaveLength(3)
  })

  test('does not hold up the stop, which follows', async () => {
    weir = await start()
    await weir.ready
    await killUnder(() => weir.backUp(), 'writer-worker.ts', 'exit')
    expect(status()).toBe('degraded')
  })
})
