/** The database as commands open it: beside whoever serves it, and never making one by asking. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { databaseName, WriteStore } from '../store/store.ts'
import { StoreError } from '../store/store-error.ts'

/** Reports whether a data directory holds a database. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, databaseName))
}

/**
 * Throws a `StoreError` when a data directory holds no database: made by a question, an empty one
 * would answer that nothing is listed.
 */
export function requireDatabase(dataDir: string): void {
  if (hasDatabase(dataDir)) return
  throw new StoreError('open', `there is no database in ${dataDir}`, {
    hint: 'run "weir serve" or "weir import" first, or point WEIR_DATA at the right directory',
  })
}

/** Opens the database of a data directory; throws a `StoreError` when there is none. */
export function openExisting(dataDir: string): WriteStore {
  requireDatabase(dataDir)
  return WriteStore.open({ dataDir, role: 'background', now: Date.now })
}
