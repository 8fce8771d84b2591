/** News as a source: fetched like a list, distinguished from a web page by its content, kept once. */

import { describe, expect, test } from 'bun:test'
import { knownSources } from '../../src/ingest/sources.ts'
import { FetchedSource } from './fetched-source.ts'

interface Told {
  readonly guid: string
  readonly title: string
  readonly date?: string
}

const itemOf = ({ guid, title, date = 'Wed, 11 Mar 2026 10:00:00 EST' }: Told): string => `<item>
  <title>${title}</title><link>https://press.example/${guid}</link>
  <guid isPermaLink="false">${guid}</guid><pubDate>${date}</pubDate>
  <description>What &lt;b&gt;happened&lt;/b&gt;.</description></item>`

const feedOf = (...items: readonly Told[]): string => `<?xml version="1.0"?>
<rss version="2.0"><channel><title>The press</title><link>https://press.example/</link>
${items.map(itemOf).join('\n')}</channel></rss>`

const newsSource = () =>
  new FetchedSource({
    role: 'news',
    format: 'news',
    listing: 'recent',
    title: 'The press',
    audiences: ['general'],
  })

const titles = ({ db }: FetchedSource, audience: 'general' | 'elder' = 'general') =>
  db.store.news.newestFor(audience, 50).map(({ title }) => title)

describe('a source of news', () => {
  test('is read whatever its content type, and stored with its audiences', async () => {
    await using feed = newsSource()
    feed.server.serve('/list.txt', {
      body: feedOf(
        { guid: '1', title: 'How to spot a Medicare scam' },
        { guid: '2', title: 'A toll text that is none', date: 'Tue, 10 Mar 2026 10:00:00 GMT' },
      ),
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { read: 2, added: 2 } })
    expect(titles(feed)).toEqual(['How to spot a Medicare scam', 'A toll text that is none'])
    expect(titles(feed, 'elder')).toEqual(['How to spot a Medicare scam'])
    const [newest] = feed.db.store.news.newestFor('elder', 1)
    expect(newest).toMatchObject({
      link: 'https://press.example/1',
      summary: 'What happened.',
      source: 'The press',
      publishedAt: Date.UTC(2026, 2, 11, 15),
    })
    expect(JSON.parse(newest?.words ?? '{}')).toHaveProperty('elder')
    expect(feed.db.published()).toEqual([])
    expect(feed.overview()).toMatchObject({ role: 'news', state: 'ok', entries: 2 })
  })

  test('adds no article twice, and keeps those that its feed drops', async () => {
    await using feed = newsSource()
    feed.server.serve('/list.txt', { body: feedOf({ guid: '1', title: 'One' }) })
    await feed.refresh()
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    feed.server.serve('/list.txt', { body: feedOf({ guid: '2', title: 'Two' }) })
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { added: 1 } })
    expect(await feed.refresh(true)).toMatchObject({ kind: 'imported', report: { added: 0 } })
    expect(titles(feed).sort()).toEqual(['One', 'Two'])
  })

  test('keeps its articles when it turns into a web page, or into nothing', async () => {
    await using feed = newsSource()
    feed.server.serve('/list.txt', { body: feedOf({ guid: '1', title: 'One' }) })
    await feed.refresh()
    for (const body of [
      '<!doctype html><html><title>Gone</title></html>',
      'evil.example\n',
      '{}',
    ]) {
      feed.server.serve('/list.txt', { body })
      expect(await feed.refresh()).toMatchObject({
        kind: 'failed',
        error: expect.stringContaining('the answer is not a feed of news'),
      })
    }
    feed.server.serve('/list.txt', { body: feedOf() })
    expect(await feed.refresh()).toMatchObject({ kind: 'held_back' })
    feed.server.serve('/list.txt', { body: '<rss version="2.0"><channel><item><title>cut' })
    await feed.refresh()
    expect(titles(feed)).toContain('One')
  })

  test('leaves out articles older than two years, and other items', async () => {
    await using feed = newsSource()
    feed.server.serve('/list.txt', {
      body: feedOf(
        { guid: '1', title: 'One' },
        { guid: '2', title: '' },
        { guid: '3', title: 'Old', date: 'Wed, 11 Mar 2020 10:00:00 GMT' },
      ),
    })
    expect(await feed.refresh()).toMatchObject({
      report: { read: 3, added: 1, refused: { no_article: { count: 1 }, too_old: { count: 1 } } },
    })
  })
})

describe('the news sources that ship with weir', () => {
  const news = knownSources.filter(({ role }) => role === 'news')

  test('are enabled if in the public domain, else disabled with their terms', () => {
    const on = news.filter(({ isEnabled }) => isEnabled)
    expect(on.length).toBeGreaterThanOrEqual(6)
    for (const { licence } of on) expect(licence).toContain('public domain')
    const off = news.filter(({ isEnabled }) => !isEnabled)
    expect(off.length).toBeGreaterThanOrEqual(7)
    for (const { url, terms } of off) expect(url === null || terms !== null).toBe(true)
  })

  test('are fetched at most once an hour', () => {
    for (const { minIntervalMs } of news) expect(minIntervalMs).toBeGreaterThanOrEqual(3_600_000)
  })
})
