/**
 * The approximate set of pages and digests: nanoseconds a question, bytes a key, and how often it
 * says `maybe` of what is absent; against the library's own hashing, and against the row it spares.
 *
 * Every question is a newly decoded string, as in `bench/trie.ts`.
 */

import { Database } from 'bun:sqlite'
import { BloomFilter } from 'bloom-filters'
import { Membership } from '../src/index/membership.ts'
import { type BenchRow, FreshTexts, interleave, printRows, seededRandom } from './rounds.ts'

const rounds = 11
const questions = 100_000
/** Keys of the yardsticks; their cost grows slowly with more, and building them takes long. */
const yardstickKeys = 200_000
const missNsMax = 500
const bytesPerKeyMax = 3

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-'

/** Makes a source of page keys or of digests, never the same twice. */
function keySource(kind: 'pages' | 'digests', seed: number): () => string {
  const random = seededRandom(seed)
  let number = 0
  if (kind === 'digests') {
    const hex = () => random().toString(16).padStart(8, '0')
    return () =>
      `${Array.from({ length: 7 }, hex).join('')}${(number++).toString(16).padStart(8, '0')}`
  }
  const word = (length: number): string =>
    Array.from({ length }, () => letters[random() % letters.length]).join('')
  return () => `${word(12)}.example/${word(6)}/${number++}.php?id=${word(8)}`
}

/** Times a row looked for in vain by its key, in a database in memory. */
function rowMiss(kind: 'pages' | 'digests', texts: FreshTexts): (round: number) => number {
  const database = new Database(':memory:')
  database.run('CREATE TABLE held (key TEXT PRIMARY KEY) WITHOUT ROWID')
  const insert = database.prepare('INSERT INTO held VALUES (?)')
  const next = keySource(kind, 1)
  database.transaction(() => {
    for (let count = 0; count < yardstickKeys; count++) insert.run(next())
  })()
  const select = database.prepare('SELECT 1 FROM held WHERE key = ?')
  return (round: number) => texts.time(round, (key) => select.get(key))
}

/** Times the library as it comes, with as many bits and hashes. */
function stockMiss(kind: 'pages' | 'digests', texts: FreshTexts): (round: number) => number {
  const filter = new BloomFilter(yardstickKeys * 16, 4)
  const next = keySource(kind, 1)
  for (let count = 0; count < yardstickKeys; count++) filter.add(next())
  return (round: number) => texts.time(round, (key) => filter.has(key))
}

function benchSize(kind: 'pages' | 'digests', count: number): BenchRow[] {
  const title = `${count.toLocaleString('en')} ${kind}`
  const membership = new Membership(count, 1)
  const next = keySource(kind, 1)
  const held: string[] = []
  for (let index = 0; index < count; index++) {
    const key = next()
    if (index % Math.floor(count / questions) === 0) held.push(key)
    membership.add(key)
  }
  const absent = Array.from({ length: questions }, keySource(kind, 2))
  const wrong = absent.filter((key) => membership.test(key) === 'maybe').length
  if (held.some((key) => membership.test(key) === 'absent')) throw new Error(`${title}: lost a key`)

  const texts = new FreshTexts(absent)
  const heldTexts = new FreshTexts(held)
  const times = interleave(rounds, [
    ['miss', (round: number) => texts.time(round, (key) => membership.test(key))],
    ['held', (round: number) => heldTexts.time(round, (key) => membership.test(key))],
    ['stock', stockMiss(kind, texts)],
    ['row', rowMiss(kind, texts)],
  ])
  const miss = times.median('miss')
  const heldNs = times.median('held')
  const bytes = membership.byteLength / count
  const percent = (100 * wrong) / questions
  const row = (
    name: string,
    value: number,
    unit: string,
    yardstick: string,
    other: number,
    goal: string,
  ) => ({
    name: `${title}: ${name}`,
    value,
    unit,
    yardstick,
    ratio: other / value,
    goal,
  })
  return [
    row('absent', miss, 'ns', `${missNsMax} ns`, missNsMax, '≥ 1'),
    row('absent', miss, 'ns', 'a row looked for in vain', miss * times.ratio('row', 'miss'), ''),
    row('absent', miss, 'ns', "the library's own hashing", miss * times.ratio('stock', 'miss'), ''),
    row('held, before its row', heldNs, 'ns', `${missNsMax} ns`, missNsMax, ''),
    row('memory a key', bytes, 'bytes', `${bytesPerKeyMax} bytes`, bytesPerKeyMax, '≥ 1'),
    row('absent, but maybe', percent, '%', 'as computed', 100 * membership.falsePositiveRate, ''),
  ]
}

/** Measures the membership at one million pages and at one and five million digests. */
export function benchMembership(): BenchRow[] {
  return [
    ...benchSize('pages', 1_000_000),
    ...benchSize('digests', 1_000_000),
    ...benchSize('digests', 5_000_000),
  ]
}

if (import.meta.main) printRows(benchMembership())
