/**
 * Random operations against a naive model: whatever happens, the store lists what the model lists,
 * its counters are what a recount gives, and following its changes gives what reading it anew gives.
 */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SourceDescription } from '../../src/store/batch.ts'
import type { IndicatorChange } from '../../src/store/indicators.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 60)

const sources: readonly SourceDescription[] = [
  sourceNamed('one'),
  sourceNamed('two'),
  sourceNamed('private', false),
]
/** Some stand under a platform, the apex of which is listed as long as one of them is published. */
const names = ['a.example', 'b.example', 'x.host.test', 'y.host.test', 'c.example']
const findPlatform = (name: string): string | null =>
  name.endsWith('.host.test') ? 'host.test' : null

type Step =
  | {
      readonly kind: 'list'
      readonly source: number
      readonly names: string[]
      readonly grace: boolean
    }
  | { readonly kind: 'unfinished'; readonly source: number; readonly names: string[] }
  | {
      readonly kind: 'decide'
      readonly name: string
      readonly verdict: 'block' | 'allow' | 'clear'
    }
  | { readonly kind: 'expire' }
  | { readonly kind: 'guard'; readonly names: string[] }
  | { readonly kind: 'withdraw'; readonly source: number; readonly isWithdrawn: boolean }
  | { readonly kind: 'prune' }

const guardSource: SourceDescription = { ...sourceNamed('popular'), role: 'guard' }

