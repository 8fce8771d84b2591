/**
 * Searches over real addresses and generated articles, asked of a server in a process of its own: how long
 * they take, what check-url feels of them meanwhile, and what searching adds to memory and to an import.
 *
 * Takes the lists from the folder of data beside the project; without it the names are generated.
 */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadGuards } from '../src/ingest/guards.ts'
import { importFeed } from '../src/ingest/importer.ts'
import { ownList } from '../src/ingest/sources.ts'
import type { ProposedArticle } from '../src/store/batch.ts'
import type { WriteStore } from '../src/store/store.ts'
import {
  BenchDirectory,
  benchNaming,
  importBeside,
  importNames,
  listOf,
  openStore,
  paced,
  type Served,
  serve,
} from './fixture.ts'
import { type BenchRow, printRows, seededRandom } from './rounds.ts'

const data = resolve(import.meta.dir, '../../shared/data')
const domainLists = [
  'domains/phishing_domains_union.txt.gz',
  'domains/pd_active_2026-03-13.txt.gz',
  'domains/pd_active3_2025-12-26.txt.gz',
  'domains/pd_active3_2026-03-10.txt.gz',
]
const urlLists = [
  'urls/pd_links-active12_2025-12-26.txt.gz',
  'urls/pd_links-active1_2026-03-13.txt.gz',
  'urls/pd_links-active5_2026-02-15.txt.gz',
]
const generatedNames = 480_000

const articleCount = 50_000
const articlesPerBatch = 500

/** A real one of the lists. */
const fullUrl = 'https://weeblysite.com/login'
const queries = [
  'pay',
  'paypal login',
  'weeblysite',
  '.top',
  'com',
  'https',
  'www',
  'login',
  '"a OR b"',
  fullUrl,
] as const
const deepPage = 500
const rounds = 20

const allowedP95Ms = 15
const allowedSlowestMs = 30

/** Checks a second while searches go on beside, and for how long. */
const checksPerSecond = 1_000
const checkSeconds = 8
const searchesPerSecond = 20

const namesBeside = 50_000

/** Words of news, the frequent ones first, as in any language. */
const words = [
  ...'the to of and a in that is for on with as are your or by from an be it this'.split(' '),
  ...'scam phishing email security attackers account users data bank phone fraud'.split(' '),
  ...'login password payment delivery parcel gift card malware ransomware update'.split(' '),
  ...Array.from({ length: 4_000 }, (_, index) => `word${index.toString(36)}`),
]

/** Returns `count` words, those at the front of the list far more often. */
function textOf(count: number, next: () => number): string {
  const at = (): number => Math.floor(words.length ** next()) - 1
  return Array.from({ length: count }, () => words[at()] ?? '').join(' ')
}

async function tellNews(store: WriteStore): Promise<void> {
  const source = { ...ownList('bench-press', true, 'news'), title: 'Bench press' }
  const at = Date.now()
  const { run } = await store.write({
    at,
    operations: [{ op: 'startRun', source, digest: null }],
  })
  const random = seededRandom(20_261_122)
  const next = (): number => random() / 2 ** 32
  for (let first = 0; first < articleCount; first += articlesPerBatch) {
    const articles = Array.from({ length: articlesPerBatch }, (_, index): ProposedArticle => {
      const key = String(first + index)
      const title = textOf(9, next)
      return {
        key,
        title,
        titleKey: `${title} ${key}`,
        link: `https://news.test/${key}`,
        summary: textOf(45, next),
        publishedAt: at - (articleCount - first - index) * 60_000,
        audiences: { general: ['scam'] },
      }
    })
    await store.write({
      at,
      operations: [{ op: 'publishNews', source: source.name, run: run ?? 0, articles }],
    })
  }
}

async function fill(store: WriteStore): Promise<void> {
  const lists = [
    ...domainLists.map((path) => ({ path, format: 'domains' as const })),
    ...urlLists.map((path) => ({ path, format: 'urls' as const })),
  ]
  const guards = loadGuards()
  for (const { path, format } of lists) {
    const file = join(data, path)
    if (!existsSync(file)) {
      await importNames(store, 'generated', 0, generatedNames)
      break
    }
    const text = Bun.gunzipSync(await Bun.file(file).bytes())
    await importFeed(
      { store, guards, naming: benchNaming(guards), now: Date.now, onCommit: () => {} },
      {
        source: ownList(path.replace(/\W+/g, '-'), true),
        format,
        parts: [() => new Blob([text]).stream()],
        digest: null,
        force: false,
      },
    )
  }
  await tellNews(store)
}

interface Found {
  readonly total: number
  readonly milliseconds: number
}

