/** The single row of `meta`: the sequence, the epoch, and the times that go with them; and that of `snapshot`. */

import { assigned, Statements, selected } from './statements.ts'
import { StoreError } from './store-error.ts'

/** Where the store is in its sequence. */
export type Meta = {
  /** Random; new at creation and at every restore. */
  readonly epoch: string
  readonly bornAt: number
  /** The number of the last batch. */
  readonly batch: number
  readonly seq: number
  readonly oldestSeq: number
  readonly nextId: number
  readonly dateAdded: number
  readonly changedAt: number
  readonly listedChangedAt: number
  /** The number of the last change of a published domain: the version of the block list. */
  readonly listSeq: number
  /** The hash of the set of published domains, in hex (`SetHash`). */
  readonly setHash: string
  /** The look-alike rules that brands were last filled in by, and where to continue; null: complete. */
  readonly brandRules: string
  readonly brandsAfter: number | null
  /** The number of the last change of an article or a report. */
  readonly textSeq: number
}

// biome-ignore format: columns, as many to a line as fit
const advanced = [
  'batch', 'seq', 'nextId', 'dateAdded', 'changedAt', 'listedChangedAt', 'oldestSeq', 'listSeq',
  'setHash', 'textSeq',
] as const satisfies readonly (keyof Meta)[]
const columns = selected('meta', ['epoch', 'bornAt', ...advanced, 'brandRules', 'brandsAfter'])

/** Reads where the store is. */
export class MetaReader extends Statements {
  readonly #read = this.prepare<Meta>(`SELECT ${columns} FROM meta WHERE id = 1`)

  read(): Meta {
    const meta = this.#read.get()
    if (meta !== null) return meta
    throw new StoreError('read', 'the database has lost its first row', {
      hint: 'restore the last backup',
    })
  }

  /** Returns the name of the snapshot that was written last, or null. */
  snapshotToken(): string | null {
    const sql = 'SELECT token FROM snapshot WHERE id = 1'
    return this.queryOne<{ token: string }>(sql)?.token ?? null
  }
}

/** Reads and moves where the store is; moving belongs inside a batch's transaction. */
export class MetaTable extends MetaReader {
  readonly #advance = this.prepare(`UPDATE meta SET ${assigned(advanced)} WHERE id = 1`)

  advance(meta: Pick<Meta, (typeof advanced)[number]>): void {
    this.#advance.run(meta)
  }

  noteBrands(rules: string, after: number | null): void {
    this.execute('UPDATE meta SET brand_rules = ?1, brands_after = ?2 WHERE id = 1', rules, after)
  }

  setSnapshotToken(token: string): void {
    this.execute('INSERT OR REPLACE INTO snapshot VALUES (1, ?1)', token)
  }
}
