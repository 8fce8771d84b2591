/** Who names the brand of a row: a source before the rules, nobody in private, the operator's row too. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Operation, Sighting, SourceDescription } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from './fixture.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) }

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

type Named = Pick<Sighting, 'targetBrand' | 'targetBrandOrigin'>
const bySource = (targetBrand: string): Named => ({ targetBrand })
const byRules = (targetBrand: string): Named => ({ targetBrand, targetBrandOrigin: 'rules' })

const ruled = sourceNamed('ruled')
const telling = sourceNamed('telling')
const hidden = sourceNamed('hidden', false)

/** Has a source list exactly these names, a minute later. */
async function list(
  source: SourceDescription,
  names: Readonly<Record<string, Named>>,
  store = db,
): Promise<void> {
  store.now += 60_000
  const run = await store.startRun(source)
  const sightings = Object.entries(names).map(([value, named]) => ({
    type: 'domain' as const,
    value,
    ...named,
  }))
  await store.sight(source.name, run, sightings)
  await store.endRun(run)
}

const rowOf = (value: string, store = db) => store.store.byValue(value, 'domain')
const brandOf = (value: string, store = db) => {
  const row = rowOf(value, store)
  return [row?.targetBrand ?? null, row?.targetBrandOrigin ?? null]
}

type NameBrands = Operation & { op: 'nameBrands' }

async function nameBrands(
  names: readonly (readonly [string | number, string | null])[],
  next: number | null = null,
  store = db,
) {
  store.now += 60_000
  const operation: NameBrands = {
    op: 'nameBrands',
    rules: 'r1',
    names: names.map(([value, brand]) => ({
      id: typeof value === 'number' ? value : (rowOf(value, store)?.id ?? 0),
      brand,
    })),
    next,
  }
  return store.store.write({ at: store.now, operations: [operation] })
}

async function decide(
  value: string,
  verdict: 'block' | 'allow' | 'clear',
  targetBrand?: string,
): Promise<void> {
  db.now += 60_000
  const words = { reason: 'r', by: 'ann', until: null } as const
  const named = targetBrand === undefined ? {} : { targetBrand }
  const operations = [{ op: 'decide', type: 'domain', value, verdict, ...words, ...named }] as const
  await db.store.write({ at: db.now, operations })
}

describe('a source’s brand', () => {
  const lists = [
    [ruled, byRules('Rules')],
    [telling, bySource('Told')],
    [hidden, bySource('Secret')],
  ] as const
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ] as const

  test.each(orders.map((order) => [order]))(
    'stands above the rules’ when read in the order %j',
    async (order) => {
      for (const at of order) {
        const [source, named] = lists[at]
        await list(source, { 'a.example': named })
      }
      expect(brandOf('a.example')).toEqual(['Told', 'source'])
      await nameBrands([['a.example', 'Other']])
      expect(brandOf('a.example')).toEqual(['Told', 'source'])
    },
  )

  test('goes with its source, and the rules’ comes back', async () => {
    await list(ruled, { 'a.example': byRules('Rules') })
    await list(telling, { 'a.example': bySource('Told') })
    await db.withdraw(telling, true)
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
    await db.withdraw(telling, false)
    expect(brandOf('a.example')).toEqual(['Told', 'source'])
    await list(telling, { 'other.example': bySource('Told') })
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
  })

  test('is what was last known of a row that is delisted', async () => {
    await list(telling, { 'a.example': bySource('Told'), 'b.example': bySource('Told') })
    await list(telling, { 'b.example': bySource('Told') })
    expect(rowOf('a.example')).toMatchObject({ isActive: false, targetBrand: 'Told' })
  })

  test('is shown of no private source', async () => {
    await list(hidden, { 'a.example': bySource('Secret'), 'b.example': bySource('Secret') })
    expect(rowOf('a.example')).toMatchObject({ isPublished: false })
    await list(ruled, { 'a.example': {}, 'c.example': {} })
    expect(brandOf('a.example')).toEqual([null, null])
    await decide('b.example', 'block')
    expect(rowOf('b.example')).toMatchObject({ isPublished: true, targetBrand: null })
    expect(JSON.stringify(db.store.indicators.blacklist(0, 10, 0))).not.toContain('Secret')
    await list(ruled, { 'c.example': {} })
    expect(rowOf('a.example')).toMatchObject({ isPublished: false })
  })
})

describe('an operator’s block', () => {
  test('of a new name carries the brand that the rules name', async () => {
    await decide('a.example', 'block', 'Rules')
    expect(rowOf('a.example')).toMatchObject({ isPublished: true, sources: ['operator'] })
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
    await decide('a.example', 'block', 'Rules')
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
  })

  test('keeps it when sources come and go', async () => {
    await decide('a.example', 'block', 'Rules')
    await list(hidden, { 'a.example': bySource('Secret') })
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
    await list(ruled, { 'a.example': byRules('Rules') })
    await list(ruled, { 'b.example': {} })
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
  })

  test('keeps what the rules named while it was listed in private', async () => {
    await list(hidden, { 'a.example': byRules('Rules') })
    await decide('a.example', 'block')
    expect(rowOf('a.example')).toMatchObject({ isPublished: true })
    expect(brandOf('a.example')).toEqual(['Rules', 'rules'])
  })

  test('is named anew by new rules, and by none', async () => {
    await decide('a.example', 'block', 'Old')
    await nameBrands([['a.example', 'New']])
    expect(brandOf('a.example')).toEqual(['New', 'rules'])
    await nameBrands([['a.example', null]])
    expect(brandOf('a.example')).toEqual([null, null])
  })
})

