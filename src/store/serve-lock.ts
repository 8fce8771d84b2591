/**
 * One server per data directory: a lock file with the server's process id.
 *
 * A lock left by a process that is gone is taken over, and says that the last stop was unclean.
 */

import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
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

/**
 * Makes the lock, or returns false when there is one. It is created whole: a lock without a
 * process id would be taken for a stale one.
 */
function tryCreate(path: string): boolean {
  const made = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}`
  try {
    writeFileSync(made, `${process.pid}\n`, { mode: 0o600 })
    linkOrCopy(made, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw new StoreError('lock', `${path} cannot be written`, {
      cause: error,
      hint: 'check that the data directory may be written',
    })
  } finally {
    rmSync(made, { force: true })
  }
}

/** Gives a file a second name, which must be free; where disks know no links, copies it. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  }
}

/** Takes a stale lock away, or returns false when another process has: of several one succeeds. */
function tryRemove(path: string, stale: string): boolean {
  const aside = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}`
  try {
    renameSync(path, aside)
    if (readFileSync(aside, 'utf8') === stale) return true
    // It was a new one, of a server that was quicker: it goes back.
    linkOrCopy(aside, path)
    return false
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  } finally {
    rmSync(aside, { force: true })
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
  const held = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const pid = Number.parseInt(held, 10)
  if (isAlive(pid)) {
    throw new StoreError('lock', `a server (process ${pid}) already serves ${dataDir}`, {
      hint: `stop it, choose another WEIR_DATA, or remove ${path} if that process is no server`,
    })
  }
  if (!tryRemove(path, held) || !tryCreate(path)) {
    throw new StoreError('lock', `another server is just starting on ${dataDir}`, {
      hint: 'let it, or try again',
    })
  }
  return { wasUnclean: true, release }
}
