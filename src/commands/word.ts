/** The operator's word as commands show it: a record for scripts, a line for people. */

import { timeText } from '../publish/wire.ts'
import type { Decision } from '../store/decisions.ts'
import { formatTime } from './terminal.ts'

/** A standing word. Times are RFC 3339. */
export interface WordRecord {
  readonly verdict: Decision['verdict']
  readonly reason: string
  readonly by: string
  readonly since: string
  /** When it ends by itself; null: when it is taken back. */
  readonly until: string | null
}

/** Makes the record of a word. */
export function wordRecord({ verdict, reason, by, at, until }: Decision): WordRecord {
  const end = until === null ? null : timeText(until)
  return { verdict, reason, by, since: timeText(at), until: end }
}

/** Formats when a word ends, UTC; one whose time has passed stands until a server next tidies up. */
export function formatEnd(until: string | null, now: number): string {
  if (until === null) return ''
  const time = Date.parse(until)
  return time <= now ? `${formatTime(time)} (due)` : formatTime(time)
}

/** Tells a word as the end of a sentence: `blocked by anna since 2026-11-21 13:05 UTC: reported`. */
export function describeWord(
  { verdict, reason, by, since, until }: WordRecord,
  now: number,
): string {
  const end = until === null ? '' : ` until ${formatEnd(until, now)}`
  return `${verdict}ed by ${by} since ${formatTime(Date.parse(since))}${end} UTC: ${reason}`
}
