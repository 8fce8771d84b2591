/**
 * The database that a restore replaces: locked exclusively, then set aside. `weir.db` exists at every
 * moment, and no log of the old database is ever next to the new one, which SQLite would take for
 * the new one's own.
 *
 * Hence the way it is locked: leaving WAL mode is given only to a connection that is alone, and ends
 * the log; and in the mode it is left in, SQLite refuses writes to a file that was moved away.
 */

import { Database } from 'bun:sqlite'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { companionSuffixes, sync, timeInName } from './database-copy.ts'
import { busyTimeoutMs, isBusy, isCorrupt } from './schema.ts'
import { StoreError } from './store-error.ts'

/** Between the name of a database and the time at which it was replaced. */
const keptInfix = '.before-restore-'

/**
 * Locks the database that is to be replaced exclusively, its log emptied into it; returns null
 * when there is none, or when it is too damaged for SQLite to open.
 */
export function lockReplaced(path: string): Database | null {
  if (!existsSync(path)) return null
  const database = new Database(path, { create: false, readwrite: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs.background}`)
    database.run('PRAGMA journal_mode = DELETE')
    database.run('BEGIN EXCLUSIVE')
    const mode = database.query<{ journal_mode: string }, []>('PRAGMA journal_mode').get()
    // Between the two statements another process may have come, and gone back to WAL mode.
    if (mode?.journal_mode !== 'delete') throw inUse(path)
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) throw inUse(path, error)
    if (isCorrupt(error)) return null
    throw error
  }
}

/** Returns the last microsecond the replaced database has given; 0 when it cannot tell. */
export function lastDateAdded(old: Database): number {
  try {
    const row = old
      .query<{ dateAdded: unknown }, []>('SELECT date_added AS dateAdded FROM meta WHERE id = 1')
      .get()
    return typeof row?.dateAdded === 'number' && Number.isSafeInteger(row.dateAdded)
      ? row.dateAdded
      : 0
  } catch {
    // Damaged, foreign or far newer: that is what it is replaced for.
    return 0
  }
}

/**
 * Puts a database in the place of another, in one step, and returns where the replaced one lies now;
 * null when there was none.
 */
export function putInPlace(path: string, copyPath: string, now: number): string | null {
  const directory = dirname(path)
  giveToOwner(path, copyPath)
  sync(copyPath)
  removeNames(path)
  const isReplacing = existsSync(path)
  const kept = freeName(`${path}${keptInfix}${timeInName(now)}`)
  if (isReplacing) keepAs(path, kept)
  // Left by a database that could not be opened, or whose file is gone; without them it is no less
  // damaged, with them the new one would be.
  for (const suffix of companionSuffixes) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`)
  }
  sync(directory)
  renameSync(copyPath, path)
  sync(directory)
  return isReplacing ? kept : null
}

function keepAs(path: string, kept: string): void {
  try {
    linkSync(path, kept)
  } catch (error) {
    // Some file systems know no second name, and without one there would be a moment without weir.db.
    throw new StoreError('restore', `${path} cannot be kept as ${kept}`, {
      cause: error,
      hint: `move ${path} and what is named after it away, then try again`,
    })
  }
}

/** Gives the new file the mode and owner of the old one, also when root restores it. */
function giveToOwner(path: string, copyPath: string): void {
  const replaced = statSync(path, { throwIfNoEntry: false })
  if (replaced !== undefined) chmodSync(copyPath, replaced.mode & 0o777)
  const { uid, gid } = replaced ?? statSync(dirname(path))
  if (process.getuid?.() === 0) chownSync(copyPath, uid, gid)
}

/** Removes names that a killed restore has given to the database which is still in place. */
function removeNames(path: string): void {
  const directory = dirname(path)
  const start = `${basename(path)}${keptInfix}`
  for (const name of readdirSync(directory)) {
    const other = join(directory, name)
    if (name.startsWith(start) && isSameFile(other, path)) rmSync(other)
  }
}

const freeName = (name: string): string =>
  existsSync(name) ? `${name}-${crypto.randomUUID().slice(0, 8)}` : name

/** Reports whether both names are there and are one file's. */
export function isSameFile(a: string, b: string): boolean {
  const first = statSync(a, { throwIfNoEntry: false })
  const second = statSync(b, { throwIfNoEntry: false })
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

function inUse(path: string, cause?: unknown): StoreError {
  return new StoreError('restore', `another process has ${path} open`, {
    cause,
    hint: 'wait for it to end or stop it, then try again',
  })
}
