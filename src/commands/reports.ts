/** `weir reports`: what strangers have reported, and the operator's word about it. */

import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../config.ts'
import { loadStoredGuards } from '../feeds/guards.ts'
import { refusalMeanings } from '../feeds/judge.ts'
import {
  acceptReport,
  beginReview,
  type Reviewed,
  type ReviewRefusal,
  rejectReport,
} from '../feeds/report-review.ts'
import { exitCodes } from '../model/operator-error.ts'
import { type ReportStatus, reportStatuses } from '../model/report.ts'
import type { Result } from '../model/result.ts'
import { timeText } from '../publish/wire.ts'
import type { StoredReport } from '../store/reports.ts'
import type { WriteStore } from '../store/store.ts'
import { type Command, UsageError } from './command.ts'
import { openExisting } from './database.ts'
import { nameOf, reasonOf } from './decide.ts'
import { labelled, paragraph } from './layout.ts'
import { namingOver } from './naming.ts'
import { cut, formatCount, formatTime, table } from './terminal.ts'

const usage = `weir reports list [--status STATUS] [--json]
weir reports show ID [--by NAME] [--json]
weir reports accept ID [--reason TEXT] [--unlisted] [--by NAME] [--json]
weir reports reject ID --reason TEXT [--by NAME] [--json]

What people have sent by POST /api/report-scam waits here for your word; until then nothing of it is
shown, and it changes no answer. E-mail addresses, phone, card and social-security numbers and tokens
in it were masked before it was stored.

list    those that are open, the oldest first; --status ${reportStatuses.join(', ')}
show    one, with all its steps; from then on it is in review
accept  lists what it names, by the source "reports" and under the guards of every list, and shows its
        text in search and feeds: read it first. An appeal (false_positive) ends the listing instead,
        and no feed brings it back; "weir clear" does. --unlisted shows the text and lists nothing
reject  takes back as well what accepting it has done before

--reason TEXT  why; whoever sent the report reads it
--by NAME      who decides; the login name ($USER) when left out
--json         print JSON`

/** How many reports are read at once. */
const sliceRows = 1_000

/** How much of a report stands in the list. */
const glimpseColumns = 60

/** How many other reports of a value are told. */
const othersMax = 20

export const reportsCommand: Command = {
  summary: 'show what people have reported; accept or reject it',
  usage,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        status: { type: 'string' },
        reason: { type: 'string' },
        by: { type: 'string' },
        unlisted: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [verb = 'list', id, ...rest] = positionals
    if (rest.length > 0) throw new UsageError('name one report')
    const { config } = await loadConfig(process.env)
    const asJson = values.json === true
    if (verb === 'list') {
      if (id !== undefined) throw new UsageError('"list" takes no report; "show" does')
      return await withStore(config, (store) => list(store, values.status, asJson))
    }
    const by = nameOf(values.by)
    const reason = values.reason === undefined ? null : reasonOf(values.reason)
    switch (verb) {
      case 'show':
        return await withStore(config, (store) => show(store, reportNamed(store, id), by, asJson))
      case 'accept':
        return await withStore(config, async (store) => {
          const isListed = values.unlisted !== true
          const report = reportNamed(store, id)
          if (!isListed && report.type === 'false_positive') {
            throw new UsageError('--unlisted: an appeal lists nothing in any case')
          }
          const standing = standingAround(store, report)
          const parts = partsOver(store, config)
          const reviewed = await acceptReport(parts, report.id, { reason, by }, isListed)
          return tell(report, reviewed, asJson, standing)
        })
      case 'reject':
        if (reason === null) throw new UsageError('say why: --reason TEXT, for whoever sent it')
        return await withStore(config, async (store) => {
          const report = reportNamed(store, id)
          const standing = standingAround(store, report)
          const reviewed = await rejectReport(partsOver(store, config), report.id, { reason, by })
          return tell(report, reviewed, asJson, standing)
        })
      default:
        throw new UsageError(`${verb}: choose one of list, show, accept, reject`)
    }
  },
}

