/** `weir decisions`: every active block and allow; how commands show a decision. */

import type { IndicatorType } from '../model/indicator.ts'
import { exitCodes } from '../model/operator-error.ts'
import { timeText } from '../publish/wire.ts'
import type { Decision } from '../store/decisions.ts'
import type { ReadStore } from '../store/store.ts'
import { command, flag } from './command.ts'
import { formatTime, paragraph, table } from './terminal.ts'

/** How many decisions are read at once. */
const sliceRows = 1_000

/** The indent of a reason below its decision. */
const reasonIndent = 4

/** A decision as `--json` prints it. Times are RFC 3339. */
export interface DecisionRecord {
  readonly verdict: Decision['verdict']
  readonly reason: string
  readonly by: string
  readonly since: string
  /** When it expires; null: never. */
  readonly until: string | null
}

/** Returns the record of a decision. */
export function toDecisionRecord({ verdict, reason, by, at, until }: Decision): DecisionRecord {
  const end = until === null ? null : timeText(until)
  return { verdict, reason, by, since: timeText(at), until: end }
}

/** Formats when a decision expires, UTC; an expired one is active until a server next tidies up. */
function formatEnd(until: string | null, now: number): string {
  if (until === null) return ''
  const time = Date.parse(until)
  return time <= now ? `${formatTime(time)} (due)` : formatTime(time)
}

/** Formats a decision as the end of a sentence: `blocked by anna since 2026-11-21 13:05 UTC: reported`. */
export function describeDecision(
  { verdict, reason, by, since, until }: DecisionRecord,
  now: number,
): string {
  const end = until === null ? '' : ` until ${formatEnd(until, now)}`
  return `${verdict}ed by ${by} since ${formatTime(Date.parse(since))}${end} UTC: ${reason}`
}

export const decisionsCommand = command({
  summary: 'list every active block and allow',
  usage: `weir decisions [--json]

Lists the decisions made by "weir block" and "weir allow" and not removed by "weir clear", newest
first. A decision marked "due" has expired; a running server removes it within a minute.`,
  options: { json: flag('print the decisions as JSON') },
  async run({ json }, session) {
    const { dataDir } = await session.config()
    const decisions = findDecisions(await session.openForReading(dataDir))
    console.log(json ? JSON.stringify(decisions, null, 2) : describe(decisions))
    return exitCodes.ok
  },
})

/** A decision with the value it is about. */
interface DecisionListing extends DecisionRecord {
  readonly type: IndicatorType
  readonly value: string
}

/** Returns every active decision, newest first. */
function findDecisions({ decisions }: ReadStore): DecisionListing[] {
  const found: DecisionListing[] = []
  for (let slice = decisions.all(0, sliceRows); slice.length > 0; ) {
    found.push(
      ...slice.map((row) => ({ type: row.type, value: row.value, ...toDecisionRecord(row) })),
    )
    slice = decisions.all(slice.at(-1)?.indicatorId ?? 0, sliceRows)
  }
  return found.sort((a, b) => b.since.localeCompare(a.since))
}

function describe(decisions: readonly DecisionListing[]): string {
  if (decisions.length === 0) return 'You have no active decisions.'
  const now = Date.now()
  const rows = decisions.map(({ verdict, type, since, until, by, value }) => [
    verdict,
    type,
    formatTime(Date.parse(since)),
    formatEnd(until, now),
    by,
    value,
  ])
  const head = ['decision', 'type', 'since (UTC)', 'until', 'by', 'value']
  const [titles, ...lines] = table(head, rows).split('\n')
  const entries = lines.map((line, index) => {
    const reason = paragraph(decisions[index]?.reason ?? '', reasonIndent)
    return `${line}\n${reason}`
  })
  return [titles, ...entries].join('\n')
}
