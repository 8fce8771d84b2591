/**
 * What weir serves as TAXII and STIX, read by the clients and judged by the validators that others use:
 * taxii2-client, stix2-validator and stix2-patterns.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DataDir, eventually, importList, parseRecord, Server, weir } from '../commands/process.ts'
import { describeWith } from '../needs.ts'
import {
  type CollectionTitle,
  type Counts,
  countsFor,
  type Entry,
  entries,
  exportCountsFor,
  isDropped,
  relationshipsOf,
  tableOf,
  totalOf,
} from './taxii-clients/list.ts'
import { pythonClients, report } from './taxii-clients/python.ts'

const patienceMs = 300_000

const collections = [
  ['campaigns', 'a377cdba-d7b7-495c-9fe0-0c5e1eb67fe2'],
  ['domain-blacklist', 'a68b7c15-0eea-40d7-86d0-31859d5c4265'],
  ['phishing-urls', 'd993194e-99d0-4a41-b2db-5e7c6584b434'],
] as const

const counts = countsFor(entries)

/** The one that turns out to have been a mistake. */
const mistake = 'paypal-login-10000.example'

interface Serving extends AsyncDisposable {
  readonly dataDir: DataDir
  readonly server: Server
}

async function importEntries(dataDir: DataDir, listed: readonly Entry[]): Promise<void> {
  const path = await dataDir.file('list.csv', tableOf(listed))
  const done = await importList([path, '--source', 'list', '--format', 'table'], { dataDir })
  expect(done).toMatchObject({ read: listed.length, refused: {}, heldBack: null })
}

async function serve(): Promise<Serving> {
  const dataDir = new DataDir()
  await importEntries(dataDir, entries)
  const server = await Server.start(dataDir)
  return {
    dataDir,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      dataDir[Symbol.dispose]()
    },
  }
}

const manifestPath = (title: CollectionTitle, query: string): string =>
  `/api/taxii/2.1/collections/${title}/manifest/?limit=10000${query}`

/** Resolves when a collection shows so many objects; what was written just now is withheld at first. */
async function shown(server: Server, title: CollectionTitle, count: number, after = '') {
  const query = after === '' ? '' : `&added_after=${after}`
  await eventually(`${count} objects in ${title}`, async () => {
    const { objects } = await server.json(manifestPath(title, query))
    return Array.isArray(objects) && objects.length >= count ? objects : null
  })
}

/** Returns when the last object of a collection was added. */
async function lastAdded(server: Server, title: CollectionTitle): Promise<string> {
  const { headers } = await fetch(`${server.url}${manifestPath(title, '')}`)
  return headers.get('x-taxii-date-added-last') ?? ''
}

/** Returns in how many pages of each size a collection comes. */
function pagesOf(total: number): Counts {
  const sizes = { 0: 1_000, 999: 999, 1000: 1_000, 5000: 5_000, 10000: 10_000, all: total }
  return Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [name, Math.ceil(total / size)]),
  )
}

/** What the client is to find in a root. */
function expected(url: string, path: string) {
  const isStandard = path === '/taxii2/feeds/'
  return {
    title: expect.stringContaining('weir'),
    contact: `${url}/docs`,
    roots: [`${url}${path}`],
    default: `${url}${path}`,
    rootTitle: expect.stringContaining('weir'),
    versions: ['application/taxii+json;version=2.1'],
    maxContentLength: expect.any(Number),
    collections: collections.map(([title, uuid]) => ({
      id: isStandard ? uuid : title,
      alias: isStandard ? title : null,
      title,
      canRead: true,
      canWrite: false,
      mediaTypes: ['application/stix+json;version=2.1'],
      counts: counts[title],
      pages: pagesOf(totalOf(counts[title])),
    })),
    problems: [],
  }
}

/** What there is only if it has been checked. */
const checked = [
  'added_after',
  'each id once',
  'filter by ids',
  'filter by types',
  'filter by version',
  'get object',
  'manifest',
  'termination',
  'unknown object',
  'versions',
  'writing',
]

