/**
 * Whatever happens to the store, whoever follows a collection ends with exactly that collection, by whichever
 * way he follows it; and versions keep to the rules of STIX.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { collectionNames } from '../../../src/publish/stix/collections.ts'
import type { Sighting } from '../../../src/store/batch.ts'
import { type StixJson, TaxiiWorld } from '../../http/taxii-world.ts'
import { sourceNamed } from '../../store/fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 40)

const sources = [sourceNamed('one'), sourceNamed('two'), sourceNamed('private', false)]
const privateSource = 2
const guard = { ...sourceNamed('popular'), role: 'guard' } as const
const privateBrand = 'Canary Private'

const values = [
  'a.test',
  'b.test',
  'c.test',
  'x.host.test',
  'https://d.test/1',
  'host.test',
] as const

const toSighting = (value: string, brand: string | null, family: string | null): Sighting => ({
  ...(value.startsWith('https:')
    ? { type: 'url', value, host: 'd.test' }
    : { type: 'domain', value }),
  ...(value === 'x.host.test' ? { platform: 'host.test' } : {}),
  ...(value === 'host.test' ? { doNotBlock: true } : {}),
  ...(brand === null ? {} : { targetBrand: brand }),
  ...(family === null ? {} : { malwareFamily: family }),
})

const entry = fc.record({
  value: fc.constantFrom(...values),
  brand: fc.constantFrom(null, null, 'Bank', 'BANK', 'Post'),
  family: fc.constantFrom(null, null, null, 'Stealer'),
  confidence: fc.constantFrom(60, 80, 95),
})
const someEntries = fc.uniqueArray(entry, { selector: ({ value }) => value, maxLength: 5 })

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('list'),
      source: fc.nat(sources.length - 1),
      entries: someEntries,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      value: fc.constantFrom('a.test', 'b.test', 'host.test'),
      verdict: fc.constantFrom('block', 'allow', 'clear'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('guard'),
      names: fc.subarray(['a.test', 'c.test']),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('withdraw'), isWithdrawn: fc.boolean() }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Follows one collection in one way. */
class Follower {
  readonly held = new Map<string, string>()
  readonly world: TaxiiWorld
  readonly collection: string
  readonly way: 'header' | 'next' | 'clock' | 'milliseconds'
  readonly limit: number
  #after = '2000-01-01T00:00:00Z'

  constructor(world: TaxiiWorld, collection: string, way: Follower['way'], limit: number) {
    this.world = world
    this.collection = collection
    this.way = way
    this.limit = limit
  }

  async poll(): Promise<void> {
    const path = `/taxii2/feeds/collections/${this.collection}/objects/?limit=${this.limit}`
    const pollsAt = new Date(this.world.db.now).toISOString()
    let from = `added_after=${this.#after}`
    let last = this.#after
    for (;;) {
      const answer = await this.world.get(`${path}&${from}`)
      expect(answer.status).toBe(200)
      for (const object of answer.objects) this.held.set(object.id, JSON.stringify(object))
      last = answer.headers.get('x-taxii-date-added-last') ?? last
      if (answer.json.more !== true) break
      expect(answer.objects.length).toBe(this.limit)
      from = this.way === 'header' ? `added_after=${last}` : `next=${answer.json.next}`
    }
    this.#after =
      this.way === 'clock'
        ? pollsAt
        : this.way === 'milliseconds'
          ? new Date(last).toISOString()
          : last
  }
}

/** Everything that was ever seen of the objects, held to the rules of versions (STIX §3.6). */
class Versions {
  readonly #texts = new Map<string, string>()
  readonly #latest = new Map<string, StixJson>()

  note(object: StixJson): void {
    const { id, modified = object.created } = object
    const text = JSON.stringify(object)
    const key = `${id} ${modified}`
    expect(this.#texts.get(key) ?? text).toBe(text)
    this.#texts.set(key, text)
    const before = this.#latest.get(id)
    this.#latest.set(id, object)
    if (before === undefined) {
      expect(modified).toBe(object.created)
      return
    }
    expect(object.created).toBe(before.created)
    expect(modified >= (before.modified ?? '')).toBe(true)
    if (before.revoked === true) expect(modified).toBe(before.modified ?? '')
    expect(text).not.toContain(privateBrand)
  }
}

const stands = ({ revoked, valid_until: until, stop_time: stop }: StixJson): boolean =>
  revoked !== true && until === undefined && stop === undefined

async function perform(world: TaxiiWorld, step: Step): Promise<void> {
  switch (step.kind) {
    case 'list': {
      const source = sources[step.source] ?? world.feed
      const isPrivate = step.source === privateSource
      const sightings = step.entries.map(({ value, brand, family, confidence }) => ({
        ...toSighting(value, isPrivate ? privateBrand : brand, family),
        confidence,
      }))
      await world.list(sightings, source).catch(ignoreWithdrawn)
      break
    }
    case 'decide':
      await world.decide(step.value, step.verdict)
      break
    case 'guard':
      world.db.now += 60_000
      await world.db.guard(guard, step.names)
      break
    case 'withdraw':
      world.db.now += 60_000
      await world.db.withdraw(sources[0] ?? world.feed, step.isWithdrawn)
      break
  }
  world.settle()
}

/** A source that has been taken back takes no lists. */
function ignoreWithdrawn(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes('has been withdrawn')) throw error
}

