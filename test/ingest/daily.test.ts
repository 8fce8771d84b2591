/** Daily archives: each file is read once, and a day without a file is not a failure. */

import { describe, expect, test } from 'bun:test'
import { daysAfter } from '../../src/ingest/schedule.ts'
import { FetchedSource, sourceAt } from './fetched-source.ts'

const dayMs = 86_400_000
const today = Date.UTC(2026, 10, 20)

const dayOf = (daysAgo: number): string =>
  new Date(today - daysAgo * dayMs).toISOString().slice(0, 10)

/** A daily archive of domains, on Friday 20 November 2026. */
function dailySource(): FetchedSource {
  const feed = new FetchedSource()
  const url = feed.server.url('/list-DAY.txt').replace('DAY', '{date}')
  feed.sources[0] = sourceAt(url, { archive: 'daily', listing: 'recent', expireMs: 90 * dayMs })
  feed.db.now = today + 12 * 3_600_000
  return feed
}

/** Serves the file of a day, with one name. */
function publish({ server }: FetchedSource, daysAgo: number, name: string): void {
  server.serve(`/list-${dayOf(daysAgo)}.txt`, { body: `${name}\n` })
}

const askedFor = ({ server }: FetchedSource): string[] =>
  server.seen.splice(0).map(({ path }) => path.slice('/list-'.length, -'.txt'.length))

describe('daysAfter', () => {
  const now = today + dayMs - 1

  test('returns the last 26 days at first, oldest first', () => {
    const days = daysAfter(null, now)
    expect(days.length).toBe(26)
    expect(days[0]).toBe(dayOf(25))
    expect(days.at(-1)).toBe(dayOf(0))
  })

  test('returns the days after the last that was read, at most 26', () => {
    expect(daysAfter(dayOf(2), now)).toEqual([dayOf(1), dayOf(0)])
    expect(daysAfter(dayOf(0), now)).toEqual([])
    expect(daysAfter(dayOf(-3), now)).toEqual([])
    expect(daysAfter('2020-01-01', now)).toEqual(daysAfter(null, now))
    expect(daysAfter('no day', now)).toEqual(daysAfter(null, now))
  })
})

describe('a daily archive', () => {
  test('reads the available days at first, then only later ones', async () => {
    await using feed = dailySource()
    publish(feed, 20, 'old.example')
    publish(feed, 2, 'a.example')
    publish(feed, 1, 'b.example')
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { added: 3 } })
    expect(askedFor(feed)).toEqual([...daysAfter(null, feed.db.now)])
    expect(feed.db.store.fetches.find('feed')?.position).toBe(dayOf(1))

    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    expect(askedFor(feed)).toEqual([dayOf(0)])
    publish(feed, 0, 'c.example')
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { added: 1 } })
    expect(askedFor(feed)).toEqual([dayOf(0)])
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    expect(askedFor(feed)).toEqual([])
    expect(feed.db.published().sort()).toEqual([
      'a.example',
      'b.example',
      'c.example',
      'old.example',
    ])
  })

  test('fetches a day that had only a web page again, until a later one exists', async () => {
    await using feed = dailySource()
    publish(feed, 3, 'a.example')
    await feed.refresh()
    askedFor(feed)
    feed.server.serve(`/list-${dayOf(0)}.txt`, { body: '<!doctype html><title>Not yet</title>' })
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    expect(askedFor(feed)).toEqual([dayOf(2), dayOf(1), dayOf(0)])
    publish(feed, 0, 'b.example')
    await feed.refresh()
    expect(askedFor(feed)).toEqual([dayOf(2), dayOf(1), dayOf(0)])
    expect(feed.db.store.fetches.find('feed')?.position).toBe(dayOf(0))
  })

  test('imports nothing when a day fails, and everything later', async () => {
    await using feed = dailySource()
    publish(feed, 3, 'a.example')
    feed.server.serve(`/list-${dayOf(2)}.txt`, { status: 503 })
    publish(feed, 1, 'b.example')
    expect(await feed.refresh()).toMatchObject({ kind: 'failed' })
    expect(feed.db.published()).toEqual([])
    expect(feed.db.store.fetches.find('feed')?.position).toBeNull()
    publish(feed, 2, 'c.example')
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { added: 3 } })
  })

  test('fails when no file has existed for too long', async () => {
    await using feed = dailySource()
    expect(await feed.refresh()).toMatchObject({
      kind: 'failed',
      error: 'feed has had no file for 26 days',
    })
    publish(feed, 0, 'a.example')
    await feed.refresh()
    feed.db.now += 10 * dayMs
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    feed.db.now += dayMs
    expect(await feed.refresh()).toMatchObject({ kind: 'failed' })
    expect(feed.db.published()).toEqual(['a.example'])
  })

  test('reads every day again when forced', async () => {
    await using feed = dailySource()
    publish(feed, 1, 'a.example')
    await feed.refresh()
    askedFor(feed)
    const before = feed.db.store.meta().seq
    expect(await feed.refresh(true)).toMatchObject({ kind: 'imported', report: { seenAgain: 1 } })
    expect(askedFor(feed).length).toBe(26)
    expect(feed.db.store.meta().seq).toBe(before)
  })
})

describe('a daily archive of reported calls', () => {
  const header =
    'Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,Recorded_Message_Or_Robocall'

  test('counts calls once, however often a file is read', async () => {
    await using feed = dailySource()
    feed.sources[0] = { ...feed.source, format: 'ftc-calls', threatType: 'scam', confidence: 50 }
    const file = (daysAgo: number, subjects: readonly string[]): void => {
      const rows = subjects.map(
        (subject) => `2025552368,${dayOf(daysAgo + 1)} 08:00:00,,,,,${subject},Y`,
      )
      feed.server.serve(`/list-${dayOf(daysAgo)}.txt`, { body: [header, ...rows, ''].join('\n') })
    }
    file(2, ['Other', 'Debt collection', 'Debt collection'])
    file(1, ['Debt collection'])
    expect(await feed.refresh()).toMatchObject({
      kind: 'imported',
      report: { read: 2, added: 1, refused: {} },
    })
    const calls = () => {
      const row = feed.db.store.byValue('+12025552368', 'phone')
      expect(row).toMatchObject({ isActive: true, threatType: 'scam', confidence: 50 })
      return feed.db.store.reportedCalls.of(row?.id ?? 0)
    }
    const expected = [
      {
        subject: 'debt_collection',
        count: 3,
        firstDay: today - 3 * dayMs,
        lastDay: today - 2 * dayMs,
      },
      { subject: 'other', count: 1, firstDay: today - 3 * dayMs, lastDay: today - 3 * dayMs },
    ] as const
    expect(calls()).toEqual([...expected])
    await feed.refresh(true)
    expect(calls()).toEqual([...expected])
  })
})