describe('nameBrands', () => {
  test('names what stands as a change of meaning, and again without one', async () => {
    await list(ruled, { 'a.example': {}, 'b.example': {} })
    const before = rowOf('a.example')
    expect(await nameBrands([['a.example', 'Rules']])).toMatchObject({ changed: 1, added: 0 })
    const after = rowOf('a.example')
    expect(after).toMatchObject({ targetBrand: 'Rules', targetBrandOrigin: 'rules' })
    expect(after?.seq).toBeGreaterThan(before?.seq ?? 0)
    expect(after).toMatchObject({ listedSeq: before?.listedSeq, listedAt: before?.listedAt })
    const { seq } = db.store.meta()
    expect(await nameBrands([['a.example', 'Rules']])).toMatchObject({ changed: 0, seq })
    expect(await nameBrands([['b.example', null]])).toMatchObject({ changed: 0, seq })
    expect(rowOf('a.example')?.seq).toBe(after?.seq)
  })

  test('takes away what the rules no longer name', async () => {
    await list(ruled, { 'a.example': byRules('Rules') })
    expect(await nameBrands([['a.example', null]])).toMatchObject({ changed: 1 })
    expect(brandOf('a.example')).toEqual([null, null])
    // What was sighted so long ago is not asked again.
    await list(telling, { 'a.example': {} })
    expect(brandOf('a.example')).toEqual([null, null])
  })

  test('makes no event, and leaves counts and the list of names as they are', async () => {
    await list(ruled, { 'a.example': {} })
    const hash = db.store.meta().setHash
    await nameBrands([['a.example', 'Rules']])
    expect(db.store.meta().setHash).toBe(hash)
    expect(db.store.hasRightSetHash()).toBe(true)
    expect(db.store.counters.get('published', 'domain')).toBe(1)
    expect(db.published()).toEqual(['a.example'])
  })

  test('does not bring back what is delisted, nor what the operator allows', async () => {
    await list(ruled, { 'a.example': {}, 'b.example': {} })
    await list(ruled, { 'b.example': {} })
    await decide('b.example', 'allow')
    await nameBrands([
      ['a.example', 'Rules'],
      ['b.example', 'Rules'],
    ])
    expect(rowOf('a.example')).toMatchObject({ isActive: false })
    expect(rowOf('b.example')).toMatchObject({ isActive: false })
    expect(db.published()).toEqual([])
  })

  test('of rows that are gone does nothing but note how far it came', async () => {
    const { seq } = db.store.meta()
    expect(await nameBrands([[4711, 'Rules']], 4711)).toMatchObject({ changed: 0, seq })
    expect(db.store.meta()).toMatchObject({ brandRules: 'r1', brandsAfter: 4711 })
  })

  test('knows after a new start how far it came', async () => {
    expect(db.store.meta()).toMatchObject({ brandRules: '', brandsAfter: 0 })
    await nameBrands([], 7)
    db.reopen()
    expect(db.store.meta()).toMatchObject({ brandRules: 'r1', brandsAfter: 7 })
    await nameBrands([], null)
    db.reopen()
    expect(db.store.meta()).toMatchObject({ brandRules: 'r1', brandsAfter: null })
  })
})

describe('whatever is said', () => {
  const sources = [ruled, telling, hidden] as const
  const said = fc.constantFrom<Named>(
    {},
    bySource('Told'),
    bySource('Else'),
    byRules('Rules'),
    byRules('Old'),
  )
  const step = fc.oneof(
    fc.record({ kind: fc.constant('sight' as const), source: fc.nat(2), named: said }),
    fc.record({ kind: fc.constant('end' as const), source: fc.nat(2) }),
    fc.record({
      kind: fc.constant('name' as const),
      brand: fc.constantFrom('Rules', 'New', null),
    }),
  )
  interface Said {
    live: boolean
    readonly firstSeen: number
    brand: string | null
    origin: string | null
  }

  /** What the row is to say: public words before private ones, sources before rules, the oldest first. */
  function expected(all: ReadonlyMap<number, Said>): (string | null)[] | null {
    const live = [...all].filter(([, { live: isLive }]) => isLive)
    if (live.length === 0) return null
    const passable = live.filter(([source]) => sources[source]?.redistribute === true)
    const shown = (passable.length > 0 ? passable : live)
      .map(([, words]) => words)
      .filter(({ brand }) => brand !== null)
      .toSorted((a, b) => a.firstSeen - b.firstSeen)
    const first = shown.find(({ origin }) => origin === 'source') ?? shown[0]
    return [first?.brand ?? null, first?.origin ?? null]
  }

  test('the row names what its live sources say, and else the rules', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const own = new TestStore()
        const all = new Map<number, Said>()
        for (const action of steps) {
          if (action.kind === 'sight') {
            await list(sources[action.source] ?? ruled, { 'a.example': action.named }, own)
            const { targetBrand = null, targetBrandOrigin = 'source' } = action.named
            all.set(action.source, {
              live: true,
              firstSeen: all.get(action.source)?.firstSeen ?? own.now,
              brand: targetBrand,
              origin: targetBrand === null ? null : targetBrandOrigin,
            })
          } else if (action.kind === 'end') {
            await list(sources[action.source] ?? ruled, {}, own)
            const words = all.get(action.source)
            if (words !== undefined) words.live = false
          } else {
            await nameBrands([['a.example', action.brand]], null, own)
            for (const words of all.values()) {
              if (words.origin === 'source') continue
              words.brand = action.brand
              words.origin = action.brand === null ? null : 'rules'
            }
          }
          const wanted = expected(all)
          if (wanted !== null) expect(brandOf('a.example', own)).toEqual(wanted)
        }
        own.remove()
      }),
      runs,
    )
  }, 60_000)
})
