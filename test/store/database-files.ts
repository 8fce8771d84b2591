/** What the tests of backups and of restoring share: database files outside any store's hands. */

import { Database } from 'bun:sqlite'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../src/store/migrations.ts'
import { migrate, openDatabase } from '../../src/store/schema.ts'
import { databaseName } from '../../src/store/store.ts'
import { StoreError } from '../../src/store/store-error.ts'

/** A directory for backups, and for data directories of other machines. */
export class Elsewhere {
  readonly path = mkdtempSync(join(tmpdir(), 'weir-backup-'))

  at(name: string): string {
    return join(this.path, name)
  }

  write(name: string, content: string): string {
    writeFileSync(this.at(name), content)
    return this.at(name)
  }

  /** Makes a data directory whose database is a copy of `file`, or empty, and returns it. */
  dataDir(file: string | null): string {
    const directory = this.at('data')
    mkdirSync(directory)
    if (file !== null) copyFileSync(file, join(directory, databaseName))
    return directory
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Reads a database that no store has open. */
export function rowsOf<Row>(path: string, sql: string): Row[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.query<Row, []>(sql).all()
  } finally {
    database.close()
  }
}

/** Does something to a database that weir would not do. */
export function change(path: string, ...statements: readonly string[]): void {
  const database = new Database(path, { create: true, readwrite: true })
  for (const statement of statements) database.run(statement)
  database.close()
}

/** Returns every active value of a database, in the order in which it came. */
export function namesIn(path: string): string[] {
  const sql = 'SELECT value FROM indicator WHERE active = 1 ORDER BY id'
  return rowsOf<{ value: string }>(path, sql).map(({ value }) => value)
}

interface MetaRow {
  readonly epoch: string
  readonly seq: number
  readonly date_added: number
  readonly changed_at: number
  readonly listed_changed_at: number
}

export function metaOf(path: string): MetaRow {
  const [meta] = rowsOf<MetaRow>(path, 'SELECT * FROM meta')
  if (meta === undefined) throw new Error(`${path} has no meta`)
  return meta
}

/** Returns what a refused operation says; fails when it is not refused. */
export function refusalOf(operation: () => unknown): string {
  try {
    operation()
  } catch (error) {
    if (error instanceof StoreError) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

/** Overwrites the middle of a file. */
export function damage(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xa5, bytes.length / 4, (bytes.length * 3) / 4))
}

/** Makes a database as the first version of weir did. */
export function olderDatabase(path: string): void {
  const newest = openDatabase(':memory:', 0, true)
  migrate(newest, 'newest', 1)
  const application = newest
    .query<{ application_id: number }, []>('PRAGMA application_id')
    .get()?.application_id
  newest.close()
  change(
    path,
    'PRAGMA journal_mode = WAL',
    migrations[0] ?? '',
    `INSERT INTO meta VALUES (1, 'older', 1, 0, 0, 0, 1, 1000, 1, 1)`,
    `PRAGMA application_id = ${application}`,
    'PRAGMA user_version = 1',
  )
}
