import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batchRowsMax } from '../../src/store/batch.ts'
import { databaseName, WriteStore } from '../../src/store/store.ts'
import { sourceNamed, startOfTest, TestStore } from './fixture.ts'

const feed = sourceNamed('feed')
const other = sourceNamed('other')
const canary = sourceNamed('canary', false)
const day = 86_400_000

let db: TestStore

beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const row = (value: string) => db.store.byValue(value, 'domain')

describe('writing', () => {
  test('a new sighting becomes an active, published indicator with the batch number as its base', async () => {
    const committed = await db.list(feed, ['evil.example', 'bad.example'])
    expect(committed.added).toBe(2)
    expect(row('evil.example')).toMatchObject({
      isActive: true,
      isPublished: true,
      confidence: 80,
      threatLevel: 'high',
      sources: ['feed'],
      listedAt: db.now,
    })
    expect((row('evil.example')?.seq ?? 0) % batchRowsMax).toBe(0)
    expect(row('bad.example')?.seq).toBe((row('evil.example')?.seq ?? 0) + 1)
  })

  test('the same list again changes nothing and moves no number', async () => {
    await db.list(feed, ['evil.example', 'bad.example'])
    const before = db.store.meta()
    const seqs = [row('evil.example')?.seq, row('bad.example')?.seq]
    const committed = await db.list(feed, ['evil.example', 'bad.example'])
    expect(committed).toMatchObject({ added: 0, changed: 0, seenAgain: 2, delisted: 0 })
    expect([row('evil.example')?.seq, row('bad.example')?.seq]).toEqual(seqs)
    expect(db.store.meta().seq).toBe(before.seq)
    expect(db.store.meta().listedChangedAt).toBe(before.listedChangedAt)
    expect(row('evil.example')?.lastSeen).toBe(db.now)
  })

  test('a second source adds to the confidence, and crossing a band moves the number', async () => {
    await db.list(feed, ['evil.example'])
    const first = row('evil.example')
    await db.list(other, ['evil.example'])
    const second = row('evil.example')
    expect(second).toMatchObject({ confidence: 90, sources: ['feed', 'other'] })
    expect(second?.seq).toBeGreaterThan(first?.seq ?? 0)
    expect(second?.listedSeq).toBe(first?.listedSeq ?? 0)
    await db.list(sourceNamed('third'), ['evil.example'])
    expect(row('evil.example')).toMatchObject({ confidence: 100, seq: second?.seq ?? 0 })
  })

  test('a run ends the sightings it did not see; what another source lists stays', async () => {
    await db.list(feed, ['evil.example', 'bad.example'])
    await db.list(other, ['bad.example'])
    await db.list(feed, [])
    expect(db.published()).toEqual(['bad.example'])
    expect(row('evil.example')).toMatchObject({ isActive: false, isPublished: false })
  })

  test('an unfinished run ends nobody’s sightings', async () => {
    await db.list(feed, ['evil.example', 'bad.example'])
    const run = await db.startRun(feed)
    await db.sight('feed', run, [{ type: 'domain', value: 'bad.example' }])
    expect(db.published().sort()).toEqual(['bad.example', 'evil.example'])
  })

  test('a relisted indicator is newly listed', async () => {
    await db.list(feed, ['evil.example'])
    const before = row('evil.example')
    await db.list(feed, [])
    await db.list(feed, ['evil.example'])
    const after = row('evil.example')
    expect(after?.listedSeq).toBeGreaterThan(before?.listedSeq ?? 0)
    expect(after?.listedAt).toBe(db.now)
    expect(after?.firstSeen).toBe(before?.firstSeen ?? 0)
  })

  test('a graced sighting lives on until its grace has passed', async () => {
    await db.list(feed, ['evil.example'])
    await db.list(feed, [], day)
    expect(db.published()).toEqual(['evil.example'])
    db.now += day - 1
    await db.store.write({ at: db.now, operations: [{ op: 'expire' }] })
    expect(db.published()).toEqual(['evil.example'])
    db.now += 1
    await db.store.write({ at: db.now, operations: [{ op: 'expire' }] })
    expect(db.published()).toEqual([])
  })

  test('of two runs at once, the later one keeps what it has seen', async () => {
    await db.list(feed, ['a.example', 'b.example', 'old.example'])
    const older = await db.startRun(feed)
    const newer = await db.startRun(feed)
    const names = (...values: string[]) =>
      values.map((value) => ({ type: 'domain', value }) as const)
    await db.sight('feed', older, names('a.example'))
    await db.sight('feed', newer, names('a.example', 'b.example', 'new.example'))
    await db.sight('feed', older, names('b.example'))
    await db.endRun(older)
    await db.endRun(newer)
    expect(db.published().sort()).toEqual(['a.example', 'b.example', 'new.example'])
  })

  test('ending a run goes on slice by slice', async () => {
    const names = Array.from({ length: 5_000 }, (_, i) => `n${i}.example`)
    const run = await db.startRun(feed)
    for (let i = 0; i < names.length; i += 2_000) {
      const slice = names.slice(i, i + 2_000)
      await db.sight(
        'feed',
        run,
        slice.map((value) => ({ type: 'domain', value })),
      )
    }
    await db.endRun(run)
    const next = await db.startRun(feed)
    await db.sight('feed', next, [{ type: 'domain', value: 'n17.example' }])
    expect(await db.endRun(next)).toBe(4_999)
    expect(db.published()).toEqual(['n17.example'])
  })
})

