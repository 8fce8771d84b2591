/**
 * The `fetch` table: how fetching each source went. Local: what one process has seen of the network
 * says nothing about another's.
 */

import { inserted, Statements, selected } from './statements.ts'

/** How fetching one source went. Times are milliseconds since the epoch. */
export type FetchState = {
  readonly source: string
  /** The last attempt. */
  readonly checkedAt: number
  /** The last attempt that brought the list, or the answer that it is unchanged. */
  readonly succeededAt: number | null
  readonly failedAt: number | null
  /** What went wrong in the last attempt; null when it succeeded. */
  readonly error: string | null
  /** Failures in a row. */
  readonly failures: number
  /** It is not fetched again by itself before this. */
  readonly nextAt: number
  /** The address that the validators belong to. */
  readonly url: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** How far an archive of many documents has been read. */
  readonly position: string | null
  /** By which run, and how, the last good list was read; it is read again when either changes. */
  readonly reading: string | null
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'source', 'checkedAt', 'succeededAt', 'failedAt', 'error', 'failures', 'nextAt', 'url', 'etag',
  'lastModified', 'position', 'reading',
] as const satisfies readonly (keyof FetchState)[]

/** Reads how fetching went. */
export class FetchReader extends Statements {
  find(source: string): FetchState | null {
    return this.queryOne(`SELECT ${selected('fetch', fields)} FROM fetch WHERE source = ?1`, source)
  }
}

/** Reads and writes how fetching went. */
export class FetchTable extends FetchReader {
  put(state: FetchState): void {
    this.execute(`INSERT OR REPLACE ${inserted('fetch', fields)}`, state)
  }
}
