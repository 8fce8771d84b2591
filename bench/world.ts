/** A filled weir in this process: what the HTTP benchmarks ask, and what they ask it for. */

import { type BulkChecker, createBulkChecker, createDigestChecker } from '../src/checks/bulk.ts'
import { createLookalikeChecker } from '../src/checks/looks/lookalike.ts'
import { loadNameKnowledge } from '../src/checks/looks/lookalikes.ts'
import { createUrlChecker, type UrlChecker } from '../src/checks/url.ts'
import type { AppServices } from '../src/http/app.ts'
import { Catalog } from '../src/index/catalog.ts'
import { loadGuards } from '../src/ingest/guards.ts'
import { ownList } from '../src/ingest/sources.ts'
import type { Sighting } from '../src/store/batch.ts'
import { BenchDirectory, importNames, nameAt, openStore } from './fixture.ts'

const namesListed = 200_000
export const digestsListed = 2_000
const foundAt = 50
const suspiciousAt = 50

export function digestAt(index: number): string {
  return new Bun.CryptoHasher('sha256').update(String(index)).digest('hex')
}

/** Every second of these is listed. */
export function urlAt(index: number): string {
  const name = index % 2 === 0 ? nameAt(index) : `clean-${nameAt(index)}`
  return `https://${name}/account/verify?id=${index}`
}

/** A filled weir; disposing of it removes its data. */
export interface World extends Disposable {
  readonly urls: UrlChecker
  readonly bulk: BulkChecker
}

const noNetworks = { text: '', has: () => false }

/** More than a loopback can send is admitted: limits count, but refuse nobody. */
export const benchLimit = { quota: 1_000, windowMs: 1_000 }

/** Limits of a server that is asked for checks. */
export const benchLimits: AppServices['limits'] = {
  GENERAL: null,
  BLACKLIST: null,
  BLACKLIST_CHANGES: null,
  CHECK_URL: benchLimit,
  BULK: null,
  CHECK_EMAIL: null,
  CHECK_PHONE: null,
  LISTS: null,
  STIX: null,
  TAXII: null,
  SEARCH: null,
  RSS: null,
  REPORT_SCAM: null,
  MANAGE: null,
}

/** Services for an app that answers checks only. */
export function benchServices(
  { urls, bulk }: Pick<World, 'urls' | 'bulk'>,
  addressOf: AppServices['addressOf'],
): AppServices {
  const refuse = (): never => {
    throw new Error('the benchmark asks for checks only')
  }
  return {
    urls,
    bulk,
    phones: { check: refuse },
    emails: { check: refuse },
    blacklist: { state: refuse, page: refuse },
    changes: { read: refuse },
    stixExport: { bundle: refuse },
    taxii: {
      object: refuse,
      objectPage: refuse,
      page: refuse,
      envelope: refuse,
      manifest: refuse,
      bundle: refuse,
    },
    lists: { version: refuse, plain: refuse, coded: refuse },
    search: { ask: refuse },
    feeds: { read: refuse },
    reports: { submit: refuse, status: refuse },
    pages: [],
    readiness: refuse,
    limits: benchLimits,
    limitExempt: noNetworks,
    limitIpv6Prefix: 64,
    trustedProxies: noNetworks,
    publicUrl: 'http://127.0.0.1',
    version: 'bench',
    now: Date.now,
    isLoading: () => false,
    addressOf,
    report: (error) => {
      throw error
    },
  }
}

/** Fills a store, builds the views, and returns the checkers over them. */
export async function buildWorld(): Promise<World> {
  const directory = new BenchDirectory()
  const store = openStore(directory.path)
  await importNames(store, 'bench', 0, namesListed)
  const source = ownList('digests', true)
  const { run } = await store.write({
    at: Date.now(),
    operations: [{ op: 'startRun', source, digest: null }],
  })
  const sightings = Array.from(
    { length: digestsListed },
    (_, index): Sighting => ({ type: 'sha256', value: digestAt(index) }),
  )
  await store.write({
    at: Date.now(),
    operations: [{ op: 'sight', source: source.name, run: run ?? 0, sightings }],
  })
  const parts = { store, dataDir: directory.path, wake: () => {}, report: console.error }
  const catalog = Catalog.build(parts)
  const guards = loadGuards()
  const { platforms } = guards
  const lookalikes = createLookalikeChecker({
    knowledge: loadNameKnowledge(),
    platforms,
    isPopular: guards.isProtected,
    countRelated: (host) => catalog.countRelated(host),
    threshold: suspiciousAt,
  })
  const urls = createUrlChecker({ listings: catalog, platforms, lookalikes, foundAt, suspiciousAt })
  const bulk = createBulkChecker(urls, createDigestChecker(catalog, foundAt), catalog)
  return {
    urls,
    bulk,
    [Symbol.dispose]: () => {
      store.close()
      directory[Symbol.dispose]()
    },
  }
}