describe('what is published', () => {
  test('a source that may not be passed on answers checks only and is named nowhere', async () => {
    await db.list(canary, ['evil.example'])
    expect(row('evil.example')).toMatchObject({ isActive: true, isPublished: false, sources: [] })
    expect(db.published()).toEqual([])
    expect(db.store.counters.get('published', 'domain')).toBe(0)
  })

  test('what is shown comes from sources that may be passed on', async () => {
    const run = await db.startRun(canary)
    await db.sight('canary', run, [
      {
        type: 'domain',
        value: 'evil.example',
        confidence: 100,
        threatType: 'malware',
        targetBrand: 'secret',
        reference: 'https://canary.example/1',
      },
    ])
    await db.list(feed, ['evil.example'])
    expect(row('evil.example')).toMatchObject({
      isPublished: true,
      threatType: 'phishing',
      targetBrand: null,
      reference: null,
      sources: ['feed'],
    })
  })

  test('a private source colours no public answer: neither confidence nor dates nor numbers', async () => {
    await db.list(canary, ['evil.example'])
    await db.list(feed, ['evil.example'])
    const shown = row('evil.example')
    expect(shown).toMatchObject({ confidence: 80, firstSeen: db.now, lastSeen: db.now })
    const at = db.now
    await db.list(canary, ['evil.example'])
    expect(row('evil.example')).toMatchObject({ lastSeen: at, seq: shown?.seq ?? 0 })
  })

  test('an indicator becomes newly listed when it is first published', async () => {
    await db.list(canary, ['evil.example'])
    const before = row('evil.example')
    await db.list(feed, ['evil.example'])
    expect(row('evil.example')?.listedSeq).toBeGreaterThan(before?.listedSeq ?? 0)
  })

  test('a platform is listed with its flag as long as something published stands under it', async () => {
    const run = await db.startRun(feed)
    await db.sight('feed', run, [
      { type: 'domain', value: 'evil.host.example', platform: 'host.example' },
    ])
    expect(row('host.example')).toMatchObject({
      doNotBlock: true,
      isPublished: true,
      sources: ['shared-infrastructure'],
      threatLevel: 'low',
    })
    await db.list(feed, [])
    expect(row('host.example')).toMatchObject({ isActive: false, isPublished: false })
  })

  test('a private listing does not put its platform on the list', async () => {
    const run = await db.startRun(canary)
    await db.sight('canary', run, [
      { type: 'domain', value: 'evil.host.example', platform: 'host.example' },
    ])
    expect(row('host.example')).toBeNull()
  })
})

describe('the operator’s word', () => {
  const decide = (
    value: string,
    verdict: 'block' | 'allow' | 'clear',
    until: number | null = null,
  ) =>
    db.store.write({
      at: db.now,
      operations: [
        { op: 'decide', type: 'domain', value, verdict, reason: 'ticket 1', by: 'ann', until },
      ],
    })

  test('allow delists, and no feed brings it back', async () => {
    await db.list(feed, ['evil.example'])
    await decide('evil.example', 'allow')
    expect(row('evil.example')?.isActive).toBe(false)
    await db.list(feed, ['evil.example'])
    await db.list(other, ['evil.example'])
    expect(row('evil.example')?.isActive).toBe(false)
    await decide('evil.example', 'clear')
    expect(row('evil.example')?.isActive).toBe(true)
  })

  test('block lists what no feed lists, with full confidence', async () => {
    await decide('evil.example', 'block')
    expect(row('evil.example')).toMatchObject({ isActive: true, confidence: 100 })
    await db.list(feed, [])
    expect(row('evil.example')?.isActive).toBe(true)
  })

  test('a word with an end is taken back when that has come', async () => {
    await db.list(feed, ['evil.example'])
    await decide('evil.example', 'allow', db.now + day)
    db.now += day
    await db.store.write({ at: db.now, operations: [{ op: 'expire' }] })
    expect(row('evil.example')?.isActive).toBe(true)
  })
})

