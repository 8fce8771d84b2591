/** `weir block`, `weir allow` and `weir clear`: the operator's decision about one value, which overrides every feed. */

import { userInfo } from 'node:os'
import { parseTime } from '../ingest/formats/time.ts'
import { loadGuards, loadStoredGuards } from '../ingest/guards.ts'
import {
  type Decided,
  decide,
  type OperatorValue,
  operatorRefusalMessages,
  readOperatorValue,
  toSpellings,
} from '../ingest/operator.ts'
import { formatDecisionNote } from '../ingest/protection.ts'
import { hasControls } from '../model/characters.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { Platforms } from '../model/platform.ts'
import { parseDuration } from '../setting-values.ts'
import type { WriteStore } from '../store/store.ts'
import { argument, type Command, command, flag, hasDatabase, text, UsageError } from './command.ts'
import { type DecisionRecord, describeDecision, toDecisionRecord } from './decisions.ts'
import { namingOver } from './naming.ts'

/** The longest reason. */
const reasonMax = 500

/** The longest name of who decides. */
const nameMax = 100

/** Who decides when the machine has no login name. */
const defaultName = 'operator'

/** The nearest decision applies, and a list may name what is below. */
const allowedBelow = 'names below it that have listings of their own, www too, remain listed'

/** When a running server answers so. */
const soon = 'A running server follows within a second.'

/** The option for who decides. */
export const byOption = text('NAME', 'who decides; the login name ($USER) when left out')

/** Reads a value; throws a `UsageError` that says why it cannot be read. */
export function readValue(text: string, platforms: Platforms): OperatorValue {
  const named = readOperatorValue(text, platforms)
  if (named.ok) return named.value
  throw new UsageError(`${text}: ${operatorRefusalMessages[named.reason]}`)
}

function decisionCommand(verdict: 'block' | 'allow', summary: string, effect: string): Command {
  return command({
    summary,
    usage: `weir ${verdict} VALUE --reason TEXT [--until WHEN] [--by NAME] [--json]

VALUE is a domain (with all names below it that have no listing of their own), the URL of a page, an
IP address, a file digest or an e-mail address, also defanged. A URL that is only a host's root page
means the host. The decision overrides every feed and guard, ${effect}
"weir clear" removes the decision, "weir decisions" lists the active ones.`,
    options: {
      value: argument('value'),
      reason: text('TEXT', `the reason, for later readers; 1 to ${reasonMax} characters`),
      until: text(
        'WHEN',
        'when the decision expires: at 00:00 UTC of a day (2026-12-31), at a time ' +
          '(2026-12-31T18:00Z), or after a duration (30d; units s, m, h, d)',
      ),
      by: byOption,
      json: flag('print the outcome as JSON'),
    },
    async run({ value, reason, until, by, json }, session) {
      const at = Date.now()
      const decision = {
        verdict,
        reason: parseReason(reason),
        by: parseName(by),
        until: until === undefined ? null : parseEnd(until, at),
      }
      const config = await session.config()
      const { dataDir } = config
      // Before anything is opened: a wrong call creates no database.
      readValue(value, loadGuards().platforms)
      const isNew = !(await hasDatabase(dataDir))
      const store = await session.openStore(dataDir)
      const guards = loadStoredGuards(store)
      const named = readValue(value, guards.platforms)
      const brand = verdict === 'block' ? namingOver(store, config).findBrand(named) : null
      const targeted = brand === null ? decision : { ...decision, targetBrand: brand }
      const decided = await decide(store, named, targeted, at)
      const note = formatDecisionNote(named, verdict, guards)
      const outcome = toOutcome(store, named, decided, [
        ...(note === null ? [] : [note]),
        ...(verdict === 'allow' && named.type === 'domain' ? [allowedBelow] : []),
        ...(isNew ? [`${dataDir} had no database; a new one was created for this decision`] : []),
      ])
      console.log(json ? JSON.stringify(outcome) : describe(outcome, at))
      return exitCodes.ok
    },
  })
}

export const blockCommand = decisionCommand(
  'block',
  'list a value, whatever feeds say',
  `and is
published as the listing of "operator".`,
)

export const allowCommand = decisionCommand(
  'allow',
  'keep a value off the lists, whatever feeds say',
  `also those
that list the value later.`,
)

export const clearCommand = command({
  summary: 'remove a block or an allow',
  usage: `weir clear VALUE [--by NAME] [--json]

Removes the decision that "weir block" or "weir allow" made about VALUE: the feeds apply again.

Ends with 1 when there is no decision about it.`,
  options: { value: argument('value'), by: byOption, json: flag('print the outcome as JSON') },
  async run({ value, by, json }, session) {
    const name = parseName(by)
    const { dataDir } = await session.config()
    const store = await session.openExisting(dataDir)
    const named = readValue(value, loadStoredGuards(store).platforms)
    const at = Date.now()
    const cleared = { verdict: 'clear', reason: '', by: name, until: null } as const
    const decided = await decide(store, named, cleared, at)
    const outcome = toOutcome(store, named, decided, [])
    console.log(json ? JSON.stringify(outcome) : describeCleared(outcome, at))
    return decided.replaced === null ? exitCodes.failed : exitCodes.ok
  },
})

