/** Restoring on real files: what is put in place, what is kept, and what is refused. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { backUp } from '../../src/store/backup.ts'
import { restore } from '../../src/store/restore.ts'
import { openDatabase, schemaVersion } from '../../src/store/schema.ts'
import { databaseName, WriteStore } from '../../src/store/store.ts'
import {
  change,
  damage,
  Elsewhere,
  metaOf,
  namesIn,
  olderDatabase,
  refusalOf,
  rowsOf,
} from './database-files.ts'
import { sourceNamed, startOfTest, TestStore } from './fixture.ts'

const feed = sourceNamed('feed')
const hour = 3_600_000
const day = 24 * hour

let db: TestStore
let elsewhere: Elsewhere

beforeEach(() => {
  db = new TestStore()
  elsewhere = new Elsewhere()
})
afterEach(() => {
  db.remove()
  elsewhere.remove()
})

const at = (name: string): string => elsewhere.at(name)

describe('restore', () => {
  let backup: string

  beforeEach(async () => {
    await db.list(feed, ['a.example', 'b.example'])
    await db.store.setSnapshotToken('token')
    backup = at('backup.db')
    backUp(db.dataDir, backup)
    await db.list(feed, ['a.example', 'b.example', 'later.example'])
  })

  /** A data directory with what is known by now, which is more than the backup holds. */
  function laterDataDir(): string {
    backUp(db.dataDir, at('later.db'))
    return elsewhere.dataDir(at('later.db'))
  }

  test('gives the answers of the backup under a new epoch, and keeps what it replaced', () => {
    const dataDir = laterDataDir()
    const path = join(dataDir, databaseName)
    const kept = `${path}.before-restore-20260312T080000Z`
    const report = restore(dataDir, backup, startOfTest)
    const { epoch, seq } = metaOf(path)
    expect(report).toEqual({
      path,
      file: backup,
      kept,
      migratedFrom: null,
      indicators: 2,
      seq: metaOf(backup).seq,
      epoch,
    })
    expect(seq).toBe(metaOf(backup).seq)
    expect([metaOf(backup).epoch, metaOf(kept).epoch]).not.toContain(epoch)
    expect(namesIn(path)).toEqual(['a.example', 'b.example'])
    expect(namesIn(kept)).toEqual(['a.example', 'b.example', 'later.example'])
    expect(rowsOf(path, 'SELECT * FROM snapshot')).toEqual([])
    expect(readdirSync(dataDir).toSorted()).toEqual([databaseName, basename(kept)])
  })

  test('can be undone with what it kept', () => {
    const dataDir = laterDataDir()
    const first = restore(dataDir, backup, startOfTest)
    const second = restore(dataDir, first.kept ?? '', startOfTest)
    expect(namesIn(second.path)).toEqual(['a.example', 'b.example', 'later.example'])
    expect(second.kept).not.toBe(first.kept)
    expect(new Set([first.epoch, second.epoch, db.store.meta().epoch]).size).toBe(3)
  })

  test('lets the store go on from there', async () => {
    const dataDir = laterDataDir()
    restore(dataDir, backup, startOfTest)
    const store = WriteStore.open({ dataDir, role: 'background', now: () => startOfTest })
    store.checkIntegrity()
    const operations = [{ op: 'startRun', source: feed, digest: null }] as const
    expect(await store.write({ at: startOfTest, operations })).toMatchObject({ run: 2 })
    expect(store.byValue('a.example', 'domain')).toMatchObject({ isActive: true })
    store.close()
  })

  const times = ['the backup', 'the replaced database', 'the clock'] as const
  test.each(times)('never lets date_added go back: %s is ahead', (ahead) => {
    const path = join(laterDataDir(), databaseName)
    const future = startOfTest + 1_000 * day
    if (ahead === 'the backup') {
      change(backup, `UPDATE meta SET date_added = ${future * 1000 - 3}`)
    }
    if (ahead === 'the replaced database') {
      change(path, `UPDATE meta SET date_added = ${future * 1000 - 3}`)
    }
    restore(at('data'), backup, ahead === 'the clock' ? future : startOfTest)
    // What is exported was dated behind that, in blocks of four microseconds.
    expect(metaOf(path)).toMatchObject({
      date_added: (future + 1) * 1000,
      listed_changed_at: future,
    })
  })

  test('says that the list has changed, whoever asks since when', () => {
    const dataDir = laterDataDir()
    restore(dataDir, backup, db.now + hour)
    const { changed_at, listed_changed_at } = metaOf(join(dataDir, databaseName))
    expect({ changed_at, listed_changed_at }).toEqual({
      changed_at: db.now + hour,
      listed_changed_at: db.now + hour,
    })
  })

  test('migrates a backup of an older schema', () => {
    olderDatabase(at('older.db'))
    const before = readFileSync(at('older.db'))
    const dataDir = laterDataDir()
    expect(restore(dataDir, at('older.db'), startOfTest)).toMatchObject({ migratedFrom: 1 })
    const path = join(dataDir, databaseName)
    expect(rowsOf<object>(path, 'PRAGMA user_version')).toEqual([{ user_version: schemaVersion }])
    expect(metaOf(path).epoch).not.toBe('older')
    expect(readFileSync(at('older.db'))).toEqual(before)
  })

  test('takes a database with its log, as a crash leaves it', () => {
    // The store is open, so that what was written last is in the log alone.
    mkdirSync(at('crashed'))
    for (const name of [databaseName, `${databaseName}-wal`]) {
      copyFileSync(join(db.dataDir, name), at(`crashed/${name}`))
    }
    const { path } = restore(at('new'), at(`crashed/${databaseName}`), startOfTest)
    expect(namesIn(path)).toEqual(['a.example', 'b.example', 'later.example'])
  })

  describe('over a database that cannot be read', () => {
    const states: readonly (readonly [string, (path: string) => void])[] = [
      ['text', (path) => writeFileSync(path, 'weir'.repeat(10_000))],
      ['empty', (path) => writeFileSync(path, '')],
      ['cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, 10_000))],
      ['damaged pages', damage],
      ['a newer schema', (path) => change(path, 'PRAGMA user_version = 99')],
      ['newer, and of another shape', (path) => change(path, 'DROP TABLE meta')],
    ]
    test.each(states)('%s: puts the backup in place and keeps the file', (_, spoil) => {
      const path = join(laterDataDir(), databaseName)
      spoil(path)
      const spoilt = readFileSync(path)
      const { kept } = restore(at('data'), backup, startOfTest)
      expect(namesIn(path)).toEqual(['a.example', 'b.example'])
      expect(readFileSync(kept ?? '').subarray(100)).toEqual(spoilt.subarray(100))
    })

    test('missing: puts the backup in place', () => {
      const report = restore(at('new'), backup, startOfTest)
      expect(report.kept).toBeNull()
      expect(namesIn(join(at('new'), databaseName))).toEqual(['a.example', 'b.example'])
      expect(statSync(report.path).mode & 0o777).toBe(0o600)
    })

    test('missing, but for its log: the log is set aside with what it was named after', () => {
      const dataDir = elsewhere.dataDir(null)
      copyFileSync(`${db.store.path}-wal`, join(dataDir, `${databaseName}-wal`))
      writeFileSync(join(dataDir, `${databaseName}-journal`), 'old')
      const { path } = restore(dataDir, backup, startOfTest)
      expect(namesIn(path)).toEqual(['a.example', 'b.example'])
      const store = WriteStore.open({ dataDir, role: 'background', now: () => startOfTest })
      store.checkIntegrity()
      expect(store.byValue('later.example', 'domain')).toBeNull()
      store.close()
      const kept = `${path}.before-restore-20260312T080000Z`
      expect(readFileSync(`${kept}-wal`)).toEqual(readFileSync(`${db.store.path}-wal`))
      expect(readFileSync(`${kept}-journal`, 'utf8')).toBe('old')
    })
  })

  describe('refuses, and leaves everything as it is:', () => {
    const refused: readonly (readonly [string, string, () => string])[] = [
      [
        'a text file',
        'is damaged or no database',
        () => elsewhere.write('text', 'weir'.repeat(10_000)),
      ],
      ['an empty file', "is a database, but not one of weir's", () => elsewhere.write('empty', '')],
      ['no file', 'there is no file', () => at('none')],
      ['a directory', 'there is no file', () => elsewhere.path],
      ['damaged pages', 'is damaged or no database', () => spoilt(damage)],
      [
        'a backup cut short',
        'is damaged or no database',
        () => spoilt((path) => writeFileSync(path, readFileSync(path).subarray(0, 100_000))),
      ],
      ['a damaged index', 'is damaged or no database', () => spoilt(damageIndex)],
      [
        'a newer schema',
        'was written by a newer version of weir',
        () => spoilt((path) => change(path, `PRAGMA user_version = ${schemaVersion + 1}`)),
      ],
      [
        "somebody else's database",
        "is a database, but not one of weir's",
        () => spoilt((path) => change(path, 'PRAGMA application_id = 7')),
      ],
      [
        'a database without its first row',
        'is damaged or no database',
        () => spoilt((path) => change(path, 'DELETE FROM meta')),
      ],
      ['the database itself', 'is the database itself', () => join(at('data'), databaseName)],
      [
        'another name of the database',
        'is the database itself',
        () => {
          linkSync(join(at('data'), databaseName), at('link.db'))
          return at('link.db')
        },
      ],
    ]

    function spoilt(spoil: (path: string) => void): string {
      copyFileSync(at('later.db'), at('spoilt.db'))
      spoil(at('spoilt.db'))
      return at('spoilt.db')
    }

    test.each(refused)('%s', (_, why, make) => {
      const dataDir = laterDataDir()
      const file = make()
      const before = contentOf(dataDir)
      const refusal = refusalOf(() => restore(dataDir, file, startOfTest))
      expect(refusal).toContain(why)
      expect(refusal).toContain(file)
      expect(contentOf(dataDir)).toEqual(before)
    })

    test('while a server runs', () => {
      const dataDir = laterDataDir()
      // Any process that is there will do.
      writeFileSync(join(dataDir, 'serve.lock'), `${process.ppid}\n`)
      const before = contentOf(dataDir)
      expect(refusalOf(() => restore(dataDir, backup, startOfTest))).toStartWith('a server')
      expect(contentOf(dataDir)).toEqual(before)
    })

    test('while another process has the database open', () => {
      const dataDir = laterDataDir()
      const reader = openDatabase(join(dataDir, databaseName), 0, false)
      reader.query('SELECT 1 FROM meta').get()
      expect(refusalOf(() => restore(dataDir, backup, startOfTest))).toStartWith('another process')
      reader.close()
      expect(namesIn(join(dataDir, databaseName))).toContain('later.example')
      expect(restore(dataDir, backup, startOfTest)).toMatchObject({ indicators: 2 })
    })

    test('and an unclean stop is still seen by the next start', () => {
      const dataDir = laterDataDir()
      writeFileSync(join(dataDir, 'serve.lock'), '999999999\n')
      expect(refusalOf(() => restore(dataDir, at('none'), startOfTest))).toContain('no file')
      expect(existsSync(join(dataDir, 'serve.lock'))).toBe(true)
      restore(dataDir, backup, startOfTest)
      expect(existsSync(join(dataDir, 'serve.lock'))).toBe(false)
    })
  })

  test('clears away what a killed restore left behind', () => {
    const dataDir = laterDataDir()
    const path = join(dataDir, databaseName)
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${path}.restoring${suffix}`, 'half')
    linkSync(path, `${path}.before-restore-20260311T080000Z`)
    const { kept } = restore(dataDir, backup, startOfTest)
    expect(namesIn(path)).toEqual(['a.example', 'b.example'])
    expect(readdirSync(dataDir).toSorted()).toEqual([databaseName, basename(kept ?? '')])
  })

  test('nobody who still has the old file can write beside the new one', () => {
    const dataDir = laterDataDir()
    const path = join(dataDir, databaseName)
    // Opened, but not yet looked at: SQLite cannot tell that it is there.
    const late = new Database(path, { create: false, readwrite: true })
    restore(dataDir, backup, startOfTest)
    expect(() => late.run('PRAGMA journal_mode = WAL')).toThrow('readonly')
    expect(() => late.run('DELETE FROM meta')).toThrow('readonly')
    late.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(namesIn(path)).toEqual(['a.example', 'b.example'])
  })

  test('gives the new file the mode of the one it replaces', () => {
    const dataDir = laterDataDir()
    const path = join(dataDir, databaseName)
    const { mode } = statSync(path)
    restore(dataDir, backup, startOfTest)
    expect(statSync(path).mode).toBe(mode)
  })
})

/** Returns every file of a directory with a digest of its content. */
function contentOf(directory: string): Map<string, string> {
  const names = readdirSync(directory)
  return new Map(
    names.map((name) => [name, Bun.hash(readFileSync(join(directory, name))).toString(16)]),
  )
}

/** Changes one entry of an index, so that a row is missing from it. */
function damageIndex(path: string): void {
  const bytes = readFileSync(path)
  bytes.write('X', bytes.lastIndexOf('later.example'))
  writeFileSync(path, bytes)
}
