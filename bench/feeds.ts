/**
 * What real feeds cost to import, format by format: every file of the real data, one after the other
 * into one database, against reading and judging it alone. Skipped where the data is absent.
 */

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Item } from '../src/ingest/formats/format.ts'
import { type FormatName, findFormat } from '../src/ingest/formats/formats.ts'
import { recogniseFormat } from '../src/ingest/formats/recognise.ts'
import { type Guards, loadGuards } from '../src/ingest/guards.ts'
import { importFeed } from '../src/ingest/importer.ts'
import { judge } from '../src/ingest/judge.ts'
import { readLines, readSample, readText } from '../src/ingest/line-reader.ts'
import { ownList, toSourceName } from '../src/ingest/sources.ts'
import { BenchDirectory, benchNaming, openStore } from './fixture.ts'
import type { BenchRow } from './rounds.ts'

const data = resolve(import.meta.dir, '../../shared/data')
const folders = ['domains', 'urls', 'feeds', 'hashes', 'iocs'] as const
const sampleBytes = 64 * 1024

/** All of it is to be read within this time. */
const goalSeconds = 15

interface Tally {
  entries: number
  importMs: number
  readMs: number
}

/** Reads and judges a file, and writes nothing; returns the milliseconds it took. */
async function readAlone(path: string, name: FormatName, guards: Guards): Promise<number> {
  const startedAt = performance.now()
  const format = findFormat(name)
  const take = (item: Item): void => {
    if (item.kind !== 'refused') judge(item, guards)
  }
  const stream = Bun.file(path).stream()
  if (format.kind === 'news') throw new Error('news is not judged')
  if (format.kind === 'document') {
    const document = format.read(await readText(stream, 1e9))
    if (document.ok) for (const item of document.value) take(item)
  } else {
    const readLine = format.open()
    for await (const lines of readLines(stream)) {
      for (const line of lines) if (line !== null) readLine(line, take)
    }
  }
  return performance.now() - startedAt
}

/** Imports every file of the real data; takes about two minutes. */
export async function benchFeeds(): Promise<BenchRow[]> {
  if (!existsSync(data)) {
    console.log('skipped: there is no real data beside the project')
    return []
  }
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  const guards = loadGuards()
  const tallies = new Map<FormatName, Tally>()
  let files = 0
  for (const folder of folders) {
    for (const file of readdirSync(join(data, folder))) {
      const path = join(data, folder, file)
      const name = recogniseFormat(await readSample(Bun.file(path).stream(), sampleBytes))
      // A slice that was cut in the middle of its document is none any more.
      if (name === null || file === 'discord_list.json') continue
      const tally = tallies.get(name) ?? { entries: 0, importMs: 0, readMs: 0 }
      tallies.set(name, tally)
      tally.readMs += await readAlone(path, name, guards)
      const startedAt = performance.now()
      const report = await importFeed(
        { store, guards, naming: benchNaming(guards), now: Date.now, onCommit: () => {} },
        {
          source: ownList(toSourceName(file), true),
          format: name,
          parts: [() => Bun.file(path).stream()],
          digest: null,
          force: true,
        },
      )
      tally.importMs += performance.now() - startedAt
      tally.entries += report.read
      files++
    }
  }
  const values = store.counters.scope('active').reduce((sum, { n }) => sum + n, 0)
  store.close()
  const rows = [...tallies].map(
    ([name, { entries, importMs, readMs }]): BenchRow => ({
      name: `${name}, ${entries} entries`,
      value: Math.round((entries / importMs) * 1000),
      unit: 'entries/s',
      yardstick: 'reading and judging alone',
      ratio: readMs / importMs,
      goal: '',
    }),
  )
  const totals = [...tallies.values()]
  const entries = totals.reduce((sum, tally) => sum + tally.entries, 0)
  const seconds = totals.reduce((sum, tally) => sum + tally.importMs, 0) / 1000
  rows.push({
    name: `all ${files} files, ${entries} entries, ${values} values`,
    value: Number(seconds.toFixed(1)),
    unit: 's',
    yardstick: `${goalSeconds} s`,
    ratio: goalSeconds / seconds,
    goal: '≥ 1',
  })
  return rows
}
