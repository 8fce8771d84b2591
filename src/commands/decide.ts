/** `weir block`, `weir allow` and `weir clear`: the operator's word about one value, above every feed. */

import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { parseTime } from '../feeds/formats/time.ts'
import { loadGuards, loadStoredGuards } from '../feeds/guards.ts'
import {
  type Decided,
  decide,
  type OperatorValue,
  type OperatorWord,
  operatorRefusalMessages,
  readOperatorValue,
  spellingsOf,
} from '../feeds/operator.ts'
import { noteOn } from '../feeds/protection.ts'
import { hasControls } from '../model/characters.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { Platforms } from '../model/platform.ts'
import { parseDuration } from '../setting-values.ts'
import { WriteStore } from '../store/store.ts'
import { type Command, UsageError } from './command.ts'
import { hasDatabase, openExisting } from './database.ts'
import { namingOver } from './naming.ts'
import { describeWord, type WordRecord, wordRecord } from './word.ts'

/** The longest reason. */
const reasonMax = 500

/** The longest name of who decides. */
const nameMax = 100

/** Who decides when the machine does not tell. */
const unnamed = 'operator'

/** The nearest word decides, and a list may name what lies below. */
const allowedBelow = 'names below it that are listed by themselves, www too, stay listed'

/** How soon a server that runs on the same data answers so. */
const soon = 'A running server follows within a second.'

const usageOf = (
  verdict: 'block' | 'allow',
): string => `weir ${verdict} VALUE --reason TEXT [--until WHEN] [--by NAME] [--json]

VALUE is a domain (with all below it that is not listed by a name of its own), the URL of a page, an
IP address, a file digest or an e-mail address, also defanged. A URL that is only a host's root page
means the host. The word stands above every feed and guard,
${
  verdict === 'block'
    ? 'and is published as the listing of "operator".'
    : 'also above those that list the value later.'
}

--reason TEXT  why, for whoever asks later; 1 to ${reasonMax} characters
--until WHEN   when the word ends by itself: at 00:00 UTC of a day (2026-12-31), at a time
               (2026-12-31T18:00Z), or a duration from now (30d; units s, m, h, d)
--by NAME      who decides; the login name ($USER) when left out
--json         print what came of it as JSON

"weir clear" takes the word back, "weir decisions" lists those that stand.`

/** Throws a `UsageError` unless exactly one value is named. */
export function oneValue(positionals: readonly string[]): string {
  const [value, ...more] = positionals
  if (value !== undefined && more.length === 0) return value
  throw new UsageError('name exactly one value')
}

/** Reads a value; throws a `UsageError` that says why it cannot be read. */
export function readValue(text: string, platforms: Platforms): OperatorValue {
  const named = readOperatorValue(text, platforms)
  if (named.ok) return named.value
  throw new UsageError(`${text}: ${operatorRefusalMessages[named.reason]}`)
}

const wordCommand = (verdict: 'block' | 'allow', summary: string): Command => ({
  summary,
  usage: usageOf(verdict),
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        until: { type: 'string' },
        by: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const text = oneValue(positionals)
    const at = Date.now()
    const word: OperatorWord = {
      verdict,
      reason: reasonOf(values.reason),
      by: nameOf(values.by),
      until: values.until === undefined ? null : timeOf(values.until, at),
    }
    const { config } = await loadConfig(process.env)
    const { dataDir } = config
    // Before anything is opened: a wrong call leaves no database behind.
    readValue(text, loadGuards().platforms)
    const isNew = !hasDatabase(dataDir)
    const store = WriteStore.open({ dataDir, role: 'background', now: Date.now })
    try {
      const guards = loadStoredGuards(store)
      const named = readValue(text, guards.platforms)
      const brand = verdict === 'block' ? namingOver(store, config).brandOf(named) : null
      const said = brand === null ? word : { ...word, targetBrand: brand }
      const decided = await decide(store, named, said, at)
      const note = noteOn(named, verdict, guards)
      const notes = [
        ...(note === null ? [] : [note]),
        ...(verdict === 'allow' && named.type === 'domain' ? [allowedBelow] : []),
        ...(isNew ? [`there was no database in ${dataDir}; it begins with this word`] : []),
      ]
      const answer = answerOf(store, named, decided, notes)
      console.log(values.json === true ? JSON.stringify(answer) : describe(answer, at))
      return exitCodes.ok
    } finally {
      store.close()
    }
  },
})

export const blockCommand: Command = wordCommand('block', 'list a value, whatever feeds say')

export const allowCommand: Command = wordCommand('allow', 'keep a value off, whatever feeds say')

