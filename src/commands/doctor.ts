/** `weir doctor`: checks for problems, and says what to do about each. */

import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, describeUnknown, type LoadedConfig } from '../config.ts'
import { buildOverviews, type SourceOverview } from '../ingest/overview.ts'
import { loadSources, SourcesFileError } from '../ingest/sources.ts'
import { exitCodes } from '../model/operator-error.ts'
import { backupsName } from '../store/database-copy.ts'
import { runningServer } from '../store/serve-lock.ts'
import { databaseName, type ReadStore } from '../store/store.ts'
import { StoreError } from '../store/store-error.ts'
import { command, flag, hasDatabase, type Session } from './command.ts'
import {
  formatAge,
  formatCount,
  formatDuration,
  formatTime,
  problemLines,
  table,
} from './terminal.ts'

/** `warn` needs attention; `fail` keeps weir from working. */
type FindingState = 'ok' | 'warn' | 'fail'

interface Finding {
  readonly check: string
  readonly state: FindingState
  readonly detail: string
}

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
const warn = (check: string, detail: string): Finding => ({ check, state: 'warn', detail })
const fail = (check: string, detail: string): Finding => ({ check, state: 'fail', detail })

/** With less free space, imports will soon stop. */
const freeBytesMin = 256 * 1024 ** 2

/** The newest backup may be this many intervals old. */
const backupLateness = 2

/** A write this far in the future means that the clock went back. */
const clockToleranceMs = 60_000

/** The year of the first release: a clock before it is wrong. */
const earliestNow = Date.UTC(2026, 0, 1)

export const doctorCommand = command({
  summary: 'check for problems',
  usage: `weir doctor [--json]

Checks the settings, the disk, the database (all of it is read), the sources, the backups and the
clock. Changes nothing except what opening the database changes.

Ends with 0 when there is no problem, with 1 when a check warns or fails.`,
  options: { json: flag('print the findings as JSON') },
  async run({ json }, session) {
    const loaded = await session.settings()
    const { config } = loaded
    const findings = [
      ...settings(loaded),
      disk(config),
      ...(await databaseAndSources(config, session)),
      ...backups(config),
    ]
    const rows = findings.map(({ check, state, detail }) => [state, check, detail])
    console.log(
      json ? JSON.stringify({ findings }, null, 2) : table(['', 'check', 'finding'], rows),
    )
    return findings.every(({ state }) => state === 'ok') ? exitCodes.ok : exitCodes.failed
  },
})

function settings({ unknown, config }: LoadedConfig): Finding[] {
  if (unknown.length > 0) {
    return unknown.map((setting) => warn('settings', describeUnknown(setting)))
  }
  return [ok('settings', `no unknown ones; the data directory is ${config.dataDir}`)]
}

function disk({ dataDir }: Config): Finding {
  if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) {
    return warn('disk', `${dataDir} does not exist yet; "weir serve" creates it`)
  }
  const { bavail, bsize } = statfsSync(dataDir)
  const freeBytes = bavail * bsize
  const databaseBytes = statSync(join(dataDir, databaseName), { throwIfNoEntry: false })?.size ?? 0
  const free = `${formatCount(Math.floor(freeBytes / 1024 ** 2))} MiB free`
  if (freeBytes < freeBytesMin) return fail('disk', `${free}; free some space before imports stop`)
  // A backup and a restore each need room for a second database.
  if (freeBytes < databaseBytes * 2) return warn('disk', `${free}, too little for a backup`)
  return ok('disk', free)
}

async function databaseAndSources(config: Config, session: Session): Promise<Finding[]> {
  const { dataDir } = config
  if (!(await hasDatabase(dataDir))) {
    return [warn('database', `there is none in ${dataDir} yet; "weir serve" creates it`)]
  }
  try {
    const store = await session.openForReading(dataDir)
    store.checkIntegrity()
    return [database(store), server(config), clock(store), ...(await sources(store, config))]
  } catch (error) {
    if (error instanceof StoreError) return [fail('database', error.message)]
    throw error
  }
}

function database(store: ReadStore): Finding {
  const active = store.counters.scope('active').reduce((sum, { n }) => sum + n, 0)
  const { seq, epoch } = store.meta()
  if (!store.hasRightSetHash()) {
    return fail(
      'database',
      'rows were changed by another program; restore the last backup with "weir restore"',
    )
  }
  const detail = `sound, ${formatCount(active)} indicators at number ${seq} of epoch ${epoch}`
  return active === 0
    ? warn('database', `${detail}: every check answers not_found`)
    : ok('database', detail)
}

function server({ dataDir }: Config): Finding {
  const pid = runningServer(dataDir)
  return ok(
    'server',
    pid === null ? 'none is running on this data directory' : `process ${pid} is running`,
  )
}

function clock(store: ReadStore): Finding {
  const now = Date.now()
  const { changedAt } = store.meta()
  if (now < earliestNow) return fail('clock', `it shows ${formatTime(now)}; set it`)
  if (changedAt - now > clockToleranceMs) {
    const ahead = formatDuration(changedAt - now)
    return fail('clock', `the last change is ${ahead} in the future; the clock went back`)
  }
  return ok('clock', `${formatTime(now)} UTC`)
}

async function sources(store: ReadStore, config: Config): Promise<Finding[]> {
  const now = Date.now()
  const known = await loadSources(config.dataDir).catch((error: unknown) => {
    if (error instanceof SourcesFileError) return error
    throw error
  })
  if (known instanceof SourcesFileError) return [fail('sources', known.message)]
  const all = buildOverviews(store, known, config.keys, now)
  const problems = all.map((source) => findProblem(source)).filter((problem) => problem !== null)
  const wrong = problemLines(problems).map((line) => warn('sources', line))
  const fresh = all.filter(({ state }) => state === 'ok').length
  const waiting = all.filter(({ state }) => state === 'waiting').length
  const isOff = !config.fetch && fresh + waiting > 0
  const note = isOff ? '; WEIR_FETCH is off, so a server fetches none' : ''
  return [ok('sources', `${fresh} fresh, ${waiting} not fetched yet${note}`), ...wrong]
}

/** Returns what is wrong with an enabled source, or null. */
function findProblem({ name, state, error, key }: SourceOverview) {
  if (state === 'off' || state === 'withdrawn') return null
  if (state === 'needs_key') return { name, problem: `set ${key?.variable} to your key` }
  if (state === 'overdue' && error === null)
    return { name, problem: 'no successful fetch for too long' }
  return error === null ? null : { name, problem: error }
}

function backups({ dataDir, backupEveryMs }: Config): Finding[] {
  if (backupEveryMs === null) return [ok('backups', 'none scheduled (WEIR_BACKUP_EVERY is off)')]
  const directory = join(dataDir, backupsName)
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    return [ok('backups', 'none yet; a running server creates them')]
  }
  const times = readdirSync(directory)
    .filter((name) => name.endsWith('.db'))
    .map((name) => statSync(join(directory, name)).mtimeMs)
  const newest = times.length === 0 ? null : Math.max(...times)
  const now = Date.now()
  const detail = `${times.length}, the newest made ${formatAge(newest, now)}`
  const isLate = newest !== null && now - newest > backupLateness * backupEveryMs
  return [isLate ? warn('backups', `${detail}; is a server running?`) : ok('backups', detail)]
}
