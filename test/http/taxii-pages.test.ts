/** Reading a collection page by page while it changes: nothing is missed, nothing doubled, all ends. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { collectionNames } from '../../src/publish/stix/collections.ts'
import { backUp } from '../../src/store/backup.ts'
import { mixed, namesOf, roots, type StixJson, TaxiiWorld, taxiiType } from './taxii-world.ts'

const objectsPath = (collection: string): string =>
  `/taxii2/feeds/collections/${collection}/objects/`

const idsOf = (objects: readonly StixJson[]): string[] => objects.map(({ id }) => id)

describe('pages', () => {
  const world = new TaxiiWorld()
  beforeAll(() => world.list(mixed))
  afterAll(() => world.close())

  test.each([1, 2, 3, 7, 999, 10_000])('of %i hold everything once, in order', async (limit) => {
    for (const collection of collectionNames) {
      const all = idsOf((await world.get(objectsPath(collection))).objects)
      const pages = await world.pages(collection, `limit=${limit}`)
      expect(pages.flatMap(({ ids }) => ids)).toEqual(all)
      for (const [index, { json, ids, headers }] of pages.entries()) {
        const isLast = index === pages.length - 1
        // Where there is more, there is a way on, and something to go on from.
        expect(json.more).toBe(!isLast)
        expect(json.next === undefined).toBe(isLast)
        expect(ids.length).toBe(isLast ? all.length - index * limit || limit : limit)
        const first = headers.get('x-taxii-date-added-first') ?? ''
        const last = headers.get('x-taxii-date-added-last') ?? ''
        expect(last >= first).toBe(true)
        const before = pages[index - 1]?.headers.get('x-taxii-date-added-last') ?? ''
        expect(first > before).toBe(true)
      }
    }
  })

  test('over the maximum have as many as that', async () => {
    const answer = await world.get(`${objectsPath('campaigns')}?limit=${'9'.repeat(30)}`)
    expect(answer.status).toBe(200)
    expect(answer.json.more).toBe(false)
  })

  test('by the header alone hold the same', async () => {
    for (const collection of collectionNames) {
      const seen: string[] = []
      let after = '2000-01-01T00:00:00Z'
      for (;;) {
        const { ids, headers } = await world.get(
          `${objectsPath(collection)}?limit=4&added_after=${after}`,
        )
        const last = headers.get('x-taxii-date-added-last') ?? ''
        if (ids.length === 0) {
          expect(last).toBe(after)
          break
        }
        seen.push(...ids)
        after = last
      }
      expect(seen).toEqual(idsOf(await world.objects(collection)))
    }
  })

  test('go on with the filters they began with, whatever else is said', async () => {
    const path = objectsPath('campaigns')
    const all = await world.objects('campaigns', 'match[type]=relationship,malware')
    const first = await world.get(`${path}?match[type]=relationship,malware&limit=3`)
    const next = `${path}?next=${first.json.next}`
    // Elastic repeats nothing, others everything, also that from which they began.
    for (const query of [
      '&limit=10000',
      '&match[type]=malware,relationship',
      '&added_after=2999-01-01T00:00:00Z',
    ]) {
      expect([...first.ids, ...(await world.get(next + query)).ids]).toEqual(idsOf(all))
    }
    for (const [field, value] of [
      ['type', 'malware'],
      ['type', 'malware,relationship,indicator'],
      ['id', 'x'],
      ['version', 'last'],
      ['spec_version', '2.1'],
    ]) {
      const { status, json } = await world.get(`${next}&match[${field}]=${value}`)
      expect(status).toBe(400)
      expect(json.description).toStartWith(`match[${field}]: `)
    }
  })

  test('go on in their own collection alone', async () => {
    const { json } = await world.get(`${objectsPath('campaigns')}?limit=3`)
    const foreign = await world.get(`${objectsPath('phishing-urls')}?next=${json.next}`)
    expect(foreign.status).toBe(400)
    const own = await world.get(`/api/taxii/2.1/collections/campaigns/manifest/?next=${json.next}`)
    expect(own.status).toBe(200)
  })

  test('that are bundles say in a link that there are more', async () => {
    const seen: string[] = []
    let path = '/api/taxii/2.1/collections/campaigns/objects/?limit=5&match[type]=indicator'
    for (;;) {
      const { headers, ids, json } = await world.ask(path)
      expect(json.type).toBe('bundle')
      seen.push(...ids)
      const link = headers.get('link')
      if (link === null) break
      path = /^<http:\/\/weir\.test(\/[^>]+)>; rel="next"$/.exec(link)?.[1] ?? ''
    }
    expect(seen).toEqual(idsOf(await world.objects('campaigns', 'match[type]=indicator')))
  })

  test('are good after a restart', async () => {
    const first = await world.get(`${objectsPath('campaigns')}?limit=5`)
    world.restart()
    const rest = await world.get(`${objectsPath('campaigns')}?next=${first.json.next}`)
    expect([...first.ids, ...rest.ids]).toEqual(idsOf(await world.objects('campaigns')))
  })
})

describe('added_after', () => {
  const world = new TaxiiWorld()
  let dates: readonly string[] = []
  const count = async (time: string, root: string = roots[0]): Promise<number> => {
    const path = `${root}collections/domain-blacklist/objects/?added_after=${time}`
    return (await world.get(path)).ids.length
  }

  beforeAll(async () => {
    await world.list(namesOf(5))
    await world.list(namesOf(9))
    const { objects } = await world.get('/taxii2/feeds/collections/domain-blacklist/manifest/')
    dates = objects.map((entry) => String(entry['date_added']))
  })
  afterAll(() => world.close())

  test('leaves out what was added then or before', async () => {
    for (const [index, date] of dates.entries()) {
      expect(await count(date)).toBe(dates.length - 1 - index)
      expect(await count(date.replace('Z', '999Z'))).toBe(dates.length - 1 - index)
      expect(await count(date.replace('Z', '%2B00:00'))).toBe(dates.length - 1 - index)
      expect(await count(date.replace('Z', '+00:00'))).toBe(dates.length - 1 - index)
    }
  })

  test('cut to milliseconds gives nothing a second time', async () => {
    const last = dates.at(-1) ?? ''
    expect(await count(new Date(last).toISOString())).toBe(0)
    // While there is more, what was added in that millisecond comes once more rather than never.
    expect(await count(new Date(dates[6] ?? '').toISOString())).toBe(5 + 4)
  })

  test('cut to milliseconds loses nothing, also of many that were added in one', async () => {
    const many = new TaxiiWorld()
    await many.list(namesOf(1_000))
    const seen = new Set<string>()
    let after = '2000-01-01T00:00:00.000Z'
    for (;;) {
      const path = `${objectsPath('domain-blacklist')}?limit=300&added_after=${after}`
      const { ids, json, headers } = await many.get(path)
      for (const id of ids) seen.add(id)
      after = new Date(headers.get('x-taxii-date-added-last') ?? '').toISOString()
      if (json.more !== true) break
    }
    expect(seen.size).toBe(1_002)
    const again = `${objectsPath('domain-blacklist')}?added_after=${after}`
    expect((await many.get(again)).text).toBe('{"more":false}')
    many.close()
  })

  test('may lie at either end of time', async () => {
    expect(await count('0001-01-01T00:00:00Z')).toBe(dates.length)
    for (const time of ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z']) {
      const { status, headers } = await world.get(`${objectsPath('campaigns')}?added_after=${time}`)
      expect(status).toBe(200)
      expect(headers.get('x-taxii-date-added-last')).toMatch(/^9999-12-31T23:59:59\.\d{6}Z$/)
    }
  })

  test('may be written without digits behind the second, or with nine', async () => {
    expect(await count('2000-01-01T00:00:00Z')).toBe(dates.length)
    expect(await count('2000-01-01T00:00:00.123456789Z')).toBe(dates.length)
    expect(await count('2999-01-01T00:00:00Z')).toBe(0)
  })

  test('may be any point in time of ISO 8601 under the specification’s root alone', async () => {
    for (const time of ['2000-01-01', '2000-01-01T00:00', '2000-01-01T00:00:00%2B05:30']) {
      expect(await count(time, roots[1])).toBe(dates.length)
      const path = `/taxii2/feeds/collections/domain-blacklist/objects/?added_after=${time}`
      expect((await world.get(path)).status).toBe(400)
    }
  })

  test('of the future is what an empty page tells to go on from', async () => {
    const future = '2199-01-01T00:00:00.000001Z'
    const path = `${objectsPath('domain-blacklist')}?added_after=${future}`
    const { headers, text } = await world.get(path)
    expect(text).toBe('{"more":false}')
    expect(headers.get('x-taxii-date-added-first')).toBe(future)
    expect(headers.get('x-taxii-date-added-last')).toBe(future)
    const early = await world.get(`${objectsPath('domain-blacklist')}?match[type]=malware`)
    expect(early.headers.get('x-taxii-date-added-last')).toBe(dates.at(-1) ?? '')
  })
})

describe('while a collection is read', () => {
  let world: TaxiiWorld
  beforeEach(async () => {
    world = new TaxiiWorld()
    await world.list(namesOf(12))
  })
  afterEach(() => world.close())

  test('what changes is seen again at the end, and nothing is missed', async () => {
    const first = await world.get(`${objectsPath('domain-blacklist')}?limit=6`)
    await world.decide('name1.test', 'block')
    await world.decide('name9.test', 'block')
    const rest = await world.get(`${objectsPath('domain-blacklist')}?next=${first.json.next}`)
    const names = [...first.objects, ...rest.objects].map(({ name }) => name)
    expect(names.slice(-2)).toEqual(['name1.test', 'name9.test'])
    expect(new Set(names)).toEqual(
      new Set(['TLP:WHITE', 'weir', ...namesOf(12).map(({ value }) => value)]),
    )
    expect(names.length).toBe(15)
  })

  test('what comes is seen at the end', async () => {
    const first = await world.get(`${objectsPath('domain-blacklist')}?limit=6`)
    await world.list(namesOf(15))
    const rest = await world.get(`${objectsPath('domain-blacklist')}?next=${first.json.next}`)
    expect([...first.ids, ...rest.ids]).toEqual(idsOf(await world.objects('domain-blacklist')))
  })

  test('what is younger than a second is not shown yet, but found by its id', async () => {
    const before = await world.objects('domain-blacklist')
    const at = world.db.now
    const run = await world.db.startRun(world.feed)
    await world.db.sight('feed', run, [{ type: 'domain', value: 'new.test' }])
    for (const [ms, length] of [
      [0, 14],
      [999, 14],
      [1_000, 15],
    ] as const) {
      world.db.now = at + ms
      const { ids, headers } = await world.get(objectsPath('domain-blacklist'))
      expect(ids.length).toBe(length)
      const last = headers.get('x-taxii-date-added-last') ?? ''
      // By no clock has anything been added in the future.
      expect(Date.parse(last)).toBeLessThanOrEqual(world.db.now)
    }
    const id = idsOf(await world.objects('domain-blacklist')).find(
      (each) => !idsOf(before).includes(each),
    )
    world.db.now = at
    expect((await world.get(`${objectsPath('domain-blacklist')}${id}/`)).ids).toEqual([id ?? ''])
  })

  test('a clock that goes back hides nothing for long', async () => {
    world.db.now -= 3_600_000
    const run = await world.db.startRun(world.feed)
    await world.db.sight('feed', run, [{ type: 'domain', value: 'new.test' }])
    const { objects } = await world.get(objectsPath('domain-blacklist'))
    expect(objects.at(-1)?.name).toBe('new.test')
  })
})

describe('a TAXII client’s own headers', () => {
  test('are answered with the same objects compressed', async () => {
    const world = new TaxiiWorld()
    await world.list(namesOf(2_500))
    const path = `${objectsPath('campaigns')}?limit=10000`
    const plain = await world.get(path)
    expect(plain.ids.length).toBe(new Set(plain.ids).size)
    for (const coding of ['gzip', 'zstd'] as const) {
      const headers = { accept: taxiiType, 'accept-encoding': coding }
      const response = await world.respond(path, { headers })
      expect(response.headers.get('content-encoding')).toBe(coding)
      const bytes = Buffer.from(await response.arrayBuffer())
      const plainBytes = coding === 'gzip' ? gunzipSync(bytes) : zstdDecompressSync(bytes)
      expect(plainBytes.toString() === plain.text).toBe(true)
    }
    world.close()
  })
})

describe('after a restore', () => {
  test('whoever had seen more is put right, by later versions', async () => {
    const world = new TaxiiWorld()
    await world.list(namesOf(30))
    await world.list(namesOf(25))
    const backup = join(world.db.dataDir, 'copy.db')
    backUp(world.db.dataDir, backup)
    const held = new Map<string, StixJson>()
    let after = '2000-01-01T00:00:00Z'
    const poll = async (): Promise<void> => {
      const path = `${objectsPath('campaigns')}?limit=10000&added_after=${after}`
      const { objects, headers } = await world.get(path)
      for (const object of objects) {
        const known = held.get(object.id)
        if (known?.modified !== undefined) {
          expect((object.modified ?? '') > known.modified).toBe(true)
          expect(object.created).toBe(known.created)
        }
        held.set(object.id, object)
      }
      after = headers.get('x-taxii-date-added-last') ?? ''
    }
    await poll()
    await world.list(namesOf(10))
    await world.decide('name0.test', 'allow')
    await poll()

    world.restore(backup)
    world.settle()
    await poll()
    const whole = await world.objects('campaigns')
    expect([...held.values()].sort(byId)).toEqual([...whole].sort(byId))
    // Still what is referred to comes first.
    const before = new Set<unknown>()
    for (const object of whole) {
      if (object['source_ref'] !== undefined) expect(before).toContain(object['source_ref'])
      if (object['target_ref'] !== undefined) expect(before).toContain(object['target_ref'])
      before.add(object.id)
    }
    world.close()
  })
})

const byId = (a: StixJson, b: StixJson): number => (a.id < b.id ? -1 : 1)
