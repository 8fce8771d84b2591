/**
 * Decides when a source is fetched: not before its publisher's interval has passed, with jitter so that not
 * all instances ask at once, and with exponential back-off while it fails. Pure.
 */

import type { FetchState } from '../store/fetches.ts'
import type { StoredSource } from '../store/sources.ts'
import type { KnownSource } from './sources.ts'

/** The maximum random addition to a wait, as a share of it. */
const jitter = 0.1

/** The maximum wait after failures: a recovered publisher is noticed within a day. */
const backOffMaxMs = 86_400_000

/** Maximum number of times that failures double the wait. */
const doublingsMax = 10

/** The wait after the first failure: most are over within minutes. */
const firstRetryMs = 5 * 60_000

/** Failed attempts after which a source that never succeeded is overdue. */
const overdueFailures = 4

/** Intervals without success after which a source is overdue. */
const overdueIntervals = 3

/** Maximum number of days fetched of a daily archive: the FTC keeps about as many files. */
const archiveDaysMax = 26

const dayMs = 86_400_000

/** What decides when a source is fetched. */
export interface SourceSchedule {
  readonly source: KnownSource
  /** Its stored row; null when it has never been imported or switched. */
  readonly row: StoredSource | null
  readonly state: FetchState | null
}

/** Reports whether a source is fetched on schedule: as the operator decided, else by its description. */
export function isEnabled({ source, row }: SourceSchedule): boolean {
  if (source.url === null || row?.withdrawn === 1) return false
  const enabled = row?.enabled ?? null
  return enabled === null ? source.isEnabled : enabled === 1
}

/** Reports whether the source's key is set, if it needs one. */
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
  // A clock that was set back must not delay the fetch.
  return state === null || state.nextAt <= now || state.checkedAt > now
}

/** Reports whether an enabled source has not succeeded for too long. */
export function isOverdue(schedule: SourceSchedule, now: number): boolean {
  const { source, state } = schedule
  if (!isEnabled(schedule) || state === null) return false
  if (state.succeededAt === null) return state.failures >= overdueFailures
  return now - state.succeededAt > overdueIntervals * source.minIntervalMs
}

/**
 * Returns the days of a daily archive to fetch, oldest first, as `YYYY-MM-DD`: from the day after `position`,
 * the last that was read, to today in UTC.
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
 * Returns the time of the next fetch after a number of failures in a row: minutes after the first, then twice
 * as long each time, and never before the publisher's Retry-After.
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