async function withStore(
  { dataDir }: Config,
  work: (store: WriteStore) => number | Promise<number>,
): Promise<number> {
  const store = openExisting(dataDir)
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

function partsOver(store: WriteStore, config: Config) {
  const guards = loadStoredGuards(store)
  const { platforms } = guards
  return { store, guards, platforms, naming: namingOver(store, config), now: Date.now }
}

/** Finds a report by its number, or by the id that whoever sent it was given. */
function reportNamed(store: WriteStore, text: string | undefined): StoredReport {
  if (text === undefined) throw new UsageError('name a report by its number')
  const isNumber = /^[1-9]\d{0,14}$/.test(text)
  const found = isNumber ? store.reports.byId(Number(text)) : store.reports.byName(text)
  if (found !== null) return found
  if (isNumber || /^[0-9a-f-]{36}$/.test(text)) throw noReport(text)
  throw new UsageError(`${text}: name a report by its number, as "weir reports list" tells it`)
}

/** Returns the reports of a status, or those that are open, in the order in which they came. */
function reportsOf(store: WriteStore, status: string | undefined): StoredReport[] {
  const named = reportStatuses.find((candidate) => candidate === status)
  if (status !== undefined && named === undefined) {
    throw new UsageError(`--status ${status}: choose one of ${reportStatuses.join(', ')}`)
  }
  const wanted: readonly ReportStatus[] = named === undefined ? ['received', 'in_review'] : [named]
  const rows: StoredReport[] = []
  for (const one of wanted) {
    for (let slice = store.reports.ofStatus(one, 0, sliceRows); slice.length > 0; ) {
      rows.push(...slice)
      slice = store.reports.ofStatus(one, slice.at(-1)?.id ?? 0, sliceRows)
    }
  }
  return rows.sort((a, b) => a.id - b.id)
}

/** A report for scripts. Times are RFC 3339. */
function recordOf(row: StoredReport): object {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    value: row.value,
    valueType: row.valueType,
    description: row.description,
    targetBrand: row.targetBrand,
    contact: row.contact,
    status: row.status,
    reason: row.reason,
    count: row.count,
    createdAt: timeText(row.createdAt),
    updatedAt: timeText(row.updatedAt),
    toldAt: timeText(row.toldAt),
  }
}

/** What strangers write is shown on one line, whatever it holds. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

function list(store: WriteStore, status: string | undefined, asJson: boolean): number {
  const rows = reportsOf(store, status)
  if (asJson) console.log(JSON.stringify(rows.map(recordOf), null, 2))
  else if (rows.length === 0)
    console.log(status === undefined ? 'No report waits for you.' : 'None.')
  else {
    const cells = rows.map((row) => [
      String(row.id),
      row.type,
      row.status,
      formatTime(row.toldAt),
      formatCount(row.count),
      cut(oneLine(row.value ?? row.description ?? '(erased)'), glimpseColumns),
    ])
    console.log(table(['id', 'type', 'status', 'last told (UTC)', 'times', 'what'], cells))
    console.log('"weir reports show ID" tells all of one.')
  }
  return exitCodes.ok
}

/** Reports whether what a report names is listed at this moment, by whomever. */
function isActive(store: WriteStore, { value, valueType: type }: StoredReport): boolean {
  return value !== null && type !== null && store.byValue(value, type)?.isActive === true
}

/** How what a report names stands before and after a word about it. */
function standingAround(store: WriteStore, report: StoredReport) {
  return { wasListed: isActive(store, report), isActive: () => isActive(store, report) }
}

/** Tells how what a report names stands; null when it names nothing that could be listed. */
function standingOf(store: WriteStore, { value, valueType: type }: StoredReport): string | null {
  if (value === null || type === null) return null
  const row = store.byValue(value, type)
  if (row?.isActive !== true) return 'no; "weir check" tells what is said of it'
  const sources = row.sources.length === 0 ? 'private lists' : row.sources.join(', ')
  return `since ${formatTime(row.listedAt)} UTC, by ${sources}`
}

