/** TAXII 2.1 over HTTP: documents, filters, pages and refusals, as the standard and its clients want them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { collectionNames } from '../../src/publish/stix/collections.ts'
import { collectionDescriptions } from '../../src/publish/stix/taxii.ts'
import { mixed, roots, stixType, type TaxiiAnswer, TaxiiWorld, taxiiType } from './taxii-world.ts'

const world = new TaxiiWorld()

beforeAll(() => world.list(mixed))
afterAll(() => world.close())

const added = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function expectTaxii(answer: TaxiiAnswer, status = 200): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('content-type')).toBe(taxiiType)
  expect(answer.headers.get('vary')).toBe('accept, accept-encoding')
  expect(answer.text).not.toContain('[]')
}

function expectError(answer: TaxiiAnswer, status: number): void {
  expectTaxii(answer, status)
  expect(answer.json.http_status).toBe(String(status))
  expect(answer.json.title).toBeString()
}

describe('discovery', () => {
  test('names the standard’s root, which is its default', async () => {
    const answer = await world.get('/taxii2/')
    expectTaxii(answer)
    expect(answer.json).toMatchObject({ default: '/taxii2/feeds/', api_roots: ['/taxii2/feeds/'] })
  })

  test('is one with the API root under the specification’s address', async () => {
    const answer = await world.get('/api/taxii/2.1/')
    expectTaxii(answer)
    expect(answer.json).toMatchObject({
      default: '/api/taxii/2.1/',
      api_roots: ['/api/taxii/2.1/'],
      versions: [taxiiType],
      max_content_length: 1_048_576,
    })
  })

  test('gives whole addresses where weir is reached by HTTPS, and never those of the Host header', async () => {
    const secure = new TaxiiWorld('https://weir.example.org')
    const { json } = await secure.ask('/taxii2/', { headers: { host: 'evil.test' } })
    const address = 'https://weir.example.org/taxii2/feeds/'
    expect(json).toMatchObject({ default: address, api_roots: [address] })
    secure.close()
  })

  test('says of the standard’s root what it must, and no more', async () => {
    const { json } = await world.get('/taxii2/feeds/')
    expect(Object.keys(json)).toEqual(['title', 'description', 'versions', 'max_content_length'])
  })

  test('is answered alike without the last slash', async () => {
    for (const path of ['/taxii2/', ...roots, ...roots.map((root) => `${root}collections/`)]) {
      expect((await world.get(path.slice(0, -1))).text).toBe((await world.get(path)).text)
    }
  })
})

describe('collections', () => {
  test('have UUIDs of version 4 by the standard, in the order of their ids', async () => {
    const { json } = await world.get('/taxii2/feeds/collections/')
    const listed = [...collectionNames].sort().map((name) =>
      expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
        title: name,
        alias: name,
        can_read: true,
        can_write: false,
        media_types: [stixType],
      }),
    )
    expect(json['collections']).toEqual(listed)
  })

  test('have the specification’s ids under its root', async () => {
    const { json } = await world.get('/api/taxii/2.1/collections/')
    const listed = [...collectionNames].sort().map((name) => expect.objectContaining({ id: name }))
    expect(json['collections']).toEqual(listed)
  })

  test.each(roots)(
    'go by name and by UUID under %s, and say the one that was asked for',
    async (root) => {
      for (const name of collectionNames) {
        const { uuid } = collectionDescriptions[name]
        for (const id of [name, uuid]) {
          const answer = await world.get(`${root}collections/${id}/`)
          expectTaxii(answer)
          expect(answer.json).toMatchObject({ id, title: name })
        }
        const [byName, byUuid] = await Promise.all(
          [name, uuid].map((id) => world.get(`${root}collections/${id}/objects/`)),
        )
        expect(byName?.text).toBe(byUuid?.text ?? '')
      }
    },
  )

  test.each(roots)('that are unknown under %s are 404', async (root) => {
    for (const rest of ['', 'manifest/', 'objects/', 'objects/x/', 'objects/x/versions/']) {
      for (const id of ['nothing', '%E0%A4%A', 'domain-blacklist%2F', '__proto__']) {
        expectError(await world.get(`${root}collections/${id}/${rest}`), 404)
      }
    }
  })
})

describe.each(roots)('objects under %s', (root) => {
  const at = (rest: string, collection = 'domain-blacklist'): string =>
    `${root}collections/${collection}/${rest}`

  test('come oldest first, behind the marking and the publisher', async () => {
    const { objects } = await world.get(at('objects/'))
    expect(objects.slice(0, 2).map(({ type }) => type)).toEqual(['marking-definition', 'identity'])
    expect(objects.slice(2).map(({ name }) => name)).toEqual(
      Array.from({ length: 12 }, (_, index) => `name${index}.test`),
    )
  })

  test('have in the headers when the first and the last were added', async () => {
    const manifest = await world.get(at('manifest/'))
    for (const answer of [manifest, await world.get(at('objects/'))]) {
      expectTaxii(answer)
      expect(answer.json.more).toBe(false)
      expect(answer.headers.get('x-taxii-date-added-first')).toBe(
        String(manifest.objects[0]?.['date_added']),
      )
      expect(answer.headers.get('x-taxii-date-added-last')).toBe(
        String(manifest.objects.at(-1)?.['date_added']),
      )
    }
  })

  test('stand in the manifest in the same order, each at a time of its own', async () => {
    for (const collection of collectionNames) {
      const { objects } = await world.get(at('manifest/', collection))
      const { ids } = await world.get(at('objects/', collection))
      expect(objects.map(({ id }) => id)).toEqual([...ids])
      const dates = objects.map((entry) => String(entry['date_added']))
      for (const date of dates) expect(date).toMatch(added)
      expect(dates).toEqual([...new Set(dates)].sort())
      expect(objects[2]).toMatchObject({ media_type: stixType })
    }
  })

  test('are what their collection is for', async () => {
    const typesOf = async (collection: string): Promise<string[]> => {
      const { objects } = await world.get(at('objects/?match[type]=indicator', collection))
      const kinds = objects.map(({ pattern }) => /^\[([a-z0-9-]+):/.exec(pattern ?? '')?.[1] ?? '')
      return [...new Set(kinds)].sort()
    }
    expect(await typesOf('domain-blacklist')).toEqual(['domain-name'])
    expect(await typesOf('phishing-urls')).toEqual([
      'email-addr',
      'file',
      'ipv4-addr',
      'ipv6-addr',
      'url',
    ])
    expect(await typesOf('campaigns')).toEqual(['domain-name', 'file', 'url'])
    const { objects } = await world.get(at('objects/', 'campaigns'))
    expect(new Set(objects.map(({ type }) => type))).toEqual(
      new Set([
        'marking-definition',
        'identity',
        'intrusion-set',
        'malware',
        'indicator',
        'relationship',
      ]),
    )
  })

  test('refer to nothing outside of their collection, and to nothing that comes behind', async () => {
    for (const collection of collectionNames) {
      const { objects } = await world.get(at('objects/', collection))
      const before = new Set<unknown>()
      for (const object of objects) {
        const { object_marking_refs: markings = [], ...rest } = object
        const references = Object.entries(rest).flatMap(([name, value]) =>
          name.endsWith('_ref') ? [value] : [],
        )
        for (const id of [...references, ...(Array.isArray(markings) ? markings : [])]) {
          expect(before).toContain(id)
        }
        before.add(object.id)
      }
    }
  })

  test('are given one by one, byte by byte as in their collection', async () => {
    for (const collection of collectionNames) {
      const whole = await world.get(at('objects/', collection))
      for (const object of whole.objects) {
        const answer = await world.get(at(`objects/${object.id}/`, collection))
        expectTaxii(answer)
        expect(answer.text).toStartWith('{"more":false,"objects":[{')
        expect(whole.text).toContain(answer.text.slice('{"more":false,"objects":['.length, -2))
        expect(answer.headers.get('x-taxii-date-added-first')).toMatch(added)
        const versions = await world.get(at(`objects/${object.id}/versions/`, collection))
        expectTaxii(versions)
        expect(versions.json).toEqual({
          more: false,
          versions: [object.modified ?? object.created],
        })
      }
    }
  })

  test('that are unknown, or of another collection, are 404', async () => {
    const [page] = (await world.get(at('objects/?match[type]=indicator', 'phishing-urls'))).ids
    const unknown = [page, 'indicator--00000000-0000-4000-8000-000000000000', 'nothing', '%FF']
    for (const id of unknown) {
      expectError(await world.get(at(`objects/${id}/`)), 404)
      expectError(await world.get(at(`objects/${id}/versions/`)), 404)
    }
  })

  test('are left out of an answer about them by filters, which is empty then', async () => {
    const id = (await world.get(at('objects/?match[type]=indicator'))).ids[0]
    for (const query of [
      'match[spec_version]=2.0',
      'match[version]=2020-01-01T00:00:00.000Z',
      'added_after=2999-01-01T00:00:00Z',
    ]) {
      const answer = await world.get(at(`objects/${id}/?${query}`))
      expectTaxii(answer)
      expect(answer.text).toBe('{"more":false}')
      expect((await world.get(at(`objects/${id}/versions/?${query}`))).text).toBe('{"more":false}')
      expect(answer.headers.get('x-taxii-date-added-last')).toMatch(added)
    }
  })

  test('cannot be added or taken away', async () => {
    for (const accept of [taxiiType, '*/*']) {
      const headers = { accept, 'content-type': taxiiType }
      const id = 'indicator--00000000-0000-4000-8000-000000000000'
      const post = { method: 'POST', headers, body: '{"objects":[]}' }
      expectError(await world.ask(at('objects/'), post), 403)
      expectError(await world.ask(at(`objects/${id}/`), { method: 'DELETE', headers }), 403)
    }
    expectError(await world.ask(at('objects/', 'nothing'), { method: 'POST' }), 404)
    const put = await world.ask(at('objects/'), { method: 'PUT' })
    expectError(put, 405)
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST')
    expectError(await world.ask(at('manifest/'), { method: 'POST' }), 405)
  })

  test('have no statuses of adding, and nothing else below the root', async () => {
    for (const rest of [
      'status/1/',
      'nothing',
      'collections/campaigns/nothing/',
      'a/b/c/d/e/f/g',
    ]) {
      expectError(await world.get(`${root}${rest}`), 404)
    }
  })

  test('HEAD has the headers and no body', async () => {
    const answer = await world.ask(at('objects/'), {
      method: 'HEAD',
      headers: { accept: taxiiType },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-taxii-date-added-last')).toMatch(added)
    expect(answer.text).toBe('')
  })
})

