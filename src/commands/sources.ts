/** `weir sources`: what feeds weir, how it goes, and the operator's word about it. */

import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../config.ts'
import { overviewOf, type SourceOverview, type SourceState } from '../feeds/overview.ts'
import { openOutbound, type Refreshed, Refresher } from '../feeds/refresh.ts'
import { descriptionOf, type KnownSource, loadSources } from '../feeds/sources.ts'
import {
  type SourceWord,
  type Switched,
  storedDescription,
  switchSource,
} from '../feeds/switching.ts'
import { exitCodes } from '../model/operator-error.ts'
import { timeText } from '../publish/wire.ts'
import { WriteStore } from '../store/store.ts'
import { toFetchSettings } from '../weir.ts'
import { type Command, UsageError } from './command.ts'
import { requireDatabase } from './database.ts'
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

Without more, lists every source: whether it is fetched, when it last came, what it holds, and what
went wrong. With a NAME, tells all of one, its licence and terms too.

run      fetches and reads now, due or not; --all: every source that is enabled. --force takes a
         list as it is, even unchanged, empty, or shrunken by more than half
enable   lets a running server fetch the source from now on; of one that was withdrawn it gives back
         what it lists, and fetches it if it did before
disable  ends that; with --withdraw, all that the source lists is taken back at once

Sources of your own go in sources.toml in the data directory, shaped like data/sources.toml; a
running server reads it anew each time it looks what is due.
Ends with 1 when a list could not be fetched or was held back.`

/** Licences are told in full with a single source. */
const licenceWidth = 24

/** Everything the words of this command work on. */
interface Work {
  readonly config: Config
  readonly sources: readonly KnownSource[]
  readonly store: WriteStore
  readonly isJson: boolean
}

export const sourcesCommand: Command = {
  summary: 'show, fetch, enable, disable and withdraw sources',
  usage,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        all: { type: 'boolean' },
        force: { type: 'boolean' },
        withdraw: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [word, ...names] = positionals
    const { config } = await loadConfig(process.env)
    const sources = await loadSources(config.dataDir)
    const isQuestion = !['run', 'enable', 'disable'].includes(word ?? '')
    if (isQuestion) requireDatabase(config.dataDir)
    const store = WriteStore.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
    const work: Work = { config, sources, store, isJson: values.json === true }
    try {
      switch (word ?? '') {
        case 'run':
          return await run(work, names, values.all === true, values.force === true)
        case 'enable':
          return await change(work, names, 'enable')
        case 'disable':
          return await change(work, names, values.withdraw === true ? 'withdraw' : 'disable')
        default:
          if (names.length > 0) throw new UsageError('name one source, or run, enable or disable')
          return show(work, word)
      }
    } finally {
      store.close()
    }
  },
}

function show({ store, sources, config, isJson }: Work, name: string | undefined): number {
  const all = overviewOf(store, sources, config.keys, Date.now())
  const chosen = name === undefined ? all : all.filter((source) => source.name === name)
  const [one] = chosen
  if (one === undefined) throw noSuchSource(name ?? '')
  if (isJson) {
    console.log(JSON.stringify(name === undefined ? chosen.map(recordOf) : recordOf(one), null, 2))
  } else {
    console.log(name === undefined ? describeAll(chosen) : describeOne(one))
  }
  return exitCodes.ok
}

const timeOf = (time: number | null): string | null => (time === null ? null : timeText(time))

/** One source as JSON; times are RFC 3339. */
function recordOf(source: SourceOverview) {
  const { intervalMs, lastSuccess, lastFailure, nextAt, lastRun, ...words } = source
  return {
    ...words,
    lastRun: lastRun === null ? null : { ...lastRun, at: timeOf(lastRun.at) },
    intervalSeconds: intervalMs === null ? null : intervalMs / 1000,
    lastSuccess: timeOf(lastSuccess),
    lastFailure: timeOf(lastFailure),
    nextAt: timeOf(nextAt),
  }
}

/** What each state means, for the operator. */
const stateMeanings: Readonly<Record<SourceState, string>> = {
  ok: 'the last fetch was good',
  waiting: 'enabled, and not fetched yet',
  failing: 'the last attempt failed',
  overdue: 'nothing has come for too long',
  needs_key: 'enabled, and lacks its key',
  off: 'not fetched',
  withdrawn: 'not fetched, and what it lists is taken back',
  import: 'only imported, never fetched',
}

const noSuchSource = (name: string): UsageError =>
  new UsageError(`there is no source ${name}; "weir sources" names them`)

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
  const more = 'weir sources NAME tells all of one.'
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
    ['passed on', source.redistribute ? 'yes' : 'no, it answers checks only'],
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
  if (isAll === names.length > 0) throw new UsageError('name sources to run, or say --all')
  const settings = toFetchSettings(config)
  const refresher = new Refresher({
    ...settings,
    store,
    dataDir: config.dataDir,
    outbound: openOutbound(settings),
    naming: namingOver(store, config),
    sources,
    now: Date.now,
    random: Math.random,
    onCommit: () => {},
    signal: new AbortController().signal,
  })
  const chosen = isAll ? refresher.enabled() : names.map((name) => fetchable(store, sources, name))
  const results = await refresher.refreshAll(chosen, isForced)
  console.log(isJson ? JSON.stringify(results) : results.map(describeRefreshed).join('\n'))
  const isGood = results.every(({ kind }) => kind === 'imported' || kind === 'unchanged')
  return isGood ? exitCodes.ok : exitCodes.failed
}

function fetchable(store: WriteStore, sources: readonly KnownSource[], name: string): KnownSource {
  const source = sources.find((candidate) => candidate.name === name)
  if (source !== undefined && source.url !== null) return source
  if (source === undefined && store.sources.byName(name) === null) throw noSuchSource(name)
  throw new UsageError(`${name} has no address to be fetched from; use "weir import"`)
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
  word: SourceWord,
): Promise<number> {
  const [name, ...more] = names
  if (name === undefined || more.length > 0) throw new UsageError('name exactly one source')
  const known = sources.find((source) => source.name === name)
  const description = known === undefined ? storedDescription(store, name) : descriptionOf(known)
  if (description === null || description.role === 'weir') throw noSuchSource(name)
  const switched = await switchSource(store, description, word, Date.now())
  if (isJson) {
    console.log(JSON.stringify({ source: name, word, ...switched }))
    return exitCodes.ok
  }
  const [now] = overviewOf(
    store,
    known === undefined ? [] : [known],
    config.keys,
    Date.now(),
  ).filter((source) => source.name === name)
  console.log(describeSwitched(name, word, switched, now))
  return exitCodes.ok
}

function describeSwitched(
  name: string,
  word: SourceWord,
  { delisted, changed }: Switched,
  now: SourceOverview | undefined,
): string {
  const lines = [
    `${name} is ${{ enable: 'enabled', disable: 'disabled', withdraw: 'withdrawn' }[word]}`,
  ]
  if (delisted > 0) lines.push(`  ${formatCount(delisted)} listings of its alone are taken back`)
  if (changed > 0) lines.push(`  ${formatCount(changed)} listings are back, or say something else`)
  if (word === 'enable' && now !== undefined) {
    if (now.state === 'off') lines.push('  it is not fetched, as before; enable it again for that')
    if (now.nextAt !== null) lines.push('  a running server fetches it within a minute')
    if (now.key !== null && !now.key.isSet) lines.push(`  set ${now.key.variable} to your key`)
    if (now.terms !== null) lines.push(`  its terms: ${now.terms}`)
  }
  return lines.join('\n')
}
