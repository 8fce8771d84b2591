/**
 * Look-ups at a steady pace while a list is imported: 2,000 check-url calls a second against a
 * million names, first idle, then while another process imports 100,000 new names and the views have
 * to grow. Server, client and import are three processes on this machine.
 */

import { join } from 'node:path'
import {
  BenchDirectory,
  importBeside,
  importNames,
  listOf,
  openStore,
  paced,
  serve,
} from './fixture.ts'
import { type BenchRow, printRows } from './rounds.ts'

const callsPerSecond = 2_000
const seconds = 8

/** Views are built for 1.95 nodes a name; at 1.25 nodes a name these fill up just over a million. */
const namesAtStart = 660_000
const namesBefore = 1_000_000
const namesAfter = 1_100_000

async function importTo(directory: string, first: number, end: number): Promise<void> {
  const file = join(directory, `names-${first}.txt`)
  await Bun.write(file, new Response(listOf(first, end - first)))
  await importBeside(directory, file, `names-${first}`)
}

/** Measures look-ups beside an import; takes about a minute and a half. */
export async function benchPaced(): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  await importNames(store, 'bench', 0, namesAtStart)
  store.close()
  const server = await serve(directory.path)
  try {
    await importTo(directory.path, namesAtStart, namesBefore)
    await paced(server, callsPerSecond, seconds)
    const idle = await paced(server, callsPerSecond, seconds)
    const [busy] = await Promise.all([
      paced(server, callsPerSecond, seconds),
      importTo(directory.path, namesBefore, namesAfter),
    ])
    const row = (
      name: string,
      value: number,
      yardstick: string,
      allowed: number,
      goal: string,
    ): BenchRow => ({
      name: `${callsPerSecond} check-url a second, ${name}`,
      value,
      unit: 'ms',
      yardstick,
      ratio: allowed / value,
      goal,
    })
    return [
      row('idle, p99', idle.p99, 'itself', idle.p99, ''),
      row('idle, slowest', idle.max, 'itself', idle.max, ''),
      row('importing, p99', busy.p99, 'the idle p99 and 2 ms', idle.p99 + 2, '≥ 1'),
      row('importing, slowest', busy.max, '20 ms', 20, '≥ 1'),
    ]
  } finally {
    await server.stop()
  }
}

if (import.meta.main) printRows(await benchPaced())
