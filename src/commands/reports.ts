/** `weir reports`: reports sent by strangers, and the operator's decisions about them. */

import type { Config } from '../config.ts'
import { loadStoredGuards } from '../ingest/guards.ts'
import { refusalMeanings } from '../ingest/judge.ts'
import { exitCodes } from '../model/operator-error.ts'
import { type ReportStatus, reportStatuses } from '../model/report.ts'
import type { Result } from '../model/result.ts'
import { timeText } from '../publish/wire.ts'
import {
  acceptReport,
  beginReview,
  type Reviewed,
  type ReviewRefusal,
  rejectReport,
} from '../reports/review.ts'
import type { StoredReport } from '../store/reports.ts'
import type { WriteStore } from '../store/store.ts'
import { argumentList, command, flag, text, UsageError } from './command.ts'
import { byOption, parseName, parseReason } from './decide.ts'
import { namingOver } from './naming.ts'
import { cut, formatCount, formatTime, labelled, paragraph, table } from './terminal.ts'

const usage = `weir reports list [--status STATUS] [--json]
weir reports show ID [--by NAME] [--json]
weir reports accept ID [--reason TEXT] [--unlisted] [--by NAME] [--json]
weir reports reject ID --reason TEXT [--by NAME] [--json]

Reports sent by POST /api/report-scam wait here for your decision; until then nothing of them is
published, and they change no answer. E-mail addresses, phone, card and social-security numbers and
tokens in them were masked before they were stored.

list    the open reports, oldest first
show    one report with all its steps; from then on it is in review
accept  lists the value that it names, under the source "reports" and subject to the guards of every
        list, and publishes its text in search and feeds: read it first. An appeal (false_positive)
        ends the listing instead, and no feed lists it again; "weir clear" undoes that
reject  also undoes what accepting it has done before`

/** How many reports are read at once. */
const sliceRows = 1_000

/** The width of a report's excerpt in the list. */
const excerptColumns = 60

/** Maximum number of other reports about the same value that are shown. */
const othersMax = 20

export const reportsCommand = command({
  summary: 'show what people have reported; accept or reject it',
  usage,
  options: {
    arguments: argumentList,
    status: text('STATUS', `list reports of one status: ${reportStatuses.join(', ')}`),
    reason: text('TEXT', 'the reason; the sender of the report can read it'),
    unlisted: flag('accept the text alone and list nothing'),
    by: byOption,
    json: flag('print JSON'),
  },
  async run({ arguments: [verb = 'list', id, ...rest], ...options }, session) {
    const { json } = options
    if (rest.length > 0) throw new UsageError('name one report')
    const config = await session.config()
    const open = (): Promise<WriteStore> => session.openExisting(config.dataDir)
    if (verb === 'list') {
      if (id !== undefined) throw new UsageError('"list" takes no report; "show" does')
      return list(await open(), options.status, json)
    }
    const by = parseName(options.by)
    const reason = options.reason === undefined ? null : parseReason(options.reason)
    if (verb === 'show') {
      const store = await open()
      return await show(store, findReport(store, id), by, json)
    }
    if (verb !== 'accept' && verb !== 'reject') {
      throw new UsageError(`${verb}: choose one of list, show, accept, reject`)
    }
    if (verb === 'reject' && reason === null) {
      throw new UsageError('give a reason with --reason TEXT; the sender can read it')
    }
    const store = await open()
    const report = findReport(store, id)
    if (options.unlisted && report.type === 'false_positive') {
      throw new UsageError('--unlisted: an appeal never lists anything')
    }
    const wasListed = isListed(store, report)
    const parts = reviewParts(store, config)
    const reviewed =
      verb === 'accept'
        ? await acceptReport(parts, report.id, { reason, by }, !options.unlisted)
        : await rejectReport(parts, report.id, { reason, by })
    return printReview(store, report, reviewed, wasListed, json)
  },
})

function reviewParts(store: WriteStore, config: Config) {
  const guards = loadStoredGuards(store)
  const { platforms } = guards
  return { store, guards, platforms, naming: namingOver(store, config), now: Date.now }
}

/** Finds a report by its number, or by the id that its sender was given. */
function findReport(store: WriteStore, text: string | undefined): StoredReport {
  if (text === undefined) throw new UsageError('name a report by its number')
  const isNumber = /^[1-9]\d{0,14}$/.test(text)
  const found = isNumber ? store.reports.byId(Number(text)) : store.reports.byName(text)
  if (found !== null) return found
  if (isNumber || /^[0-9a-f-]{36}$/.test(text)) throw noReport(text)
  throw new UsageError(`${text}: name a report by its number, as "weir reports list" shows it`)
}

