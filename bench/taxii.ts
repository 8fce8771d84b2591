/**
 * TAXII and the STIX export over a million indicators: pages at every depth, filters, one object, the
 * longest time that one of them keeps the thread, all through the whole app in this process; then memory
 * and a whole sync with a server in a process of its own.
 *
 * The yardstick beside the goals is medallion, the reference server, with its own store in memory: it
 * takes 10.85 seconds for the first 100 of 2,000 objects.
 */

import { createApp } from '../src/http/app.ts'
import { createSerializer } from '../src/publish/stix/object-writing.ts'
import { createStixExport } from '../src/publish/stix/stix-export.ts'
import { TaxiiReader, taxiiMediaType } from '../src/publish/stix/taxii.ts'
import { WriteStore } from '../src/store/store.ts'
import { BenchDirectory, openStore } from './fixture.ts'
import { type BenchRow, printRows } from './rounds.ts'
import { benchTaxiiServed } from './taxii-served.ts'
import { commonBrand, fillForTaxii } from './taxii-store.ts'
import { benchServices } from './world.ts'

const rounds = 15
/** How often an answer is asked for in a round. */
const shortTimes = 4
const longTimes = 3
/** Where other things use the processor, the least disturbed of so many is the time of a turn. */
const turnRounds = 5

const medallionMs = 10_850

const rootPath = '/taxii2/feeds/collections'

/** More than a second: what was written just now is withheld for so long. */
const withheldMs = 1_100

/** The goals, in milliseconds. */
const allowedMs = { page: 20, largePage: 150, export: 200 } as const

/** What is asked for again and again. */
interface Case {
  readonly name: string
  readonly path: string
  /** How many objects must come; of an export, how many indicators. */
  readonly objects: number
  readonly times: number
  readonly allowedMs: number | null
  readonly accepts?: string
}

/** An answer, read to its end. */
interface Answer {
  readonly text: string
  readonly bytes: number
  readonly milliseconds: number
}

type Ask = (path: string, accepts?: string) => Promise<Answer>

/** Asks the app over a store as a server would have it asked, one after the other. */
function askerOf(store: WriteStore): Ask {
  const refuse = (): never => {
    throw new Error('the benchmark asks for collections only')
  }
  const app = createApp({
    ...benchServices({ urls: { check: refuse }, bulk: { check: refuse } }, () => '127.0.0.1'),
    taxii: new TaxiiReader(store, createSerializer(store)),
    stixExport: createStixExport(store, createSerializer(store), () => null),
  })
  return async (path, accepts = 'identity') => {
    const headers = { accept: taxiiMediaType, 'accept-encoding': accepts }
    const startedAt = performance.now()
    const response = await app.fetch(new Request(`http://127.0.0.1${path}`, { headers }))
    const body = await response.bytes()
    const milliseconds = performance.now() - startedAt
    const text = accepts === 'identity' ? new TextDecoder().decode(body) : ''
    if (response.status !== 200) throw new Error(`${path} is answered ${response.status} ${text}`)
    return { text, bytes: body.length, milliseconds }
  }
}

const nextOf = ({ text }: Answer): string | null =>
  /^\{"more":true,"next":"([^"]+)"/.exec(text)?.[1] ?? null

/** Returns the path of a page of objects. */
const pagePath = (collection: string, limit: number, query = ''): string =>
  `${rootPath}/${collection}/objects/?limit=${limit}${query}`

/** Reads a collection to its end; returns the cursors of its pages, behind which a full one follows. */
async function cursorsOf(ask: Ask, collection: string): Promise<string[]> {
  const cursors: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    next = nextOf(await ask(pagePath(collection, 10_000, next === '' ? '' : `&next=${next}`)))
    if (next !== null) cursors.push(next)
  }
  // Behind the last of them the page is not full.
  return cursors.slice(0, -1)
}

/** Returns pages of a collection at its beginning, in its middle and at its end. */
function pagesOf(collection: string, cursors: readonly string[]): Case[] {
  const middle = cursors[cursors.length >>> 1]
  const places = { beginning: undefined, middle, end: cursors.at(-1) }
  return Object.entries(places).flatMap(([place, cursor]) => {
    const query = cursor === undefined ? '' : `&next=${cursor}`
    const page = (limit: number, times: number, allowed: number): Case => ({
      name: `${limit.toLocaleString('en')} objects of ${collection}, ${place}`,
      path: pagePath(collection, limit, query),
      objects: limit,
      times,
      allowedMs: allowed,
    })
    return [page(1_000, shortTimes, allowedMs.page), page(10_000, longTimes, allowedMs.largePage)]
  })
}

/** Returns what is chosen by a filter, and objects by their ids. */
function chosen(ids: readonly string[]): Case[] {
  const page = (name: string, path: string, objects: number): Case => {
    return { name, path, objects, times: shortTimes, allowedMs: allowedMs.page }
  }
  const typed = (type: string, objects: number): Case =>
    page(
      `${objects.toLocaleString('en')} of match[type]=${type} in campaigns`,
      pagePath('campaigns', 1_000, `&match%5Btype%5D=${type}`),
      objects,
    )
  return [
    typed('indicator', 1_000),
    typed('relationship', 1_000),
    typed('malware', 50),
    page(
      `match[id] of ${ids.length}`,
      pagePath('domain-blacklist', 1_000, `&match%5Bid%5D=${ids.join()}`),
      ids.length,
    ),
    page('one object', `${rootPath}/domain-blacklist/objects/${ids[0]}/`, 1),
    page('manifest of 1,000', `${rootPath}/domain-blacklist/manifest/?limit=1000`, 1_000),
  ]
}

