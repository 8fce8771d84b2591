/** Articles in the store: what is kept, what is the same, and what goes with its source. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newsKeptMs } from '../../src/model/news.ts'
import type { Committed, ProposedArticle, SourceDescription } from '../../src/store/batch.ts'
import { isUntidy, tidy } from '../../src/store/tidy.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const dayMs = 86_400_000
const press: SourceDescription = { ...sourceNamed('press'), role: 'news', title: 'The press' }

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const article = (key: string, changes: Partial<ProposedArticle> = {}): ProposedArticle => ({
  key,
  title: `Title of ${key}`,
  titleKey: `title of ${key}`,
  link: `https://press.example/${key}`,
  summary: 'What happened.',
  publishedAt: db.now - 1_000,
  audiences: { general: ['source'] },
  ...changes,
})

async function publish(
  articles: readonly ProposedArticle[],
  source: SourceDescription = press,
): Promise<Committed> {
  db.now += 60_000
  const run = await db.startRun(source)
  const operations = [{ op: 'publishNews', source: source.name, run, articles }] as const
  const committed = await db.store.write({ at: db.now, operations })
  await db.endRun(run)
  return committed
}

const titles = (audience: 'general' | 'elder' = 'general'): string[] =>
  db.store.news.newestFor(audience, 50).map(({ title }) => title)

describe('an article', () => {
  test('is kept with its source, its words and its date, the newest first', async () => {
    const committed = await publish([
      article('a', { publishedAt: db.now - 2 * dayMs }),
      article('b', { audiences: { elder: ['medicare'], general: ['source'] } }),
    ])
    expect(committed).toMatchObject({ added: 2, changed: 0, seenAgain: 0 })
    expect(titles()).toEqual(['Title of b', 'Title of a'])
    expect(titles('elder')).toEqual(['Title of b'])
    const [newest] = db.store.news.newestFor('elder', 1)
    expect(newest).toMatchObject({ source: 'The press', link: 'https://press.example/b' })
    expect(JSON.parse(newest?.words ?? '')).toEqual({ elder: ['medicare'], general: ['source'] })
  })

  test('that nobody is meant by is on no dashboard, and still kept', async () => {
    await publish([article('a', { audiences: {} })])
    expect(titles()).toEqual([])
    expect(db.store.news.byId(1)?.title).toBe('Title of a')
  })

  test('read again adds nothing and moves no number', async () => {
    await publish([article('a')])
    const before = db.store.meta()
    const again = await publish([article('a', { publishedAt: db.now })])
    expect(again).toMatchObject({ added: 0, changed: 0, seenAgain: 1 })
    expect(db.store.meta().textSeq).toBe(before.textSeq)
  })

  test('that its publisher corrects is corrected, and keeps its date', async () => {
    await publish([article('a')])
    const [before] = db.store.news.newestFor('general', 1)
    const again = await publish([article('a', { title: 'Corrected', publishedAt: db.now })])
    expect(again).toMatchObject({ added: 0, changed: 1 })
    const [after] = db.store.news.newestFor('general', 1)
    expect(after).toMatchObject({ id: before?.id, title: 'Corrected' })
    expect(after?.publishedAt).toBe(before?.publishedAt)
    expect(after?.seq).toBeGreaterThan(before?.seq ?? 0)
  })

  test('that another source tells under the same link is not kept twice', async () => {
    await publish([article('a')])
    const other = { ...press, name: 'other' }
    const link = 'https://press.example/a'
    expect(await publish([article('x', { link })], other)).toMatchObject({ added: 0, seenAgain: 1 })
    expect(titles()).toEqual(['Title of a'])
  })

  test('of the same title is the same within a week, and another one after it', async () => {
    await publish([article('a', { titleKey: 'weekly review' })])
    await publish([article('b', { titleKey: 'weekly review' })])
    expect(titles()).toEqual(['Title of a'])
    db.now += 8 * dayMs
    await publish([article('c', { titleKey: 'weekly review' })])
    expect(titles()).toEqual(['Title of c', 'Title of a'])
  })

  test('without a title of letters is never taken for another', async () => {
    await publish([article('a', { titleKey: '' }), article('b', { titleKey: '' })])
    expect(titles().length).toBe(2)
  })

  test('that is dated ahead, or not at all, is of the day it came', async () => {
    await publish([
      article('a', { publishedAt: db.now + 400 * dayMs }),
      article('b', { publishedAt: null }),
    ])
    for (const row of db.store.news.newestFor('general', 2)) expect(row.publishedAt).toBe(db.now)
  })

  test('changes nothing of what is listed: neither its number nor its date', async () => {
    const before = db.store.meta()
    await publish([article('a')])
    const after = db.store.meta()
    for (const name of ['seq', 'listSeq', 'changedAt', 'dateAdded', 'nextId'] as const) {
      expect([name, after[name]]).toEqual([name, before[name]])
    }
    expect(after.textSeq).toBeGreaterThan(0)
  })

  test('is forgotten after two years', async () => {
    await publish([article('a'), article('b', { publishedAt: db.now })])
    const later = db.now + newsKeptMs - 60_500
    expect(isUntidy(db.store, later, dayMs)).toBe(true)
    await tidy(db.store, later, dayMs, new AbortController().signal)
    expect(titles()).toEqual(['Title of b'])
    expect(db.store.counters.get('source', 'press')).toBe(1)
    expect(isUntidy(db.store, later, dayMs)).toBe(false)
    // Whoever follows hears of it before the row is gone.
    const hidden = db.store.news.changesAfter(0, 10)
    expect(hidden.map(({ id, withheld }) => [id, withheld])).toContainEqual([1, 1])
    expect(isUntidy(db.store, later + dayMs, 10 * dayMs)).toBe(true)
  })
})

describe('a source of news that is taken back', () => {
  const withdraw = async (isWithdrawn: boolean): Promise<void> => {
    db.now += 60_000
    await db.store.write({
      at: db.now,
      operations: [
        { op: 'switchSource', source: press, enabled: null, isWithdrawn },
        { op: isWithdrawn ? 'withhold' : 'reinstate', source: 'press', after: 0 },
      ],
    })
  }

  test('keeps nobody else from telling the same', async () => {
    await publish([article('a')])
    await withdraw(true)
    const link = 'https://press.example/a'
    const again = await publish([article('x', { link, title: 'From elsewhere' })], {
      ...press,
      name: 'other',
    })
    expect(again.added).toBe(1)
    expect(titles()).toEqual(['From elsewhere'])
  })

  test('takes its articles along, and brings them back', async () => {
    await publish([article('a'), article('b')])
    const before = db.store.meta().textSeq
    await withdraw(true)
    expect(titles()).toEqual([])
    expect(db.store.news.byId(1)).toBeNull()
    expect(db.store.counters.get('source', 'press')).toBe(0)
    const changes = db.store.news.changesAfter(before, 10)
    expect(changes.map(({ withheld }) => withheld)).toEqual([1, 1])
    await withdraw(false)
    expect(titles().length).toBe(2)
    expect(db.store.counters.get('source', 'press')).toBe(2)
  })
})
