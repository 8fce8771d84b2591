/**
 * The block list over HTTP, a thousand entries a page as JSON, against a bare server that sends the
 * same bytes; and the whole list by the delta feed.
 */

import { createApp } from '../src/http/app.ts'
import { createBlacklistReader } from '../src/publish/lists/blacklist.ts'
import { createChangesReader } from '../src/publish/lists/changes.ts'
import { BenchDirectory, importNames, openStore } from './fixture.ts'
import { interleave, leastCost, type Round } from './load.ts'
import { type BenchRow, median, printRows } from './rounds.ts'
import { benchServices } from './world.ts'

const namesListed = 20_000
const rounds = 7
const connections = 16
const path = '/api/v1/blacklist?limit=1000'
const changesLimit = 10_000

const own = { hostname: '127.0.0.1', port: 0, development: false } as const

const medianOf = (results: readonly Round[]): number =>
  median(results.map(({ perSecond }) => perSecond))

/** Measures the block list; takes about a quarter of a minute. */
export async function benchBlacklist(): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  await importNames(store, 'bench', 0, namesListed)
  const changes = createChangesReader(store, 30)
  const services = {
    ...benchServices(refusingChecks, () => '203.0.113.1'),
    blacklist: createBlacklistReader(store),
    changes,
  }
  const app = createApp(services)
  const served = Bun.serve({ ...app.serveOptions, ...own, fetch: app.fetch })
  const page = await fetch(`${served.url.origin}${path}`)
  const headers = page.headers
  const bytes = await page.bytes()
  const bare = Bun.serve({ ...own, fetch: () => new Response(bytes, { headers }) })
  try {
    const results = await interleave({ paths: [path], connections }, [served, bare], rounds)
    const [list = [], constant = []] = results
    const startedAt = performance.now()
    const signal = new AbortController().signal
    await changes.read({ cursor: 'begin', limit: changesLimit, lengthMax: 8_388_608, signal })
    const tookMs = performance.now() - startedAt
    return [
      {
        name: `GET ${path}`,
        value: Math.round(medianOf(list)),
        unit: 'requests/s',
        yardstick: 'a bare Bun.serve sending the same bytes',
        ratio: leastCost(constant) / leastCost(list),
        goal: '≥ 0.7',
      },
      {
        name: `delta feed, ${changesLimit} entries in one answer`,
        value: Math.round(tookMs),
        unit: 'ms',
        yardstick: '200 ms',
        ratio: 200 / tookMs,
        goal: '',
      },
    ]
  } finally {
    await Promise.all([served.stop(true), bare.stop(true)])
    store.close()
  }
}

const refuse = (): never => {
  throw new Error('the benchmark asks for the list only')
}
const refusingChecks = {
  urls: { check: refuse },
  bulk: { check: refuse },
  phones: { check: refuse },
  emails: { check: refuse },
}

if (import.meta.main) printRows(await benchBlacklist())
