/** `weir backup` and `weir restore` as processes: under load, refused, and killed. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { countRounds, timeoutMs } from '../rounds.ts'
import {
  checkPath,
  DataDir,
  eventually,
  importList,
  listed,
  manyNames,
  parseRecord,
  Server,
  spawnWeir,
  weir,
} from './process.ts'

/** Makes a directory that knows these names, and a backup of it outside the database's files. */
async function directoryOf(list: string): Promise<DataDir> {
  const dataDir = new DataDir()
  await importList(['-', '--source', 'list'], { dataDir, input: list })
  const { code, err } = await weir(['backup', dataDir.at('backup.db')], { dataDir })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return dataDir
}

/** How often a restore is killed, from half its usual time to well after its usual end. */
const kills = countRounds(3)

const epochOf = (dataDir: DataDir): unknown => dataDir.rows('SELECT epoch FROM meta')[0]

describe('weir backup', () => {
  test('says in one line what it wrote, and in JSON', async () => {
    using dataDir = await directoryOf('a.example\nb.example\n')
    const plain = await weir(['backup', dataDir.at('plain.db')], { dataDir })
    expect(plain).toMatchObject({ code: 0, err: '' })
    expect(plain.out).toMatch(/plain\.db: 2 indicators, [\d,]+ kB\n$/)
    const json = await weir(['backup', dataDir.at('json.db'), '--json'], { dataDir })
    const { seq, epoch } = parseRecord(JSON.stringify(dataDir.rows('SELECT * FROM meta')[0]))
    const bytes = Bun.file(dataDir.at('json.db')).size
    const path = dataDir.at('json.db')
    expect(parseRecord(json.out)).toEqual({ path, bytes, seq, epoch, indicators: 2 })
  })

  test('taken while a server and an import run, holds what was committed, and answers the same', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const path = await dataDir.file('list', manyNames(30_000))
    const importing = spawnWeir(['import', path, '--json'], { dataDir })
    await eventually('the import has begun', () => (listed(dataDir).length > 0 ? true : null))
    const backups = [dataDir.at('first.db'), dataDir.at('second.db'), dataDir.at('third.db')]
    const reports = []
    for (const file of backups) {
      const { code, out, err } = await weir(['backup', file, '--json'], { dataDir })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      reports.push(parseRecord(out))
    }
    expect(await importing.exited).toBe(0)
    expect(await server.stop()).toEqual({ code: 0, err: '' })

    const all = listed(dataDir)
    expect(all).toHaveLength(30_000)
    for (const [index, file] of backups.entries()) {
      using restored = new DataDir()
      const { code, err } = await weir(['restore', file], { dataDir: restored })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const count = Number(reports[index]?.['indicators'])
      expect(listed(restored)).toEqual(all.slice(0, count))
      expect(epochOf(restored)).not.toEqual(epochOf(dataDir))
      await using again = await Server.start(restored)
      expect(await again.json('/api/v1/blacklist?limit=1')).toMatchObject({ total: count })
      expect(await again.json(checkPath('n0.example'))).toMatchObject({ status: 'found' })
      const next = count === all.length ? 'found' : 'not_found'
      expect(await again.json(checkPath(all[count] ?? 'n0.example'))).toMatchObject({
        status: next,
      })
    }
  })

  test.each([[[]], [['a', 'b']], [['a', '--what']]])('called with %j says how', async (args) => {
    using dataDir = new DataDir()
    for (const command of ['backup', 'restore']) {
      const { code, err } = await weir([command, ...args], { dataDir })
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`"weir ${command} --help"`),
      })
    }
    expect(readdirSync(dataDir.path)).toEqual([])
  })

  test('of nothing, or over a file, ends with 3', async () => {
    using dataDir = new DataDir()
    const nothing = await weir(['backup', dataDir.at('backup.db')], { dataDir })
    expect(nothing.code).toBe(3)
    expect(nothing.err).toStartWith('weir: there is no database in')
    expect(readdirSync(dataDir.path)).toEqual([])
    using full = await directoryOf('a.example\n')
    const over = await weir(['backup', full.at('backup.db')], { dataDir: full })
    expect(over.code).toBe(3)
    expect(over.err).toContain('exists already')
  })
})