/** Returns the reports of a status, or the open ones, in the order in which they came. */
function findReports(store: WriteStore, status: string | undefined): StoredReport[] {
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

/** Returns a report as `--json` prints it. Times are RFC 3339. */
function toRecord(row: StoredReport): object {
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

/** Strangers' text is shown on one line: a line of its own could pass for one of weir's. */
const oneLine = (content: string): string => content.replace(/\s+/g, ' ')

const oneLineOrNull = (content: string | null): string | null =>
  content === null ? null : oneLine(content)

function list(store: WriteStore, status: string | undefined, asJson: boolean): number {
  const rows = findReports(store, status)
  if (asJson) console.log(JSON.stringify(rows.map(toRecord), null, 2))
  else if (rows.length === 0)
    console.log(status === undefined ? 'There are no open reports.' : 'None.')
  else {
    const cells = rows.map((row) => [
      String(row.id),
      row.type,
      row.status,
      formatTime(row.toldAt),
      formatCount(row.count),
      cut(oneLine(row.value ?? row.description ?? '(erased)'), excerptColumns),
    ])
    console.log(table(['id', 'type', 'status', 'last sent (UTC)', 'times', 'what'], cells))
    console.log('"weir reports show ID" shows one in full.')
  }
  return exitCodes.ok
}

/** Reports whether the value that a report names is listed now, by any source. */
function isListed(store: WriteStore, { value, valueType: type }: StoredReport): boolean {
  return value !== null && type !== null && store.byValue(value, type)?.isActive === true
}

/** Describes the listing of the value that a report names; null when nothing could be listed. */
function describeListing(
  store: WriteStore,
  { value, valueType: type }: StoredReport,
): string | null {
  if (value === null || type === null) return null
  const row = store.byValue(value, type)
  if (row?.isActive !== true) return 'no; "weir check" shows the answer to it'
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
    console.log(JSON.stringify({ ...toRecord(row), events: steps, sameValue: same }, null, 2))
    return exitCodes.ok
  }
  const same = others.map((other) => `${other.id} (${other.status})`).join(', ')
  const often = row.count === 1 ? 'once' : `${formatCount(row.count)} times`
  console.log(
    labelled([
      ['report', `${row.id}, ${row.type}, ${row.status}`],
      ['sent as', row.name],
      ['value', oneLineOrNull(row.value)],
      ['listed', describeListing(store, row)],
      ['imitates', oneLineOrNull(row.targetBrand)],
      ['contact', oneLineOrNull(row.contact)],
      ['sent', `${often}, last ${formatTime(row.toldAt)} UTC`],
      ['same value', same === '' ? null : `reports ${same}`],
    ]),
  )
  if (row.description !== null) console.log(`\n${quoted(row.description)}\n`)
  for (const { at, status, reason, by: who } of events) {
    const why = reason === null ? '' : `: ${oneLine(reason)}`
    console.log(`${formatTime(at)}  ${status} by ${who}${why}`)
  }
  return exitCodes.ok
}

/** Indents a stranger's text. */
const quoted = (content: string): string =>
  content
    .split('\n')
    .map((line) => paragraph(line, 4))
    .join('\n')

function noReport(id: number | string): UsageError {
  return new UsageError(`there is no report ${id}; "weir reports list" lists the open ones`)
}

function explain(id: number, refusal: ReviewRefusal): string {
  switch (refusal.kind) {
    case 'unknown':
      return noReport(id).message
    case 'settled':
      return `report ${id} already has this status; "weir reports show ${id}" shows since when`
    case 'erased':
      return `the text of report ${id} was erased 30 days after it was rejected`
    case 'blocked':
      return `report ${id} appeals against your own block; remove it with "weir clear" first`
    case 'guarded':
      return (
        `report ${id} names ${refusalMeanings[refusal.reason]}; "--unlisted" accepts its text alone, ` +
        '"weir block" overrides every guard'
      )
  }
}

/** Prints what a review did, and returns the exit code. */
function printReview(
  store: WriteStore,
  before: StoredReport,
  reviewed: Result<Reviewed, ReviewRefusal>,
  wasListed: boolean,
  asJson: boolean,
): number {
  const { id } = before
  if (!reviewed.ok) {
    if (reviewed.reason.kind === 'unknown') throw noReport(id)
    console.error(`weir: ${explain(id, reviewed.reason)}`)
    return exitCodes.failed
  }
  const { report, value } = reviewed.value
  if (asJson) {
    console.log(JSON.stringify({ ...toRecord(report), changed: value }, null, 2))
    return exitCodes.ok
  }
  console.log(`report ${id} is ${report.status}`)
  const isPublished = report.status === 'accepted' && report.type !== 'false_positive'
  if (isPublished) console.log('  its text is published in search and feeds')
  if (isPublished && value === null) console.log('  it lists nothing')
  if (value === null) return exitCodes.ok
  console.log(`  ${value} ${describeEffect(report, wasListed, isListed(store, before))}`)
  console.log('  A running server follows within a second.')
  return exitCodes.ok
}

/** Describes what a review changed about the value of its report. */
function describeEffect(
  { type, status }: StoredReport,
  wasListed: boolean,
  isNow: boolean,
): string {
  const isAccepted = status === 'accepted'
  if (type !== 'false_positive') {
    if (!isAccepted) return 'is no longer listed by it'
    return isNow ? 'is listed' : 'remains allowed by your own decision'
  }
  if (!isAccepted) return 'may be listed again'
  return `${wasListed ? '' : 'was not listed, and '}is allowed from now on, whatever lists it`
}
