/**
 * The domain blacklist as pages of rows (specification §4, GET /api/v1/blacklist): active published
 * domains, newest listing first, ties by domain. `blacklist-formats` turns pages into bytes.
 */

import type { Indicator } from '../../model/indicator.ts'
import type { Result } from '../../model/result.ts'
import { toDay } from '../../store/counters.ts'
import type { ReadStore } from '../../store/store.ts'
import { formatListCursor, readCursor, shortEpoch, toCursor } from '../cursor.ts'

export interface BlacklistQuery {
  readonly limit: number
  /** Counted from the newest; ignored when a cursor is given. */
  readonly offset: number
  /** Only entries listed at or after this time (milliseconds, midnight UTC); null for all. */
  readonly since: number | null
  /** Where an earlier page ended; null to begin at `offset`. */
  readonly cursor: string | null
}

/** The state of the whole list, whatever the filter. */
export interface BlacklistState {
  /** The number of its last change; with the epoch, the list's version. */
  readonly seq: number
  readonly epoch: string
  /** The number of entries. */
  readonly totalActive: number
  /** When it last changed, milliseconds since the epoch. */
  readonly lastUpdated: number
  /** The cursor from which the delta feed continues; opaque. */
  readonly changesCursor: string
}

export interface BlacklistRows extends BlacklistState {
  readonly entries: readonly Indicator[]
  /** The number of entries that match the filter. */
  readonly total: number
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null
}

export interface BlacklistReader {
  /** Returns the state of the list, from two rows. */
  state(): BlacklistState
  page(query: BlacklistQuery): Result<BlacklistRows, 'bad_cursor'>
}

/** The end of a page: the position of its last entry in the order. */
interface Position {
  readonly listedAt: number
  readonly domain: string
}

/** Returns the position that a cursor names; null when it is not a cursor of this database. */
function parsePageCursor(cursor: string, epoch: string): Position | null {
  const fields = readCursor(cursor, /^([0-9a-f]{8}) (\d{1,15}) ([a-z0-9._-]{1,253})$/)
  const [history, listedAt, domain = ''] = fields ?? []
  return history === shortEpoch(epoch) ? { listedAt: Number(listedAt), domain } : null
}

/**
 * Builds the reader over a connection.
 *
 * A page costs O(limit) by cursor and O(offset + limit) by offset, within the index alone.
 */
export function createBlacklistReader(store: ReadStore): BlacklistReader {
  const state = (): BlacklistState => {
    const { epoch, seq, listSeq, listedChangedAt: lastUpdated } = store.meta()
    const totalActive = store.counters.get('published', 'domain')
    const changesCursor = formatListCursor({ epoch, seq, base: seq })
    return { seq: listSeq, epoch, totalActive, lastUpdated, changesCursor }
  }

  const read = (query: BlacklistQuery): Result<BlacklistRows, 'bad_cursor'> => {
    const { limit, offset, since, cursor } = query
    const list = state()
    const position = cursor === null ? null : parsePageCursor(cursor, list.epoch)
    if (cursor !== null && position === null) return { ok: false, reason: 'bad_cursor' }
    const total =
      since === null ? list.totalActive : store.counters.sumFrom('listed_day', toDay(since))
    const from = since ?? 0
    // One more than requested, to see whether there is a next page.
    const found =
      position !== null
        ? store.indicators.blacklistAfter(position.listedAt, position.domain, from, limit + 1)
        : offset < total
          ? store.indicators.blacklist(from, limit + 1, offset)
          : []
    const entries = found.slice(0, limit)
    const last = entries.at(-1)
    const nextCursor =
      found.length > limit && last !== undefined
        ? toCursor(shortEpoch(list.epoch), last.listedAt, last.value)
        : null
    return { ok: true, value: { ...list, entries, total, nextCursor } }
  }

  return { state, page: (query) => store.atOnce(() => read(query)) }
}
