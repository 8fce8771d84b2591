/**
 * The date at which objects are added to the TAXII collections: one second after the store dated them.
 *
 *     stored ──── one second ───▶ added, and shown from then on
 *
 * So even a batch that another process commits late is dated after every moment at which a poller could have
 * seen the collection without it: a client that polls by its own clock misses nothing.
 */

import { timeText } from '../wire.ts'
import type { StixRecord } from './stix.ts'

const millisecondUs = 1_000

/** The last moment of a year of four digits. */
const lastUs = Date.UTC(9999, 11, 31, 23, 59, 59, 999) * millisecondUs

/** How much later objects are added than they are dated, in microseconds. */
export const withheldUs = 1_000_000

/** Returns a time in microseconds since the epoch as TAXII writes it, with six decimals (§2). */
export function microsecondText(time: number): string {
  const shown = Math.min(time, lastUs)
  const milliseconds = Math.floor(shown / millisecondUs)
  const microseconds = String(millisecondUs + (shown - milliseconds * millisecondUs)).slice(1)
  return `${timeText(milliseconds).slice(0, -1)}${microseconds}Z`
}

/** Returns when an object with this date was added. */
export const addedText = ({ date }: Pick<StixRecord, 'date'>): string =>
  microsecondText(date + withheldUs)

/** Returns the date up to which objects are shown `now`; `lastGiven` is the last date that the store has assigned. */
export function shownUpTo(now: number, lastGiven: number): number {
  const lastOfNow = now * millisecondUs + millisecondUs - 1
  // If the clock was set back, objects would be withheld until it has caught up.
  return lastGiven > lastOfNow + withheldUs ? lastGiven : lastOfNow - withheldUs
}
