/**
 * What an import costs: from a list to rows that are committed and followed by a view, against bare
 * inserts into the same indicator table with its indexes, in transactions of the same size.
 */

import { join } from 'node:path'
import { Catalog } from '../src/index/catalog.ts'
import { batchSightingsMax } from '../src/store/batch.ts'
import { IndicatorTable } from '../src/store/indicators.ts'
import { busyTimeoutMs, migrate, openDatabase } from '../src/store/schema.ts'
import { BenchDirectory, importNames, nameAt, openStore } from './fixture.ts'
import { type BenchRow, median, printRows } from './rounds.ts'

const rows = 100_000
const rounds = 5

/** Inserts bare rows, as fast as the table with its indexes takes them; rows a second. */
function bareInserts(): number {
  using directory = new BenchDirectory()
  const path = join(directory.path, 'bare.db')
  const database = openDatabase(path, busyTimeoutMs.background, true)
  migrate(database, 'bench', 1)
  const table = new IndicatorTable(database)
  const insert = database.transaction((first: number) => {
    for (let i = first; i < first + batchSightingsMax; i++) {
      table.insert({
        id: i + 1,
        type: 'domain',
        value: nameAt(i),
        host: null,
        platform: null,
        active: 1,
        published: 1,
        doNotBlock: 0,
        decision: null,
        threatType: 'phishing',
        threatLevel: 'high',
        confidence: 80,
        targetBrand: null,
        targetBrandOrigin: null,
        malwareFamily: null,
        sources: 'bench',
        reference: null,
        firstSeen: first,
        lastSeen: first,
        listedAt: first,
        seq: i + 1,
        listedSeq: i + 1,
        dateAdded: i * 4,
        exported: 1,
        generation: 1,
        createdAt: first,
        statedConfidence: 80,
        inCampaigns: 0,
        audiences: 1,
        audienceWords: null,
      })
    }
  })
  const startedAt = performance.now()
  for (let first = 0; first < rows; first += batchSightingsMax) insert.immediate(first)
  const seconds = (performance.now() - startedAt) / 1000
  database.close()
  return rows / seconds
}

/** Imports a new list, then the same again, each until a view is level; rows a second. */
async function imports(): Promise<{ fresh: number; again: number }> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  const parts = { store, dataDir: directory.path, wake: () => {}, report: console.error }
  const catalog = Catalog.build(parts)
  const follow = (): void => {
    while (catalog.advance(1) === 'more');
  }
  const run = async (): Promise<number> => {
    const startedAt = performance.now()
    await importNames(store, 'bench', 0, rows, follow)
    // A generation may still be on its way from the thread that builds it.
    while (catalog.seq < store.meta().seq) {
      follow()
      await Bun.sleep(1)
    }
    return rows / ((performance.now() - startedAt) / 1000)
  }
  const fresh = await run()
  const again = await run()
  store.close()
  return { fresh, again }
}

/** Measures imports; takes about half a minute. */
export async function benchImport(): Promise<BenchRow[]> {
  const bare: number[] = []
  const fresh: number[] = []
  const again: number[] = []
  for (let round = 0; round < rounds; round++) {
    bare.push(bareInserts())
    const measured = await imports()
    fresh.push(measured.fresh)
    again.push(measured.again)
  }
  const row = (
    name: string,
    values: readonly number[],
    yardstick: string,
    goal: string,
    by: readonly number[],
  ): BenchRow => ({
    name,
    value: Math.round(median(values)),
    unit: 'rows/s',
    yardstick,
    ratio: median(values) / median(by),
    goal,
  })
  return [
    row('import, new rows', fresh, 'bare inserts into the indicator table', '≥ 0.25', bare),
    row('import, rows seen again', again, 'importing them new', '≥ 2', fresh),
  ]
}

if (import.meta.main) printRows(await benchImport())
