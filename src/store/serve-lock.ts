/**
 * One server per data directory: a lock file with the server's process id.
 *
 * A lock left by a process that is gone is taken over, and says that the last stop was unclean.
 */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './store-error.ts'

/** The lock's file inside the data directory. */
const lockName = 'serve.lock'

export interface ServeLock {
  /** The last server did not stop in order. */
  readonly wasUnclean: boolean
  release(): void
}

function isAlive(pid: number): boolean {
  // In a container every server has the same id; a lock with our own id is an old one.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: there is such a process, but it is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function makeDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StoreError('lock', `${dataDir} cannot be made a data directory`, {
      cause: error,
      hint: 'point WEIR_DATA at a directory that may be written',
    })
  }
}

function tryCreate(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, `${process.pid}\n`)
    closeSync(file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw new StoreError('lock', `${path} cannot be written`, {
      cause: error,
      hint: 'check that the data directory may be written',
    })
  }
}

/** Returns the process id of the server that holds a data directory, or null when none does. */
export function runningServer(dataDir: string): number | null {
  const path = join(dataDir, lockName)
  if (!existsSync(path)) return null
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
  return isAlive(pid) ? pid : null
}

/** Takes the lock of a data directory, or throws a `StoreError` when another server holds it. */
export function takeServeLock(dataDir: string): ServeLock {
  const path = join(dataDir, lockName)
  const release = (): void => rmSync(path, { force: true })
  makeDirectory(dataDir)
  if (tryCreate(path)) return { wasUnclean: false, release }
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
  if (isAlive(pid)) {
    throw new StoreError('lock', `a server (process ${pid}) already serves ${dataDir}`, {
      hint: `stop it, choose another WEIR_DATA, or remove ${path} if that process is no server`,
    })
  }
  release()
  if (!tryCreate(path)) {
    throw new StoreError('lock', `another server is just starting on ${dataDir}`, {
      hint: 'let it, or try again',
    })
  }
  return { wasUnclean: true, release }
}