describe('numbers and times', () => {
  test('date_added goes up by blocks of four and never back, whatever the clock does', async () => {
    const read = () =>
      new Database(db.store.path, { readonly: true })
        .query<{ date_added: number }, []>('SELECT date_added FROM indicator ORDER BY seq')
        .all()
        .map(({ date_added }) => date_added)
    await db.list(feed, ['a.example', 'b.example'])
    db.now = startOfTest - day
    await db.list(other, ['c.example'])
    const dates = read()
    expect(dates).toHaveLength(3)
    expect(dates[1]).toBe((dates[0] ?? 0) + 4)
    expect(dates[2]).toBeGreaterThanOrEqual((dates[1] ?? 0) + 4)
  })

  test('changesSince gives changes in order, tombstones included, and knows its horizon', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    const from = db.store.meta().seq
    await db.list(feed, ['b.example'])
    const changes = db.store.changesSince(from, 10)
    expect(changes).toMatchObject({ kind: 'changes', rows: [{ value: 'a.example', active: 0 }] })
    expect(db.store.changesSince(-1, 10)).toEqual({ kind: 'resync' })
  })

  test('the epoch outlives a restart, and the numbers go on', async () => {
    await db.list(feed, ['a.example'])
    const before = db.store.meta()
    db.reopen()
    await db.list(feed, ['a.example', 'b.example'])
    expect(db.store.meta().epoch).toBe(before.epoch)
    expect(db.store.meta().seq).toBeGreaterThan(before.seq)
  })

  test('another connection’s commit moves the data version', async () => {
    const second = WriteStore.open({ dataDir: db.dataDir, role: 'serving', now: () => db.now })
    const before = second.dataVersion()
    await db.list(feed, ['a.example'])
    expect(second.dataVersion()).not.toBe(before)
    expect(second.byValue('a.example', 'domain')?.isActive).toBe(true)
    second.close()
  })
})

describe('when something is wrong', () => {
  const opening = (dataDir: string) => () =>
    WriteStore.open({ dataDir, role: 'background', now: () => startOfTest })

  test('a full disk refuses the write, changes nothing, and look-ups go on', async () => {
    const full = new TestStore(90)
    const run = await full.startRun(feed)
    const sightings = Array.from(
      { length: 2_000 },
      (_, i) => ({ type: 'domain', value: `long-name-to-fill-pages-${i}.example` }) as const,
    )
    const failure = await full.sight('feed', run, sightings).catch(String)
    expect(failure).toMatch(/disk is full; free some space/)
    expect(full.published()).toEqual([])
    expect(full.store.counters.get('active', 'domain')).toBe(0)
    full.remove()
  })

  test('a batch over its size is refused', async () => {
    const value = `${'x'.repeat(600_000)}.example`
    const run = await db.startRun(feed)
    const failure = await db.sight('feed', run, [{ type: 'domain', value }]).catch(String)
    expect(failure).toMatch(/smaller batches/)
  })

  test('a damaged file stops the start, says what to do, and is left as it is', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-damaged-'))
    const path = join(dataDir, databaseName)
    writeFileSync(path, 'this is no database, but long enough to be read as one'.repeat(100))
    const before = readFileSync(path)
    expect(opening(dataDir)).toThrow(/restore the last backup/)
    expect(readFileSync(path).equals(before)).toBe(true)
    rmSync(dataDir, { recursive: true })
  })

  test('a newer file and a foreign one are refused', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-foreign-'))
    const foreign = new Database(join(dataDir, databaseName))
    foreign.run('CREATE TABLE t (a)')
    expect(opening(dataDir)).toThrow(/not one of weir's/)
    foreign.run('PRAGMA user_version = 99')
    foreign.close()
    expect(opening(dataDir)).toThrow(/newer version/)
    rmSync(dataDir, { recursive: true })
  })
})
