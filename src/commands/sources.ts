/** `weir sources`: the sources, their state, and the operator's decisions about them. */

import type { Config } from '../config.ts'
import { buildOverviews, type SourceOverview, type SourceState } from '../ingest/overview.ts'
import { openOutbound, type Refreshed, Refresher } from '../ingest/refresh.ts'
import { type KnownSource, loadSources, toSourceDescription } from '../ingest/sources.ts'
import {
  type SourceAction,
  type Switched,
  storedDescription,
  switchSource,
} from '../ingest/switching.ts'
import { exitCodes } from '../model/operator-error.ts'
import { timeText } from '../publish/wire.ts'
import type { WriteStore } from '../store/store.ts'
import { argumentList, command, flag, UsageError } from './command.ts'
import { namingOver } from './naming.ts'
import {
  cut,
  formatAge,
  formatCount,
  formatDuration,
  formatTime,
  problemLines,
  table,
} from './terminal.ts'

const usage = `weir sources [NAME] [--json]
weir sources run NAME… | --all [--force] [--json]
weir sources enable NAME [--json]
weir sources disable NAME [--withdraw] [--json]

Without arguments, lists every source: whether it is fetched, its last success, its number of
entries, and its last error. With a NAME, shows one source in full, with its licence and terms.

run      fetches and reads the sources now, due or not
enable   lets a running server fetch the source from now on; if it was withdrawn, its listings are
         restored, and it is fetched if it was before
disable  ends that

Sources of your own go in sources.toml in the data directory, shaped like data/sources.toml; a
running server reads the file again each time it checks which sources are due.
Ends with 1 when a list could not be fetched or was held back.`

/** The width of a licence in the list; the page of one source has it in full. */
const licenceWidth = 24

/** What every action of this command works on. */
interface Work {
  readonly config: Config
  readonly sources: readonly KnownSource[]
  readonly store: WriteStore
  readonly isJson: boolean
}

export const sourcesCommand = command({
  summary: 'show, fetch, enable, disable and withdraw sources',
  usage,
  options: {
    arguments: argumentList,
    all: flag('run every enabled source'),
    force: flag('accept a list even if it is unchanged, empty, or shrank by more than half'),
    withdraw: flag('disable the source and delist everything it lists, at once'),
    json: flag('print JSON'),
  },
  async run({ arguments: [action = '', ...names], all, force, withdraw, json }, session) {
    const config = await session.config()
    const sources = await loadSources(config.dataDir)
    const isQuestion = !['run', 'enable', 'disable'].includes(action)
    const { dataDir } = config
    const store = await (isQuestion ? session.openExisting(dataDir) : session.openStore(dataDir))
    const work: Work = { config, sources, store, isJson: json }
    switch (action) {
      case 'run':
        return await run(work, names, all, force)
      case 'enable':
        return await change(work, names, 'enable')
      case 'disable':
        return await change(work, names, withdraw ? 'withdraw' : 'disable')
      default:
        if (names.length > 0) throw new UsageError('name one source, or run, enable or disable')
        return show(work, action === '' ? undefined : action)
    }
  },
})

function show({ store, sources, config, isJson }: Work, name: string | undefined): number {
  const all = buildOverviews(store, sources, config.keys, Date.now())
  const chosen = name === undefined ? all : all.filter((source) => source.name === name)
  const [one] = chosen
  if (one === undefined) throw noSuchSource(name ?? '')
  if (isJson) {
    console.log(JSON.stringify(name === undefined ? chosen.map(toRecord) : toRecord(one), null, 2))
  } else {
    console.log(name === undefined ? describeAll(chosen) : describeOne(one))
  }
  return exitCodes.ok
}

const timeOrNull = (time: number | null): string | null => (time === null ? null : timeText(time))

/** Returns a source as `--json` prints it. Times are RFC 3339. */
function toRecord(source: SourceOverview) {
  const { intervalMs, lastSuccess, lastFailure, nextAt, lastRun, ...others } = source
  return {
    ...others,
    lastRun: lastRun === null ? null : { ...lastRun, at: timeOrNull(lastRun.at) },
    intervalSeconds: intervalMs === null ? null : intervalMs / 1000,
    lastSuccess: timeOrNull(lastSuccess),
    lastFailure: timeOrNull(lastFailure),
    nextAt: timeOrNull(nextAt),
  }
}

/** The meaning of each state. */
const stateMeanings: Readonly<Record<SourceState, string>> = {
  ok: 'the last fetch succeeded',
  waiting: 'enabled, and not fetched yet',
  failing: 'the last attempt failed',
  overdue: 'no successful fetch for too long',
  needs_key: 'enabled, and lacks its key',
  off: 'not fetched',
  withdrawn: 'not fetched, and its listings are withdrawn',
  import: 'only imported, never fetched',
}

const noSuchSource = (name: string): UsageError =>
  new UsageError(`there is no source ${name}; "weir sources" lists them`)

function describeAll(sources: readonly SourceOverview[]): string {
  const now = Date.now()
  const rows = sources.map((source) => [
    source.name,
    source.role,
    source.state.replace('_', ' '),
    formatCount(source.entries).padStart(9),
    formatAge(source.lastSuccess, now),
    source.intervalMs === null ? '' : formatDuration(source.intervalMs),
    cut(source.licence ?? '', licenceWidth),
  ])
  const head = ['source', 'role', 'state', '  entries', 'last success', 'every', 'licence']
  const problems = problemLines(
    sources.flatMap(({ name, error }) => (error === null ? [] : [{ name, problem: error }])),
  )
  const more = 'weir sources NAME shows one in full.'
  return [table(head, rows), '', ...problems, ...(problems.length > 0 ? [''] : []), more].join('\n')
}