/** What weir publishes and may be blocked, by value. */
const published = (
  world: TaxiiWorld,
): Map<string, { brand: string | null; family: string | null }> => {
  const listed = values.flatMap((value) => {
    const row = world.db.store.byValue(value, value.startsWith('https:') ? 'url' : 'domain')
    if (row === null || !row.isPublished || row.doNotBlock) return []
    return [[value, { brand: row.targetBrand, family: row.malwareFamily }] as const]
  })
  return new Map<string, { brand: string | null; family: string | null }>(listed)
}

async function expectTrue(world: TaxiiWorld, versions: Versions): Promise<void> {
  const listed = published(world)
  const seen: string[] = []
  for (const name of ['domain-blacklist', 'phishing-urls']) {
    const objects = await world.objects(name)
    for (const object of objects) versions.note(object)
    const indicators = objects.filter(({ type }) => type === 'indicator')
    seen.push(...indicators.filter(stands).map((object) => String(object.name)))
  }
  expect(seen.sort()).toEqual([...listed.keys()].sort())

  const campaigns = await world.objects('campaigns')
  const byId = new Map(campaigns.map((object) => [object.id, object]))
  for (const object of campaigns) {
    versions.note(object)
    for (const field of ['source_ref', 'target_ref']) {
      const id = object[field]
      if (id !== undefined) expect(byId.has(String(id))).toBe(true)
    }
  }
  const told = campaigns
    .filter((object) => object['relationship_type'] === 'indicates' && stands(object))
    .map(({ source_ref: source, target_ref: target }) => {
      const subject = byId.get(String(target))
      const name = String(subject?.name).toLowerCase().replace(' impersonation', '')
      return `${byId.get(String(source))?.name} ${subject?.type} ${name}`
    })
  const wanted = [...listed].flatMap(([value, { brand, family }]) => [
    ...(brand === null ? [] : [`${value} intrusion-set ${brand.toLowerCase()}`]),
    ...(family === null ? [] : [`${value} malware ${family.toLowerCase()}`]),
  ])
  expect(told.sort()).toEqual(wanted.sort())
  const brands = new Set([...listed.values()].flatMap(({ brand }) => brand?.toLowerCase() ?? []))
  for (const object of campaigns) {
    if (object.type !== 'intrusion-set') continue
    const isActive = brands.has(String(object.name).toLowerCase().replace(' impersonation', ''))
    expect(object['last_seen'] === undefined).toBe(isActive)
  }

  for (const [scope, field] of [
    ['exported_brand', 'brand'],
    ['exported_family', 'family'],
  ] as const) {
    const counted = new Map<string, number>()
    for (const subjects of listed.values()) {
      const key = subjects[field]?.toLowerCase()
      if (key !== undefined) counted.set(key, (counted.get(key) ?? 0) + 1)
    }
    const counters = world.db.store.counters.scope(scope).map(({ key, n }) => [key, n] as const)
    expect(new Map(counters)).toEqual(counted)
  }

  const exported = await world.ask('/api/v1/export/stix?limit=10000')
  const standing = exported.objects.filter(({ type }) => type === 'indicator')
  expect(standing.map((object) => String(object.name)).sort()).toEqual([...listed.keys()].sort())
  for (const object of exported.objects) versions.note(object)
}

/** All that the collections say, dates included. */
async function everything(world: TaxiiWorld): Promise<string> {
  const texts: string[] = []
  for (const name of collectionNames) {
    for (const kind of ['manifest', 'objects']) {
      texts.push((await world.get(`/taxii2/feeds/collections/${name}/${kind}/`)).text)
    }
  }
  return texts.join('\n')
}

describe('collections', () => {
  test('end up whole with all who follow them, and keep to the rules of versions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.boolean()), { minLength: 4, maxLength: 16 }),
        fc.constantFrom(1, 3, 1_000),
        async (steps, limit) => {
          const world = new TaxiiWorld()
          try {
            const versions = new Versions()
            const followers = collectionNames.flatMap((name) =>
              (['header', 'next', 'clock', 'milliseconds'] as const).map(
                (way) => new Follower(world, name, way, limit),
              ),
            )
            for (const [each, polls] of steps) {
              const isPrivate = each.kind === 'list' && each.source === privateSource
              const before = isPrivate ? await everything(world) : ''
              await perform(world, each)
              if (isPrivate) expect(await everything(world)).toBe(before)
              await expectTrue(world, versions)
              if (polls) for (const follower of followers) await follower.poll()
            }
            for (const follower of followers) {
              await follower.poll()
              const objects = await world.objects(follower.collection)
              const whole = objects.map((object) => [object.id, JSON.stringify(object)] as const)
              expect(new Map(follower.held)).toEqual(new Map(whole))
            }
          } finally {
            world.close()
          }
        },
      ),
      { numRuns: runs },
    )
  })
})
