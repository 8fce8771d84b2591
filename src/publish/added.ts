/**
 * When objects are added to the collections, for whoever pulls: a second after the store has dated them.
 *
 *     stored ──── one second ───▶ added, and shown from then on
 *
 * A batch that another process commits late is so still dated after every moment at which a poller could have
 * seen the collection without it: also who goes by his own clock misses nothing.
 */

import type { StixRecord } from './stix.ts'
import { timeText } from './wire.ts'

const millisecondUs = 1_000

/** The last moment that has four digits of a year. */
const lastUs = Date.UTC(9999, 11, 31, 23, 59, 59, 999) * millisecondUs

/** How much later objects are added than they are dated, in microseconds. */
export const withheldUs = 1_000_000

/** Returns a time in microseconds since the epoch as TAXII writes it, with six digits behind the second (§2). */
export function microsecondText(time: number): string {
  const shown = Math.min(time, lastUs)
  const milliseconds = Math.floor(shown / millisecondUs)
  const microseconds = String(millisecondUs + (shown - milliseconds * millisecondUs)).slice(1)
  return `${timeText(milliseconds).slice(0, -1)}${microseconds}Z`
}

/** Returns when an object with this date was added. */
export const addedText = ({ date }: Pick<StixRecord, 'date'>): string =>
  microsecondText(date + withheldUs)

/** Returns up to which date everything is shown `now`; `lastGiven` is the last date that the store has given. */
export function shownUpTo(now: number, lastGiven: number): number {
  const lastOfNow = now * millisecondUs + millisecondUs - 1
  // A clock that has gone back would withhold for as long as it is behind.
  return lastGiven > lastOfNow + withheldUs ? lastGiven : lastOfNow - withheldUs
}