function describeOne(source: SourceOverview): string {
  const { key } = source
  const refused = Object.entries(source.lastRun?.refused ?? {})
  const rows: [string, string | null][] = [
    ['source', `${source.name} (${source.title})`],
    ['role', source.role],
    ['state', `${source.state.replace('_', ' ')}: ${stateMeanings[source.state]}`],
    ['home', source.home],
    ['fetched from', source.url],
    ['key', key === null ? null : `${key.variable}, ${key.isSet ? 'set' : 'not set'}`],
    ['format', source.format],
    ['licence', source.licence],
    ['terms', source.terms],
    ['published', source.redistribute ? 'yes' : 'no, it answers checks only'],
    ['entries', formatCount(source.entries)],
    ['last success', source.lastSuccess === null ? null : formatTime(source.lastSuccess)],
    ['last failure', source.lastFailure === null ? null : formatTime(source.lastFailure)],
    ['problem', source.error],
    ['failures', source.failures > 1 ? `${source.failures} in a row` : null],
    ['fetched every', source.intervalMs === null ? null : formatDuration(source.intervalMs)],
    ['next', source.nextAt === null ? null : formatTime(source.nextAt)],
    ['last list', source.lastRun === null ? null : `${formatCount(source.lastRun.read)} entries`],
    ...refused.map(([reason, n]): [string, string] => ['  refused', `${formatCount(n)} ${reason}`]),
  ]
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(14)}${value}`)
    .join('\n')
}

async function run(
  { config, sources, store, isJson }: Work,
  names: readonly string[],
  isAll: boolean,
  isForced: boolean,
): Promise<number> {
  if (isAll === names.length > 0) throw new UsageError('name the sources to run, or use --all')
  const refresher = new Refresher({
    ...config,
    store,
    outbound: openOutbound(config),
    naming: namingOver(store, config),
    sources,
    now: Date.now,
    random: Math.random,
    onCommit: () => {},
    signal: new AbortController().signal,
  })
  const chosen = isAll
    ? refresher.enabled()
    : names.map((name) => findFetchable(store, sources, name))
  const results = await refresher.refreshAll(chosen, isForced)
  console.log(isJson ? JSON.stringify(results) : results.map(describeRefreshed).join('\n'))
  const isGood = results.every(({ kind }) => kind === 'imported' || kind === 'unchanged')
  return isGood ? exitCodes.ok : exitCodes.failed
}

function findFetchable(
  store: WriteStore,
  sources: readonly KnownSource[],
  name: string,
): KnownSource {
  const source = sources.find((candidate) => candidate.name === name)
  if (source !== undefined && source.url !== null) return source
  if (source === undefined && store.sources.byName(name) === null) throw noSuchSource(name)
  throw new UsageError(`${name} has no address to fetch; use "weir import"`)
}

function describeRefreshed(refreshed: Refreshed): string {
  switch (refreshed.kind) {
    case 'unchanged':
      return `${refreshed.source}: unchanged`
    case 'imported': {
      const { read, added, changed, delisted, refused } = refreshed.report
      const refusals = Object.values(refused).reduce((sum, { count }) => sum + count, 0)
      const counts = [
        `${formatCount(read)} read`,
        `${formatCount(added)} added`,
        `${formatCount(changed)} changed`,
        `${formatCount(delisted)} delisted`,
        `${formatCount(refusals)} refused`,
      ]
      return `${refreshed.source}: ${counts.join(', ')}`
    }
    case 'held_back':
    case 'failed':
      return `${refreshed.source}: ${refreshed.error}`
  }
}

async function change(
  { config, store, sources, isJson }: Work,
  names: readonly string[],
  action: SourceAction,
): Promise<number> {
  const [name, ...more] = names
  if (name === undefined || more.length > 0) throw new UsageError('name exactly one source')
  const known = sources.find((source) => source.name === name)
  const description =
    known === undefined ? storedDescription(store, name) : toSourceDescription(known)
  if (description === null || description.role === 'weir') throw noSuchSource(name)
  const switched = await switchSource(store, description, action, Date.now())
  if (isJson) {
    console.log(JSON.stringify({ source: name, action, ...switched }))
    return exitCodes.ok
  }
  const [now] = buildOverviews(
    store,
    known === undefined ? [] : [known],
    config.keys,
    Date.now(),
  ).filter((source) => source.name === name)
  console.log(describeSwitched(name, action, switched, now))
  return exitCodes.ok
}

function describeSwitched(
  name: string,
  action: SourceAction,
  { delisted, changed }: Switched,
  now: SourceOverview | undefined,
): string {
  const lines = [
    `${name} is ${{ enable: 'enabled', disable: 'disabled', withdraw: 'withdrawn' }[action]}`,
  ]
  if (delisted > 0)
    lines.push(`  ${formatCount(delisted)} listings of this source alone were delisted`)
  if (changed > 0) lines.push(`  ${formatCount(changed)} listings were restored or changed`)
  if (action === 'enable' && now !== undefined) {
    if (now.state === 'off')
      lines.push('  it is not fetched, as before; enable it again to fetch it')
    if (now.nextAt !== null) lines.push('  a running server fetches it within a minute')
    if (now.key !== null && !now.key.isSet) lines.push(`  set ${now.key.variable} to your key`)
    if (now.terms !== null) lines.push(`  its terms: ${now.terms}`)
  }
  return lines.join('\n')
}
