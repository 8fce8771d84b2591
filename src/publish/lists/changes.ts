/**
 * The delta feed: the domains that were listed or delisted after a cursor, as JSON.
 *
 *     cursor ─▶ number ─▶ stretch of the sequence ─▶ listed: added │ left since: removed │ else nothing
 *                              ▲                 │
 *                              └── more to read ─┘
 *
 * A client that applies the removals of each answer, then stores the added entries by domain, has
 * exactly the listed domains once `more` is false. A domain is in one of the two only, in its latest
 * state; a domain that was never published is in neither. The changes are read in slices, so that a
 * long answer blocks no other request.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Indicator, RemovalReason } from '../../model/indicator.ts'
import type { Result } from '../../model/result.ts'
import type { Meta } from '../../store/meta.ts'
import type { ReadStore } from '../../store/store.ts'
import { formatListCursor, type ListPosition, parseListCursor, shortEpoch } from '../cursor.ts'
import { jsonText, timeText } from '../wire.ts'
import { toBlacklistEntry } from './blacklist-formats.ts'

export interface ChangesQuery {
  /** Of an earlier answer or the block list; `begin` for an empty copy; null for from now on. */
  readonly cursor: string | null
  /** Maximum number of domains in an answer. */
  readonly limit: number
  /** About how long an answer may become; it then goes on in the next one. */
  readonly lengthMax: number
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

/** One answer, as JSON. */
export interface ChangesAnswer {
  readonly json: string
}

export interface ChangesReader {
  read(query: ChangesQuery): Promise<Result<ChangesAnswer, 'bad_cursor'>>
}

/** The cursor of a client with an empty copy. */
export const beginning = 'begin'

/** The number of changes in a slice: about a millisecond. */
const stretchRows = 250

/** Maximum number of slices for one answer, since most changes may be of other types than domains. */
const stretchesMax = 400

/** A domain that left the list, on the wire. */
interface Removal {
  readonly domain: string
  readonly reason: RemovalReason
  readonly removed_at: string
}

/** The changes of one answer, collected slice by slice; each domain in its latest state. */
class Gathering {
  readonly #store: ReadStore
  readonly #query: ChangesQuery
  readonly #added = new Map<string, string>()
  readonly #removed = new Map<string, string>()
  #position: ListPosition
  #stretches = 0
  #length = 0
  isLevel = false

  constructor(store: ReadStore, from: ListPosition, query: ChangesQuery) {
    this.#store = store
    this.#position = from
    this.#query = query
  }

  get position(): ListPosition {
    return this.#position
  }

  /** Reports whether the answer is full. */
  get isDone(): boolean {
    return this.isLevel || this.#isFull || this.#stretches >= stretchesMax
  }

  get #isFull(): boolean {
    const { limit, lengthMax, signal } = this.#query
    const count = this.#added.size + this.#removed.size
    return count >= limit || this.#length >= lengthMax || signal.aborted
  }

  /** Reads the next slice, or as much of it as there is room for. */
  advance(): void {
    const { indicators, end, isLast } = this.#store.listChanges.stretch(
      this.#position.seq,
      stretchRows,
    )
    this.#stretches++
    for (const [index, indicator] of indicators.entries()) {
      this.#take(indicator)
      if (!this.#isFull || index === indicators.length - 1) continue
      this.#position = { ...this.#position, seq: indicator.seq }
      return
    }
    this.#position = { ...this.#position, seq: end }
    this.isLevel = isLast
  }

  #take(indicator: Indicator): void {
    const { id, value } = indicator
    this.#added.delete(value)
    this.#removed.delete(value)
    if (indicator.isPublished) {
      const entry = jsonText(toBlacklistEntry(indicator))
      this.#added.set(value, entry)
      this.#length += entry.length
      return
    }
    // Including domains that came and went meanwhile: the client may have read pages of the list in between.
    const departure = this.#store.listChanges.departure(id, this.#position.base)
    if (departure === null) return
    const { reason, at } = departure
    const removal: Removal = { domain: value, reason, removed_at: timeText(at) }
    const text = jsonText(removal)
    this.#removed.set(value, text)
    this.#length += text.length
  }

  /** Writes the answer; `meta` is of the moment of the last stretch. */
  render(meta: Meta, total: number, minWaitSeconds: number): string {
    // A client in sync is in sync with all changes, also with those of other types.
    return answerText({
      position: this.isLevel ? levelWith(meta) : this.#position,
      more: !this.isLevel,
      resync: false,
      added: this.#added.values(),
      removed: this.#removed.values(),
      total,
      setHash: this.isLevel ? meta.setHash : null,
      minWaitSeconds: this.isLevel ? minWaitSeconds : 0,
    })
  }
}

