/** Describes every source for the operator: its state, its last run, its schedule. */

import type { FetchState } from '../store/fetches.ts'
import type { StoredSource } from '../store/sources.ts'
import type { ReadStore } from '../store/store.ts'
import { hasKey, isEnabled, isOverdue } from './schedule.ts'
import type { KnownSource } from './sources.ts'

/**
 * The state of a source. `import` has no address to fetch, `needs_key` is enabled and lacks its key, `waiting`
 * is enabled and has not been fetched yet.
 */
export type SourceState =
  | 'ok'
  | 'waiting'
  | 'failing'
  | 'overdue'
  | 'needs_key'
  | 'off'
  | 'withdrawn'
  | 'import'

/** One source, for the operator. Times are milliseconds since the epoch. */
export interface SourceOverview {
  readonly name: string
  readonly title: string
  readonly role: 'list' | 'guard' | 'news'
  readonly state: SourceState
  readonly home: string | null
  readonly format: string | null
  /** Where it is fetched; `{key}` is the place of the key. */
  readonly url: string | null
  /** The environment variable of its key, if it needs one. */
  readonly key: { readonly variable: string; readonly isSet: boolean } | null
  readonly licence: string | null
  readonly terms: string | null
  readonly redistribute: boolean
  /** Live sightings, or guards. */
  readonly entries: number
  /** The last complete run. */
  readonly lastRun: {
    readonly at: number
    readonly read: number
    readonly refused: Readonly<Record<string, number>>
  } | null
  readonly intervalMs: number | null
  readonly lastSuccess: number | null
  readonly lastFailure: number | null
  /** The error of the last attempt; null when it succeeded. */
  readonly error: string | null
  readonly failures: number
  readonly nextAt: number | null
}

/** Returns every known or stored source, except weir's own. */
export function buildOverviews(
  store: ReadStore,
  sources: readonly KnownSource[],
  keys: ReadonlyMap<string, string>,
  now: number,
): readonly SourceOverview[] {
  const known = new Map(sources.map((source) => [source.name, source]))
  const others = store.sources.all().filter(({ name, role }) => role !== 'weir' && !known.has(name))
  const names = [...known.keys(), ...others.map(({ name }) => name)]
  return names.map((name) => buildOverview(store, name, known.get(name) ?? null, keys, now))
}

function buildOverview(
  store: ReadStore,
  name: string,
  source: KnownSource | null,
  keys: ReadonlyMap<string, string>,
  now: number,
): SourceOverview {
  const row = store.sources.byName(name)
  const state = store.fetches.find(name)
  const run = row === null ? null : store.sources.lastRun(row.id)
  const isFetched = source !== null && source.url !== null
  return {
    name,
    title: source?.title ?? row?.title ?? name,
    role: source?.role ?? (row === null || row.role === 'weir' ? 'list' : row.role),
    state: findState(source, row, state, keys, now),
    home: source?.home ?? row?.home ?? null,
    format: source?.format ?? null,
    url: source?.url ?? null,
    key:
      source === null || source.authKeyEnv === null
        ? null
        : { variable: source.authKeyEnv, isSet: keys.has(source.authKeyEnv) },
    licence: source?.licence ?? row?.licence ?? null,
    terms: source?.terms ?? null,
    redistribute: source?.redistribute ?? row?.redistribute === 1,
    entries: store.counters.get('source', name),
    lastRun:
      run === null
        ? null
        : { at: run.endedAt ?? run.startedAt, read: run.read, refused: parseRefused(run.refused) },
    intervalMs: isFetched ? source.minIntervalMs : null,
    lastSuccess: state?.succeededAt ?? run?.endedAt ?? null,
    lastFailure: state?.failedAt ?? null,
    error: state?.error ?? null,
    failures: state?.failures ?? 0,
    nextAt: source !== null && isEnabled({ source, row, state }) ? (state?.nextAt ?? now) : null,
  }
}

function findState(
  source: KnownSource | null,
  row: StoredSource | null,
  state: FetchState | null,
  keys: ReadonlyMap<string, string>,
  now: number,
): SourceState {
  if (row?.withdrawn === 1) return 'withdrawn'
  if (source === null || source.url === null) {
    return state === null || state.error === null ? 'import' : 'failing'
  }
  const schedule = { source, row, state }
  if (!isEnabled(schedule)) return 'off'
  if (!hasKey(source, keys)) return 'needs_key'
  if (state === null) return 'waiting'
  if (isOverdue(schedule, now)) return 'overdue'
  return state.error === null ? 'ok' : 'failing'
}

function parseRefused(json: string): Readonly<Record<string, number>> {
  const value: unknown = JSON.parse(json)
  const counts: Record<string, number> = Object.create(null)
  if (typeof value !== 'object' || value === null) return counts
  for (const [reason, count] of Object.entries(value)) {
    if (typeof count === 'number') counts[reason] = count
  }
  return counts
}
