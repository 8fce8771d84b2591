/** The `news` table: articles that others have written, as their feeds describe them. */

import type { Audience } from '../model/audience.ts'
import { audienceBits, formatWords, toAudienceBits } from './audience-bits.ts'
import type { ProposedArticle } from './batch.ts'
import { nextTextSeq, type Progress } from './progress.ts'
import { assigned, inserted, Statements, selected } from './statements.ts'

/** An article as the store keeps it. */
export interface StoredArticle {
  readonly id: number
  readonly sourceId: number
  readonly key: string
  readonly link: string
  readonly title: string
  readonly titleKey: string
  readonly summary: string
  /** Milliseconds since the epoch; never after it was first seen. */
  readonly publishedAt: number
  readonly firstSeen: number
  readonly audiences: number
  /** JSON: the words that decided, by audience. */
  readonly words: string | null
  /** 1: its source has been taken back. */
  readonly withheld: number
  readonly seq: number
}

/** An article with the title of its source. */
export interface NamedArticle extends StoredArticle {
  readonly source: string
}

/** What a view over articles needs of a changed one. */
export type NewsChange = Pick<StoredArticle, 'id' | 'title' | 'summary' | 'withheld' | 'seq'>

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'id', 'sourceId', 'key', 'link', 'title', 'titleKey', 'summary', 'publishedAt', 'firstSeen',
  'audiences', 'words', 'withheld', 'seq',
] as const satisfies readonly (keyof StoredArticle)[]
const columns = selected('news', fields)
const changed = ['link', 'title', 'titleKey', 'summary', 'audiences', 'words', 'seq'] as const

const named = `SELECT ${columns}, source.title AS source FROM news
  JOIN source ON source.id = news.source_id`

/** How long a hidden article is kept. */
const goneMs = 86_400_000

/** The same title within this time is the same article at another address. */
const sameTitleMs = 7 * 86_400_000

/** Looks articles up. */
export class NewsReader extends Statements {
  /** Returns an article that is shown, or null. */
  byId(id: number): NamedArticle | null {
    return this.queryOne(`${named} WHERE news.id = ?1 AND withheld = 0`, id)
  }

  /** Returns the newest articles for an audience. */
  newestFor(audience: Audience, limit: number): NamedArticle[] {
    const sql = `${named} WHERE withheld = 0 AND (audiences & ${audienceBits[audience]}) <> 0
      ORDER BY published_at DESC, news.id DESC LIMIT ?1`
    return this.queryAll(sql, limit)
  }

  /** Returns at most `limit` articles changed after a number; from 0 on that is all of them. */
  changesAfter(seq: number, limit: number): NewsChange[] {
    const sql =
      'SELECT id, title, summary, withheld, seq FROM news WHERE seq > ?1 ORDER BY seq LIMIT ?2'
    return this.queryAll(sql, seq, limit)
  }

  /** Reports whether an article from before a time is still shown, or is to be deleted. */
  hasOld(before: number): boolean {
    return this.shownBefore(before, 1).length > 0 || this.anyBefore(before - goneMs, 1).length > 0
  }

  protected shownBefore(before: number, limit: number): { id: number; sourceId: number }[] {
    const sql = `SELECT id, source_id AS sourceId FROM news WHERE published_at < ?1 AND withheld = 0
      LIMIT ?2`
    return this.queryAll(sql, before, limit)
  }

  protected anyBefore(before: number, limit: number): { id: number }[] {
    return this.queryAll('SELECT id FROM news WHERE published_at < ?1 LIMIT ?2', before, limit)
  }
}

/** Looks articles up and changes them; changing belongs inside a batch's transaction. */
export class NewsTable extends NewsReader {
  /**
   * Keeps an article of a source and reports whether it is new. An article known by its key is updated
   * when its text has changed; one with the link of another article, or with the same title in the same
   * week, is not kept a second time.
   */
  put(progress: Progress, sourceId: number, article: ProposedArticle): boolean {
    const { at } = progress
    const { key, link, title, titleKey, summary } = article
    const audiences = toAudienceBits(article.audiences)
    const words = formatWords(article.audiences)
    const known = this.queryOne<StoredArticle>(
      `SELECT ${columns} FROM news WHERE source_id = ?1 AND key = ?2`,
      sourceId,
      key,
    )
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
      this.execute(`UPDATE news SET ${assigned(changed)} WHERE id = $id`, {
        id: known.id,
        link,
        title,
        titleKey,
        summary,
        audiences,
        words,
        seq,
      })
      progress.changed++
      return false
    }
    // An article dated ahead would be shown above all that come until then.
    const publishedAt = Math.min(article.publishedAt ?? at, at)
    if (this.#isKnownElsewhere(article, publishedAt)) {
      progress.seenAgain++
      return false
    }
    const seq = nextTextSeq(progress)
    const id = this.queryOne<{ id: number }>('SELECT coalesce(max(id), 0) + 1 AS id FROM news')?.id
    this.execute(`INSERT ${inserted('news', fields)}`, {
      id: id ?? 1,
      sourceId,
      key,
      link,
      title,
      titleKey,
      summary,
      publishedAt,
      firstSeen: at,
      audiences,
      words,
      withheld: 0,
      seq,
    })
    progress.added++
    return true
  }

  #isKnownElsewhere({ link, titleKey }: ProposedArticle, publishedAt: number): boolean {
    const sameLink = 'SELECT id FROM news WHERE link = ?1 AND withheld = 0 LIMIT 1'
    if (this.queryOne(sameLink, link) !== null) return true
    const sameTitle = `SELECT id FROM news
      WHERE title_key = ?1 AND published_at > ?2 AND published_at < ?3 AND withheld = 0 LIMIT 1`
    const [from, to] = [publishedAt - sameTitleMs, publishedAt + sameTitleMs]
    return titleKey !== '' && this.queryOne(sameTitle, titleKey, from, to) !== null
  }

  /** Hides (1) or shows (0) again at most `limit` articles of a source; returns how many. */
  withhold(progress: Progress, sourceId: number, withheld: 0 | 1, limit: number): number {
    const sql = 'SELECT id FROM news WHERE source_id = ?1 AND withheld <> ?2 LIMIT ?3'
    const rows = this.queryAll<{ id: number }>(sql, sourceId, withheld, limit)
    for (const { id } of rows) this.#setWithheld(progress, id, withheld)
    return rows.length
  }

  #setWithheld(progress: Progress, id: number, withheld: 0 | 1): void {
    const sql = 'UPDATE news SET withheld = ?2, seq = ?3 WHERE id = ?1'
    this.execute(sql, id, withheld, nextTextSeq(progress))
  }

  /**
   * Hides at most `limit` articles from before a time, and deletes those that have been hidden for a day,
   * so that every follower sees the change. Returns the sources of what it hides, and how many it deletes.
   */
  forget(progress: Progress, before: number, limit: number): { hidden: number[]; gone: number } {
    const old = this.shownBefore(before, limit)
    for (const { id } of old) this.#setWithheld(progress, id, 1)
    const gone = this.anyBefore(before - goneMs, limit)
    for (const { id } of gone) this.execute('DELETE FROM news WHERE id = ?1', id)
    return { hidden: old.map(({ sourceId }) => sourceId), gone: gone.length }
  }
}
