/** The `news` table: articles of others, as their feeds tell of them. */

import type { Database, Statement } from 'bun:sqlite'
import type { Audience } from '../model/audience.ts'
import { audienceBits, bitsOf, wordsText } from './audience-bits.ts'
import type { ProposedArticle } from './batch.ts'
import { nextTextSeq, type Progress } from './progress.ts'

/** A row as SQLite holds it. */
export interface NewsRow {
  readonly id: number
  readonly source_id: number
  readonly key: string
  readonly link: string
  readonly title: string
  readonly title_key: string
  readonly summary: string
  /** Milliseconds since the epoch; never after it was first seen. */
  readonly published_at: number
  readonly first_seen: number
  readonly audiences: number
  /** JSON: the words that decided, by audience. */
  readonly words: string | null
  /** 1: its source has been taken back. */
  readonly withheld: number
  readonly seq: number
}

/** An article with the title of its source. */
export interface NamedArticle extends NewsRow {
  readonly source: string
}

/** What is hidden is forgotten so long after. */
const goneMs = 86_400_000

/** The same title again within so long is the same article, under another address. */
const sameTitleMs = 7 * 86_400_000

const newestFor = (audience: Audience): string => `SELECT news.*, source.title AS source FROM news
  JOIN source ON source.id = news.source_id
  WHERE withheld = 0 AND (audiences & ${audienceBits[audience]}) <> 0
  ORDER BY published_at DESC, news.id DESC LIMIT ?1`

/** Every statement over `news`, by name. */
export const newsSql = {
  byKey: 'SELECT * FROM news WHERE source_id = ?1 AND key = ?2',
  byLink: 'SELECT id FROM news WHERE link = ?1 AND withheld = 0 LIMIT 1',
  byTitle: `SELECT id FROM news WHERE title_key = ?1 AND published_at > ?2 AND published_at < ?3
    AND withheld = 0 LIMIT 1`,
  add: `INSERT INTO news VALUES ((SELECT coalesce(max(id), 0) + 1 FROM news),
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11)`,
  change: `UPDATE news SET link = ?2, title = ?3, title_key = ?4, summary = ?5, audiences = ?6,
    words = ?7, seq = ?8 WHERE id = ?1`,
  ofSource: 'SELECT id FROM news WHERE source_id = ?1 AND withheld <> ?2 LIMIT ?3',
  withhold: 'UPDATE news SET withheld = ?2, seq = ?3 WHERE id = ?1',
  old: 'SELECT id, source_id FROM news WHERE published_at < ?1 AND withheld = 0 LIMIT ?2',
  older: 'SELECT id FROM news WHERE published_at < ?1 LIMIT ?2',
  forget: 'DELETE FROM news WHERE id = ?1',
  named: `SELECT news.*, source.title AS source FROM news
    JOIN source ON source.id = news.source_id WHERE news.id = ?1 AND withheld = 0`,
  changes:
    'SELECT id, title, summary, withheld, seq FROM news WHERE seq > ?1 ORDER BY seq LIMIT ?2',
  newest_professional: newestFor('professional'),
  newest_elder: newestFor('elder'),
  newest_general: newestFor('general'),
} as const

/** What a view over articles needs of a changed one. */
export type NewsChange = Pick<NewsRow, 'id' | 'title' | 'summary' | 'withheld' | 'seq'>

/** Looks articles up and changes them; changing belongs inside a batch's transaction. */
export class NewsTable {
  readonly #byKey: Statement<NewsRow, [number, string]>
  readonly #byLink: Statement<{ id: number }, [string]>
  readonly #byTitle: Statement<{ id: number }, [string, number, number]>
  readonly #add: Statement
  readonly #change: Statement
  readonly #ofSource: Statement<{ id: number }, [number, number, number]>
  readonly #withhold: Statement
  readonly #old: Statement<Pick<NewsRow, 'id' | 'source_id'>, [number, number]>
  readonly #older: Statement<{ id: number }, [number, number]>
  readonly #forget: Statement
  readonly #named: Statement<NamedArticle, [number]>
  readonly #newest: Readonly<Record<Audience, Statement<NamedArticle, [number]>>>

