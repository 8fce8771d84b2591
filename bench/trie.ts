/**
 * The suffix trie against a `Set` that is asked for every parent, and against uBlock Origin's
 * HNTrie: nanoseconds a look-up, bytes a name, and whether all agree.
 *
 * Every look-up gets a string that was decoded just before, as a request's URL is; its hash is not
 * known yet, as it would be for a string used twice. Decoding is not timed. HNTrie takes part up to
 * a million names: above 16 MiB of labels it misses names it holds.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import HNTrieContainer from '@gorhill/ubo-core/js/hntrie.js'
import { emptyHostMatch, hostFlag } from '../src/index/host-match.ts'
import { hostLengthMax } from '../src/index/host-nodes.ts'
import { nodesPerName, SuffixTrie } from '../src/index/suffix-trie.ts'
import { dataFolder } from '../test/needs.ts'
import { type BenchRow, FreshTexts, interleave, printRows, seededRandom } from './rounds.ts'

const realList = join(dataFolder, 'domains/phishing_domains_union.txt.gz')
const rounds = 11
const queriesPerCase = 200_000
const hntrieNamesMax = 1_000_000
const bytesPerNameMax = 54

/** Where the hosts begin in the URLs that are asked about. */
const hostStart = 'https://'.length

/** Returns where a listed name starts in the URL of that number, or -1 when none is met. */
type Lookup = (url: string, index: number) => number

interface Contender {
  readonly name: 'trie' | 'Set' | 'HNTrie'
  /** Makes a look-up of URLs whose hosts end at `ends`. */
  readonly lookupIn: (ends: Uint32Array) => Lookup
  readonly buildNs: number
  /** 0 where it cannot be told. */
  readonly bytes: number
}

/** The cases, and the least ratios that are wanted against either yardstick. */
const goals = {
  hit: { Set: '≥ 2', HNTrie: '≥ 3' },
  'hit, 2 labels below': { Set: '≥ 2', HNTrie: '≥ 3' },
  miss: { Set: '≥ 3.5', HNTrie: '≥ 8' },
  'miss, 5 labels more': { Set: '≥ 13', HNTrie: '≥ 8' },
  'beside a name': { Set: '', HNTrie: '' },
} as const
type Case = keyof typeof goals
const cases = [
  'hit',
  'hit, 2 labels below',
  'miss',
  'miss, 5 labels more',
  'beside a name',
] as const
/** HNTrie's goals hold at this size; smaller sets suit it better. */
const hntrieGoalNames = 1_000_000

function setOf(names: readonly string[]): Contender {
  const from = performance.now()
  const set = new Set<string>()
  for (const name of names) set.add(name)
  const buildNs = ((performance.now() - from) * 1e6) / names.length
  const lookupIn =
    (ends: Uint32Array): Lookup =>
    (url, index) => {
      const end = ends[index] ?? 0
      let host = url.slice(hostStart, end)
      for (;;) {
        if (set.has(host)) return end - host.length
        const dot = host.indexOf('.')
        if (dot === -1) return -1
        host = host.slice(dot + 1)
      }
    }
  return { name: 'Set', lookupIn, buildNs, bytes: 0 }
}

function trieOf(names: readonly string[]): Contender {
  const secret = crypto.getRandomValues(new Uint32Array(2))
  const from = performance.now()
  const trie = new SuffixTrie(names.length * nodesPerName, [secret[0] ?? 0, secret[1] ?? 0])
  for (let index = 0; index < names.length; index++) {
    trie.set(names[index] ?? '', hostFlag.listed, index + 1)
  }
  const buildNs = ((performance.now() - from) * 1e6) / names.length
  const found = emptyHostMatch()
  const lookupIn =
    (ends: Uint32Array): Lookup =>
    (url, index) => {
      trie.match(url, hostStart, ends[index] ?? 0, found)
      return found.listedStart
    }
  return { name: 'trie', lookupIn, buildNs, bytes: trie.byteLength }
}

