/**
 * `kill -9` at any moment: nothing half done, nothing acknowledged lost, nothing delisted by a run
 * that did not end (architecture, "Settings and failure").
 *
 * The kill points are drawn from a seed, which a failure names; `SEED` repeats it.
 */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { randomNumbers } from '../random-numbers.ts'
import { countRounds, seed, timeoutMs } from '../rounds.ts'
import { DataDir, eventually, importList, type RunOptions, Server, spawnWeir } from './process.ts'

const kills = countRounds(3)
const nameCount = 60_000
/** The last kill point, and how much the reference reads: some more, since a kill comes late. */
const lastKillPoint = 10_000
const referenceCount = 25_000

/** Names of many lengths, so that batches differ in how many they hold. */
const names = Array.from(
  { length: nameCount },
  (_, n) => `n${n}.${'x'.repeat(1 + (n % 37))}.example`,
)
const oldNames = Array.from({ length: 200 }, (_, n) => `old${n}.example`)
const listOf = (entries: readonly string[]): string => entries.map((entry) => `${entry}\n`).join('')

interface Run {
  readonly id: number
  readonly seen: number
  readonly ended_at: number | null
}

const lastRunSql = 'SELECT id, seen, ended_at FROM run ORDER BY id DESC LIMIT 1'

/** Starts a process, and kills it `lateMs` after its run has seen `point` names. */
async function killAt(
  point: number,
  lateMs: number,
  args: readonly string[],
  options: RunOptions,
): Promise<void> {
  const path = options.dataDir.at('weir.db')
  const runsBefore = (await Bun.file(path).exists())
    ? (options.dataDir.rows<Run>(lastRunSql)[0]?.id ?? 0)
    : 0
  const child = spawnWeir(args, options)
  const hasTables = async (): Promise<true | null> => {
    if (!(await Bun.file(path).exists())) return null
    const tables = options.dataDir.rows("SELECT 1 FROM sqlite_schema WHERE name = 'run'")
    return tables.length > 0 ? true : null
  }
  await eventually('the database is there', hasTables)
  // Closed before the kill: otherwise it would keep the log's index alive, and nothing be recovered.
  const watcher = new Database(path, { readonly: true })
  watcher.run('PRAGMA busy_timeout = 5000')
  const run = watcher.query<Run, []>(lastRunSql)
  await eventually(`${point} names are seen`, () => {
    const { id, seen } = run.get() ?? { id: 0, seen: 0 }
    return id > runsBefore && seen >= point ? true : null
  }).finally(() => watcher.close(true))
  await Bun.sleep(lateMs)
  child.kill('SIGKILL')
  await child.exited
}

/** What the counters must say, counted again. */
const recountSql = `
  SELECT 'active' AS scope, type AS key, count(*) AS n FROM indicator WHERE active = 1 GROUP BY type
  UNION ALL SELECT 'published', type, count(*) FROM indicator WHERE published = 1 GROUP BY type
  UNION ALL SELECT 'listed_day', date(listed_at / 1000, 'unixepoch'), count(*) FROM indicator
    WHERE published = 1 AND type = 'domain' GROUP BY 2
  UNION ALL SELECT 'added', date(at / 1000, 'unixepoch'), count(*) FROM event
    WHERE to_state = 'listed' GROUP BY 2
  UNION ALL SELECT 'removed', date(at / 1000, 'unixepoch'), count(*) FROM event
    WHERE from_state = 'listed' GROUP BY 2
  UNION ALL SELECT 'brand', target_brand, count(*) FROM indicator
    WHERE published = 1 AND target_brand IS NOT NULL GROUP BY target_brand
  UNION ALL SELECT 'platform', platform, count(*) FROM indicator
    WHERE published = 1 AND platform IS NOT NULL GROUP BY platform
  UNION ALL SELECT 'source', name, count(*) FROM sighting JOIN source ON source.id = source_id
    WHERE live = 1 GROUP BY name
  UNION ALL SELECT 'exported_' || kind, key, count(*) FROM stix_relationship
    WHERE state = 'stands' GROUP BY kind, key
  ORDER BY scope, key`

/** Fails unless the database is sound in itself, whatever was being written. */
function expectSound(dataDir: DataDir): void {
  const one = (sql: string): unknown => Object.values(dataDir.rows<object>(sql)[0] ?? {})[0]
  expect(dataDir.rows<object>('PRAGMA integrity_check').map(Object.values)).toEqual([['ok']])
  expect(dataDir.rows('PRAGMA foreign_key_check')).toEqual([])
  const counters = 'SELECT scope, key, n FROM counter WHERE n <> 0 ORDER BY scope, key'
  expect(dataDir.rows(counters)).toEqual(dataDir.rows(recountSql))
  const last = dataDir.rows<Run>(lastRunSql)[0]
  const carrying = one(`SELECT count(*) FROM sighting WHERE live = 1 AND run_id = ${last?.id}`)
  expect(carrying).toBe(last?.seen)
  expect(one('SELECT seq FROM meta')).toBe(one('SELECT max(seq) FROM indicator'))
  expect(one('SELECT next_id - 1 FROM meta')).toBe(one('SELECT max(id) FROM indicator'))
  expect(one('SELECT max(date_added) <= (SELECT date_added FROM meta) FROM indicator')).toBe(1)
  const orphans = `SELECT count(*) FROM indicator LEFT JOIN sighting ON id = indicator_id
    WHERE indicator_id IS NULL`
  expect(one(orphans)).toBe(0)
  expect(
    one(
      'SELECT count(*) FROM indicator WHERE seq < (SELECT max(seq) FROM event WHERE indicator_id = id)',
    ),
  ).toBe(0)
}