async function expectRoot({ url }: Server, discovery: string, root: string): Promise<void> {
  const { checks, ...found } = await report('read_collections.py', `${url}${discovery}`)
  expect(found).toEqual(expected(url, root))
  expect(Object.keys(parseRecord(JSON.stringify(checks)))).toEqual(expect.arrayContaining(checked))
}

/** What the validators are to find in a bundle of these objects. */
const valid = (bundle: Counts, ended: Counts = {}) => ({
  errors: [],
  warnings: [],
  faultyPatterns: [],
  patterns: bundle['indicator'],
  counts: bundle,
  ended,
})

describeWith(pythonClients)('the clients and validators of others', () => {
  let serving: Serving | undefined
  const served = (): Serving => {
    if (serving === undefined) throw new Error('weir does not serve')
    return serving
  }
  beforeAll(async () => {
    if (!pythonClients.isMet) return
    serving = await serve()
    for (const [title] of collections) await shown(serving.server, title, totalOf(counts[title]))
  })
  afterAll(() => serving?.[Symbol.asyncDispose]())

  test('there is much to read', () => {
    expect(totalOf(counts['domain-blacklist'])).toBeGreaterThan(2_500)
    expect(totalOf(counts.campaigns)).toBeGreaterThan(2_500)
  })

  test(
    'taxii2-client reads the root of the standard',
    () => expectRoot(served().server, '/taxii2/', '/taxii2/feeds/'),
    patienceMs,
  )

  test(
    'taxii2-client reads the root of the specification',
    () => expectRoot(served().server, '/api/taxii/2.1/', '/api/taxii/2.1/'),
    patienceMs,
  )

  test(
    'stix2-validator and stix2-patterns have nothing to say of the export and of the campaigns',
    async () => {
      const { url } = served().server
      const [exported, campaigns] = await Promise.all([
        report('validate_bundles.py', url, 'export'),
        report('validate_bundles.py', url, 'campaigns', 'spoiled'),
      ])
      expect(exported).toEqual({ export: valid(exportCountsFor(entries)) })
      expect(campaigns).toMatchObject({ campaigns: valid(counts.campaigns) })
      // They do look.
      expect(campaigns).toMatchObject({
        spoiled: {
          errors: [
            expect.stringContaining("'modified' (2001-01-01T00:00:00.000Z) must be later"),
            expect.stringContaining("'valid_until' (2001-01-01T00:00:00.000Z) must be later"),
          ],
          warnings: [
            expect.stringContaining('is not found in current bundle'),
            expect.stringContaining("'rumour' is not a valid stix observable type"),
            expect.stringContaining("'weather' is not one of those defined"),
            expect.stringContaining("Custom property 'weather'"),
            expect.stringContaining('malware_types contains a value not in the'),
            expect.stringContaining("'resembles' is not a suggested relationship type"),
          ],
        },
      })
    },
    patienceMs,
  )

  test(
    'what has ended is valid too, and still comes once',
    async () => {
      const { server, dataDir } = served()
      const dropped = entries.filter(isDropped)
      const after = await lastAdded(server, 'campaigns')
      await importEntries(
        dataDir,
        entries.filter((entry) => !isDropped(entry)),
      )
      const { code } = await weir(['allow', mistake, '--reason', 'a test'], { dataDir })
      expect(code).toBe(0)
      const related = dropped.filter((entry) => relationshipsOf(entry) > 0)
      const ends = dropped.reduce((sum, entry) => sum + relationshipsOf(entry), 0)
      // The identity, the intrusion set and the relationship of the brand that nobody imitates any more.
      await shown(server, 'campaigns', related.length + 1 + ends + 1 + 3, after)
      const { ended } = await report('validate_bundles.py', server.url, 'ended')
      expect(ended).toMatchObject({
        errors: [],
        warnings: [],
        faultyPatterns: [],
        patterns: dropped.length + 1,
        ended: { valid_until: dropped.length + 1, stop_time: ends + 1, last_seen: 1, revoked: 2 },
      })
      await expectRoot(server, '/taxii2/', '/taxii2/feeds/')
    },
    patienceMs,
  )
})
