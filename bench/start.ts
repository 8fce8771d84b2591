/**
 * How long a start takes, from the process to its first verdict, with a million names: from the
 * database alone, and with the snapshot of a clean stop. With `--large` five million as well.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { BenchDirectory, importNames, openStore, serve } from './fixture.ts'
import { type BenchRow, median, printRows } from './rounds.ts'

const rounds = 3

/** The milliseconds a start may take at a number of names. */
const goals: readonly {
  count: number
  fromDatabaseMs: number
  fromSnapshotMs: number | null
}[] = [
  { count: 1_000_000, fromDatabaseMs: 800, fromSnapshotMs: 300 },
  ...(process.argv.includes('--large')
    ? [{ count: 5_000_000, fromDatabaseMs: 3_500, fromSnapshotMs: null }]
    : []),
]

async function benchCount({
  count,
  fromDatabaseMs,
  fromSnapshotMs,
}: (typeof goals)[number]): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  await importNames(store, 'bench', 0, count)
  store.close()
  const anew: number[] = []
  const kept: number[] = []
  let residentBytes = 0
  for (let round = 0; round < rounds; round++) {
    rmSync(join(directory.path, 'views.snapshot'), { force: true })
    const first = await serve(directory.path)
    anew.push(first.startMs)
    residentBytes = await first.residentBytes()
    await first.stop()
    const second = await serve(directory.path)
    kept.push(second.startMs)
    await second.stop()
  }
  const name = `start at ${count / 1e6} million names`
  const row = (from: string, values: readonly number[], allowedMs: number | null): BenchRow => ({
    name: `${name}, ${from}`,
    value: median(values),
    unit: 'ms',
    yardstick: allowedMs === null ? 'itself' : `${allowedMs} ms`,
    ratio: (allowedMs ?? median(values)) / median(values),
    goal: allowedMs === null ? '' : '≥ 1',
  })
  return [
    row('from the database', anew, fromDatabaseMs),
    row('with a snapshot', kept, fromSnapshotMs),
    {
      name: `${name}, resident memory`,
      value: residentBytes / 1e6,
      unit: 'MB',
      yardstick: 'itself',
      ratio: 1,
      goal: '',
    },
  ]
}

/** Measures starts; filling the database takes most of the time. */
export async function benchStart(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const goal of goals) rows.push(...(await benchCount(goal)))
  return rows
}

if (import.meta.main) printRows(await benchStart())