function hntrieOf(names: readonly string[]): Contender {
  const from = performance.now()
  const container = new HNTrieContainer()
  container.reset({ byteLength: names.length * 45 + 2 ** 17, char0: names.length * 20 + 2 ** 16 })
  const trie = container.createTrie()
  for (const name of names) container.setNeedle(name).add(trie)
  const buildNs = ((performance.now() - from) * 1e6) / names.length
  const { byteLength } = container.optimize()
  const lookupIn =
    (ends: Uint32Array): Lookup =>
    (url, index) => {
      const at = container.setNeedle(url.slice(hostStart, ends[index])).matches(trie)
      return at === -1 ? -1 : hostStart + at
    }
  return { name: 'HNTrie', lookupIn, buildNs, bytes: byteLength }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const tops = 'com net org top xyz info ru co.uk com.br app dev io shop online site club'.split(' ')

function randomLabel(random: () => number, length: number): string {
  let label = ''
  while (label.length < length) label += letters[random() % letters.length]
  return label
}

/** Makes a name of 22.6 characters on average. */
function generatedName(random: () => number): string {
  return `${randomLabel(random, 10 + (random() % 17))}.${tops[random() % tops.length]}`
}

/** Makes distinct names. */
function generatedNames(count: number): string[] {
  const random = seededRandom(count)
  const names = new Set<string>()
  while (names.size < count) names.add(generatedName(random))
  return [...names]
}

/**
 * Reads the real names that the trie can hold, in an order of chance; none where there is no list.
 */
function realNames(): string[] {
  if (!existsSync(realList)) return []
  const lines = new TextDecoder().decode(Bun.gunzipSync(readFileSync(realList))).split('\n')
  const sieve = new SuffixTrie(lines.length * nodesPerName, [1, 2])
  const names = lines.filter((line) => sieve.set(line, hostFlag.listed, 0))
  const random = seededRandom(1)
  const keyed = names.map((name) => [random(), name] as const)
  return keyed.sort(([a], [b]) => a - b).map(([, name]) => name)
}

/** Makes the hosts to ask for in a case; one beside a name has the same parent. */
function hostsFor(kind: Case, names: readonly string[]): string[] {
  const random = seededRandom(7)
  const pick = (): string => names[random() % names.length] ?? ''
  const below = (host: string, labels: number): string =>
    labels === 0 ? host : below(`${randomLabel(random, 6)}.${host}`, labels - 1)
  const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)
  const makers: Record<Case, () => string> = {
    hit: pick,
    'hit, 2 labels below': () => below(pick(), 2),
    miss: () => generatedName(random),
    'miss, 5 labels more': () => below(generatedName(random), 5),
    'beside a name': () => `${randomLabel(random, 10 + (random() % 17))}.${parentOf(pick())}`,
  }
  const hosts = Array.from({ length: queriesPerCase }, makers[kind])
  return hosts.filter((host) => host.length <= hostLengthMax)
}

/**
 * Counts the URLs about which look-ups disagree; HNTrie names the shortest match, so only whether.
 */
function disagreements(lookups: readonly Lookup[], urls: readonly string[]): number {
  return urls.filter((url, index) => {
    const starts = lookups.map((lookup) => lookup(url, index))
    const isFound = starts.map((start) => start !== -1)
    return starts[0] !== starts[1] || isFound.includes(!isFound[0])
  }).length
}

const thousands = (count: number): string => count.toLocaleString('en')

function benchSize(title: string, names: readonly string[]): BenchRow[] {
  const trie = trieOf(names)
  const others = [setOf(names)]
  if (names.length <= hntrieNamesMax) others.push(hntrieOf(names))
  const rows: BenchRow[] = []
  let disagreed = 0
  for (const kind of cases) {
    const hosts = hostsFor(kind, names)
    const urls = hosts.map((host) => `https://${host}/login/index.php?id=1`)
    const ends = Uint32Array.from(hosts, (host) => hostStart + host.length)
    const lookups = [trie, ...others].map(({ name, lookupIn }) => [name, lookupIn(ends)] as const)
    disagreed += disagreements(
      lookups.map(([, lookup]) => lookup),
      urls,
    )
    const texts = new FreshTexts(urls)
    const times = interleave(
      rounds,
      lookups.map(
        ([name, lookup]) => [name, (round: number) => texts.time(round, lookup)] as const,
      ),
    )
    for (const { name: yardstick } of others) {
      const hasGoal = yardstick === 'Set' || names.length >= hntrieGoalNames
      rows.push({
        name: `${title}: ${kind}`,
        value: times.median('trie'),
        unit: 'ns',
        yardstick,
        ratio: times.ratio(yardstick, 'trie'),
        goal: hasGoal ? goals[kind][yardstick === 'Set' ? 'Set' : 'HNTrie'] : '',
      })
    }
  }
  const bytes = trie.bytes / names.length
  const ratio = bytesPerNameMax / bytes
  const yardstick = `${bytesPerNameMax} bytes`
  rows.push({
    name: `${title}: memory a name`,
    value: bytes,
    unit: 'bytes',
    yardstick,
    ratio,
    goal: '≥ 1',
  })
  for (const other of others) {
    rows.push({
      name: `${title}: build a name`,
      value: trie.buildNs,
      unit: 'ns',
      yardstick: other.name,
      ratio: other.buildNs / trie.buildNs,
      goal: '',
    })
  }
  if (disagreed > 0) throw new Error(`${title}: the contenders disagree about ${disagreed} hosts`)
  return rows
}

/** Measures the trie at the size of a real list, and of one and five million generated names. */
export function benchTrie(): BenchRow[] {
  const real = realNames()
  const rows = real.length === 0 ? [] : benchSize(`${thousands(real.length)} real names`, real)
  for (const count of [1_000_000, 5_000_000]) {
    rows.push(...benchSize(`${thousands(count)} names`, generatedNames(count)))
  }
  return rows
}

if (import.meta.main) printRows(benchTrie())
