/** Platforms that guard sources name, beside those that ship with weir. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FollowedPlatforms } from '../../src/index/platforms.ts'
import { type Platform, parsePlatforms } from '../../src/model/platform.ts'
import type { GuardEntry, SourceDescription } from '../../src/store/batch.ts'
import type { WriteStore } from '../../src/store/store.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 30)

const registries = ['eu.org', 'registry.builder.example']
const base = parsePlatforms(`
builder.example tenant
docs.builder.example page
${registries.map((suffix) => `${suffix} registry`).join('\n')}
`)

const guardNamed = (name: string): SourceDescription => ({ ...sourceNamed(name), role: 'guard' })

const toEntry = ({ apex, mode }: Platform): GuardEntry => ({ kind: 'platform', value: apex, mode })

/** Reads a guard's whole list as one run, in batches. */
async function guard(db: TestStore, source: string, entries: readonly GuardEntry[]): Promise<void> {
  const run = await db.startRun(guardNamed(source))
  const operations = [{ op: 'guard', source, run, entries }] as const
  await db.store.write({ at: db.now, operations })
  await db.endRun(run)
}

const numbered = (count: number): GuardEntry[] =>
  Array.from({ length: count }, (_, i) => toEntry({ apex: `n${i}.example`, mode: 'page' }))

/** What may be guarded: names above, below and beside those of the base, and its own. */
const guarded: readonly Platform[] = [
  { apex: 'new.example', mode: 'tenant' },
  { apex: 'deep.new.example', mode: 'redirect' },
  { apex: 'builder.example', mode: 'page' },
  { apex: 'shop.builder.example', mode: 'page' },
  { apex: 'registry.builder.example', mode: 'tenant' },
  { apex: 'a.registry.builder.example', mode: 'redirect' },
  { apex: 'eu.org', mode: 'tenant' },
  { apex: 'shop.eu.org', mode: 'tenant' },
  { apex: 'github.io', mode: 'page' },
  { apex: 'pages.github.io', mode: 'page' },
  { apex: 'constructor.example', mode: 'tenant' },
]
const hosts = [...guarded, ...base.rows()].flatMap(({ apex }) => [apex, `x.${apex}`, `y.x.${apex}`])
const asked = [...new Set([...hosts, 'example', 'notnew.example', '203.0.113.5', 'org', ''])]

const isAbove = (host: string, apex: string): boolean => `.${host}`.endsWith(`.${apex}`)

/** The obvious union: the longest name above the host that anybody says something of. */
function findInUnion(added: readonly Platform[], host: string): Platform | null {
  const known = base.findPlatform(host)
  const stops = [known?.apex ?? '', ...registries.filter((suffix) => isAbove(host, suffix))]
  const longest = added
    .filter(({ apex }) => isAbove(host, apex))
    .toSorted((a, b) => b.apex.length - a.apex.length)[0]
  const isLonger = (apex: string): boolean => stops.every((stop) => apex.length > stop.length)
  return longest !== undefined && isLonger(longest.apex) ? longest : known
}

let db: TestStore

beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

const step = fc.oneof(
  fc.record({
    kind: fc.constant('guard' as const),
    source: fc.constantFrom('one', 'two'),
    platforms: fc.subarray([...guarded]),
  }),
  fc.record({
    kind: fc.constant('withdraw' as const),
    source: fc.constantFrom('one', 'two'),
    isWithdrawn: fc.boolean(),
  }),
)

