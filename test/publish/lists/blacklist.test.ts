import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type BlacklistQuery,
  type BlacklistRows,
  createBlacklistReader,
} from '../../../src/publish/lists/blacklist.ts'
import { sourceNamed, TestStore } from '../../store/fixture.ts'

const feed = sourceNamed('feed')
const day = 86_400_000

let db: TestStore

beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const all: BlacklistQuery = { limit: 100, offset: 0, since: null, cursor: null }

function page(query: Partial<BlacklistQuery>): BlacklistRows {
  const read = createBlacklistReader(db.store).page({ ...all, ...query })
  if (!read.ok) throw new Error(read.reason)
  return read.value
}

const domains = ({ entries }: BlacklistRows): string[] => entries.map(({ value }) => value)

describe('the blacklist', () => {
  test('has the newest listing first, ties by domain', async () => {
    await db.list(feed, ['b.example', 'a.example'])
    await db.list(feed, ['b.example', 'a.example', 'd.example', 'c.example'])
    expect(domains(page({}))).toEqual(['c.example', 'd.example', 'a.example', 'b.example'])
  })

  test('counts what the filter matches and what there is', async () => {
    await db.list(feed, ['a.example'])
    db.now += 2 * day
    await db.list(feed, ['a.example', 'b.example', 'c.example'])
    const today = Math.floor(db.now / day) * day
    expect(page({ since: today })).toMatchObject({ total: 2, totalActive: 3 })
    expect(domains(page({ since: today }))).toEqual(['b.example', 'c.example'])
    expect(page({ since: today + day })).toMatchObject({ total: 0, totalActive: 3, entries: [] })
    expect(page({ since: 0 })).toMatchObject({ total: 3 })
  })

  test('an offset far behind the end is an empty page at once', async () => {
    await db.list(feed, ['a.example'])
    expect(page({ offset: 1e15 })).toMatchObject({ entries: [], total: 1, nextCursor: null })
  })

  test('a cursor neither skips nor repeats while the list grows and shrinks', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}.example`)
    await db.list(feed, names.slice(0, 12))
    await db.list(feed, names)
    const seen: string[] = []
    let cursor = page({ limit: 4 }).nextCursor
    seen.push(...domains(page({ limit: 4 })))
    for (let turn = 0; cursor !== null; turn++) {
      await db.list(sourceNamed(`other${turn}`), [`new${turn}.example`])
      const next = page({ limit: 4, cursor })
      seen.push(...domains(next))
      cursor = next.nextCursor
    }
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    expect(seen.some((name) => name.startsWith('new'))).toBe(false)
  })

  test('a cursor keeps to its filter', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    db.now += 2 * day
    await db.list(feed, ['a.example', 'b.example', 'c.example', 'd.example'])
    const since = Math.floor(db.now / day) * day
    const first = page({ since, limit: 1 })
    const second = page({ since, limit: 5, cursor: first.nextCursor })
    expect(domains(second)).toEqual(['d.example'])
    expect(second.nextCursor).toBeNull()
    const old = page({ limit: 3 }).nextCursor
    expect(domains(page({ since, cursor: old }))).toEqual([])
  })

  test('a made-up cursor and another database’s are refused', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    const reader = createBlacklistReader(db.store)
    const foreign = Buffer.from('01234567 1 a.example').toString('base64url')
    for (const cursor of ['x', '', '💥', foreign]) {
      expect(reader.page({ ...all, cursor })).toEqual({ ok: false, reason: 'bad_cursor' })
    }
  })
})