/** Parses a reason: one line without control characters. */
export function parseReason(text: string | undefined): string {
  if (text === undefined) throw new UsageError('give a reason with --reason TEXT')
  const reason = text.trim()
  if (isLine(reason, reasonMax)) return reason
  throw new UsageError(`--reason: write 1 to ${reasonMax} characters on one line`)
}

/** Returns who decides: the name given, else the login name. */
export function parseName(text: string | undefined): string {
  if (text === undefined) return findLoginName()
  const name = text.trim()
  if (isLine(name, nameMax)) return name
  throw new UsageError(`--by: write 1 to ${nameMax} characters on one line`)
}

/** Reports whether `text` is a line without control characters, neither empty nor too long. */
function isLine(text: string, lengthMax: number): boolean {
  const isFit = text.length >= 1 && text.length <= lengthMax && text.isWellFormed()
  return isFit && !hasControls(text)
}

function findLoginName(): string {
  try {
    const { username } = userInfo()
    // Bun returns "unknown" where no variable holds the name.
    return username !== 'unknown' && isLine(username, nameMax) ? username : defaultName
  } catch {
    // An account without an entry in the user database has no name.
    return defaultName
  }
}

/** Parses when a decision expires, milliseconds since the epoch. */
function parseEnd(text: string, now: number): number {
  const durationMs = parseDuration(text)
  const time = durationMs === undefined ? parseTime(text) : now + durationMs
  const day = text.trim().slice(0, 'YYYY-MM-DD'.length)
  // The parser reads the 31st of February as the 3rd of March.
  const isDay =
    durationMs !== undefined || new Date(parseTime(day) ?? 0).toISOString().startsWith(day)
  if (time === undefined || !isDay) {
    throw new UsageError(
      `--until ${text}: write a day such as 2026-12-31, a time such as 2026-12-31T18:00Z, or a duration such as 30d`,
    )
  }
  if (time <= now) throw new UsageError(`--until ${text}: name a future time`)
  return time
}

/** The outcome of a decision, as `--json` prints it. */
interface Outcome {
  readonly type: OperatorValue['type']
  readonly value: string
  /** The values that the decision is about: a page in each spelling that a feed may list. */
  readonly values: readonly string[]
  /** The decision that is active now. */
  readonly decision: DecisionRecord | null
  /** The decision that was active before. */
  readonly replaced: DecisionRecord | null
  readonly isListed: boolean
  /** Every source that lists it, private ones too: this is the operator's own terminal. */
  readonly sources: readonly string[]
  readonly notes: readonly string[]
  readonly seq: number
}

function toOutcome(
  store: WriteStore,
  named: OperatorValue,
  { values, replaced, seq }: Decided,
  notes: readonly string[],
): Outcome {
  const { type, value } = named
  const rows = toSpellings(named).flatMap((spelling) => store.byValue(spelling, type) ?? [])
  const live = rows.flatMap(({ id }) => store.sightings.all(id)).filter((row) => row.live === 1)
  const [decision = null] = rows.flatMap(({ id }) => store.decisions.find(id) ?? [])
  return {
    type,
    value,
    values,
    decision: decision === null ? null : toDecisionRecord(decision),
    replaced: replaced === null ? null : toDecisionRecord(replaced),
    isListed: rows.some(({ isActive }) => isActive),
    sources: [...new Set(live.map(({ source }) => source))],
    notes,
    seq,
  }
}

function describe(outcome: Outcome, now: number): string {
  const { type, value, values, decision, replaced, notes } = outcome
  const state = decision === null ? 'no longer decided' : describeDecision(decision, now)
  const lines = [`${value} (${type}) is ${state}`, soon]
  if (replaced !== null) lines.push(`Before, it was ${describeDecision(replaced, now)}`)
  const others = values.filter((spelling) => spelling !== value)
  if (others.length > 0) lines.push(`Note: this also applies to ${others.join(' and ')}`)
  return [...lines, ...notes.map((note) => `Note: ${note}`)].join('\n')
}

function describeCleared({ type, value, replaced, sources }: Outcome, now: number): string {
  if (replaced === null) return `You have no active decision about ${value} (${type}).`
  const listed =
    sources.length > 0 ? `It is listed by ${sources.join(', ')}.` : 'No source lists it.'
  return `${value} (${type}) is no longer ${describeDecision(replaced, now)}\n${listed} ${soon}`
}
