/** `weir decisions`: every word of the operator that stands. */

import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { ReadStore } from '../store/store.ts'
import type { Command } from './command.ts'
import { openExisting } from './database.ts'
import { paragraph } from './layout.ts'
import { formatTime, table } from './terminal.ts'
import { formatEnd, type WordRecord, wordRecord } from './word.ts'

/** How many words are read at once. */
const sliceRows = 1_000

/** How far a reason stands from the left, below what it is about. */
const reasonIndent = 4

export const decisionsCommand: Command = {
  summary: 'list every block and allow that stands',
  usage: `weir decisions [--json]

Lists what "weir block" and "weir allow" have said and "weir clear" has not taken back, the newest
first. A word that is due has come to its end, and stands until a running server tidies up, within a
minute.`,
  async run(args) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } })
    const { config } = await loadConfig(process.env)
    const store = openExisting(config.dataDir)
    try {
      const words = standingWords(store)
      console.log(values.json === true ? JSON.stringify(words, null, 2) : describe(words))
      return exitCodes.ok
    } finally {
      store.close()
    }
  },
}

/** A word with what it is about. */
interface StandingWord extends WordRecord {
  readonly type: IndicatorType
  readonly value: string
}

/** Returns every word that stands, the newest first. */
function standingWords({ decisions }: ReadStore): StandingWord[] {
  const words: StandingWord[] = []
  for (let slice = decisions.all(0, sliceRows); slice.length > 0; ) {
    words.push(...slice.map((row) => ({ type: row.type, value: row.value, ...wordRecord(row) })))
    slice = decisions.all(slice.at(-1)?.indicatorId ?? 0, sliceRows)
  }
  return words.sort((a, b) => b.since.localeCompare(a.since))
}

function describe(words: readonly StandingWord[]): string {
  if (words.length === 0) return 'No word of yours stands about anything.'
  const now = Date.now()
  const rows = words.map(({ verdict, type, since, until, by, value }) => [
    verdict,
    type,
    formatTime(Date.parse(since)),
    formatEnd(until, now),
    by,
    value,
  ])
  const head = ['verdict', 'type', 'since (UTC)', 'until', 'by', 'value']
  const [titles, ...lines] = table(head, rows).split('\n')
  const entries = lines.map((line, index) => {
    const reason = paragraph(words[index]?.reason ?? '', reasonIndent)
    return `${line}\n${reason}`
  })
  return [titles, ...entries].join('\n')
}
