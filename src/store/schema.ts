/** How a connection to the database is opened, and how a file is brought to this build's schema. */

import { Database, SQLiteError } from 'bun:sqlite'
import { SetHash } from '../model/set-hash.ts'
import { fillInExports } from './exports-migration.ts'
import { migrations } from './migrations.ts'
import { StoreError } from './store-error.ts'

/** The schema version this build reads and writes. */
export const schemaVersion = migrations.length

/** How long a connection waits for another writer: long off the serving thread, short on it. */
export const busyTimeoutMs = { background: 5_000, serving: 50 } as const

/** How much of the file a connection keeps in memory, unless it says otherwise. */
const defaultCacheKiB = 65_536

/** Marks files as weir's, so that a foreign database is never migrated (ASCII "weir"). */
const applicationId = 0x77656972

/** Opens a connection with every pragma the store relies on; creates the file when asked to. */
export function openDatabase(
  path: string,
  waitMs: number,
  create: boolean,
  cacheKiB = defaultCacheKiB,
): Database {
  const database = new Database(path, { create, readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${waitMs}`)
  // Before anything is written to the file, the journal mode included.
  refuseOthers(database, path)
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  database.run('PRAGMA trusted_schema = OFF')
  database.run('PRAGMA cell_size_check = ON')
  // What people had erased does not stay in the file.
  database.run('PRAGMA secure_delete = ON')
  database.run('PRAGMA temp_store = MEMORY')
  database.run('PRAGMA mmap_size = 0')
  database.run('PRAGMA journal_size_limit = 67108864')
  database.run(`PRAGMA cache_size = -${cacheKiB}`)
  return database
}

function pragma(database: Database, name: string): number {
  const row = database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()
  return Object.values(row ?? {})[0] ?? 0
}

/** Throws a `StoreError` for a file that is newer than this build or not weir's at all. */
function refuseOthers(database: Database, path: string): void {
  const current = pragma(database, 'user_version')
  if (current > schemaVersion) {
    throw new StoreError('open', `${path} was written by a newer version of weir`, {
      hint: 'start that version, or restore a backup made by this one',
    })
  }
  const isForeign = pragma(database, 'application_id') !== applicationId
  if (isForeign && (current > 0 || pragma(database, 'schema_version') > 0)) {
    throw new StoreError('open', `${path} is a database, but not one of weir's`, {
      hint: 'point WEIR_DATA at another directory',
    })
  }
}

/** Returns the schema version of an older file, or null when there is nothing to be migrated. */
export function readOlderVersion(database: Database): number | null {
  const version = pragma(database, 'user_version')
  return version > 0 && version < schemaVersion ? version : null
}

const firstMeta = `INSERT INTO meta (id, epoch, born_at, batch, seq, oldest_seq, next_id, date_added,
    changed_at, listed_changed_at)
  VALUES (1, ?1, ?2, 0, 0, 0, 1, ?2 * 1000, ?2, ?2)`

/** The first schema whose `meta` holds the hash of the listed domains; SQL cannot compute it. */
const versionWithSetHash = 3
/** The first one that knows what is exported, whose ids SQL cannot compute. */
const versionWithExports = 5

/** Returns the set hash of the listed domains as the rows have it. O(domains), 0.5 s a million. */
export function hashListedDomains(database: Database): string {
  const hash = new SetHash()
  const listed = database.query<{ value: string }, []>(
    `SELECT value FROM indicator WHERE published = 1 AND type = 'domain'`,
  )
  for (const { value } of listed.iterate()) hash.toggle(value)
  return hash.hex
}

function fillInSetHash(database: Database): void {
  database.query<null, [string]>('UPDATE meta SET set_hash = ?1').run(hashListedDomains(database))
}

/**
 * Brings the file to this build's schema: a new file gets the schema, `epoch` and a birthday, an
 * older one its missing migrations, all in one transaction.
 */
export function migrate(database: Database, epoch: string, now: number): void {
  const version = pragma(database, 'user_version')
  if (version === schemaVersion && pragma(database, 'application_id') === applicationId) return
  const upgrade = database.transaction(() => {
    const current = pragma(database, 'user_version')
    for (const migration of migrations.slice(current)) database.run(migration)
    if (current === 0) {
      database.query<null, [string, number]>(firstMeta).run(epoch, now)
    } else {
      if (current < versionWithSetHash) fillInSetHash(database)
      if (current < versionWithExports) fillInExports(database)
    }
    database.run(`PRAGMA application_id = ${applicationId}`)
    database.run(`PRAGMA user_version = ${schemaVersion}`)
  })
  // A table that others refer to is only replaced while nothing watches over references.
  database.run('PRAGMA foreign_keys = OFF')
  try {
    upgrade.immediate()
  } finally {
    database.run('PRAGMA foreign_keys = ON')
  }
}

/** Reports whether `error` says that another connection held the write lock for too long. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_BUSY') ?? false)
}

/** Reports whether `error` says that the file is damaged or no database at all. */
export function isCorrupt(error: unknown): boolean {
  return (
    error instanceof SQLiteError &&
    (error.code === 'SQLITE_NOTADB' || (error.code?.startsWith('SQLITE_CORRUPT') ?? false))
  )
}

/** Reports whether `error` says that the disk (or the allowed file size) is full. */
export function isFull(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === 'SQLITE_FULL'
}