/** The exports, and a page as most clients want it. */
function exported(): Case[] {
  const path = '/api/v1/export/stix?limit=10000'
  const plain = { objects: 10_000, times: longTimes, allowedMs: allowedMs.export }
  const campaign = encodeURIComponent(commonBrand)
  return [
    { ...plain, name: 'export of 10,000', path },
    { ...plain, name: 'export of 10,000 of a brand', path: `${path}&campaign=${campaign}` },
    {
      ...plain,
      name: '10,000 objects of domain-blacklist, gzip',
      path: pagePath('domain-blacklist', 10_000),
      allowedMs: null,
      accepts: 'gzip',
    },
  ]
}

/** Throws when a case is not answered with what it should have. */
async function prove(ask: Ask, { path, objects, name }: Case): Promise<number> {
  const { text, bytes } = await ask(path)
  const found: { objects?: { type: string }[] } = JSON.parse(text)
  const counted = path.startsWith(rootPath)
    ? found.objects
    : found.objects?.filter(({ type }) => type === 'indicator')
  if (counted?.length !== objects) throw new Error(`${name}: ${counted?.length ?? 0} objects`)
  return bytes
}

/** Returns the value that a part of all stay within. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
}

/** Asks for every case in each of several rounds, and returns what each took. */
async function timesOf(ask: Ask, cases: readonly Case[]): Promise<Map<Case, number[]>> {
  const times = new Map<Case, number[]>(cases.map((each) => [each, []]))
  for (let round = -1; round < rounds; round++) {
    for (const each of cases) {
      for (let time = 0; time < each.times; time++) {
        const { milliseconds } = await ask(each.path, each.accepts)
        if (round >= 0) times.get(each)?.push(milliseconds)
      }
    }
  }
  return times
}

/** Returns the longest time for which nothing else had its turn while `work` was done. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let turnedAt = performance.now()
  const turn = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - turnedAt)
    turnedAt = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return longest
}

async function benchTurns(ask: Ask, cases: readonly Case[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const { name, path, accepts } of cases) {
    const turns: number[] = []
    for (let round = 0; round < turnRounds; round++) {
      turns.push(await longestTurn(() => ask(path, accepts)))
    }
    const [least, most] = [Math.min(...turns), Math.max(...turns)]
    rows.push({
      name: `longest turn, ${name} (at worst ${most.toFixed(1)} ms)`,
      value: least,
      unit: 'ms',
      yardstick: 'itself',
      ratio: 1,
      goal: '',
    })
  }
  return rows
}

function rowOf({ name, allowedMs }: Case, times: readonly number[], bytes: number): BenchRow {
  const value = quantile(times, 0.95)
  const half = quantile(times, 0.5).toFixed(1)
  return {
    name: `${name} (${(bytes / 1e6).toFixed(2)} MB), p95 (p50 ${half} ms)`,
    value,
    unit: 'ms',
    yardstick: allowedMs === null ? 'itself' : `${allowedMs} ms`,
    ratio: allowedMs === null ? 1 : allowedMs / value,
    goal: allowedMs === null ? '' : '≥ 1',
  }
}

/** Measures what the app answers in this process. */
async function benchApp(dataDir: string): Promise<BenchRow[]> {
  const store = WriteStore.open({ dataDir, role: 'serving', now: Date.now })
  try {
    const ask = askerOf(store)
    const domains = await cursorsOf(ask, 'domain-blacklist')
    const campaigns = await cursorsOf(ask, 'campaigns')
    const manifest = await ask(
      `${rootPath}/domain-blacklist/manifest/?limit=100&next=${domains.at(-1)}`,
    )
    const ids = [...manifest.text.matchAll(/"id":"([^"]+)"/g)].map((match) => match[1] ?? '')
    const cases = [
      ...pagesOf('domain-blacklist', domains),
      ...pagesOf('campaigns', campaigns),
      ...chosen(ids),
      ...exported(),
    ]
    const sizes = new Map<Case, number>()
    for (const each of cases) sizes.set(each, await prove(ask, each))
    const times = await timesOf(ask, cases)
    const rows = cases.map((each) => rowOf(each, times.get(each) ?? [], sizes.get(each) ?? 0))
    const value = quantile(
      [...times].flatMap(([each, all]) => (each === cases[0] ? all : [])),
      0.5,
    )
    const first: BenchRow = {
      name: 'first 1,000 objects of a million, p50',
      value,
      unit: 'ms',
      yardstick: "medallion's 10.85 s for 100 of 2,000",
      ratio: medallionMs / value,
      goal: '',
    }
    const long = cases.filter(({ objects }) => objects === 10_000)
    return [first, ...rows, ...(await benchTurns(ask, long))]
  } finally {
    store.close()
  }
}

/** Measures TAXII and the export; takes about six minutes. */
export async function benchTaxii(): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  const indicators = await fillForTaxii(store)
  store.close()
  await Bun.sleep(withheldMs)
  const inProcess = await benchApp(directory.path)
  return [...inProcess, ...(await benchTaxiiServed(directory.path, indicators))]
}

if (import.meta.main) printRows(await benchTaxii())