describe('FollowedPlatforms', () => {
  test('answers as its base until something is guarded', async () => {
    const platforms = new FollowedPlatforms(db.store, base)
    for (const refresh of [false, true]) {
      if (refresh) await platforms.refresh()
      expect(platforms.named).toEqual(base.named)
      expect([...platforms.rows()]).toEqual([...base.rows()])
      for (const host of asked)
        expect(platforms.findPlatform(host)).toEqual(base.findPlatform(host))
    }
  })

  test('adds what guards name to the base, whatever is read and withdrawn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const own = new TestStore()
        const platforms = new FollowedPlatforms(own.store, base)
        const lists = new Map<string, readonly Platform[]>()
        const withdrawn = new Set<string>()
        for (const action of steps) {
          const { source } = action
          if (action.kind === 'withdraw') {
            await own.withdraw(guardNamed(source), action.isWithdrawn)
            if (action.isWithdrawn) withdrawn.add(source)
            else withdrawn.delete(source)
          } else if (!withdrawn.has(source)) {
            await guard(own, source, action.platforms.map(toEntry))
            lists.set(source, action.platforms)
          }
          await platforms.refresh()
          const added = [...lists].flatMap(([name, list]) => (withdrawn.has(name) ? [] : list))
          for (const host of asked) {
            expect([host, platforms.findPlatform(host)]).toEqual([host, findInUnion(added, host)])
          }
        }
        own.remove()
      }),
      { numRuns: runs },
    )
  }, 60_000)

  test('names what it adds behind what the base names, each once', async () => {
    await guard(db, 'one', guarded.map(toEntry))
    await guard(db, 'two', [toEntry({ apex: 'new.example', mode: 'page' })])
    const platforms = new FollowedPlatforms(db.store, base)
    await platforms.refresh()
    const added = ['new.example', 'deep.new.example', 'shop.builder.example']
    const others = ['a.registry.builder.example', 'shop.eu.org', 'pages.github.io']
    expect(platforms.named.map(({ apex }) => apex)).toEqual([
      ...base.named.map(({ apex }) => apex),
      ...added,
      ...others,
      'constructor.example',
    ])
    expect(platforms.findPlatform('new.example')?.mode).toBe('tenant')
  })

  test('leaves out what is guarded as a name, or without a mode', async () => {
    const entries = [
      { kind: 'name', value: 'popular.example' },
      { kind: 'platform', value: 'new.example' },
    ] as const
    await guard(db, 'one', entries)
    const platforms = new FollowedPlatforms(db.store, base)
    await platforms.refresh()
    expect(platforms.named).toEqual(base.named)
  })

  test('goes on answering with the old table until the new one is whole', async () => {
    await guard(db, 'one', numbered(1_000))
    const platforms = new FollowedPlatforms(db.store, base)
    const refreshed = platforms.refresh()
    let looks = 0
    for (; platforms.findPlatform('n999.example') === null; looks++) {
      expect(platforms.findPlatform('n0.example')).toBeNull()
      expect(platforms.findPlatform('x.builder.example')?.apex).toBe('builder.example')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(looks).toBeGreaterThanOrEqual(4)
    expect(platforms.findPlatform('n0.example')?.apex).toBe('n0.example')
    await refreshed
  })

  test('reads again what changed while it was reading', async () => {
    await guard(db, 'one', numbered(1_000))
    const platforms = new FollowedPlatforms(db.store, base)
    const refreshed = platforms.refresh()
    await guard(db, 'one', numbered(10))
    expect(platforms.refresh()).toBe(refreshed)
    await refreshed
    expect(platforms.named).toHaveLength(base.named.length + 10)
  })

  test('rejects when the store cannot be read, answers as before, and tries again', async () => {
    await guard(db, 'one', numbered(500))
    let isBroken = false
    const { guards } = db.store
    const ofKind: WriteStore['guards']['ofKind'] = (kind, after, limit) => {
      if (isBroken && after > 0) throw new Error('the disk is gone')
      return guards.ofKind(kind, after, limit)
    }
    const version = (): string => guards.version()
    const platforms = new FollowedPlatforms({ guards: { version, ofKind } }, base)
    await platforms.refresh()
    await guard(db, 'one', numbered(600))
    isBroken = true
    const failure = await platforms.refresh().catch((error: unknown) => error)
    expect(failure).toHaveProperty('message', 'the disk is gone')
    expect(platforms.named).toHaveLength(base.named.length + 500)
    isBroken = false
    await platforms.refresh()
    expect(platforms.named).toHaveLength(base.named.length + 600)
  })
})
