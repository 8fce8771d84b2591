/** Backups on real files: what is copied, what is refused, and which of them stay. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, scheduledBackup } from '../../src/store/backup.ts'
import { copyBeforeMigration } from '../../src/store/database-copy.ts'
import { restore } from '../../src/store/restore.ts'
import { openDatabase } from '../../src/store/schema.ts'
import { databaseName } from '../../src/store/store.ts'
import {
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

describe('backUp', () => {
  test('copies what is committed while others write', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    const writer = openDatabase(db.store.path, 0, false)
    writer.run('BEGIN IMMEDIATE')
    writer.run("UPDATE indicator SET value = 'half.example' WHERE id = 1")
    const report = backUp(db.dataDir, at('backup.db'))
    writer.run('ROLLBACK')
    writer.close()
    const { seq, epoch } = db.store.meta()
    expect(report).toEqual({
      path: at('backup.db'),
      bytes: statSync(at('backup.db')).size,
      seq,
      epoch,
      indicators: 2,
    })
    await db.list(feed, ['c.example'])
    expect(namesIn(at('backup.db'))).toEqual(['a.example', 'b.example'])
    expect(metaOf(at('backup.db'))).toMatchObject({ seq, epoch })
  })

  test('is one file that only its owner reads', async () => {
    await db.list(feed, ['a.example'])
    backUp(db.dataDir, at('backup.db'))
    expect(readdirSync(elsewhere.path)).toEqual(['backup.db'])
    expect(statSync(at('backup.db')).mode & 0o777).toBe(0o600)
  })

  test('copies an older schema as it is', () => {
    const dataDir = elsewhere.dataDir(null)
    olderDatabase(join(dataDir, databaseName))
    expect(backUp(dataDir, at('backup.db'))).toMatchObject({ epoch: 'older', indicators: 0 })
    expect(rowsOf<object>(at('backup.db'), 'PRAGMA user_version')).toEqual([{ user_version: 1 }])
  })

  test('never writes over what is there', () => {
    writeFileSync(at('backup.db'), 'precious')
    expect(refusalOf(() => backUp(db.dataDir, at('backup.db')))).toBe(
      `${at('backup.db')} exists already; name a file that does not, or move that one away`,
    )
    expect(readFileSync(at('backup.db'), 'utf8')).toBe('precious')
    expect(refusalOf(() => backUp(db.dataDir, elsewhere.path))).toContain('exists already')
    expect(readdirSync(elsewhere.path)).toEqual(['backup.db'])
  })

  test('makes no directory and no database', () => {
    expect(refusalOf(() => backUp(db.dataDir, at('none/backup.db')))).toContain(
      `there is no directory ${at('none')}`,
    )
    const dataDir = elsewhere.dataDir(null)
    expect(refusalOf(() => backUp(dataDir, at('backup.db')))).toContain('there is no database')
    expect(readdirSync(dataDir)).toEqual([])
    writeFileSync(join(dataDir, databaseName), '')
    expect(refusalOf(() => backUp(dataDir, at('backup.db')))).toContain('there is no database')
    expect(refusalOf(() => backUp(at('nowhere'), at('backup.db')))).toContain('there is no data')
    expect(readdirSync(elsewhere.path)).toEqual(['data'])
  })

  test('of a damaged database says so and leaves nothing behind', async () => {
    await db.list(
      feed,
      Array.from({ length: 2_000 }, (_, n) => `n${n}.example`),
    )
    backUp(db.dataDir, at('whole.db'))
    const dataDir = elsewhere.dataDir(at('whole.db'))
    damage(join(dataDir, databaseName))
    expect(refusalOf(() => backUp(dataDir, at('backup.db')))).toContain('damaged')
    expect(readdirSync(elsewhere.path).toSorted()).toEqual(['data', 'whole.db'])
  })
})

describe('scheduledBackup', () => {
  const schedule = (now: number, keep = 3) =>
    scheduledBackup({ dataDir: db.dataDir, now, everyMs: day, keep })

  const backups = (): string[] => readdirSync(join(db.dataDir, 'backups')).toSorted()

  const put = (...names: readonly string[]): void => {
    mkdirSync(join(db.dataDir, 'backups'), { recursive: true })
    for (const name of names) writeFileSync(join(db.dataDir, 'backups', name), '')
  }

  test('makes the first at once, and the next when it is due', () => {
    const path = join(db.dataDir, 'backups', 'weir-20260312T080000Z.db')
    expect(schedule(startOfTest + 999)).toMatchObject({ path })
    expect(schedule(startOfTest + 1_000)).toBeNull()
    expect(schedule(startOfTest + day - 1)).toBeNull()
    expect(schedule(startOfTest + day)).toMatchObject({ seq: db.store.meta().seq })
    expect(backups()).toEqual(['weir-20260312T080000Z.db', 'weir-20260313T080000Z.db'])
  })

  test('keeps the newest and removes nothing else', () => {
    const others = [
      'weir-20260101T000000Z.db.old',
      'weir-20261301T000000Z.db',
      'weir-before-schema-2-20260101T000000Z.db',
      'mine.db',
    ]
    put('weir-20260101T000000Z.db', 'weir-20260102T000000Z.db', 'weir-20260103T000000Z.db')
    put(...others)
    schedule(startOfTest)
    const kept = [
      'weir-20260102T000000Z.db',
      'weir-20260103T000000Z.db',
      'weir-20260312T080000Z.db',
    ]
    expect(backups()).toEqual([...others, ...kept].toSorted())
  })

  test('after the clock went back is due at once, and what the future left goes first', () => {
    put('weir-20300101T000000Z.db', 'weir-20300102T000000Z.db', 'weir-20260101T000000Z.db')
    expect(schedule(startOfTest)).not.toBeNull()
    expect(schedule(startOfTest + hour)).toBeNull()
    expect(backups()).toEqual([
      'weir-20260101T000000Z.db',
      'weir-20260312T080000Z.db',
      'weir-20300102T000000Z.db',
    ])
    schedule(startOfTest + day)
    expect(backups()).not.toContain('weir-20300102T000000Z.db')
  })

  test('removes what a killed backup left behind, and none that is under way', () => {
    const old = ['weir-20260101T000000Z.db.1.partial', 'weir-20260101T000000Z.db.1.partial-journal']
    const young = 'weir-before-schema-2-20260312T075959Z.db.2.partial'
    put(...old, young)
    for (const name of old) {
      utimesSync(join(db.dataDir, 'backups', name), startOfTest / 1000, startOfTest / 1000 - 90_000)
    }
    utimesSync(join(db.dataDir, 'backups', young), startOfTest / 1000, startOfTest / 1000)
    schedule(startOfTest)
    expect(backups()).toEqual(['weir-20260312T080000Z.db', young])
  })

  test('that fails removes nothing', () => {
    const dataDir = elsewhere.dataDir(null)
    mkdirSync(join(dataDir, 'backups'))
    for (const n of [1, 2, 3, 4]) {
      writeFileSync(join(dataDir, 'backups', `weir-2026010${n}T000000Z.db`), '')
    }
    const failing = { dataDir, now: startOfTest, everyMs: day, keep: 1 }
    expect(refusalOf(() => scheduledBackup(failing))).toContain('there is no database')
    expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(4)
  })
})

describe('copyBeforeMigration', () => {
  test('keeps the database as the older version wrote it, once', () => {
    const dataDir = elsewhere.dataDir(null)
    olderDatabase(join(dataDir, databaseName))
    const database = openDatabase(join(dataDir, databaseName), 0, false)
    const copy = copyBeforeMigration(database, dataDir, 1, startOfTest)
    expect(copy).toBe(join(dataDir, 'backups', 'weir-before-schema-2-20260312T080000Z.db'))
    expect(copyBeforeMigration(database, dataDir, 1, startOfTest)).toBe(copy)
    database.close()
    expect(rowsOf<object>(copy, 'PRAGMA user_version')).toEqual([{ user_version: 1 }])
    expect(restore(dataDir, copy, startOfTest)).toMatchObject({ migratedFrom: 1 })
  })
})
