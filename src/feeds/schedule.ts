/**
 * When a source is fetched: not before its publisher's interval, spread a little so that not all of
 * the world asks at the full hour, and ever more seldom while it fails. Pure.
 */

import type { FetchState } from '../store/fetches.ts'
import type { StoredSource } from '../store/sources.ts'
import type { KnownSource } from './sources.ts'

/** Up to this share of the interval is added to it, by chance. */
const jitter = 0.1

/** The longest wait after failures: a publisher that is back is noticed within a day. */
const backOffMaxMs = 86_400_000

/** From the first failures on each doubles the wait, until here. */
const doublingsMax = 10

/** After the first failure it is tried again soon: most are over within minutes. */
const firstRetryMs = 5 * 60_000

/** A source that never came is overdue after so many attempts. */
const overdueFailures = 4

/** A source is overdue when nothing has come for so many of its intervals. */
const overdueIntervals = 3

/** How many days of a daily archive are asked for at most: the FTC keeps about as many files. */
const archiveDaysMax = 26

const dayMs = 86_400_000

/** What weir knows of one source when it decides about fetching it. */
export interface SourceSchedule {
  readonly source: KnownSource
  /** Its row; null when it has never been imported or switched. */
  readonly row: StoredSource | null
  readonly state: FetchState | null
}

/** Reports whether a source is fetched by itself: the operator's word, else its description's. */
export function isEnabled({ source, row }: SourceSchedule): boolean {
  if (source.url === null || row?.withdrawn === 1) return false
  const word = row?.enabled ?? null
  return word === null ? source.isEnabled : word === 1
}

/** Reports whether the source's key is there, if it needs one. */
export function hasKey({ authKeyEnv }: KnownSource, keys: ReadonlyMap<string, string>): boolean {
  return authKeyEnv === null || keys.has(authKeyEnv)
}

/** Reports whether it is time to fetch the source. */
export function isDue(
  schedule: SourceSchedule,
  keys: ReadonlyMap<string, string>,
  now: number,
): boolean {
  const { source, state } = schedule
  if (!isEnabled(schedule) || !hasKey(source, keys)) return false
  // A clock that went back must not silence a source for as long as it went.
  return state === null || state.nextAt <= now || state.checkedAt > now
}

/** Reports whether an enabled source has brought nothing for too long. */
export function isOverdue(schedule: SourceSchedule, now: number): boolean {
  const { source, state } = schedule
  if (!isEnabled(schedule) || state === null) return false
  if (state.succeededAt === null) return state.failures >= overdueFailures
  return now - state.succeededAt > overdueIntervals * source.minIntervalMs
}

/**
 * Returns the days of a daily archive to ask for, oldest first, as `YYYY-MM-DD`: those after `position`,
 * the last that was read, up to today in UTC.
 */
export function daysAfter(position: string | null, now: number): readonly string[] {
  const today = Math.floor(now / dayMs)
  const first = today - archiveDaysMax + 1
  const read = position === null ? Number.NaN : Date.parse(`${position}T00:00:00Z`) / dayMs
  const from = Number.isNaN(read) ? first : Math.max(first, read + 1)
  return Array.from({ length: Math.max(0, today - from + 1) }, (_, index) =>
    new Date((from + index) * dayMs).toISOString().slice(0, 10),
  )
}

/** Returns the time of the next fetch after a success; `random` is from 0 to 1. */
export function nextAfterSuccess(source: KnownSource, now: number, random: number): number {
  return now + Math.round(source.minIntervalMs * (1 + jitter * random))
}

/**
 * Returns the time of the next fetch after so many failures in a row: minutes after the first, then
 * twice as long each time, and never before the publisher said.
 */
export function nextAfterFailure(
  source: KnownSource,
  now: number,
  failures: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const first = Math.min(source.minIntervalMs, firstRetryMs)
  const doubled = first * 2 ** Math.min(failures - 1, doublingsMax)
  const longest = Math.max(backOffMaxMs, source.minIntervalMs)
  const wait = Math.max(Math.min(doubled, longest), Math.min(retryAfterMs ?? 0, longest))
  return now + Math.round(wait * (1 + jitter * random))
}
