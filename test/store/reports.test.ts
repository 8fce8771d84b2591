/** Reports in the store: taken down, counted, settled, and what that does to what is listed. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { personalKeptMs } from '../../src/model/report.ts'
import type { Operation, ProposedReport, Sighting } from '../../src/store/batch.ts'
import { tidy } from '../../src/store/tidy.ts'
import { sourceNamed, TestStore } from './fixture.ts'

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const report = (name: string, changes: Partial<ProposedReport> = {}): ProposedReport => ({
  name,
  identity: `identity of ${name}`,
  type: 'url',
  value: 'evil.test',
  valueType: 'domain',
  description: 'It asked for my card.',
  targetBrand: null,
  contact: 'ring me',
  ...changes,
})

async function write(...operations: Operation[]) {
  db.now += 1_000
  return await db.store.write({ at: db.now, operations })
}

const take = (name: string, changes: Partial<ProposedReport> = {}) =>
  write({ op: 'report', report: report(name, changes) })

const listing: Sighting = { type: 'domain', value: 'evil.test', audiences: { general: ['Bank'] } }

const settle = (
  id: number,
  status: 'in_review' | 'accepted' | 'rejected',
  listed: Sighting | null = null,
) =>
  write({
    op: 'settleReport',
    id,
    status,
    reason: `it is ${status}`,
    by: 'anna',
    audiences: { general: ['report'] },
    listing: listed,
  })

const counts = () =>
  Object.fromEntries(db.store.counters.scope('report').map(({ key, n }) => [key, n]))

describe('a report', () => {
  test('is taken down, and changes nothing else', async () => {
    const before = db.store.meta()
    expect(await take('one')).toMatchObject({ report: 'one', added: 0, changed: 0 })
    expect(db.store.reports.byName('one')).toMatchObject({ status: 'received', count: 1 })
    expect(db.store.meta()).toMatchObject({ seq: before.seq, changedAt: before.changedAt })
    expect(db.store.byValue('evil.test', 'domain')).toBeNull()
    expect(db.store.reports.shownById(1)).toBeNull()
    expect(counts()).toEqual({ received: 1 })
  })

  test('told again is counted with the first', async () => {
    await take('one')
    const again = await take('two', { identity: 'identity of one', contact: 'another' })
    expect(again.report).toBe('one')
    expect(db.store.reports.byName('two')).toBeNull()
    expect(db.store.reports.byName('one')).toMatchObject({ count: 2, contact: 'ring me' })
    expect(counts()).toEqual({ received: 1 })
  })

  test('keeps every step with its time and reason', async () => {
    await take('one')
    await settle(1, 'in_review')
    await settle(1, 'rejected')
    const steps = db.store.reports.events(1)
    expect(steps.map(({ status, reason, by }) => [status, reason, by])).toEqual([
      ['received', null, 'reporter'],
      ['in_review', 'it is in_review', 'anna'],
      ['rejected', 'it is rejected', 'anna'],
    ])
    expect(new Set(steps.map(({ at }) => at)).size).toBe(3)
    expect(counts()).toEqual({ rejected: 1 })
  })

  test('that there is not cannot be settled', async () => {
    expect(await settle(7, 'accepted').catch(String)).toContain('there is no report 7')
  })
})

describe('accepting a report', () => {
  test('lists what it names, by the source "reports", and shows the report', async () => {
    await take('one')
    await settle(1, 'accepted', listing)
    expect(db.store.byValue('evil.test', 'domain')).toMatchObject({
      isPublished: true,
      sources: ['reports'],
      confidence: 80,
    })
    expect(db.store.reports.shownById(1)).toMatchObject({ name: 'one' })
    expect(db.store.reports.newestFor('general', 5).map(({ name }) => name)).toEqual(['one'])
    expect(db.store.indicators.newestFor('general', 5).map(({ value }) => value)).toEqual([
      'evil.test',
    ])
    expect(db.store.counters.get('source', 'reports')).toBe(1)
  })

  test('of several that name the same lists it until the last is rejected', async () => {
    await take('one')
    await take('two')
    await settle(1, 'accepted', listing)
    await settle(2, 'accepted', listing)
    expect(db.store.counters.get('source', 'reports')).toBe(1)
    await settle(1, 'rejected')
    expect(db.store.byValue('evil.test', 'domain')?.isPublished).toBe(true)
    await settle(2, 'rejected')
    expect(db.store.byValue('evil.test', 'domain')?.isActive).toBe(false)
    expect(db.store.counters.get('source', 'reports')).toBe(0)
    expect(db.store.reports.newestFor('general', 5)).toEqual([])
  })

  test('shows it as long as what was listed by it stands, whoever ends that', async () => {
    await take('one')
    await settle(1, 'accepted', listing)
    const before = db.store.meta().textSeq
    await write({
      op: 'decide',
      type: 'domain',
      value: 'evil.test',
      verdict: 'allow',
      reason: 'it is ours',
      by: 'anna',
      until: null,
    })
    expect(db.store.reports.shownById(1)).toBeNull()
    expect(db.store.reports.changesAfter(before, 5)).toMatchObject([{ id: 1, shown: 0 }])
  })

  test('of an appeal delists with the reason appeal, and no list brings it back', async () => {
    const feed = sourceNamed('feed')
    await db.list(feed, ['evil.test'])
    await take('one', { type: 'false_positive' })
    const appealed: Operation = {
      op: 'decide',
      type: 'domain',
      value: 'evil.test',
      verdict: 'allow',
      reason: 'a shop',
      by: 'anna',
      until: null,
      isAppeal: true,
    }
    db.now += 60_000
    const operations: Operation[] = [
      {
        op: 'settleReport',
        id: 1,
        status: 'accepted',
        reason: null,
        by: 'anna',
        audiences: {},
        listing: null,
      },
      appealed,
    ]
    await db.store.write({ at: db.now, operations })
    const row = db.store.byValue('evil.test', 'domain')
    expect(row?.isActive).toBe(false)
    expect(db.store.events.of(row?.id ?? 0, 1)).toMatchObject([{ reason: 'appeal', by: 'anna' }])
    expect(db.store.reports.shownById(1)).toBeNull()
    await db.list(feed, ['evil.test', 'other.test'])
    expect(db.published()).toEqual(['other.test'])
    // The same name may be listed by mistake once more.
    expect((await take('two', { identity: 'identity of one' })).report).toBe('two')
  })
})

describe('a word about a report', () => {
  test('that somebody else has settled meanwhile is refused, and a review then not begun', async () => {
    await take('one')
    await settle(1, 'accepted', listing)
    const late: Operation = {
      op: 'settleReport',
      id: 1,
      from: 'received',
      status: 'in_review',
      reason: null,
      by: 'bob',
      audiences: {},
      listing: null,
    }
    await write(late)
    expect(db.store.reports.byId(1)).toMatchObject({ status: 'accepted' })
    const refused = await write({ ...late, status: 'rejected' }).catch(String)
    expect(refused).toContain('report 1 has become accepted meanwhile')
    expect(db.store.byValue('evil.test', 'domain')?.isPublished).toBe(true)
  })

  test('that rejects it ends what was withheld with its source as well', async () => {
    await take('one')
    await settle(1, 'accepted', listing)
    const source = { ...sourceNamed('reports') }
    await db.withdraw(source, true)
    await settle(1, 'rejected')
    await db.withdraw(source, false)
    expect(db.store.byValue('evil.test', 'domain')?.isActive).toBe(false)
  })
})

describe('what is personal in a report', () => {
  const later = () =>
    tidy(db.store, db.now + personalKeptMs + 1_000, 1_000, new AbortController().signal)

  test('is erased 30 days after it was settled; of a rejected one also its words', async () => {
    await take('one')
    await take('two')
    await take('three')
    await settle(1, 'accepted')
    await settle(2, 'rejected')
    await later()
    const rest = ['one', 'two', 'three'].map((name) => {
      const row = db.store.reports.byName(name)
      return [row?.contact, row?.description, row?.value]
    })
    expect(rest).toEqual([
      [null, 'It asked for my card.', 'evil.test'],
      [null, null, null],
      ['ring me', 'It asked for my card.', 'evil.test'],
    ])
    db.reopen()
    const raw = readFileSync(db.store.path, 'latin1')
    expect(raw.split('It asked for my card.').length - 1).toBe(2)
    expect(raw.split('ring me').length - 1).toBe(1)
    // It is another report from then on.
    expect((await take('four', { identity: 'identity of two' })).report).toBe('four')
  })
})
