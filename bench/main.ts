/**
 * Runs every benchmark and prints one table: each figure beside its yardstick from the same run.
 *
 * `bun run bench` takes about fifteen minutes; `bun run bench http bulk` runs just those named, and
 * `--large` adds a start with five million names.
 */

import { cpus } from 'node:os'
import { benchBlacklist } from './blacklist.ts'
import { benchBulk } from './bulk.ts'
import { benchFeeds } from './feeds.ts'
import { benchHttp } from './http.ts'
import { benchImport } from './import.ts'
import { benchLists } from './lists.ts'
import { benchMembership } from './membership.ts'
import { benchPaced } from './paced.ts'
import { type BenchRow, printRows } from './rounds.ts'
import { benchSearch } from './search.ts'
import { benchStart } from './start.ts'
import { benchTaxii } from './taxii.ts'
import { benchText } from './text.ts'
import { benchTrie } from './trie.ts'
import { buildWorld, type World } from './world.ts'

const inWorld = (bench: (world: World) => Promise<BenchRow[]>) => async (): Promise<BenchRow[]> => {
  using world = await buildWorld()
  return await bench(world)
}

const benchmarks: Readonly<Record<string, () => BenchRow[] | Promise<BenchRow[]>>> = {
  http: inWorld(benchHttp),
  bulk: inWorld(benchBulk),
  blacklist: benchBlacklist,
  lists: benchLists,
  import: benchImport,
  feeds: benchFeeds,
  start: benchStart,
  paced: benchPaced,
  taxii: benchTaxii,
  search: benchSearch,
  membership: benchMembership,
  trie: benchTrie,
  text: benchText,
}

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const names = wanted.length > 0 ? wanted : Object.keys(benchmarks)
const machine = cpus()
console.log(`${machine.length} × ${machine[0]?.model ?? 'unknown processor'}, Bun ${Bun.version}`)
for (const name of names) {
  const bench = benchmarks[name]
  if (bench === undefined) {
    console.error(`no benchmark is named ${name}: choose of ${Object.keys(benchmarks).join(', ')}`)
    process.exit(2)
  }
  console.log(`\n${name}`)
  printRows(await bench())
}
