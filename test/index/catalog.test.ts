/**
 * The catalog follows the store: a view at number N answers as a fresh build at N does, whether it
 * got there by following, through a generation built by another thread, or from a snapshot.
 */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Catalog } from '../../src/index/catalog.ts'
import { Follower } from '../../src/index/follower.ts'
import { Generation } from '../../src/index/generation.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { WriteStore } from '../../src/store/store.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 30)

const apex = 'shared.a.example'
const hosts = [
  'a.example',
  'b.a.example',
  'c.b.a.example',
  'd.test',
  'e.d.test',
  'pay17jp.test',
  'x.pay63jp.test',
  '203.0.113.5',
  apex,
]
const pages = ['http://a.example/x', 'https://p.example/y?z', 'http://d.test/']
const digests = ['a'.repeat(64), 'b'.repeat(32)]

const toSighting = (value: string): Sighting => {
  if (value.includes('://')) return { type: 'url', value, host: new URL(value).host }
  if (value === '203.0.113.5') return { type: 'ip', value }
  if (value === apex) return { type: 'domain', value, doNotBlock: true }
  if (value.length === 64) return { type: 'sha256', value }
  return value.length === 32 ? { type: 'md5', value } : { type: 'domain', value }
}

/** Everything a check could learn from a catalog. */
function answers(catalog: Catalog): unknown {
  const asked = [...hosts, `x.${apex}`, 'x.a.example', 'x.y.d.test', 'p.example', 'other.example']
  return {
    hosts: asked.map((host) => {
      const { recordId, start, isAllowed } = catalog.match(host)
      return [host, recordId, recordId === 0 ? null : host.slice(start), isAllowed]
    }),
    pages: pages.map((page) => {
      const listing = catalog.page(page.slice(page.indexOf('//') + 2))
      return listing === null ? null : [listing.indicator.value, listing.decision]
    }),
    // The flag may outlive the last page; what it leads to may not.
    onHost: asked.map((host) =>
      catalog.match(host).hasPages ? (catalog.pageOnHost(host)?.value ?? null) : null,
    ),
    digests: digests.map(
      (digest) => catalog.digest(digest, digest.length === 64 ? 'sha256' : 'md5')?.value ?? null,
    ),
    related: [...asked, 'pay4jp.test', 'pay40jp.test'].map((host) => [
      host,
      catalog.countRelated(host),
    ]),
    seq: catalog.seq,
  }
}

let db: TestStore
let failures: unknown[]

const partsFor = (store: WriteStore, wake = (): void => {}) => ({
  store,
  dataDir: db.dataDir,
  wake,
  report: (error: unknown) => failures.push(error),
})

beforeEach(() => {
  db = new TestStore()
  failures = []
})
afterEach(() => {
  db.remove()
  expect(failures).toEqual([])
})

const values = [...hosts, ...pages, ...digests]
const step = fc.oneof(
  fc.record({ kind: fc.constant('list' as const), values: fc.subarray(values) }),
  fc.record({
    kind: fc.constant('decide' as const),
    value: fc.constantFrom('a.example', 'b.a.example', 'd.test', apex, ...pages),
    verdict: fc.constantFrom('block' as const, 'allow' as const, 'clear' as const),
  }),
)

describe('a catalog that follows', () => {
  test('answers as a fresh build does, after every batch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const own = new TestStore()
        const parts = { ...partsFor(own.store), dataDir: own.dataDir }
        const followed = Catalog.build(parts)
        for (const action of steps) {
          own.now += 60_000
          if (action.kind === 'list') {
            const run = await own.startRun(sourceNamed('feed'))
            await own.sight('feed', run, action.values.map(toSighting))
            await own.endRun(run)
          } else {
            const { value, verdict } = action
            const words = { op: 'decide', verdict, reason: 'r', by: 'ann', until: null } as const
            const operations = [{ ...toSighting(value), ...words }]
            await own.store.write({ at: own.now, operations })
          }
          while (followed.advance(1) === 'more');
          expect(answers(followed)).toEqual(answers(Catalog.build(parts)))
        }
        own.remove()
      }),
      { numRuns: runs },
    )
  }, 120_000)

  test('catches up with another connection’s commits by itself', async () => {
    const serving = WriteStore.open({ dataDir: db.dataDir, role: 'serving', now: () => db.now })
    const catalog = Catalog.build(partsFor(serving))
    const follower = new Follower(serving, catalog, (error) => failures.push(error))
    follower.start()
    await db.list(sourceNamed('feed'), ['evil.example'])
    await follower.caughtUp(db.store.meta().seq)
    expect(catalog.match('x.evil.example').recordId).toBeGreaterThan(0)
    follower.stop()
    serving.close()
  })

  test('grows through generations while it answers, and misses nothing', async () => {
    const serving = WriteStore.open({ dataDir: db.dataDir, role: 'serving', now: () => db.now })
    const wake = (): void => follower.wake()
    const catalog = Catalog.build(partsFor(serving, wake))
    const follower: Follower = new Follower(serving, catalog, (error) => failures.push(error))
    follower.start()
    const run = await db.startRun(sourceNamed('feed'))
    const total = 120_000
    const name = (i: number): string => `n${i}.name${i % 999}.example`
    for (let i = 0; i < total; i += 2_000) {
      const slice = Array.from({ length: 2_000 }, (_, j) => toSighting(name(i + j)))
      await db.sight('feed', run, slice)
    }
    await follower.caughtUp(db.store.meta().seq)
    const missing = Array.from({ length: total }, (_, i) => name(i)).filter(
      (host) => catalog.match(host).recordId === 0,
    )
    expect(missing).toEqual([])
    follower.stop()
    serving.close()
  }, 60_000)
})

