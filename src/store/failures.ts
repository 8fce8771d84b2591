/** What failures of SQLite mean to an operator, and what is to be done about each. */

import { isBusy, isCorrupt, isFull } from './schema.ts'
import { StoreError } from './store-error.ts'

/**
 * Returns what to do about a failure of SQLite that nothing else has explained, or null when it is none
 * that an operator can do anything about.
 */
export function explainFailure(error: unknown): StoreError | null {
  if (isCorrupt(error)) {
    return new StoreError('read', 'the database is damaged', {
      cause: error,
      hint: 'restore the last backup with "weir restore", or move weir.db away to start empty',
    })
  }
  if (isFull(error)) {
    return new StoreError('write', 'the disk is full', { cause: error, hint: 'free some space' })
  }
  if (!isBusy(error)) return null
  return new StoreError('write', 'another process holds the database', {
    cause: error,
    hint: 'wait for it to end, then try again',
  })
}

/** Returns why a database cannot be opened, and what to do about it. */
export function openingFailed(path: string, error: unknown): Error {
  if (error instanceof StoreError) return error
  if (isCorrupt(error) || !(error instanceof Error) || error.name === 'Error') {
    return new StoreError('open', `${path} is damaged or no database`, {
      cause: error,
      hint: 'it is left untouched; restore the last backup over it, or move it away to start empty',
    })
  }
  return new StoreError('open', `${path} cannot be opened: ${error.message}`, {
    cause: error,
    hint: 'check that the data directory exists and may be written',
  })
}

/** Returns why a batch could not be written, and what to do about it. */
export function writingFailed(path: string, error: unknown): Error {
  if (error instanceof StoreError) return error
  if (isBusy(error)) {
    return new StoreError('write', `${path} has been locked by another process for too long`, {
      cause: error,
      hint: 'wait for the other import to end, then try again',
    })
  }
  if (isFull(error)) {
    return new StoreError('write', `${path} cannot grow: the disk is full`, {
      cause: error,
      hint: 'free some space; look-ups continue meanwhile',
    })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new StoreError('write', `${path} cannot be written: ${message}`, {
    cause: error,
    hint: 'check the disk and the permissions of the data directory',
  })
}