async function search({ url }: Served, query: string, page = 1): Promise<Found> {
  const startedAt = performance.now()
  const response = await fetch(
    `${url}/api/search?limit=20&page=${page}&q=${encodeURIComponent(query)}`,
  )
  const text = await response.text()
  const milliseconds = performance.now() - startedAt
  if (response.status !== 200) throw new Error(`search answers ${response.status} ${text}`)
  const { total }: { total: number } = JSON.parse(text)
  return { total, milliseconds }
}

/** Waits until nothing is missing from what can be searched. */
async function untilLevel({ url }: Served): Promise<void> {
  for (;;) {
    const ready = await (await fetch(`${url}/ready`)).text()
    if (ready.includes('"searchLag":{"rows":0,')) return
    await Bun.sleep(50)
  }
}

interface Timing {
  readonly query: string
  readonly page: number
  readonly total: number
  readonly times: readonly number[]
}

async function measure(server: Served): Promise<readonly Timing[]> {
  const asked = queries.flatMap((query) => [1, deepPage].map((page) => ({ query, page })))
  const timings = asked.map(({ query, page }) => ({ query, page, total: 0, times: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const timing of timings) {
      const { total, milliseconds } = await search(server, timing.query, timing.page)
      timing.total = total
      // The first round warms the code up.
      if (round > 0) timing.times.push(milliseconds)
    }
  }
  return timings
}

const p95Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.95)] ?? Number.NaN

/** Searches at a steady pace until told to stop. */
async function keepSearching(server: Served, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    await search(server, queries[at % queries.length] ?? '', 1 + (at % deepPage))
    await Bun.sleep(1_000 / searchesPerSecond)
  }
}

async function checksBeside(server: Served) {
  await paced(server, checksPerSecond, 2)
  const idle = await paced(server, checksPerSecond, checkSeconds)
  const stopping = new AbortController()
  const searching = keepSearching(server, stopping.signal)
  const busy = await paced(server, checksPerSecond, checkSeconds)
  stopping.abort()
  await searching
  return { idle, busy }
}

/** Seconds that an import of new names takes, in a process of its own. */
async function importSeconds(directory: string, first: number): Promise<number> {
  const file = join(directory, `names-${first}.txt`)
  await Bun.write(file, new Response(listOf(first, namesBeside)))
  const startedAt = performance.now()
  await importBeside(directory, file, `names-${first}`)
  return (performance.now() - startedAt) / 1_000
}

/** Measures searches; takes about two minutes. */
export async function benchSearch(): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  await fill(store)
  store.close()
  const alone = await importSeconds(directory.path, 10_000_000)
  const server = await serve(directory.path)
  try {
    const before = await server.residentBytes()
    const startedAt = performance.now()
    await untilLevel(server)
    const filled = (performance.now() - startedAt) / 1_000
    const added = (await server.residentBytes()) - before
    const timings = await measure(server)
    for (const { query, page, total, times } of timings) {
      const worst = Math.max(...times).toFixed(1)
      console.log(
        `  ${query}, page ${page}: ${total} found, p95 ${p95Of(times).toFixed(1)} ms, slowest ${worst}`,
      )
    }
    const all = timings.flatMap(({ times }) => times)
    const slowest = timings.reduce((a, b) => (Math.max(...a.times) > Math.max(...b.times) ? a : b))
    const { idle, busy } = await checksBeside(server)
    const beside = await importSeconds(directory.path, 20_000_000)
    const row = (
      name: string,
      value: number,
      unit: string,
      yardstick: string,
      ratio: number,
      goal = '',
    ): BenchRow => ({ name, value, unit, yardstick, ratio, goal })
    const p95 = p95Of(all)
    const worst = Math.max(...slowest.times)
    return [
      row('a search, p95 over all queries', p95, 'ms', '15 ms', allowedP95Ms / p95, '≥ 1'),
      row(
        `the slowest search (${slowest.query}, page ${slowest.page})`,
        worst,
        'ms',
        '30 ms',
        allowedSlowestMs / worst,
        '≥ 1',
      ),
      row(
        `${checksPerSecond} check-url a second beside ${searchesPerSecond} searches, p99`,
        busy.p99,
        'ms',
        `the idle p99 (${idle.p99.toFixed(2)} ms) and 2 ms`,
        (idle.p99 + 2) / busy.p99,
        '≥ 1',
      ),
      row('filling the indexes after a start', filled, 's', 'itself', 1),
      row('resident memory that this adds', added / 1e6, 'MB', 'itself', 1),
      row('disk that this adds', 0, 'MB', 'itself', 1),
      row(
        `import of ${namesBeside} names beside it`,
        beside,
        's',
        'the same without a server',
        alone / beside,
      ),
    ]
  } finally {
    await server.stop()
  }
}

if (import.meta.main) printRows(await benchSearch())