const someNames = fc.subarray(names)
const someSource = fc.nat(sources.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('list'),
      source: someSource,
      names: someNames,
      grace: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('unfinished'), source: someSource, names: someNames }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      name: fc.constantFrom(...names),
      verdict: fc.constantFrom('block', 'allow', 'clear'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('guard'),
      names: fc.subarray(names, { maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('withdraw'),
      source: someSource,
      isWithdrawn: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune') }) },
)

const graceMs = 90_000

/** The naive model: who sights what until when, and the operator's words. */
class Model {
  readonly sightings = sources.map(() => new Map<string, number>())
  readonly decisions = new Map<string, 'block' | 'allow'>()
  readonly withheld = sources.map(() => new Set<string>())
  readonly withdrawn = new Set<number>()
  guarded: readonly string[] = []

  guard(protectedNames: readonly string[]): void {
    this.guarded = protectedNames
    for (const held of this.sightings) for (const name of protectedNames) held.delete(name)
  }

  withdraw(source: number, isWithdrawn: boolean): void {
    const held = this.sightings[source] ?? new Map<string, number>()
    const withheld = this.withheld[source] ?? new Set<string>()
    if (isWithdrawn) {
      this.withdrawn.add(source)
      for (const name of held.keys()) withheld.add(name)
      held.clear()
      return
    }
    this.withdrawn.delete(source)
    for (const name of withheld) {
      if (!this.guarded.includes(name)) held.set(name, Number.POSITIVE_INFINITY)
    }
    withheld.clear()
  }

  expire(now: number): void {
    for (const seen of this.sightings) {
      for (const [name, end] of seen) if (end <= now) seen.delete(name)
    }
  }

  see(source: number, seen: readonly string[]): void {
    for (const name of seen) this.sightings[source]?.set(name, Number.POSITIVE_INFINITY)
  }

  list(source: number, seen: readonly string[], end: number, now: number): void {
    const held = this.sightings[source] ?? new Map<string, number>()
    for (const [name, until] of [...held]) {
      // A grace that runs already is only cut short, never drawn out.
      if (seen.includes(name) || until <= end) continue
      if (end > now) held.set(name, end)
      else held.delete(name)
    }
    this.see(source, seen)
  }

  isActive(name: string): boolean {
    const decision = this.decisions.get(name)
    if (decision !== undefined) return decision === 'block'
    return this.sightings.some((seen) => seen.has(name))
  }

  isPublished(name: string): boolean {
    if (this.decisions.get(name) === 'block') return true
    const isPassable = this.sightings.some(
      (seen, index) => seen.has(name) && sources[index]?.redistribute === true,
    )
    return this.isActive(name) && isPassable
  }

  published(): string[] {
    const listed = names.filter((name) => this.isPublished(name))
    const apexes = new Set(listed.map(findPlatform).filter((apex) => apex !== null))
    return [...listed, ...apexes].sort()
  }
}

async function sight(
  db: TestStore,
  source: SourceDescription,
  seen: readonly string[],
): Promise<number> {
  const run = await db.startRun(source)
  const sightings = seen.map((value) => {
    const platform = findPlatform(value)
    return platform === null
      ? ({ type: 'domain', value } as const)
      : ({ type: 'domain', value, platform } as const)
  })
  await db.sight(source.name, run, sightings)
  return run
}

async function perform(db: TestStore, model: Model, action: Step): Promise<void> {
  db.now += 60_000
  switch (action.kind) {
    case 'list':
    case 'unfinished': {
      const source = sources[action.source] ?? sourceNamed('one')
      if (model.withdrawn.has(action.source)) {
        expect(await db.startRun(source).catch(String)).toContain('has been withdrawn')
        return
      }
      // What is guarded is refused before it reaches the store.
      const seen = action.names.filter((name) => !model.guarded.includes(name))
      const run = await sight(db, source, seen)
      if (action.kind === 'unfinished') {
        model.see(action.source, seen)
        return
      }
      const grace = action.grace ? graceMs : 0
      await db.endRun(run, grace)
      model.list(action.source, seen, db.now + grace, db.now)
      return
    }
    case 'guard':
      await db.guard(guardSource, action.names)
      model.guard(action.names)
      return
    case 'withdraw':
      await db.withdraw(sources[action.source] ?? sourceNamed('one'), action.isWithdrawn)
      model.withdraw(action.source, action.isWithdrawn)
      return
    case 'prune':
      await db.inSlices(() => ({ op: 'prune', before: db.now - 120_000 }))
      return
    case 'decide': {
      const { name: value, verdict } = action
      const words = { reason: 'because', by: 'ann', until: null }
      const platform = findPlatform(value)
      await db.store.write({
        at: db.now,
        operations: [
          {
            op: 'decide',
            type: 'domain',
            value,
            verdict,
            ...words,
            ...(platform === null ? {} : { platform }),
          },
        ],
      })
      if (verdict === 'clear') model.decisions.delete(value)
      else model.decisions.set(value, verdict)
      return
    }
    case 'expire':
      await db.store.write({ at: db.now, operations: [{ op: 'expire' }] })
      model.expire(db.now)
  }
}

const recount = {
  active: 'SELECT type AS key, count(*) AS n FROM indicator WHERE active = 1 GROUP BY type',
  published: 'SELECT type AS key, count(*) AS n FROM indicator WHERE published = 1 GROUP BY type',
  listed_day: `SELECT date(listed_at / 1000, 'unixepoch') AS key, count(*) AS n FROM indicator
    WHERE published = 1 AND type = 'domain' GROUP BY 1`,
  brand: `SELECT target_brand AS key, count(*) AS n FROM indicator
    WHERE published = 1 AND target_brand IS NOT NULL GROUP BY target_brand`,
  platform: `SELECT platform AS key, count(*) AS n FROM indicator
    WHERE published = 1 AND platform IS NOT NULL GROUP BY 1`,
  source: `SELECT name AS key, count(*) AS n FROM source JOIN
      (SELECT source_id FROM sighting WHERE live = 1 UNION ALL SELECT source_id FROM guard)
    ON source.id = source_id GROUP BY 1`,
} as const

/** The XOR of the first 16 bytes of every name's SHA-256, as the list's hash is described. */
function setHashOf(members: readonly string[]): string {
  const mask = (1n << 128n) - 1n
  const hashes = members.map((name) =>
    BigInt(`0x${new Bun.CryptoHasher('sha256').update(name).digest('hex')}`),
  )
  const hash = hashes.reduce((all, one) => all ^ ((one >> 128n) & mask), 0n)
  return hash.toString(16).padStart(32, '0')
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)

function expectCountersToAddUp(db: TestStore): void {
  const reader = new Database(db.store.path, { readonly: true })
  for (const scope of [
    'active',
    'published',
    'listed_day',
    'brand',
    'platform',
    'source',
  ] as const) {
    const counted = reader.query<{ key: string; n: number }, []>(recount[scope]).all()
    expect({ scope, counts: db.store.counters.scope(scope).sort(byKey) }).toEqual({
      scope,
      counts: counted.sort(byKey),
    })
  }
  reader.close()
}

describe('the store', () => {
  test(
    'agrees with a naive model, its own recount, and whoever follows it',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const db = new TestStore()
          try {
            const model = new Model()
            const followed = new Map<number, IndicatorChange>()
            let seq = 0
            for (const action of steps) {
              await perform(db, model, action)
              expect(db.published().sort()).toEqual(model.published())
              for (const name of names) {
                expect(db.store.byValue(name, 'domain')?.isActive ?? false).toBe(
                  model.isActive(name),
                )
              }
              for (let more = true; more; ) {
                const changes = db.store.changesSince(seq, 2)
                const rows = changes.kind === 'changes' ? changes.rows : []
                for (const row of rows) followed.set(row.id, row)
                seq = rows.at(-1)?.seq ?? seq
                more = rows.length > 0
              }
            }
            expectCountersToAddUp(db)
            expect(db.store.meta().setHash).toBe(setHashOf(db.published()))
            const anew = new Map<number, IndicatorChange>()
            const { seq: at } = db.store.readAll(3, (rows) => {
              for (const row of rows) anew.set(row.id, row)
            })
            expect(at).toBe(seq)
            // Only what was delisted long ago may have been forgotten, and no follower needs it.
            for (const [id, row] of followed) {
              const isForgotten = !anew.has(id) && row.active === 0 && row.decision === null
              if (isForgotten) followed.delete(id)
            }
            const byId = (a: IndicatorChange, b: IndicatorChange): number => a.id - b.id
            expect([...followed.values()].sort(byId)).toEqual([...anew.values()].sort(byId))
          } finally {
            db.remove()
          }
        }),
        { numRuns: runs },
      )
    },
    120_000 + runs * 2_000,
  )
})
