/**
 * The key of this instance, in a file of its own next to the database: a copy of the database alone is not
 * enough to make tokens.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './store-error.ts'

/** The file inside the data directory. */
export const instanceKeyName = 'instance.key'

const keyBytes = 32

function readKey(path: string): Uint8Array | null {
  try {
    return Uint8Array.fromHex(readFileSync(path, 'utf8').trim())
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Writes the key under another name first: on a full disk half of a key would be left. */
function writeKey(path: string, key: Uint8Array): void {
  const temporary = `${path}.new`
  try {
    writeFileSync(temporary, `${key.toHex()}\n`, { mode: 0o600, flush: true })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * Returns the key of the instance, making it first when there is none. Only one server at a time works on
 * a data directory, so no other process makes one at the same time.
 *
 * Throws a `StoreError` for a file that holds no key, which is left as it is.
 */
export function instanceKey(dataDir: string): Uint8Array {
  const path = join(dataDir, instanceKeyName)
  try {
    const known = readKey(path)
    if (known === null) {
      const key = crypto.getRandomValues(new Uint8Array(keyBytes))
      writeKey(path, key)
      return key
    }
    if (known.length === keyBytes) return known
  } catch (error) {
    throw keyUnreadable(path, error)
  }
  throw keyUnreadable(path, null)
}

function keyUnreadable(path: string, cause: unknown): StoreError {
  return new StoreError('open', `${path} holds no key that can be read`, {
    cause,
    hint: 'put it back from a copy, or remove it: links that were given out then end',
  })
}
