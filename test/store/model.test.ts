/**
 * Random operations against a naive model: whatever happens, the store lists what the model lists,
 * its counters are what a recount gives, and following its changes gives what reading it anew gives.
 */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SourceDescription } from '../../src/store/batch.ts'
import type { Change } from '../../src/store/indicators.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 60)

const sources: readonly SourceDescription[] = [
  sourceNamed('one'),
  sourceNamed('two'),
  sourceNamed('private', false),
]
/** Some stand under a platform, the apex of which is listed as long as one of them is published. */
const names = ['a.example', 'b.example', 'x.host.test', 'y.host.test', 'c.example']
const platformOf = (name: string): string | null =>
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
)

const graceMs = 90_000

/** The naive model: who sights what until when, and the operator's words. */
class Model {
  readonly sightings = sources.map(() => new Map<string, number>())
  readonly decisions = new Map<string, 'block' | 'allow'>()

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
      if (seen.includes(name) || until !== Number.POSITIVE_INFINITY) continue
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
    const isPassable = this.sightings.some(
      (seen, index) => seen.has(name) && sources[index]?.redistribute === true,
    )
    return this.isActive(name) && isPassable
  }

  published(): string[] {
    const listed = names.filter((name) => this.isPublished(name))
    const apexes = new Set(listed.map(platformOf).filter((apex) => apex !== null))
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
    const platform = platformOf(value)
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
      const run = await sight(db, source, action.names)
      if (action.kind === 'unfinished') {
        model.see(action.source, action.names)
        return
      }
      const grace = action.grace ? graceMs : 0
      await db.endRun(run, grace)
      model.list(action.source, action.names, db.now + grace, db.now)
      return
    }
    case 'decide': {
      const { name: value, verdict } = action
      const words = { reason: 'because', by: 'ann', until: null }
      const platform = platformOf(value)
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
  platform: `SELECT platform AS key, count(*) AS n FROM indicator
    WHERE published = 1 AND platform IS NOT NULL GROUP BY 1`,
  source: `SELECT name AS key, count(*) AS n FROM sighting JOIN source ON source.id = source_id
    WHERE live = 1 GROUP BY 1`,
} as const

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)

function expectCountersToAddUp(db: TestStore): void {
  const reader = new Database(db.store.path, { readonly: true })
  for (const scope of ['active', 'published', 'listed_day', 'platform', 'source'] as const) {
    const counted = reader.query<{ key: string; n: number }, []>(recount[scope]).all()
    expect({ scope, counts: db.store.counters.scope(scope).sort(byKey) }).toEqual({
      scope,
      counts: counted.sort(byKey),
    })
  }
  reader.close()
}

describe('the store', () => {
  test('agrees with a naive model, its own recount, and whoever follows it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const db = new TestStore()
        try {
          const model = new Model()
          const followed = new Map<number, Change>()
          let seq = 0
          for (const action of steps) {
            await perform(db, model, action)
            expect(db.published().sort()).toEqual(model.published())
            for (const name of names) {
              expect(db.store.byValue(name, 'domain')?.isActive ?? false).toBe(model.isActive(name))
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
          const anew = new Map<number, Change>()
          const { seq: at } = db.store.readAll(3, (rows) => {
            for (const row of rows) anew.set(row.id, row)
          })
          expect(at).toBe(seq)
          const byId = (a: Change, b: Change): number => a.id - b.id
          expect([...followed.values()].sort(byId)).toEqual([...anew.values()].sort(byId))
        } finally {
          db.remove()
        }
      }),
      { numRuns: runs },
    )
  }, 120_000)
})
