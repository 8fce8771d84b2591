/**
 * Finds texts by their words: an index in memory (SQLite's FTS5), in which nothing is kept but the words, so
 * that it costs no disk and can be rebuilt at any time. Words match by their English stem, accents aside (tokenizers
 * `porter` over `unicode61`).
 */

import { Database, type Statement } from 'bun:sqlite'

/** A text by its parts: words of the first weigh more. */
export interface IndexedText {
  readonly id: number
  readonly title: string
  readonly body: string
}

/** How many words in the body a word in the title counts for. */
const titleWeight = 6

/**
 * Maximum number of matches that are ranked, at about half a microsecond each. A query with more matches is in
 * every other text and says little of any; then the newest are shown first.
 */
const weighedMax = 4_000

/** Every statement over the index, by name. */
const textIndexSql = {
  create: `CREATE VIRTUAL TABLE text USING fts5 (title, body, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2')`,
  put: 'INSERT OR REPLACE INTO text (rowid, title, body) VALUES (?1, ?2, ?3)',
  remove: 'DELETE FROM text WHERE rowid = ?1',
  count: 'SELECT count(*) AS n FROM text WHERE text MATCH ?1',
  best: `SELECT rowid AS id FROM text WHERE text MATCH ?1
    ORDER BY bm25(text, ${titleWeight}, 1), rowid DESC LIMIT ?2 OFFSET ?3`,
  newest: `SELECT rowid AS id FROM text WHERE text MATCH ?1
    ORDER BY rowid DESC LIMIT ?2 OFFSET ?3`,
} as const

/** Texts by their words. Ids are the caller's. */
export class TextIndex implements Disposable {
  readonly #database = new Database(':memory:', { strict: true })
  readonly #put: Statement
  readonly #remove: Statement
  readonly #count: Statement<{ n: number }, [string]>
  readonly #best: Statement<{ id: number }, [string, number, number]>
  readonly #newest: Statement<{ id: number }, [string, number, number]>

  constructor() {
    this.#database.run(textIndexSql.create)
    this.#put = this.#database.prepare(textIndexSql.put)
    this.#remove = this.#database.prepare(textIndexSql.remove)
    this.#count = this.#database.prepare(textIndexSql.count)
    this.#best = this.#database.prepare(textIndexSql.best)
    this.#newest = this.#database.prepare(textIndexSql.newest)
  }

  /** Adds texts, replacing those of the same ids. */
  putAll(texts: readonly IndexedText[]): void {
    this.#database.transaction(() => {
      for (const { id, title, body } of texts) this.#put.run(id, title, body)
    })()
  }

  remove(id: number): void {
    this.#remove.run(id)
  }

  /** Returns how many texts hold all of these phrases. O(matches), 0.1 µs each. */
  count(phrases: readonly string[]): number {
    return phrases.length === 0 ? 0 : (this.#count.get(formatMatch(phrases))?.n ?? 0)
  }

  /**
   * Returns the ids of texts that hold all of these phrases, the best first, of very many the newest (that
   * with the highest id) first; `total` is what `count` says of them.
   */
  find(phrases: readonly string[], total: number, limit: number, offset: number): number[] {
    if (phrases.length === 0 || limit === 0 || offset >= total) return []
    const statement = total > weighedMax ? this.#newest : this.#best
    return statement.all(formatMatch(phrases), limit, offset).map(({ id }) => id)
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

/** A phrase in quotes is text for FTS5, whatever it contains. */
const formatMatch = (phrases: readonly string[]): string =>
  phrases.map((phrase) => `"${phrase.replaceAll('"', '""')}"`).join(' ')