interface Row {
  readonly value: string
  readonly seq: number
}

const newRowsSql = `SELECT value, seq FROM indicator WHERE value NOT LIKE 'old%' ORDER BY seq`

/** Returns how many rows each batch wrote, in order; -1 for one whose numbers have a gap. */
function batchSizes(rows: readonly Row[]): number[] {
  const sizes = new Map<number, number>()
  for (const { seq } of rows) {
    const batch = Math.floor(seq / 4096)
    const size = sizes.get(batch) ?? 0
    sizes.set(batch, seq % 4096 === size ? size + 1 : -1)
  }
  return [...sizes.values()]
}

describe(`killed at points drawn from the seed ${seed}`, () => {
  test(
    `an import, ${kills} times, leaves whole batches and delists nothing`,
    async () => {
      const random = randomNumbers(seed)
      const args = ['import', '-', '--source', 'list', '--json']
      using reference = new DataDir()
      using dataDir = new DataDir()
      await Promise.all([
        importList(args.slice(1, -1), {
          dataDir: reference,
          input: listOf(names.slice(0, referenceCount)),
        }),
        importList(args.slice(1, -1), { dataDir, input: listOf(oldNames) }),
      ])
      const wholeBatches = batchSizes(reference.rows<Row>(newRowsSql))
      const epoch = dataDir.rows('SELECT epoch, born_at FROM meta')
      const path = await dataDir.file('list', listOf(names))
      let written = 0
      for (let kill = 0; kill < kills; kill++) {
        const point = Math.floor(random() * lastKillPoint)
        await killAt(point, random() * 20, ['import', path, '--json'], { dataDir })

        expectSound(dataDir)
        expect(dataDir.rows('SELECT epoch, born_at FROM meta')).toEqual(epoch)
        const rows = dataDir.rows<Row>(newRowsSql)
        expect(rows.length).toBeGreaterThanOrEqual(written)
        expect(rows.length).toBeLessThan(referenceCount)
        written = rows.length
        expect(rows.map(({ value }) => value)).toEqual(names.slice(0, written))
        const sizes = batchSizes(rows)
        expect(sizes).toEqual(wholeBatches.slice(0, sizes.length))
        const live = `SELECT count(*) AS n FROM sighting JOIN indicator ON id = indicator_id
        WHERE value LIKE 'old%' AND active = 1 AND published = 1 AND live = 1 AND ends_at IS NULL`
        expect(dataDir.rows(live)).toEqual([{ n: oldNames.length }])
        expect(dataDir.rows('SELECT id FROM run WHERE ended_at IS NOT NULL')).toEqual([{ id: 1 }])
      }
      expect(dataDir.rows<Run>(lastRunSql)[0]?.id).toBe(1 + kills)
      const report = await importList([path], { dataDir })
      expect(report).toMatchObject({
        read: nameCount,
        added: nameCount - written,
        changed: 0,
        seenAgain: written,
        delisted: oldNames.length,
        heldBack: null,
      })
      expectSound(dataDir)
      const active = dataDir.rows<Row>(
        'SELECT value, seq FROM indicator WHERE active = 1 ORDER BY id',
      )
      expect(active.map(({ value }) => value)).toEqual(names)
    },
    timeoutMs(kills),
  )

  test(
    'a server in its first start leaves what the next start finishes, without a word',
    async () => {
      const random = randomNumbers(seed)
      using dataDir = new DataDir()
      const env = { WEIR_PORT: '0' }
      const starts = countRounds(2)
      for (let start = 0; start < starts; start++) {
        await killAt(Math.floor(random() * 10_000), random() * 20, ['serve'], { dataDir, env })
        expectSound(dataDir)
        expect(dataDir.rows('SELECT id FROM run WHERE ended_at IS NOT NULL')).toEqual([])
        expect(await Bun.file(dataDir.at('serve.lock')).exists()).toBe(true)
      }
      await using server = await Server.start(dataDir, { WEIR_STARTER: 'on' })
      expect(dataDir.rows('SELECT id, read FROM run WHERE ended_at IS NOT NULL')).toEqual([
        { id: starts + 1, read: 13_752 },
      ])
      expect(await server.json('/ready')).toMatchObject({ status: 'ready' })
      expect(await server.stop()).toEqual({ code: 0, err: '' })
      expectSound(dataDir)
    },
    timeoutMs(countRounds(2)),
  )

  test('a server at rest is followed by one that answers the same', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: listOf(oldNames) })
    const first = await Server.start(dataDir)
    const answer = await first.text('/api/v1/blacklist?format=csv&limit=1000')
    first.signal('SIGKILL')
    expect((await first.ended()).code).toBe(137)
    await using second = await Server.start(dataDir)
    expect(await second.text('/api/v1/blacklist?format=csv&limit=1000')).toBe(answer)
    expect(await second.stop()).toEqual({ code: 0, err: '' })
  })
})
