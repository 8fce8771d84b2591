/**
 * Puts a backup in the place of the database, in steps that may end at any moment: until the last one
 * the old database is in place, whole, and from then on the new one.
 *
 *     check the backup ─▶ weir.db.restoring: copy, migrate, check ─▶ lock the old one, end its log
 *       ─▶ new epoch ─▶ fsync ─▶ link the old one aside ─▶ rename the new one over it
 */

import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  damageIn,
  type Holdings,
  isDiskFull,
  readHoldings,
  removeDatabase,
  vacuumInto,
} from './database-copy.ts'
import { redateExports } from './exports-redating.ts'
import { isSameFile, lastDateAdded, lockReplaced, putInPlace } from './replaced-database.ts'
import { busyTimeoutMs, isCorrupt, migrate, openDatabase, schemaVersion } from './schema.ts'
import { takeServeLock } from './serve-lock.ts'
import { databaseName } from './store.ts'
import { StoreError } from './store-error.ts'

/** A database that was put in place. */
export interface RestoreReport extends Holdings {
  readonly path: string
  readonly file: string
  /** Where the replaced database lies; null when there was none. */
  readonly kept: string | null
  /** The schema version of the backup, when it was an older one. */
  readonly migratedFrom: number | null
}

/**
 * Makes the backup in `file` the database of a data directory, under a new epoch.
 *
 * The replaced database is kept next to it: a restore is done in a hurry, and the wrong backup must
 * not cost what was known until then. Throws a `StoreError`, having changed nothing, when a server
 * runs, another process has the database open, or the file is no sound backup. What state the
 * replaced database is in does not matter.
 */
export function restore(dataDir: string, file: string, now: number): RestoreReport {
  const lock = takeServeLock(dataDir)
  let isDone = false
  try {
    const report = replace(join(dataDir, databaseName), resolve(file), now)
    isDone = true
    return report
  } catch (error) {
    throw restoringFailed(file, error)
  } finally {
    // After an unclean stop the lock stays, so that the next start checks the old one for damage.
    if (isDone || !lock.wasUnclean) lock.release()
  }
}

function replace(path: string, file: string, now: number): RestoreReport {
  const copyPath = `${path}.restoring`
  if (isSameFile(file, copyPath)) {
    throw new StoreError('restore', `${file} is what a restore that was cut short left behind`, {
      hint: 'name the backup itself, or give this file another name first',
    })
  }
  removeDatabase(copyPath)
  let old: Database | null = null
  try {
    const version = copyBackup(file, path, copyPath)
    const copy = openCopy(copyPath, file, now)
    let holdings: Holdings | null
    try {
      old = lockReplaced(path)
      beginEpoch(copy, now, old === null ? 0 : lastDateAdded(old))
      holdings = readHoldings(copy)
      // Leaves the file whole, without a log.
      copy.run('PRAGMA journal_mode = DELETE')
    } finally {
      copy.close()
    }
    if (holdings === null) throw notSound(file, null)
    const kept = putInPlace(path, copyPath, now)
    const migratedFrom = version < schemaVersion ? version : null
    return { path, file, kept, migratedFrom, ...holdings }
  } catch (error) {
    removeDatabase(copyPath)
    throw error
  } finally {
    old?.close()
  }
}

/** Checks a backup and copies it, without touching it, and returns its schema version. */
function copyBackup(file: string, path: string, copyPath: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) {
    throw new StoreError('restore', `there is no file ${file}`, { hint: 'name a backup' })
  }
  if (isSameFile(file, path)) {
    throw new StoreError('restore', `${file} is the database itself`, { hint: 'name a backup' })
  }
  const backup = new Database(file, { readonly: true, strict: true })
  try {
    backup.run(`PRAGMA busy_timeout = ${busyTimeoutMs.background}`)
    backup.run('PRAGMA trusted_schema = OFF')
    backup.run('PRAGMA cell_size_check = ON')
    const version =
      backup.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
    if (version === 0) throw foreign(file)
    if (version > schemaVersion) {
      throw new StoreError('restore', `${file} was written by a newer version of weir`, {
        hint: 'restore it with that version',
      })
    }
    const damage = damageIn(backup)
    if (damage !== null) throw notSound(file, damage)
    vacuumInto(backup, copyPath)
    return version
  } finally {
    backup.close()
  }
}

/** Opens the copy of a backup, brings it to this build's schema, and checks what came of it. */
function openCopy(copyPath: string, file: string, now: number): Database {
  let copy: Database | null = null
  try {
    copy = openDatabase(copyPath, busyTimeoutMs.background, false)
    migrate(copy, crypto.randomUUID(), now)
    const damage = damageIn(copy)
    if (damage !== null) throw notSound(file, damage)
    return copy
  } catch (error) {
    copy?.close()
    // It is not newer: it is refused for what it is, and the refusal would name the copy.
    throw copy === null && error instanceof StoreError ? foreign(file) : error
  }
}

/**
 * Begins a new history: a new epoch, and times that continue from those of the replaced one, on a whole
 * millisecond as after every batch. Clients see the lists as changed now, and the exports as added now.
 */
function beginEpoch(copy: Database, now: number, replacedDateAdded: number): void {
  const own = copy
    .query<{ dateAdded: number }, []>('SELECT date_added AS dateAdded FROM meta WHERE id = 1')
    .get()
  // Without its first row it is no sound backup, which the caller will see.
  if (own === null) return
  const latest = Math.max(own.dateAdded, replacedDateAdded)
  const at = Math.max(now, Math.ceil(latest / 1000))
  copy
    .query<null, [string, number]>(
      `UPDATE meta SET epoch = ?1, date_added = ?2 * 1000, changed_at = max(changed_at, ?2),
        listed_changed_at = max(listed_changed_at, ?2) WHERE id = 1`,
    )
    .run(crypto.randomUUID(), at)
  redateExports(copy)
  copy.run('DELETE FROM snapshot')
}

function foreign(file: string): StoreError {
  return new StoreError('restore', `${file} is a database, but not one of weir's`, {
    hint: 'name a backup that weir has made',
  })
}

function notSound(file: string, cause: unknown): StoreError {
  return new StoreError('restore', `${file} is damaged or no database`, {
    cause,
    hint: 'name another backup; the database in place is untouched',
  })
}

function restoringFailed(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (isCorrupt(error)) return notSound(file, error)
  if (isDiskFull(error)) {
    return new StoreError('restore', `${file} cannot be restored: the disk is full`, {
      cause: error,
      hint: 'free as much space as the backup takes; the database in place is untouched',
    })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new StoreError('restore', `${file} cannot be restored: ${message}`, {
    cause: error,
    hint: 'check who may read it and write in the data directory',
  })
}