describe('a path with an empty segment', () => {
  test.each(['collections//', 'collections//objects/', 'collections/campaigns/objects//'])(
    '%s is unknown',
    async (rest) => {
      for (const root of roots) expectError(await world.get(`${root}${rest}`), 404)
    },
  )
})

describe('a filter', () => {
  const find = (query: string): Promise<TaxiiAnswer> =>
    world.get(`/taxii2/feeds/collections/campaigns/objects/?${query}`)
  const typesIn = ({ objects }: TaxiiAnswer): string[] => [
    ...new Set(objects.map(({ type }) => type)),
  ]

  test('by type takes one of several, escaped or not', async () => {
    expect(typesIn(await find('match[type]=malware'))).toEqual(['malware'])
    const both = await find('match%5Btype%5D=indicator%2Crelationship')
    expect(typesIn(both).sort()).toEqual(['indicator', 'relationship'])
    expect(both.text).toBe((await find('match[type]=relationship,indicator')).text)
  })

  test('by a type that nobody knows finds nothing, and is no error', async () => {
    const answer = await find('match[type]=nonsense')
    expectTaxii(answer)
    expect(answer.text).toBe('{"more":false}')
  })

  test('by id takes all of several, once each, in the order of the collection', async () => {
    const { ids } = await find('')
    const wanted = [ids[7], ids[3], ids[7], 'nothing', ids[0]]
    expect((await find(`match[id]=${wanted.join(',')}`)).ids).toEqual(
      [ids[0], ids[3], ids[7]].map(String),
    )
  })

  test('of several fields takes what they all match', async () => {
    const { objects } = await find('')
    const relationship = objects.find(({ type }) => type === 'relationship')?.id
    const malware = objects.find(({ type }) => type === 'malware')?.id
    const answer = await find(`match[id]=${relationship},${malware}&match[type]=malware`)
    expect(answer.ids).toEqual([String(malware)])
  })

  test('by version knows the words, which mean the one there is, and times as instants', async () => {
    const all = await find('')
    for (const word of ['last', 'first', 'all', 'first,last']) {
      expect((await find(`match[version]=${word}`)).text).toBe(all.text)
    }
    const { modified = '' } = all.objects.at(-1) ?? {}
    const same = all.objects.filter((object) => object.modified === modified)
    expect((await find(`match[version]=${modified}`)).ids).toEqual(same.map(({ id }) => id))
    const exact = modified.replace('Z', '000+00:00')
    const finer = modified.replace('Z', '001Z')
    expect((await find(`match[version]=${encodeURIComponent(exact)}`)).ids.length).toBe(same.length)
    expect((await find(`match[version]=${finer}`)).text).toBe('{"more":false}')
    const { created = '' } = all.objects[0] ?? {}
    expect((await find(`match[version]=${created}`)).ids).toEqual([all.ids[0] ?? ''])
    expect((await find(`match[version]=2001-01-01T00:00:00Z,${modified}`)).ids).toEqual(
      same.map(({ id }) => id),
    )
  })

  test('may name as much as fits into an address together with its cursor', async () => {
    const id = `indicator--${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`
    const { ids } = await find('')
    const many = [...ids, ...Array.from({ length: 160 - ids.length }, () => id)].join(',')
    const first = await find(`match[id]=${encodeURIComponent(many)}&limit=2`)
    expect(first.json.next?.length).toBeLessThan(12_000)
    const rest = await find(`next=${first.json.next}`)
    expect([...first.ids, ...rest.ids]).toEqual([...ids])
    const tooMany = await find(`match[id]=${encodeURIComponent(`${many},${many}`)}`)
    expectError(tooMany, 400)
    expect(tooMany.json.description).toContain('8,192 characters')
    const times = Array.from({ length: 101 }, () => '2026-01-01T00:00:00Z').join()
    expectError(await find(`match[version]=${times}`), 400)
  })

  test('by version of STIX finds all or nothing', async () => {
    const all = await find('')
    expect((await find('match[spec_version]=2.1')).text).toBe(all.text)
    expect((await find('match[spec_version]=2.0,2.1')).text).toBe(all.text)
    expect((await find('match[spec_version]=2.0')).text).toBe('{"more":false}')
  })

  test('of a field that is unknown is passed over', async () => {
    expect((await find('match[name]=x&other=1')).text).toBe((await find('')).text)
  })

  test.each([
    'match[type]=malware&match[type]=indicator',
    'match[type]=',
    'match[id]=a,,b',
    'match[version]=all,last',
    'match[version]=yesterday',
    'match[spec_version]=',
    'match[type]=%FF',
    'limit=0',
    'limit=-20',
    'limit=abc',
    'limit=1e3',
    'limit=',
    'limit=5&limit=6',
    'added_after=yesterday',
    'added_after=2026-02-30T00:00:00Z',
    'added_after=2026-03-12T08:00:00Z&added_after=2026-03-12T08:00:00Z',
    'added_after=2026-03-12T08:00:00.1234567890Z',
    'added_after=',
    'next=garbage',
    'next=',
    'next=MSBjYW1wYWlnbnMgLTEgW251bGwsbnVsbCxudWxsLG51bGxd',
    'next=MSBjYW1wYWlnbnMgMSBbbnVsbCxudWxsLG51bGwsMV0',
    'next=MSBjYW1wYWlnbnMgMSBb',
  ])('or another parameter like %s is refused by name', async (query) => {
    const answer = await find(query)
    expectError(answer, 400)
    const field = decodeURIComponent(query.slice(0, query.indexOf('=')))
    expect(answer.json.description).toStartWith(`${field}: `)
  })
})
