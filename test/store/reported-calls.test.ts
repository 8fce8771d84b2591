/** Reported calls: set by number, source, day and subject, whatever is read twice. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { CallCount, Committed, SourceDescription } from '../../src/store/batch.ts'
import type { CallSummary } from '../../src/store/reported-calls.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const number = '+12025550143'
const other = '+12025550144'
const dayMs = 86_400_000
const firstDay = Date.UTC(2026, 2, 9)
const complaints: SourceDescription = { ...sourceNamed('complaints'), listing: 'recent' }

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const calls = (day: number, subject: CallCount['subject'], count: number): CallCount => ({
  day: firstDay + day * dayMs,
  subject,
  count,
})

async function report(
  said: readonly CallCount[],
  value = number,
  source = complaints,
): Promise<Committed> {
  db.now += 60_000
  const run = await db.startRun(source)
  return db.sight(source.name, run, [{ type: 'phone', value, calls: said }])
}

function callsOf(value = number): CallSummary[] {
  const row = db.store.byValue(value, 'phone')
  return row === null ? [] : db.store.reportedCalls.of(row.id)
}

describe('reported calls', () => {
  test('are summed by subject, the most reported first', async () => {
    await report([
      calls(0, 'imposter', 2),
      calls(1, 'imposter', 3),
      calls(1, 'warranty', 9),
      calls(2, 'charity', 5),
    ])
    expect(callsOf()).toEqual([
      { subject: 'warranty', count: 9, firstDay: firstDay + dayMs, lastDay: firstDay + dayMs },
      {
        subject: 'charity',
        count: 5,
        firstDay: firstDay + 2 * dayMs,
        lastDay: firstDay + 2 * dayMs,
      },
      { subject: 'imposter', count: 5, firstDay, lastDay: firstDay + dayMs },
    ])
  })

  test('read again change nothing', async () => {
    const said = [calls(0, 'imposter', 2), calls(1, 'other', 1)]
    const { seq } = await report(said)
    const before = callsOf()
    expect(await report(said)).toMatchObject({ seq, added: 0, changed: 0, seenAgain: 1 })
    expect(callsOf()).toEqual(before)
  })

  test('of another day are added, of the same day set anew', async () => {
    await report([calls(0, 'imposter', 2)])
    await report([calls(1, 'imposter', 4)])
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 6 }])
    await report([calls(1, 'imposter', 5)])
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 7 }])
  })

  test('of a day that is told in parts count as the larger part', async () => {
    await report([calls(0, 'imposter', 5)])
    await report([calls(0, 'imposter', 2)])
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 5 }])
  })

  test('of days to come are not counted', async () => {
    await report([calls(0, 'imposter', 2), calls(400, 'imposter', 7)])
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 2 }])
  })

  test('are each number’s and each source’s own', async () => {
    await report([calls(0, 'imposter', 2)])
    await report([calls(0, 'imposter', 7)], other)
    await report([calls(0, 'imposter', 3)], number, sourceNamed('second'))
    await report([calls(0, 'imposter', 3)], number, sourceNamed('second'))
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 5 }])
    expect(callsOf(other)).toMatchObject([{ subject: 'imposter', count: 7 }])
  })

  test('stay when a source names the number without any', async () => {
    await report([calls(0, 'imposter', 2)])
    const run = await db.startRun(sourceNamed('plain'))
    await db.sight('plain', run, [{ type: 'phone', value: number }])
    expect(callsOf()).toMatchObject([{ count: 2 }])
  })

  test('of two numbers in one batch go to the right one', async () => {
    const run = await db.startRun(complaints)
    await db.sight('complaints', run, [
      { type: 'phone', value: number, calls: [calls(0, 'medical', 1)] },
      { type: 'domain', value: 'between.example' },
      { type: 'phone', value: other, calls: [calls(0, 'travel', 2)] },
      { type: 'phone', value: number, calls: [calls(1, 'medical', 1)] },
    ])
    expect(callsOf()).toMatchObject([{ subject: 'medical', count: 2 }])
    expect(callsOf(other)).toMatchObject([{ subject: 'travel', count: 2 }])
  })

  test('are forgotten with their number', async () => {
    await report([calls(0, 'imposter', 2)], number, sourceNamed('list'))
    const id = db.store.byValue(number, 'phone')?.id ?? 0
    db.now += 60_000
    await db.endRun(await db.startRun(sourceNamed('list')))
    expect(db.store.byValue(number, 'phone')).toMatchObject({ isActive: false })
    db.now += 60_000
    await db.inSlices(() => ({ op: 'prune', before: db.now }))
    expect(db.store.byValue(number, 'phone')).toBeNull()
    expect(db.store.reportedCalls.of(id)).toEqual([])
  })

  test('outlast a new start', async () => {
    await report([calls(0, 'imposter', 2)])
    db.reopen()
    expect(callsOf()).toMatchObject([{ count: 2 }])
  })

  test('of a source that is taken back are counted no longer, until it is given back', async () => {
    await report([calls(0, 'imposter', 2)])
    await report([calls(0, 'imposter', 3)], number, sourceNamed('second'))
    await db.withdraw(sourceNamed('second'), true)
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 2 }])
    await db.withdraw(sourceNamed('second'), false)
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 5 }])
  })

  test('of a private source add nothing to what public ones say', async () => {
    await report([calls(0, 'imposter', 2)])
    await report([calls(0, 'warranty', 9)], number, sourceNamed('hidden', false))
    expect(callsOf()).toMatchObject([{ subject: 'imposter', count: 2 }])
  })
})
