/** What a guard protects stays off, whatever brings it back: a word that ends, a source, a guard. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { SourceDescription } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const guard: SourceDescription = { ...sourceNamed('popular'), role: 'guard' }
const feed = sourceNamed('feed')

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

function decide(verdict: 'block' | 'allow' | 'clear', value: string, until: number | null = null) {
  const word = { reason: 'because', by: 'ann', until } as const
  const operations = [{ op: 'decide', type: 'domain', value, verdict, ...word }] as const
  return db.store.write({ at: db.now, operations })
}

const isActive = (name: string): boolean => db.store.byValue(name, 'domain')?.isActive ?? false

describe('a guarded name', () => {
  test('does not come back when the word that kept it off is taken back', async () => {
    await db.list(feed, ['popular.example', 'evil.example'])
    await decide('allow', 'popular.example')
    await db.guard(guard, ['popular.example'])
    await decide('clear', 'popular.example')
    expect(isActive('popular.example')).toBe(false)
    expect(isActive('evil.example')).toBe(true)
  })

  test('does not come back when that word runs out', async () => {
    await db.list(feed, ['popular.example'])
    await decide('allow', 'popular.example', db.now + 1_000)
    await db.guard(guard, ['popular.example'])
    db.now += 2_000
    await db.inSlices(() => ({ op: 'expire' }))
    expect(isActive('popular.example')).toBe(false)
  })

  test('does not come back with its source, nor does a platform as a whole', async () => {
    await db.list(feed, ['popular.example', 'platform.example', 'evil.example'])
    await db.withdraw(feed, true)
    const run = await db.startRun(guard)
    const entries = [
      { kind: 'name', value: 'popular.example' },
      { kind: 'platform', value: 'platform.example', mode: 'tenant' },
    ] as const
    const operations = [{ op: 'guard', source: guard.name, run, entries }] as const
    await db.store.write({ at: db.now, operations })
    await db.endRun(run)
    await db.withdraw(feed, false)
    expect(db.published()).toEqual(['evil.example'])
  })

  test('may be blocked by the operator all the same', async () => {
    await db.guard(guard, ['popular.example'])
    await decide('block', 'popular.example')
    expect(isActive('popular.example')).toBe(true)
  })
})

describe('a platform that harbours a listing', () => {
  const tenant = { type: 'domain', value: 't.host.example', platform: 'host.example' } as const

  test('keeps its flag when a word that came before is taken back', async () => {
    await decide('allow', 'host.example')
    await db.sight('feed', await db.startRun(feed), [tenant])
    await decide('clear', 'host.example')
    expect(db.store.byValue('host.example', 'domain')).toMatchObject({
      isActive: true,
      doNotBlock: true,
    })
  })

  test('is newly listed when the operator blocks it as a whole', async () => {
    await db.sight('feed', await db.startRun(feed), [tenant])
    const before = db.store.byValue('host.example', 'domain')
    db.now += 60_000
    await decide('block', 'host.example')
    const after = db.store.byValue('host.example', 'domain')
    expect(after).toMatchObject({ doNotBlock: false, listedAt: db.now })
    expect(after?.listedSeq).toBeGreaterThan(before?.listedSeq ?? 0)
  })
})

describe('running out', () => {
  test('takes no more rows than a batch may change, platforms included', async () => {
    const count = 3_000
    const names = Array.from({ length: count }, (_, n) => n)
    const run = await db.startRun(feed)
    for (let first = 0; first < count; first += 1_000) {
      const sightings = names.slice(first, first + 1_000).map((n) => {
        const platform = `host${n}.example`
        return { type: 'domain', value: `t.${platform}`, platform } as const
      })
      await db.sight('feed', run, sightings)
    }
    await db.endRun(run)
    await db.endRun(await db.startRun(feed), 1_000)
    db.now += 2_000
    expect(await db.inSlices(() => ({ op: 'expire' }))).toBe(count)
    expect(db.published()).toEqual([])
  })

  test('of what was graced comes sooner when the list says so', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    await db.list(feed, ['a.example'], 1_000_000)
    await db.list(feed, ['a.example'], 0)
    expect(db.published()).toEqual(['a.example'])
  })
})