describe('a generation', () => {
  test('has room to spare however many labels the names have', async () => {
    const run = await db.startRun(sourceNamed('feed'))
    for (let i = 0; i < 60_000; i += 2_000) {
      const slice = Array.from({ length: 2_000 }, (_, j) => {
        const n = i + j
        return toSighting(n % 6 === 0 ? `a.x${n}.y${n}.example` : `x${n}.y${n}.example`)
      })
      await db.sight('feed', run, slice)
    }
    const generation = Generation.build(db.store)
    expect(generation.isDue).toBe(false)
    expect(generation.isFull).toBe(false)
    const catalog = Catalog.build(partsFor(db.store))
    await db.sight('feed', run, [toSighting('late.example')])
    expect(catalog.advance(1)).toBe('in_sync')
    expect(catalog.match('late.example').recordId).toBeGreaterThan(0)
  }, 30_000)
})

describe('a snapshot', () => {
  const path = (): string => join(db.dataDir, 'views.snapshot')

  async function loaded(): Promise<Catalog> {
    const catalog = Catalog.empty(partsFor(db.store))
    await catalog.load()
    return catalog
  }

  test('answers as the build it was written from, and is followed from its number on', async () => {
    await db.list(sourceNamed('feed'), ['a.example', 'd.test'])
    await Catalog.build(partsFor(db.store)).save()
    expect(existsSync(path())).toBe(true)
    await db.list(sourceNamed('feed'), ['a.example', 'e.d.test'])
    const catalog = await loaded()
    expect(catalog.seq).toBeLessThan(db.store.meta().seq)
    while (catalog.advance(1) === 'more');
    expect(answers(catalog)).toEqual(answers(Catalog.build(partsFor(db.store))))
  })

  test('keeps the decision of an operator on a page', async () => {
    const said = { op: 'decide', verdict: 'allow', reason: 'r', by: 'ann', until: null } as const
    const operations = [{ ...toSighting('http://a.example/x'), ...said }]
    await db.store.write({ at: db.now, operations })
    await Catalog.build(partsFor(db.store)).save()
    const catalog = await loaded()
    expect(catalog.match('a.example').hasPages).toBe(true)
    expect(catalog.page('a.example/x')?.decision).toBe('allow')
  })

  test('is ignored by an older copy of the database that has another history since', async () => {
    await db.list(sourceNamed('feed'), ['a.example'])
    await Catalog.build(partsFor(db.store)).save()
    const written = readFileSync(path())
    // What a restored copy knows is the snapshot of its own time.
    await db.store.setSnapshotToken('of another history')
    await db.list(sourceNamed('feed'), ['d.test'])
    writeFileSync(path(), written)
    expect(answers(await loaded())).toEqual(answers(Catalog.build(partsFor(db.store))))
  })

  test('is ignored when it is damaged, cut short, or another database’s', async () => {
    await db.list(sourceNamed('feed'), ['a.example'])
    await Catalog.build(partsFor(db.store)).save()
    const whole = readFileSync(path())
    const expected = answers(Catalog.build(partsFor(db.store)))
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 9) ^ 1, damaged.length - 9)
    const foreign = new TestStore()
    await foreign.list(sourceNamed('feed'), ['z.example'])
    await Catalog.build({ ...partsFor(foreign.store), dataDir: foreign.dataDir }).save()
    const other = readFileSync(join(foreign.dataDir, 'views.snapshot'))
    foreign.remove()
    for (const bytes of [damaged, whole.subarray(0, 50), Buffer.alloc(3), other]) {
      writeFileSync(path(), bytes)
      expect(answers(await loaded())).toEqual(expected)
    }
  })
})
