/**
 * Everything that is published of one type and may be blocked, in the order of its values, however
 * much it is.
 *
 *     choose    rows in the order of their ids ─▶ one bit for each id that is published, and their number
 *     inOrder   values in order, from an index alone ─▶ those whose bit is set
 *
 * Looking every row up in the order of values instead takes four times as long, and sorting needs memory
 * for all of them. Both belong inside one `ReadStore.atOnce`, so that both see the same state.
 */

import { Statements } from './statements.ts'

/** What there are full lists of. */
export type ListedType = 'domain' | 'url'

interface ListedRow {
  readonly id: number
  readonly value: string
}

/** How many rows are read at once. */
const sliceRows = 2_000

// Not by shifting, which reads 32 bits: an id over 32 bits must not select another row.
const toByte = (id: number): number => Math.floor(id / 8)
const toBit = (id: number): number => 1 << (id % 8)

/** Rows that were chosen to go out: one bit for each id. */
export class ChosenRows {
  readonly #bits: Uint8Array
  #count = 0

  constructor(lastId: number) {
    this.#bits = new Uint8Array(toByte(lastId) + 1)
  }

  /** How many there are. */
  get count(): number {
    return this.#count
  }

  /** Chooses a row that was not chosen yet. */
  add(id: number): void {
    this.#bits[toByte(id)] = (this.#bits[toByte(id)] ?? 0) | toBit(id)
    this.#count++
  }

  has(id: number): boolean {
    return ((this.#bits[toByte(id)] ?? 0) & toBit(id)) !== 0
  }
}

/** Reads full lists. */
export class ListedValues extends Statements {
  readonly #blockable = this.prepare<ListedRow>(
    `SELECT id, value FROM indicator
      WHERE id > ?1 AND type = ?2 AND published = 1 AND do_not_block = 0 ORDER BY id LIMIT ?3`,
  )
  readonly #values = this.prepare<ListedRow>(
    `SELECT id, value FROM indicator INDEXED BY indicator_by_value
      WHERE value > ?1 AND type = ?2 ORDER BY value LIMIT ?3`,
  )

  /** Chooses the published rows that may be blocked and whose value is wanted. O(rows). */
  choose(type: ListedType, isWanted: (value: string) => boolean): ChosenRows {
    const lastId = 'SELECT coalesce(max(id), 0) AS id FROM indicator'
    const chosen = new ChosenRows(this.queryOne<{ id: number }>(lastId)?.id ?? 0)
    for (let after = 0; ; ) {
      const rows = this.#blockable.all(after, type, sliceRows)
      for (const { id, value } of rows) if (isWanted(value)) chosen.add(id)
      if (rows.length < sliceRows) return chosen
      after = rows.at(-1)?.id ?? after
    }
  }

  /** Yields the values of the chosen rows in slices, in the order of their bytes. O(rows). */
  *inOrder(type: ListedType, chosen: ChosenRows): Generator<readonly string[]> {
    for (let after = ''; ; ) {
      const rows = this.#values.all(after, type, sliceRows)
      yield rows.filter(({ id }) => chosen.has(id)).map(({ value }) => value)
      if (rows.length < sliceRows) return
      after = rows.at(-1)?.value ?? after
    }
  }
}
