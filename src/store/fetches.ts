/**
 * The `fetch` table: how fetching each source went. Local: what one process has seen of the network
 * says nothing about another's.
 */

import type { Database, Statement } from 'bun:sqlite'

/** How fetching one source went. Times are milliseconds since the epoch. */
export interface FetchState {
  readonly source: string
  /** The last attempt. */
  readonly checked_at: number
  /** The last attempt that brought the list, or word that it is unchanged. */
  readonly succeeded_at: number | null
  readonly failed_at: number | null
  /** What went wrong in the last attempt; null when it succeeded. */
  readonly error: string | null
  /** Failures in a row. */
  readonly failures: number
  /** It is not fetched again by itself before this. */
  readonly next_at: number
  /** The address that the validators belong to. */
  readonly url: string | null
  readonly etag: string | null
  readonly last_modified: string | null
  /** How far an archive of many documents has been read. */
  readonly position: string | null
  /** By which run, and how, the last good list was read; anything else since calls for a new look. */
  readonly reading: string | null
}

/** Every statement over `fetch`, by name. */
export const fetchSql = {
  find: 'SELECT * FROM fetch WHERE source = ?1',
  put: 'INSERT OR REPLACE INTO fetch VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)',
} as const

/** Reads and writes how fetching went. */
export class FetchTable {
  readonly #find: Statement<FetchState, [string]>
  readonly #put: Statement

  constructor(database: Database) {
    this.#find = database.prepare(fetchSql.find)
    this.#put = database.prepare(fetchSql.put)
  }

  find(source: string): FetchState | null {
    return this.#find.get(source)
  }

  put(state: FetchState): void {
    this.#put.run(
      state.source,
      state.checked_at,
      state.succeeded_at,
      state.failed_at,
      state.error,
      state.failures,
      state.next_at,
      state.url,
      state.etag,
      state.last_modified,
      state.position,
      state.reading,
    )
  }
}
