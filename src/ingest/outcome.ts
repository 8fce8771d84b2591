/** Computes the state of a source after an attempt to fetch or import its list. Pure. */

import { controlCharacters } from '../model/characters.ts'
import type { FetchState } from '../store/fetches.ts'
import type { Validators } from './fetcher.ts'

/** The maximum length of a stored error. */
const errorMax = 500

/** An attempt, successful or not. */
interface Attempt {
  readonly source: string
  /** The state before, or null. */
  readonly before: FetchState | null
  readonly at: number
  /** When the next scheduled fetch is due. */
  readonly nextAt: number
}

/**
 * Returns the state after a list was read or found unchanged. `validators` are those of the list; null keeps
 * the earlier ones.
 */
export function toSuccessState(
  { source, before, at, nextAt }: Attempt,
  list: {
    readonly url: string | null
    readonly validators: Validators | null
    readonly position: string | null
    readonly reading: string | null
  },
): FetchState {
  return {
    source,
    checkedAt: at,
    succeededAt: at,
    failedAt: before?.failedAt ?? null,
    error: null,
    failures: 0,
    nextAt,
    url: list.url,
    etag: list.validators === null ? (before?.etag ?? null) : list.validators.etag,
    lastModified:
      list.validators === null ? (before?.lastModified ?? null) : list.validators.lastModified,
    position: list.position ?? before?.position ?? null,
    reading: list.reading,
  }
}

/** Returns the state after a failure; the validators remain those of the last good list. */
export function toFailureState({ source, before, at, nextAt }: Attempt, error: string): FetchState {
  return {
    source,
    checkedAt: at,
    succeededAt: before?.succeededAt ?? null,
    failedAt: at,
    error: toShownText(error),
    failures: (before?.failures ?? 0) + 1,
    nextAt,
    url: before?.url ?? null,
    etag: before?.etag ?? null,
    lastModified: before?.lastModified ?? null,
    position: before?.position ?? null,
    reading: before?.reading ?? null,
  }
}

/** Returns an error's text on one line, safe to show: part of it may come from the publisher. */
function toShownText(error: string): string {
  return error.toWellFormed().replace(controlCharacters, ' ').slice(0, errorMax)
}