  constructor(database: Database) {
    this.#byKey = database.prepare(newsSql.byKey)
    this.#byLink = database.prepare(newsSql.byLink)
    this.#byTitle = database.prepare(newsSql.byTitle)
    this.#add = database.prepare(newsSql.add)
    this.#change = database.prepare(newsSql.change)
    this.#ofSource = database.prepare(newsSql.ofSource)
    this.#withhold = database.prepare(newsSql.withhold)
    this.#old = database.prepare(newsSql.old)
    this.#older = database.prepare(newsSql.older)
    this.#forget = database.prepare(newsSql.forget)
    this.#named = database.prepare(newsSql.named)
    this.#newest = {
      professional: database.prepare(newsSql.newest_professional),
      elder: database.prepare(newsSql.newest_elder),
      general: database.prepare(newsSql.newest_general),
    }
  }

  /**
   * Keeps an article of a source and says whether it is new. What is known by its key is corrected when
   * its words have changed; what another article has told under the same link, or in the same week under
   * the same title, is not kept a second time.
   */
  put(progress: Progress, sourceId: number, article: ProposedArticle): boolean {
    const { at } = progress
    const { key, link, title, titleKey, summary } = article
    const bits = bitsOf(article.audiences)
    const words = wordsText(article.audiences)
    const known = this.#byKey.get(sourceId, key)
    if (known !== null) {
      const isSame =
        known.link === link &&
        known.title === title &&
        known.summary === summary &&
        known.words === words
      if (isSame) {
        progress.seenAgain++
        return false
      }
      const seq = nextTextSeq(progress)
      this.#change.run(known.id, link, title, titleKey, summary, bits, words, seq)
      progress.changed++
      return false
    }
    // What is dated ahead would stand above all that comes until then.
    const publishedAt = Math.min(article.publishedAt ?? at, at)
    if (this.#isToldElsewhere(article, publishedAt)) {
      progress.seenAgain++
      return false
    }
    const seq = nextTextSeq(progress)
    this.#add.run(sourceId, key, link, title, titleKey, summary, publishedAt, at, bits, words, seq)
    progress.added++
    return true
  }

  #isToldElsewhere({ link, titleKey }: ProposedArticle, publishedAt: number): boolean {
    if (this.#byLink.get(link) !== null) return true
    const [from, to] = [publishedAt - sameTitleMs, publishedAt + sameTitleMs]
    return titleKey !== '' && this.#byTitle.get(titleKey, from, to) !== null
  }

  /** Hides (1) or shows (0) again at most `limit` articles of a source; returns how many. */
  withhold(progress: Progress, sourceId: number, withheld: 0 | 1, limit: number): number {
    const rows = this.#ofSource.all(sourceId, withheld, limit)
    for (const { id } of rows) this.#withhold.run(id, withheld, nextTextSeq(progress))
    return rows.length
  }

  /** Is anything from before a time still shown, or to be forgotten? */
  hasOld(before: number): boolean {
    return this.#old.all(before, 1).length > 0 || this.#older.all(before - goneMs, 1).length > 0
  }

  /**
   * Hides at most `limit` articles from before a time, and forgets those that have been hidden for a day, so
   * that whoever follows hears of each. Returns the sources of what it hides, and how many it forgets.
   */
  forget(progress: Progress, before: number, limit: number): { hidden: number[]; gone: number } {
    const old = this.#old.all(before, limit)
    for (const { id } of old) this.#withhold.run(id, 1, nextTextSeq(progress))
    const gone = this.#older.all(before - goneMs, limit)
    for (const { id } of gone) this.#forget.run(id)
    return { hidden: old.map(({ source_id: sourceId }) => sourceId), gone: gone.length }
  }

  /** Returns an article that is shown, or null. */
  byId(id: number): NamedArticle | null {
    return this.#named.get(id)
  }

  /** Returns the newest articles for an audience. */
  newestFor(audience: Audience, limit: number): NamedArticle[] {
    return this.#newest[audience].all(limit)
  }
}
