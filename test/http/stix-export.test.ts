/** GET /api/v1/export/stix: what stands, as a bundle that holds all that it refers to. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { itemsOf } from '../ingest/reading.ts'
import { serving } from './stand-ins.ts'
import { mixed, namesOf, type StixJson, stixType, TaxiiWorld } from './taxii-world.ts'

const path = '/api/v1/export/stix'
const indicators = (objects: readonly StixJson[]): StixJson[] =>
  objects.filter(({ type }) => type === 'indicator')
const namesIn = (objects: readonly StixJson[]): string[] =>
  indicators(objects).map(({ name }) => String(name))

describe('the export', () => {
  const world = new TaxiiWorld()
  beforeAll(async () => {
    await world.list(mixed)
    await world.list([{ type: 'domain', value: 'bank.test', targetBrand: 'Bank of America' }], {
      ...world.feed,
      name: 'second',
    })
    const third = { ...world.feed, name: 'third' }
    await world.list([{ type: 'domain', value: 'later.test' }], third)
  })
  afterAll(() => world.close())

  test('is a bundle of version 2.1, with a new id each time', async () => {
    const [one, two] = [await world.ask(path), await world.ask(path)]
    expect(one.status).toBe(200)
    expect(one.headers.get('content-type')).toBe(stixType)
    expect(one.headers.get('access-control-allow-origin')).toBe('*')
    expect(Object.keys(one.json)).toEqual(['type', 'id', 'objects'])
    expect(one.json['id']).toMatch(/^bundle--[0-9a-f-]{36}$/)
    expect(one.json['id']).not.toBe(two.json['id'])
  })

  test('holds everything that stands, changed last first, and no phone number', async () => {
    const { objects } = await world.ask(path)
    const names = namesIn(objects)
    expect(names.slice(0, 2)).toEqual(['later.test', 'bank.test'])
    const wanted = mixed.filter(({ type }) => type !== 'phone').map(({ value }) => value)
    expect(names.slice(2).sort()).toEqual(wanted.sort())
    expect(new Set(objects.map(({ id }) => id)).size).toBe(objects.length)
  })

  test('holds all that it refers to, byte by byte as the collections do', async () => {
    for (const query of ['', '?limit=1', '?campaign=Brand 0', '?since=2026-03-12T08:02:30Z']) {
      const { text, objects } = await world.ask(path + query)
      const ids = new Set<unknown>(objects.map(({ id }) => id))
      for (const object of objects) {
        for (const [name, value] of Object.entries(object)) {
          if (name.endsWith('_ref')) expect(ids).toContain(value)
          if (name.endsWith('_refs')) for (const id of [value].flat()) expect(ids).toContain(id)
        }
        const collection =
          object.type !== 'indicator'
            ? 'campaigns'
            : object.pattern?.startsWith('[domain-name') === true
              ? 'domain-blacklist'
              : 'phishing-urls'
        const one = await world.get(`/taxii2/feeds/collections/${collection}/objects/${object.id}/`)
        expect(text).toContain(one.text.slice('{"more":false,"objects":['.length, -2))
      }
    }
  })

  test('counts indicators alone', async () => {
    const { objects } = await world.ask(`${path}?limit=4`)
    expect(namesIn(objects).length).toBe(4)
    expect(objects.length).toBeGreaterThan(4)
    expect(namesIn((await world.ask(`${path}?limit=99999`)).objects).length).toBe(22)
  })

  test('of a campaign holds what imitates that brand, in any case or by an alias', async () => {
    for (const name of ['Brand 0', 'brand 0', 'BRAND%200', '+Brand+0+']) {
      const { objects } = await world.ask(`${path}?campaign=${name}`)
      expect(namesIn(objects).sort()).toEqual(['https://page.test/login?a=1', 'name0.test'])
      const brands = objects.filter(({ type }) => type === 'intrusion-set')
      expect(brands.map((each) => each.name)).toEqual(['Brand 0 impersonation'])
    }
    expect(namesIn((await world.ask(`${path}?campaign=bofa`)).objects)).toEqual(['bank.test'])
    const unknown = await world.ask(`${path}?campaign=Nobody'"\\`)
    expect(Object.keys(unknown.json)).toEqual(['type', 'id'])
  })

  test('since a time holds what is newer', async () => {
    const modified = indicators((await world.ask(path)).objects).map((each) => each.modified ?? '')
    const [newest = '', second = ''] = modified
    expect(namesIn((await world.ask(`${path}?since=${second}`)).objects)).toEqual(['later.test'])
    expect((await world.ask(`${path}?since=${newest}`)).objects).toEqual([])
    for (const time of ['2026-03-12', '2026-03-12T09:00:00+01:00', '2026-03-12T08:00']) {
      expect(namesIn((await world.ask(`${path}?since=${time}`)).objects).length).toBe(22)
    }
    expect((await world.ask(`${path}?since=2999-01-01`)).text).not.toContain('objects')
  })

  test('goes on behind its link, until all has been told', async () => {
    for (const query of ['', '&campaign=brand 0', '&since=2026-03-12T08:00:00Z']) {
      const all = namesIn((await world.ask(`${path}?limit=10000${query}`)).objects)
      const seen: string[] = []
      let next: string | undefined = `${path}?limit=3${query}`
      while (next !== undefined) {
        const { objects, headers } = await world.ask(next)
        expect(namesIn(objects).length).toBeGreaterThan(0)
        seen.push(...namesIn(objects))
        next = /^<http:\/\/weir\.test([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
      }
      expect(seen).toEqual(all)
    }
    expect((await world.ask(`${path}?limit=22`)).headers.has('link')).toBe(false)
    expect((await world.ask(`${path}?limit=21`)).headers.has('link')).toBe(true)
  })

  test.each([
    'cursor=',
    'cursor=garbage',
    'cursor=MSAtMQ',
    'limit=0',
    'limit=-1',
    'limit=1e3',
    'limit=',
    'since=yesterday',
    'since=2026-02-30',
    'campaign=',
    'campaign=%20',
    'campaign=%FF',
    'limit=1&limit=2',
  ])('refuses %s by name', async (query) => {
    const answer = await world.ask(`${path}?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.json['errors']).toMatchObject([{ field: query.slice(0, query.indexOf('=')) }])
  })

  test('is read back by weir as what it was made of', async () => {
    const { text } = await world.ask(path)
    const items = await itemsOf(jsonFormats.stix, new Blob([text]))
    if (items === 'malformed') throw new Error('the export is no bundle')
    const read = items.flatMap((item) => (item.kind === 'refused' ? [] : [item.text]))
    const unescaped = read.map((value) => value.replaceAll('%27', "'").replaceAll('%5C', '\\'))
    const { objects } = await world.ask(path)
    expect(unescaped.sort()).toEqual(namesIn(objects).sort())
    expect(items.length).toBe(read.length)
  })

  test('HEAD has the headers and no body', async () => {
    const answer = await world.ask(path, { method: 'HEAD' })
    expect(answer.headers.get('content-type')).toBe(stixType)
    expect(answer.text).toBe('')
  })
})

describe('what has ended', () => {
  const active: readonly Sighting[] = namesOf(6)

  test('is in no export, and in the collections with its end', async () => {
    const world = new TaxiiWorld()
    await world.list(active)
    await world.list(active.slice(2))
    expect(namesIn((await world.ask(path)).objects).length).toBe(4)
    const collection = await world.objects('domain-blacklist')
    expect(collection.length).toBe(8)
    const ended = collection.find(({ name }) => name === 'name0.test')
    expect(ended).toMatchObject({ indicator_types: ['unknown'] })
    expect(ended?.valid_until).toBe(ended?.modified ?? '')
    expect(ended?.revoked).toBeUndefined()
    // Nothing is said of a threat that is over.
    expect(ended).not.toContainAnyKeys(['labels', 'confidence'])
    const relationships = await world.objects('campaigns', 'match[type]=relationship')
    const told = relationships.filter((each) => each['source_ref'] === ended?.id)
    expect(told.map((each) => each['stop_time'])).toEqual([ended?.modified, ended?.modified])
    world.close()
  })

  test('comes back under the same id', async () => {
    const world = new TaxiiWorld()
    await world.list(active)
    const before = await world.objects('campaigns')
    await world.list([])
    await world.list(active)
    const after = await world.objects('campaigns')
    const stripped = (objects: readonly StixJson[]) =>
      objects.map(({ modified, valid_from, ...rest }) => JSON.stringify(rest)).sort()
    expect(stripped(after)).toEqual(stripped(before))
    world.close()
  })

  test('by the operator’s word was a mistake: it is revoked for good, and comes back as another', async () => {
    const world = new TaxiiWorld()
    await world.list(active)
    const cursor = (await world.get('/taxii2/feeds/collections/domain-blacklist/objects/')).headers
    const after = cursor.get('x-taxii-date-added-last')
    await world.decide('name0.test', 'allow')
    const path = '/taxii2/feeds/collections/domain-blacklist/objects/'
    const polled = await world.get(`${path}?added_after=${after}`)
    expect(polled.objects).toMatchObject([{ name: 'name0.test', revoked: true }])
    await world.decide('name0.test', 'clear')
    const named = (await world.objects('domain-blacklist')).filter((o) => o.name === 'name0.test')
    expect(named.map(({ revoked }) => revoked ?? false)).toEqual([true, false])
    expect(named[0]?.id).not.toBe(named[1]?.id ?? '')
    const campaigns = await world.objects('campaigns')
    const relationships = campaigns.filter((each) => each['source_ref'] === named[0]?.id)
    expect(relationships.map(({ revoked }) => revoked)).toEqual([true, true])
    world.close()
  })

  test('because it is a shared platform is revoked too', async () => {
    const world = new TaxiiWorld()
    await world.list([{ type: 'domain', value: 'host.test' }])
    await world.list([{ type: 'domain', value: 'host.test', doNotBlock: true }])
    expect(namesIn((await world.ask(path)).objects)).toEqual([])
    expect((await world.objects('domain-blacklist')).at(-1)).toMatchObject({ revoked: true })
    world.close()
  })
})

describe('many exports at once', () => {
  test('are four, two of one client, until they have been read', async () => {
    const world = new TaxiiWorld()
    await world.list(namesOf(10_000))
    let client = 0
    const services = { stixExport: world.stixExport, addressOf: () => `192.0.2.${client}` }
    await serving(services, async (base) => {
      const ask = async (from: number): Promise<Response> => {
        client = from
        return fetch(`${base}${path}?limit=10000`, { headers: { 'accept-encoding': 'identity' } })
      }
      const open = [await ask(1), await ask(1)]
      const third = await ask(1)
      expect(third.status).toBe(503)
      expect(third.headers.get('retry-after')).toBe('1')
      open.push(await ask(2), await ask(2))
      expect((await ask(3)).status).toBe(503)
      expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      // Whether it is read or given up, it makes room.
      await open[0]?.body?.cancel()
      await open[1]?.text()
      const texts = [await ask(3), await ask(3)].map((response) => response.text())
      for (const text of await Promise.all([...texts, open[2]?.text(), open[3]?.text()])) {
        expect(text?.match(/"pattern":/g)?.length).toBe(10_000)
      }
    })
    world.close()
  })
})