async function show(
  store: WriteStore,
  found: StoredReport,
  by: string,
  asJson: boolean,
): Promise<number> {
  const { id } = found
  await beginReview({ store, now: Date.now }, found, by)
  const row = store.reports.byId(id) ?? found
  const events = store.reports.events(id)
  const others =
    row.value === null
      ? []
      : store.reports.ofValue(row.value, othersMax).filter((other) => other.id !== id)
  if (asJson) {
    const steps = events.map(({ at, status, reason, by: who }) => {
      return { at: timeText(at), status, reason, by: who }
    })
    const same = others.map((other) => ({ id: other.id, status: other.status }))
    console.log(JSON.stringify({ ...recordOf(row), events: steps, sameValue: same }, null, 2))
    return exitCodes.ok
  }
  const same = others.map((other) => `${other.id} (${other.status})`).join(', ')
  const often = row.count === 1 ? 'once' : `${formatCount(row.count)} times`
  console.log(
    labelled([
      ['report', `${row.id}, ${row.type}, ${row.status}`],
      ['sent as', row.name],
      ['value', onOneLine(row.value)],
      ['listed', standingOf(store, row)],
      ['imitates', onOneLine(row.targetBrand)],
      ['contact', onOneLine(row.contact)],
      ['told', `${often}, last ${formatTime(row.toldAt)} UTC`],
      ['same value', same === '' ? null : `reports ${same}`],
    ]),
  )
  if (row.description !== null) console.log(`\n${textOf(row.description)}\n`)
  for (const { at, status, reason, by: who } of events) {
    const why = reason === null ? '' : `: ${oneLine(reason)}`
    console.log(`${formatTime(at)}  ${status} by ${who}${why}`)
  }
  return exitCodes.ok
}

/** A line of a stranger's own could pass for one of weir's. */
const onOneLine = (text: string | null): string | null => (text === null ? null : oneLine(text))

const textOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => paragraph(line, 4))
    .join('\n')

function noReport(id: number | string): UsageError {
  return new UsageError(`there is no report ${id}; "weir reports list" tells which there are`)
}

function explain(id: number, refusal: ReviewRefusal): string {
  switch (refusal.kind) {
    case 'unknown':
      return noReport(id).message
    case 'settled':
      return `report ${id} is settled so already; "weir reports show ${id}" tells since when`
    case 'erased':
      return `what report ${id} said was erased 30 days after it was rejected`
    case 'blocked':
      return `you have blocked what report ${id} appeals; "weir clear" takes your word back first`
    case 'guarded':
      return (
        `report ${id} names ${refusalMeanings[refusal.reason]}; "--unlisted" accepts its text alone, ` +
        '"weir block" lists above every guard'
      )
  }
}

/** Tells what a review did, and returns the exit code. */
function tell(
  { id }: StoredReport,
  reviewed: Result<Reviewed, ReviewRefusal>,
  asJson: boolean,
  standing: { readonly wasListed: boolean; isActive(): boolean },
): number {
  if (!reviewed.ok) {
    if (reviewed.reason.kind === 'unknown') throw noReport(id)
    console.error(`weir: ${explain(id, reviewed.reason)}`)
    return exitCodes.failed
  }
  const { report, value } = reviewed.value
  if (asJson) {
    console.log(JSON.stringify({ ...recordOf(report), changed: value }, null, 2))
    return exitCodes.ok
  }
  console.log(`report ${id} is ${report.status}`)
  const isShown = report.status === 'accepted' && report.type !== 'false_positive'
  if (isShown) console.log('  what it says is shown in search and feeds')
  if (isShown && value === null) console.log('  nothing is listed by it')
  if (value !== null) {
    const isAppeal = report.type === 'false_positive'
    const isListed = (report.status === 'accepted') !== isAppeal
    const what = isAppeal
      ? isListed
        ? 'may be listed again'
        : `${standing.wasListed ? '' : 'was not listed, and '}is allowed from now on, whatever lists it`
      : isListed
        ? standing.isActive()
          ? 'is listed'
          : 'stays allowed by your own word'
        : 'is listed by it no longer'
    console.log(`  ${value} ${what}`)
    console.log('  A running server follows within a second.')
  }
  return exitCodes.ok
}
