/** What is noted of an attempt to get a source's list, fetched or imported by hand. Pure. */

import { controlCharacters } from '../model/characters.ts'
import type { FetchState } from '../store/fetches.ts'
import type { Validators } from './fetcher.ts'

/** The longest error that is kept. */
const errorMax = 500

/** What is known of an attempt however it went. */
interface Attempt {
  readonly source: string
  /** What was noted before, or null. */
  readonly before: FetchState | null
  readonly at: number
  /** When it is fetched next by itself. */
  readonly nextAt: number
}

/**
 * Notes that the list came, or word that it is unchanged. `validators` are those of the list that was
 * read; null keeps what was known of it.
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
    nextAt: nextAt,
    url: list.url,
    etag: list.validators === null ? (before?.etag ?? null) : list.validators.etag,
    lastModified:
      list.validators === null ? (before?.lastModified ?? null) : list.validators.lastModified,
    position: list.position ?? before?.position ?? null,
    reading: list.reading,
  }
}

/** Notes a failure; the validators stay those of the last good list. */
export function toFailureState({ source, before, at, nextAt }: Attempt, error: string): FetchState {
  return {
    source,
    checkedAt: at,
    succeededAt: before?.succeededAt ?? null,
    failedAt: at,
    error: shownText(error),
    failures: (before?.failures ?? 0) + 1,
    nextAt: nextAt,
    url: before?.url ?? null,
    etag: before?.etag ?? null,
    lastModified: before?.lastModified ?? null,
    position: before?.position ?? null,
    reading: before?.reading ?? null,
  }
}

/** Returns an error's text on one line, as it can be shown: a publisher may have had a say in it. */
function shownText(error: string): string {
  return error.toWellFormed().replace(controlCharacters, ' ').slice(0, errorMax)
}