export const clearCommand: Command = {
  summary: 'take back a block or an allow',
  usage: `weir clear VALUE [--by NAME] [--json]

Takes back what "weir block" or "weir allow" has said of VALUE: what feeds say of it holds again.

Ends with 1 when no word stands about it.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { by: { type: 'string' }, json: { type: 'boolean' } },
    })
    const text = oneValue(positionals)
    const word: OperatorWord = {
      verdict: 'clear',
      reason: '',
      by: nameOf(values.by),
      until: null,
    }
    const { config } = await loadConfig(process.env)
    const store = openExisting(config.dataDir)
    try {
      const named = readValue(text, loadStoredGuards(store).platforms)
      const at = Date.now()
      const decided = await decide(store, named, word, at)
      const answer = answerOf(store, named, decided, [])
      console.log(values.json === true ? JSON.stringify(answer) : describeCleared(answer, at))
      return decided.replaced === null ? exitCodes.failed : exitCodes.ok
    } finally {
      store.close()
    }
  },
}

/** Returns why, in one line without control characters. */
export function reasonOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError('say why with --reason TEXT')
  const reason = text.trim()
  if (isLine(reason, reasonMax)) return reason
  throw new UsageError(`--reason: write 1 to ${reasonMax} characters on one line`)
}

/** Returns who decides: who is named, else who is logged in. */
export function nameOf(text: string | undefined): string {
  if (text === undefined) return loginName()
  const name = text.trim()
  if (isLine(name, nameMax)) return name
  throw new UsageError(`--by: write 1 to ${nameMax} characters on one line`)
}

/** Reports whether `text` is a line without control characters, neither empty nor too long. */
function isLine(text: string, lengthMax: number): boolean {
  const isFit = text.length >= 1 && text.length <= lengthMax && text.isWellFormed()
  return isFit && !hasControls(text)
}

function loginName(): string {
  try {
    const { username } = userInfo()
    // Bun says "unknown" where no variable tells the name.
    return username !== 'unknown' && isLine(username, nameMax) ? username : unnamed
  } catch {
    // An account without an entry in the user database has no name.
    return unnamed
  }
}

/** Reads when a word ends, milliseconds since the epoch. */
function timeOf(text: string, now: number): number {
  const durationMs = parseDuration(text)
  const time = durationMs === undefined ? parseTime(text) : now + durationMs
  const day = text.trim().slice(0, 'YYYY-MM-DD'.length)
  // The parser takes the 31st of February for the 3rd of March.
  const isDay =
    durationMs !== undefined || new Date(parseTime(day) ?? 0).toISOString().startsWith(day)
  if (time === undefined || !isDay) {
    throw new UsageError(
      `--until ${text}: write a day such as 2026-12-31, a time such as 2026-12-31T18:00Z, or a duration such as 30d`,
    )
  }
  if (time <= now) throw new UsageError(`--until ${text}: name a time to come`)
  return time
}

/** What came of a word, as `--json` prints it. */
interface Answer {
  readonly type: OperatorValue['type']
  readonly value: string
  /** What the word is about: a page in each spelling that a feed may list. */
  readonly values: readonly string[]
  /** The word that stands now. */
  readonly word: WordRecord | null
  /** The word that stood before. */
  readonly replaced: WordRecord | null
  readonly isListed: boolean
  /** Every source that lists it, private ones too: this is the operator's own terminal. */
  readonly sources: readonly string[]
  readonly notes: readonly string[]
  readonly seq: number
}

function answerOf(
  store: WriteStore,
  named: OperatorValue,
  { values, replaced, seq }: Decided,
  notes: readonly string[],
): Answer {
  const { type, value } = named
  const rows = spellingsOf(named).flatMap((spelling) => store.byValue(spelling, type) ?? [])
  const live = rows.flatMap(({ id }) => store.sightings.all(id)).filter((row) => row.live === 1)
  const words = rows.flatMap(({ id }) => store.decisions.find(id) ?? [])
  const [word = null] = words.map(wordRecord)
  return {
    type,
    value,
    values,
    word,
    replaced: replaced === null ? null : wordRecord(replaced),
    isListed: rows.some(({ isActive }) => isActive),
    sources: [...new Set(live.map(({ source }) => source))],
    notes,
    seq,
  }
}

function describe({ type, value, values, word, replaced, notes }: Answer, now: number): string {
  const said = word === null ? 'no longer decided about' : describeWord(word, now)
  const lines = [`${value} (${type}) is ${said}`, soon]
  if (replaced !== null) lines.push(`Before it was ${describeWord(replaced, now)}`)
  const others = values.filter((spelling) => spelling !== value)
  if (others.length > 0) lines.push(`Note: it is also about ${others.join(' and ')}`)
  return [...lines, ...notes.map((note) => `Note: ${note}`)].join('\n')
}

function describeCleared({ type, value, replaced, sources }: Answer, now: number): string {
  if (replaced === null) return `${value} (${type}): no word of yours stands about it.`
  const listed =
    sources.length > 0 ? `It is listed by ${sources.join(', ')}.` : 'No source lists it.'
  return `${value} (${type}) is no longer ${describeWord(replaced, now)}\n${listed} ${soon}`
}