describe('weir restore', () => {
  test('does not take what a restore that was cut short left for a backup, nor remove it', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'list'], { dataDir, input: 'a.example\n' })
    const left = dataDir.at('weir.db.restoring')
    await weir(['backup', left], { dataDir })
    const { code, err } = await weir(['restore', left], { dataDir })
    expect(code).toBe(3)
    expect(err).toContain('cut short left behind')
    expect(await Bun.file(left).exists()).toBe(true)
  })

  test('goes back to the backup, says where the rest is, and can be undone', async () => {
    using dataDir = await directoryOf('a.example\n')
    const server = await Server.start(dataDir)
    expect(await server.stop()).toEqual({ code: 0, err: '' })
    await importList(['-', '--source', 'later'], { dataDir, input: 'b.example\n' })
    const later = await Server.start(dataDir)
    expect(await later.json(checkPath('b.example'))).toMatchObject({ status: 'found' })
    expect(await later.stop()).toEqual({ code: 0, err: '' })
    const epoch = epochOf(dataDir)

    const { code, out, err } = await weir(['restore', dataDir.at('backup.db')], { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const kept = /kept as (\S+);/.exec(out)?.[1] ?? ''
    expect(out).toContain('now holds the 1 indicators of')
    expect(epochOf(dataDir)).not.toEqual(epoch)
    // The views' snapshot is there, of a history that is no longer this one.
    expect(existsSync(dataDir.at('views.snapshot'))).toBe(true)
    const back = await Server.start(dataDir)
    expect(await back.json(checkPath('a.example'))).toMatchObject({ status: 'found' })
    expect(await back.json(checkPath('b.example'))).toMatchObject({ status: 'not_found' })
    expect(await back.stop()).toEqual({ code: 0, err: '' })

    const undone = await weir(['restore', kept, '--json'], { dataDir })
    expect(parseRecord(undone.out)).toMatchObject({ indicators: 2, file: kept })
    await using server2 = await Server.start(dataDir)
    expect(await server2.json(checkPath('b.example'))).toMatchObject({ status: 'found' })
  })

  test('ends with 3 while a server runs, which goes on', async () => {
    using dataDir = await directoryOf('a.example\n')
    await importList(['-', '--source', 'later'], { dataDir, input: 'b.example\n' })
    await using server = await Server.start(dataDir)
    const { code, out, err } = await weir(['restore', dataDir.at('backup.db')], { dataDir })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toStartWith(`weir: a server (process ${server.pid}) already serves`)
    expect(await server.json(checkPath('b.example'))).toMatchObject({ status: 'found' })
    expect(await server.stop()).toEqual({ code: 0, err: '' })
    expect(listed(dataDir)).toEqual(['a.example', 'b.example'])
  })

  test('ends with 3 while an import writes, which goes on', async () => {
    using dataDir = await directoryOf('a.example\n')
    const path = await dataDir.file('other', manyNames(20_000))
    const importing = spawnWeir(['import', path, '--json'], { dataDir })
    await eventually('the import has begun', () => (listed(dataDir).length > 1 ? true : null))
    importing.kill('SIGSTOP')
    const { code, out, err } = await weir(['restore', dataDir.at('backup.db')], { dataDir })
    importing.kill('SIGCONT')
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toStartWith('weir: another process has')
    expect(await importing.exited).toBe(0)
    expect(listed(dataDir)).toHaveLength(20_001)
    expect(existsSync(dataDir.at('serve.lock'))).toBe(false)
  })

  test('over a damaged database lets the server start again', async () => {
    using dataDir = await directoryOf(manyNames(3_000))
    const bytes = await Bun.file(dataDir.at('weir.db')).bytes()
    await dataDir.file('weir.db', bytes.fill(0xa5, 0, bytes.length / 2))
    const { code, err } = await weir(['restore', dataDir.at('backup.db')], { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    await using server = await Server.start(dataDir)
    expect(await server.json(checkPath('n7.example'))).toMatchObject({ status: 'found' })
  })

  test.each([
    [
      'text',
      'is damaged or no database',
      (path: string) => writeFileSync(path, 'weir'.repeat(9_999)),
    ],
    ['a newer schema', 'by a newer version', (path: string) => sqlite(path, 'user_version = 99')],
    ['foreign', "not one of weir's", (path: string) => sqlite(path, 'application_id = 7')],
  ])('of %s ends with 3 and leaves the database as it is', async (_, why, spoil) => {
    using dataDir = await directoryOf('a.example\n')
    spoil(dataDir.at('backup.db'))
    const before = await Bun.file(dataDir.at('weir.db')).bytes()
    const names = readdirSync(dataDir.path)
    const { code, out, err } = await weir(['restore', dataDir.at('backup.db')], { dataDir })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(why)])
    expect(await Bun.file(dataDir.at('weir.db')).bytes()).toEqual(before)
    expect(readdirSync(dataDir.path)).toEqual(names)
  })

  test(
    'killed at any moment leaves the old or the new database, whole',
    async () => {
      using first = await directoryOf(`${manyNames(3_000)}first.example\n`)
      using second = await directoryOf(`${manyNames(4_000)}second.example\n`)
      const contents = [first, second].map((dataDir) => listed(dataDir))
      using dataDir = first.copy()
      const spanMs = await killLate(['restore', first.at('backup.db')], dataDir, null)
      for (let kill = 0; kill < kills; kill++) {
        leaveLog(dataDir)
        const isFirst = listed(dataDir).length === contents[0]?.length
        const backup = (isFirst ? second : first).at('backup.db')
        await killLate(['restore', backup], dataDir, spanMs * (0.5 + kill / kills))

        const check = ['check', '--json', 'n7.example', 'first.example', 'second.example']
        const { out, err } = await weir(check, { dataDir })
        const statuses = out.split('\n', 3).map((line) => parseRecord(line)['status'])
        const stayed = isFirst ? ['found', 'not_found'] : ['not_found', 'found']
        const isOld = statuses[1] === stayed[0]
        expect(err).toBe('')
        expect(statuses).toEqual(['found', ...(isOld ? stayed : stayed.toReversed())])
        expect(dataDir.rows<object>('PRAGMA integrity_check').map(Object.values)).toEqual([['ok']])
        expect(listed(dataDir)).toEqual(contents[isFirst === isOld ? 0 : 1] ?? [])
      }
      const { code, err } = await weir(['restore', first.at('backup.db')], { dataDir })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(listed(dataDir)).toEqual(contents[0] ?? [])
      const left = readdirSync(dataDir.path).filter((name) => name.includes('.restoring'))
      expect(left).toEqual([])
    },
    timeoutMs(kills),
  )
})

/** Leaves the last write in the log next to the database, as a crash does. */
function leaveLog(dataDir: DataDir): void {
  const database = new Database(dataDir.at('weir.db'))
  database.run('PRAGMA journal_mode = WAL')
  database.run('UPDATE meta SET changed_at = changed_at + 1')
  copyFileSync(dataDir.at('weir.db-wal'), dataDir.at('log'))
  database.close(true)
  copyFileSync(dataDir.at('log'), dataDir.at('weir.db-wal'))
}

/** Runs a restore, killed after `lateMs` unless that is null, and returns how long it ran. */
async function killLate(
  args: readonly string[],
  dataDir: DataDir,
  lateMs: number | null,
): Promise<number> {
  const startedAt = performance.now()
  const child = spawnWeir(args, { dataDir })
  if (lateMs !== null) {
    await Bun.sleep(lateMs)
    child.kill('SIGKILL')
  }
  await child.exited
  return performance.now() - startedAt
}

/** Sets a pragma of a database that is no longer weir's then. */
function sqlite(path: string, pragma: string): void {
  const database = new Database(path)
  database.run(`PRAGMA ${pragma}`)
  database.close(true)
}
