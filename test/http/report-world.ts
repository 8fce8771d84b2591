/**
 * A store that reports come into, with the real app over all that answers from it: what tests ask to see what
 * the public sees of them.
 */

import { expect } from 'bun:test'
import { buildCheckers } from '../../src/checkers.ts'
import { loadConfig } from '../../src/config.ts'
import { type App, createApp } from '../../src/http/app.ts'
import { reportScam } from '../../src/http/endpoints/report-scam.ts'
import { Catalog } from '../../src/index/catalog.ts'
import { loadGuards, loadStoredGuards } from '../../src/ingest/guards.ts'
import { feedNames } from '../../src/model/audience.ts'
import type { ReportFields } from '../../src/model/report.ts'
import { createBlacklistReader } from '../../src/publish/lists/blacklist.ts'
import { createChangesReader } from '../../src/publish/lists/changes.ts'
import { FullLists } from '../../src/publish/lists/full-lists.ts'
import { listNames } from '../../src/publish/lists/list-formats.ts'
import { RssFeeds } from '../../src/publish/rss/rss.ts'
import { collectionNames } from '../../src/publish/stix/collections.ts'
import { createSerializer } from '../../src/publish/stix/object-writing.ts'
import { createStixExport } from '../../src/publish/stix/stix-export.ts'
import { TaxiiReader } from '../../src/publish/stix/taxii.ts'
import { jsonText } from '../../src/publish/wire.ts'
import { ReportIntake } from '../../src/reports/intake.ts'
import { acceptReport, rejectReport } from '../../src/reports/review.ts'
import { searchCategories } from '../../src/search/query.ts'
import { SearchView } from '../../src/search/view.ts'
import type { ProposedReport, Sighting } from '../../src/store/batch.ts'
import type { StoredReport } from '../../src/store/reports.ts'
import { noNaming } from '../ingest/no-naming.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { checkedFetch } from './checked-answers.ts'
import { limitsOf, standIns } from './stand-ins.ts'
import { taxiiType } from './taxii-world.ts'

const { config } = await loadConfig({})
const { platforms } = loadGuards()
const key = crypto.getRandomValues(new Uint8Array(32))

const fail = (error: unknown): never => {
  throw error
}

/** Something that anybody may ask. */
export type Question = readonly [path: string, init: RequestInit]

