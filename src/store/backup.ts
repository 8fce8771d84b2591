/**
 * Backups of the database: when the operator asks for one, and by schedule. Each is made on a
 * connection of its own, while a server and imports run, and is a database that `restore` accepts.
 */

import type { Database } from 'bun:sqlite'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type CopyReport,
  copyDatabase,
  copyingFailed,
  makeBackups,
  timeInName,
} from './database-copy.ts'
import { busyTimeoutMs, openDatabase } from './schema.ts'
import { databaseName } from './store.ts'
import { StoreError } from './store-error.ts'

/** A backup that was made. */
export type BackupReport = CopyReport

/** The age from which the partial file of a killed backup is removed. */
const partialAgeMaxMs = 86_400_000

const scheduledName = /^weir-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/

const partialName = /^weir-.*\.partial(?:-journal)?$/

/**
 * Copies the database of a data directory to `file`, which must not be there yet.
 *
 * Throws a `StoreError` when there is no database, or when it cannot be copied; nothing is left
 * behind then.
 */
export function backUp(dataDir: string, file: string): BackupReport {
  const path = join(dataDir, databaseName)
  const target = resolve(file)
  if (!existsSync(path)) throw nothingIn(dataDir)
  try {
    const database = openDatabase(path, busyTimeoutMs.background, false)
    try {
      // An empty copy would look like a backup of everything.
      if (isEmpty(database)) throw nothingIn(dataDir)
      return copyDatabase(database, target)
    } finally {
      database.close()
    }
  } catch (error) {
    throw copyingFailed(target, error)
  }
}

const isEmpty = (database: Database): boolean =>
  database.query('SELECT 1 FROM sqlite_schema LIMIT 1').get() === null

function nothingIn(dataDir: string): StoreError {
  return new StoreError('back up', `there is no database in ${dataDir}`, {
    hint: 'point WEIR_DATA at the right directory',
  })
}

export interface BackupSchedule {
  readonly dataDir: string
  readonly now: number
  /** A backup is due when the newest is older than this. */
  readonly everyMs: number
  /** How many stay. */
  readonly keep: number
}

/**
 * Makes a backup in `backups/` when one is due, and removes the oldest beyond `keep`; returns null
 * when none is due.
 *
 * Decision: a backup from the future was made before the clock was set back, at an unknown time. It does
 * not put off the next one, and counts as older than all that are not from the future.
 */
export function scheduledBackup(schedule: BackupSchedule): BackupReport | null {
  const { dataDir, now, everyMs, keep } = schedule
  const directory = makeBackups(dataDir)
  const newest = scheduledIn(directory, now)[0]
  if (newest !== undefined && newest.age >= 0 && newest.age < everyMs) return null
  const report = backUp(dataDir, join(directory, `weir-${timeInName(now)}.db`))
  removeOld(directory, now, keep)
  return report
}

interface Scheduled {
  readonly path: string
  /** Milliseconds; negative for one from the future. */
  readonly age: number
}

/** Returns the backups made by schedule, the newest first. */
function scheduledIn(directory: string, now: number): Scheduled[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const time = parseTime(name)
      return time === null ? [] : [{ path: join(directory, name), age: floorToSecond(now) - time }]
    })
    .sort((a, b) => rank(a) - rank(b))
}

// Names carry whole seconds.
const floorToSecond = (time: number): number => Math.floor(time / 1000) * 1000

const rank = ({ age }: Scheduled): number => (age < 0 ? Number.MAX_SAFE_INTEGER + age : age)

/** Returns the time in the name of a backup made by schedule; null for every other name. */
function parseTime(name: string): number | null {
  const parts = scheduledName.exec(name)?.slice(1).map(Number)
  if (parts === undefined) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  const time = Date.UTC(year, month - 1, day, hour, minute, second)
  return name === `weir-${timeInName(time)}.db` ? time : null
}

function removeOld(directory: string, now: number, keep: number): void {
  try {
    for (const { path } of scheduledIn(directory, now).slice(keep)) rmSync(path, { force: true })
    for (const name of readdirSync(directory).filter((name) => partialName.test(name))) {
      const path = join(directory, name)
      const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
      if (Math.abs(now - writtenAt) > partialAgeMaxMs) rmSync(path, { force: true })
    }
  } catch (error) {
    throw new StoreError('back up', `${directory} cannot be tidied up`, {
      cause: error,
      hint: 'the backup is made; check who may write in that directory',
    })
  }
}