/** Returns the position of a client that has all changes. */
const levelWith = ({ epoch, seq }: Meta): ListPosition => ({ epoch, seq, base: seq })

/** The content of an answer; entries and removals as JSON. */
interface AnswerParts {
  readonly position: ListPosition
  readonly more: boolean
  readonly resync: boolean
  readonly added: Iterable<string>
  readonly removed: Iterable<string>
  readonly total: number
  readonly setHash: string | null
  readonly minWaitSeconds: number
}

/** Returns an answer around parts that are JSON already. */
function answerText({ position, more, resync, added, removed, ...rest }: AnswerParts): string {
  const state = `"cursor":"${formatListCursor(position)}","more":${more},"resync":${resync}`
  const lists = `"added":[${[...added].join(',')}],"removed":[${[...removed].join(',')}]`
  const hash = rest.setHash === null ? 'null' : `"${rest.setHash}"`
  const level = `"total":${rest.total},"set_hash":${hash}`
  return `{${state},${lists},${level},"min_wait_seconds":${rest.minWaitSeconds}}`
}

/**
 * Builds the reader over a connection; `minWaitSeconds` is how long clients in sync should wait.
 *
 * An answer costs O(changes read), at most 100,000 of them, in slices of about a millisecond.
 */
export function createChangesReader(store: ReadStore, minWaitSeconds: number): ChangesReader {
  const listed = (): number => store.counters.get('published', 'domain')

  /** Returns the answer for a client that is in sync or must resync. */
  const describeState = (resync: boolean): string => {
    const meta = store.meta()
    return answerText({
      position: levelWith(meta),
      more: false,
      resync,
      added: [],
      removed: [],
      total: listed(),
      setHash: meta.setHash,
      minWaitSeconds: resync ? 0 : minWaitSeconds,
    })
  }

  const canGoOn = (position: ListPosition, meta: Meta): boolean => {
    const known = Math.max(position.seq, position.base)
    return (
      shortEpoch(position.epoch) === shortEpoch(meta.epoch) &&
      known <= meta.seq &&
      known >= meta.oldestSeq
    )
  }

  /** Reads to the end or the limit; null when the changes that the client needs are no longer stored. */
  const gather = async (from: ListPosition, query: ChangesQuery): Promise<string | null> => {
    const gathering = new Gathering(store, from, query)
    for (;;) {
      const text = store.atOnce(() => {
        const meta = store.meta()
        if (!canGoOn(gathering.position, meta)) return null
        gathering.advance()
        return gathering.isDone ? gathering.render(meta, listed(), minWaitSeconds) : ''
      })
      if (text !== '') return text
      await nextTurn()
    }
  }

  return {
    async read(query) {
      const { cursor } = query
      if (cursor === null)
        return { ok: true, value: { json: store.atOnce(() => describeState(false)) } }
      const meta = store.meta()
      const from =
        cursor === beginning
          ? { epoch: meta.epoch, seq: 0, base: meta.seq }
          : parseListCursor(cursor)
      if (from === null) return { ok: false, reason: 'bad_cursor' }
      const json = (await gather(from, query)) ?? store.atOnce(() => describeState(true))
      return { ok: true, value: { json } }
    },
  }
}