export const get = (path: string): Question => [path, {}]
const post = (path: string, body: unknown): Question => [
  path,
  { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
]
export const searchesFor = (text: string): Question[] =>
  searchCategories.map((category) =>
    get(`/api/search?${new URLSearchParams({ q: text, category, limit: '50' })}`),
  )

const addresses = [
  'listed.test',
  'fresh.test',
  'https://fresh.test/pay',
  'https://pages.test/login',
]

/** One of everything, but for what counts calls. */
export const questions: readonly Question[] = [
  ...['listed', 'fresh', 'pages.test', 'PayPal', 'parcel', 'reported'].flatMap(searchesFor),
  ...feedNames.map((name) => get(`/api/rss/${name}`)),
  ...['json', 'csv', 'txt', 'hosts'].map((format) => get(`/api/v1/blacklist?format=${format}`)),
  get('/api/v1/blacklist/changes?cursor=begin'),
  get('/api/v1/export/stix'),
  ...collectionNames.map(
    (name): Question => [
      `/taxii2/feeds/collections/${name}/objects/`,
      { headers: { accept: taxiiType } },
    ],
  ),
  ...listNames.map((name) => get(`/lists/${name}`)),
  ...[...addresses, 'github.io', 'www.google.com'].map((url) => get(`/api/check-url?url=${url}`)),
  ...['2025552368', '2125552368'].map((phone) => get(`/api/check-phone?phone=${phone}`)),
  post('/api/v1/check/bulk', { urls: addresses, domains: addresses }),
  post('/api/check-email', { urls: addresses, emailBody: 'Pay at https://fresh.test/pay' }),
  get('/health'),
]

const audiences = { professional: ['high'], elder: ['pension'], general: ['PayPal'] }

/** What a feed lists in every world. */
const feedLists: readonly Sighting[] = [
  { type: 'domain', value: 'listed.test', targetBrand: 'PayPal', audiences },
  { type: 'domain', value: 'other.test' },
  { type: 'url', value: 'https://pages.test/login', host: 'pages.test', audiences },
  { type: 'phone', value: '+12025552368', threatType: 'scam', audiences },
  { type: 'email', value: 'a@listed.test', host: 'listed.test' },
]

export type Answers = ReadonlyMap<string, string>

/** A store and all that answers from it, level with it before every answer. */
export class World implements AsyncDisposable {
  readonly db = new TestStore()
  readonly #app: App
  readonly #catalog: Catalog
  readonly #search: SearchView
  readonly #lists: FullLists
  #uptimeMs = 0

  private constructor() {
    const { store, dataDir } = this.db
    const now = (): number => this.db.now
    const monotonicMs = (): number => this.#uptimeMs
    const catalog = Catalog.build({ store, dataDir, wake: () => {}, report: fail })
    const search = new SearchView(store)
    const checkers = buildCheckers(config, store, catalog, platforms)
    this.#catalog = catalog
    this.#search = search
    this.#lists = new FullLists({ store, dataDir, report: fail, monotonicMs })
    const write = async (report: ProposedReport): Promise<string | null> =>
      (await store.write({ at: now(), operations: [{ op: 'report', report }] })).report
    this.#app = createApp(
      standIns({
        ...checkers,
        blacklist: createBlacklistReader(store),
        changes: createChangesReader(store, 1),
        lists: this.#lists,
        stixExport: createStixExport(store, createSerializer(store), checkers.brandNamed),
        taxii: new TaxiiReader(store, createSerializer(store)),
        search: { ask: async (query) => jsonText(search.answer(query)) },
        feeds: new RssFeeds(store),
        reports: new ReportIntake({ store, platforms, key, write }),
        limits: limitsOf(null),
        now,
      }),
    )
  }

  /** Makes a world in which a feed lists something. */
  static async open(): Promise<World> {
    const world = new World()
    await world.readFeed()
    return world
  }

  async readFeed(): Promise<void> {
    const { db } = this
    db.now += 60_000
    const run = await db.startRun(sourceNamed('feed'))
    await db.sight('feed', run, feedLists)
    await db.endRun(run)
    this.settle()
  }

  /** What has been committed is in exports from now on, and in lists, which are written anew. */
  settle(): void {
    this.db.now += 2_000
    this.#uptimeMs += 61_000
  }

  async ask([path, init]: Question): Promise<{ readonly status: number; readonly text: string }> {
    while (this.#catalog.advance(5) === 'more');
    while (this.#search.advance() === 'more');
    const response = await checkedFetch(this.#app)(new Request(`http://weir.test${path}`, init))
    const body = await response.text()
    response.headers.delete('date')
    const head = JSON.stringify([...response.headers])
    const text = `${head}\n${body}`.replace(/bundle--[0-9a-f-]{36}/g, 'bundle--')
    return { status: response.status, text }
  }

  /** Asks all of these; the answers, headers included, by what was asked. */
  async askAll(asked: readonly Question[]): Promise<Answers> {
    const answers = new Map<string, string>()
    for (const question of asked) {
      const { status, text } = await this.ask(question)
      expect([question[0], status]).toEqual([question[0], 200])
      answers.set(question[0], text)
    }
    return answers
  }

  /** Sends a report that is taken down; returns its row and where to ask for it. */
  async report(fields: Partial<ReportFields>): Promise<{ row: StoredReport; path: string }> {
    const { status, text } = await this.ask(post(reportScam.path, fields))
    expect(status, `${JSON.stringify(fields)} ${text}`).toBe(202)
    const { id, statusUrl } = JSON.parse(text.slice(text.indexOf('\n')))
    const row = this.db.store.reports.byName(id)
    if (row === null) throw new Error(`there is no report ${id}`)
    return { row, path: new URL(statusUrl).pathname }
  }

  /** What an operator reviews with. */
  get review() {
    const { store } = this.db
    const now = (): number => this.db.now
    return { store, guards: loadStoredGuards(store), platforms, naming: noNaming, now }
  }

  async accept({ id }: StoredReport, isListed = true): Promise<boolean> {
    const { ok } = await acceptReport(this.review, id, { reason: 'r', by: 'anna' }, isListed)
    this.settle()
    return ok
  }

  async reject({ id }: StoredReport): Promise<void> {
    await rejectReport(this.review, id, { reason: 'r', by: 'anna' })
    this.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lists.close()
    this.#search[Symbol.dispose]()
    this.db.remove()
  }
}

/** Returns the paths whose answers differ. */
export const changed = (before: Answers, after: Answers): string[] =>
  [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path)
