/**
 * Copies of a database: whole, checked and on disk before they have their name.
 *
 *     VACUUM INTO file.….partial ─▶ integrity_check ─▶ fsync ─▶ rename to file ─▶ fsync directory
 *
 * One read transaction, while others read and write. A copy that fails leaves no file; the file of a
 * killed process ends in `.partial` and is never mistaken for a copy.
 */

import { Database } from 'bun:sqlite'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isBusy, isCorrupt } from './schema.ts'
import { StoreError } from './store-error.ts'

/** Copies hold all that is known, private lists included. */
const copyMode = 0o600

/** Where weir keeps the copies it makes by itself, inside the data directory. */
export const backupsName = 'backups'

/** The suffixes of the files that SQLite keeps next to a database. */
export const companionSuffixes = ['-wal', '-shm', '-journal'] as const

/** What a database holds. */
export interface Holdings {
  readonly seq: number
  readonly epoch: string
  /** Active indicators, published or not. */
  readonly indicators: number
}

/** A copy, and what it holds. */
export interface CopyReport extends Holdings {
  readonly path: string
  readonly bytes: number
}

const holdingsSql = `SELECT seq, epoch,
  (SELECT ifnull(sum(n), 0) FROM counter WHERE scope = 'active') AS indicators
  FROM meta WHERE id = 1`

/** Returns what a database of weir's holds, of whatever version; null when it holds nothing yet. */
export function readHoldings(database: Database): Holdings | null {
  return database.query<Holdings, []>(holdingsSql).get()
}

/** Returns what is wrong with a database, or null when it is sound. Reads all of it. */
export function damageIn(database: Database): string | null {
  const finding = database
    .query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)')
    .get()?.integrity_check
  return finding === 'ok' ? null : (finding ?? 'nothing can be read')
}

/** Writes a time as names of files carry it: `20260312T080000Z`. */
export function timeInName(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
}

/** Brings a file, or the names in a directory, to the disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Removes a database with the files that SQLite keeps next to it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companionSuffixes]) rmSync(`${path}${suffix}`, { force: true })
}

/** Copies a database to a file that is not there yet; it is neither checked nor on disk then. */
export function vacuumInto(database: Database, path: string): void {
  // SQLite fills an empty file as it would a new one: created like this, other users never can read it.
  closeSync(openSync(path, 'wx', copyMode))
  database.query<null, [string]>('VACUUM INTO ?1').run(path)
}

/**
 * Copies a database to `file`, an absolute path that is free; must run outside a transaction.
 *
 * Throws a `StoreError`, leaving nothing behind, when that cannot be done.
 */
export function copyDatabase(database: Database, file: string): CopyReport {
  refuseTarget(file)
  const partial = `${file}.${crypto.randomUUID().slice(0, 8)}.partial`
  try {
    vacuumInto(database, partial)
    const holdings = examine(partial)
    sync(partial)
    refuseTarget(file)
    renameSync(partial, file)
    sync(dirname(file))
    return { path: file, bytes: statSync(file).size, ...holdings }
  } catch (error) {
    removeDatabase(partial)
    throw copyingFailed(file, error)
  }
}

function refuseTarget(file: string): void {
  if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new StoreError('copy', `there is no directory ${dirname(file)}`, {
      hint: 'make it, or name a file in another one',
    })
  }
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new StoreError('copy', `${file} exists already`, {
      hint: 'name a file that does not, or move that one away',
    })
  }
}

/** Returns what a copy holds; throws a `StoreError` when it is not sound. */
function examine(path: string): Holdings {
  const copy = new Database(path, { readonly: true, strict: true })
  try {
    const damage = damageIn(copy)
    const holdings = damage === null ? readHoldings(copy) : null
    if (holdings !== null) return holdings
    throw new StoreError('copy', 'the copy is damaged, and with it most likely the database', {
      cause: damage,
      hint: 'check the disk, and restore the last backup',
    })
  } finally {
    copy.close()
  }
}

/**
 * Copies a database of an older schema before it is migrated, so that the version of weir that wrote
 * it can be gone back to, and returns the copy's path. Must run outside a transaction.
 */
export function copyBeforeMigration(
  database: Database,
  dataDir: string,
  version: number,
  now: number,
): string {
  const directory = makeBackups(dataDir)
  const file = join(directory, `weir-before-schema-${version + 1}-${timeInName(now)}.db`)
  // Another process that has opened the same file in the same second has made the same copy.
  const isThere = (): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined
  if (isThere()) return file
  try {
    return copyDatabase(database, file).path
  } catch (error) {
    if (isThere()) return file
    throw error
  }
}

/** Makes the directory for copies, and returns it. */
export function makeBackups(dataDir: string): string {
  const directory = join(dataDir, backupsName)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw copyingFailed(directory, error)
  }
  return directory
}

/** Returns the error of a store for whatever went wrong while a file was copied. */
export function copyingFailed(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (isCorrupt(error)) {
    return new StoreError('copy', 'the database is damaged, so that it cannot be copied', {
      cause: error,
      hint: 'restore the last backup',
    })
  }
  if (isBusy(error)) {
    return new StoreError('copy', 'the database has been locked for too long', {
      cause: error,
      hint: 'wait for the other process to end, then try again',
    })
  }
  if (isDiskFull(error)) {
    return new StoreError('copy', `${file} cannot be written: the disk is full`, {
      cause: error,
      hint: 'free some space, or name a file on another disk',
    })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new StoreError('copy', `${file} cannot be written: ${message}`, {
    cause: error,
    hint: 'check its directory, and who may write there',
  })
}

/** Reports whether `error` has the code of SQLite or the system for a full disk; a thread's error keeps it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ENOSPC' || error.code === 'SQLITE_FULL'
}
