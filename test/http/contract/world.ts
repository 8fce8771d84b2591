/**
 * A real weir for the examples of the contract: invented listings written to a real store at fixed
 * times, under a fixed epoch, and an app over them whose clock stands still. So all that it answers,
 * cursors included, is the same in every run.
 */

import { Database } from 'bun:sqlite'
import { createBulkChecker, createDigestChecker } from '../../../src/checks/bulk.ts'
import { createEmailChecker } from '../../../src/checks/email.ts'
import { loadMailDomains } from '../../../src/checks/mail/domains.ts'
import { createPhoneChecker } from '../../../src/checks/phone.ts'
import { loadConfig } from '../../../src/config.ts'
import { type AppServices, createApp } from '../../../src/http/app.ts'
import type { Circumstance } from '../../../src/http/contract/description.ts'
import type { Page, Readiness } from '../../../src/http/endpoints/service.ts'
import { Catalog } from '../../../src/index/catalog.ts'
import { parsePlatforms } from '../../../src/model/platform.ts'
import type { MailRoutes } from '../../../src/net/mail-routes.ts'
import { createBlacklistReader } from '../../../src/publish/lists/blacklist.ts'
import { createChangesReader } from '../../../src/publish/lists/changes.ts'
import { FullLists } from '../../../src/publish/lists/full-lists.ts'
import { RssFeeds } from '../../../src/publish/rss/rss.ts'
import { createSerializer } from '../../../src/publish/stix/object-writing.ts'
import { createStixExport } from '../../../src/publish/stix/stix-export.ts'
import { TaxiiReader } from '../../../src/publish/stix/taxii.ts'
import { jsonText } from '../../../src/publish/wire.ts'
import { ReportIntake } from '../../../src/reports/intake.ts'
import type { SearchQuery } from '../../../src/search/query.ts'
import { type SearchAnswer, SearchView } from '../../../src/search/view.ts'
import type {
  Operation,
  ProposedArticle,
  Sighting,
  SourceDescription,
} from '../../../src/store/batch.ts'
import { knowledge, urlCheckerOver } from '../../checks/url-checker.ts'
import { sourceNamed, TestStore } from '../../store/fixture.ts'
import { serveChecked } from '../checked-answers.ts'
import { standIns } from '../stand-ins.ts'

/** How long a test may take: machines are shared. */
export const patienceMs = 60_000

const publicUrl = 'https://weir.example.org'
const version = '0.1.0'
const epoch = '5eed01235eed01235eed0123'
const foundAt = 50
const platform = 'hosting.example'
const minuteMs = 60_000
/** What followers of the list who are level are told to wait, at 120 calls an hour. */
const minWaitSeconds = 30

const openFeed: SourceDescription = { ...sourceNamed('open-feed'), title: 'An open feed' }
const secondFeed: SourceDescription = {
  ...sourceNamed('second-feed'),
  title: 'A second feed',
  confidence: 40,
}

const firstList: readonly Sighting[] = [
  {
    type: 'domain',
    value: 'paypa1-account.example',
    targetBrand: 'PayPal',
    reference: 'https://open-feed.example/reports/4711',
  },
  { type: 'domain', value: 'xn--bcher-gewinn-dlb.example' },
  { type: 'domain', value: 'parcel-fee.example' },
  {
    type: 'url',
    value: 'https://winter-sale.hosting.example/login',
    host: 'winter-sale.hosting.example',
    platform,
  },
  {
    type: 'sha256',
    value: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    threatType: 'malware',
    confidence: 95,
    malwareFamily: 'ExampleStealer',
  },
  {
    type: 'phone',
    value: '+12025552368',
    threatType: 'scam',
    calls: [
      { day: Date.UTC(2026, 2, 2), subject: 'imposter', count: 1 },
      { day: Date.UTC(2026, 2, 9), subject: 'none_given', count: 1 },
      { day: Date.UTC(2026, 2, 11), subject: 'imposter', count: 1 },
    ],
  },
]

/** `parcel-fee.example` is gone an hour later, and another name has come. */
const secondList: readonly Sighting[] = [
  ...firstList.filter(({ value }) => value !== 'parcel-fee.example'),
  { type: 'domain', value: 'mailbox-upgrade.example', targetBrand: 'Microsoft' },
]

const press: SourceDescription = {
  ...sourceNamed('example-press'),
  title: 'Example Press',
  role: 'news',
}

const article: ProposedArticle = {
  key: 'parcel-texts',
  title: 'Text messages ask for parcel fees',
  titleKey: 'text messages ask for parcel fees',
  link: 'https://press.example/2026/parcel-texts',
  summary: 'A message says that a parcel waits. Older people lose most by it.',
  publishedAt: Date.UTC(2026, 2, 11, 15),
  audiences: { general: ['parcel'], elder: ['older people'] },
}

/** Accepted, and without anything that could be listed. */
const letter: readonly Operation[] = [
  {
    op: 'report',
    report: {
      name: '5eed0123-0000-4000-8000-000000000001',
      identity: 'example',
      type: 'message',
      value: null,
      valueType: null,
      description: 'It asked me to pay a fee for a parcel at paypa1-account.example/pay.',
      targetBrand: 'Example Parcels',
      contact: null,
    },
  },
  {
    op: 'settleReport',
    id: 1,
    status: 'accepted',
    reason: 'Thank you; others were sent the same.',
    by: 'operator',
    audiences: { general: ['report'] },
    listing: null,
  },
]

/** How the examples' senders take mail. */
const mailRoutes: MailRoutes = {
  mail: async (domain) =>
    domain === 'paypa1-account.example'
      ? { status: 'ok', records: [{ priority: 10, exchange: 'mail.paypa1-account.example' }] }
      : { status: 'null', records: [] },
}

const docs: readonly Page[] = (['/docs', '/docs/reference'] as const).map((path) => ({
  path,
  render: () => `<!doctype html><title>weir</title>${'<p>How to use it.</p>'.repeat(500)}`,
  contentSecurityPolicy: "default-src 'none'",
}))

/** An instance that knows what the examples tell of, and its servers. */
export class ExampleWorld {
  readonly db = new TestStore()
  readonly #lists: FullLists
  readonly #limits: AppServices['limits']
  readonly #servers = new Map<Circumstance | null, Bun.Server<undefined>>()
  #services: AppServices | null = null
  #clients = 0

  private constructor(limits: AppServices['limits']) {
    this.#limits = limits
    const { store, dataDir } = this.db
    const file = new Database(store.path)
    file.run(`UPDATE meta SET epoch = '${epoch}'`)
    file.close()
    this.#lists = new FullLists({ store, dataDir, report: fail, monotonicMs: () => 0 })
  }

  /** Writes the listings; the limits are those of an instance without settings. */
  static async open(): Promise<ExampleWorld> {
    const { config } = await loadConfig({})
    const world = new ExampleWorld(config.limits)
    await world.#read(openFeed, firstList)
    world.db.now += 59 * minuteMs
    await world.#read(secondFeed, [{ type: 'domain', value: 'perhaps-phishing.example' }])
    await world.#read(openFeed, secondList)
    await world.#tell()
    world.db.now += 12 * minuteMs
    return world
  }

  /** What people write: an article and a report. */
  async #tell(): Promise<void> {
    this.db.now += minuteMs
    const run = await this.db.startRun(press)
    const operations = [
      { op: 'publishNews', source: press.name, run, articles: [article] },
    ] as const
    await this.db.store.write({ at: this.db.now, operations })
    await this.db.endRun(run)
    for (const operation of letter) {
      await this.db.store.write({ at: this.db.now, operations: [operation] })
    }
  }

  async #read(source: SourceDescription, sightings: readonly Sighting[]): Promise<void> {
    this.db.now += minuteMs
    const run = await this.db.startRun(source)
    await this.db.sight(source.name, run, sightings)
    await this.db.endRun(run)
  }

  #readiness(status: Readiness['status']): Readiness {
    const { store, now } = this.db
    const sources = ['open-feed', 'second-feed'].map((name) => {
      const row = store.sources.byName(name)
      const endedAt = row === null ? null : (store.sources.lastRun(row.id)?.endedAt ?? null)
      const ageSeconds = endedAt === null ? null : (now - endedAt) / 1000
      return { name, ageSeconds, overdue: false }
    })
    return {
      status,
      seq: store.meta().seq,
      indicators: store.counters.scope('active').reduce((sum, { n }) => sum + n, 0),
      viewLag: { rows: 0, seconds: 0 },
      searchLag: { rows: 0, seconds: 0 },
      sources,
      walBytes: 0,
      version,
    }
  }

  /** Everything the app needs, as usual. */
  get services(): AppServices {
    this.#services ??= this.#build()
    return this.#services
  }

  #build(): AppServices {
    const { store, dataDir } = this.db
    const catalog = Catalog.build({ store, dataDir, wake: () => {}, report: fail })
    const platforms = parsePlatforms(`${platform} tenant`)
    const urls = urlCheckerOver(catalog, platforms, foundAt)
    return {
      ...standIns(),
      urls,
      bulk: createBulkChecker(urls, createDigestChecker(catalog, foundAt), catalog),
      phones: createPhoneChecker(catalog, foundAt),
      emails: createEmailChecker({
        urls,
        listings: catalog,
        platforms,
        mailDomains: loadMailDomains(),
        mailRoutes,
        foundAt,
        brands: knowledge.brands,
        letters: knowledge.facts.confusables,
      }),
      blacklist: createBlacklistReader(store),
      changes: createChangesReader(store, minWaitSeconds),
      lists: this.#lists,
      stixExport: createStixExport(
        store,
        createSerializer(store),
        (text) => knowledge.brands.named(text)?.name ?? null,
      ),
      taxii: new TaxiiReader(store, createSerializer(store)),
      search: { ask: async (query) => jsonText(this.#searched(query)) },
      feeds: new RssFeeds(store),
      reports: new ReportIntake({
        store,
        platforms,
        key: new Uint8Array(32).fill(7),
        write: async (report) => {
          const operations = [{ op: 'report', report }] as const
          return (await store.write({ at: this.db.now, operations })).report
        },
      }),
      pages: docs,
      readiness: () => this.#readiness('ready'),
      limits: this.#limits,
      addressOf: () => `198.51.${this.#clients >> 8}.${this.#clients & 255}`,
      now: () => this.db.now,
      publicUrl,
      version,
    }
  }

  #searched(query: SearchQuery): SearchAnswer {
    using view = new SearchView(this.db.store)
    while (view.advance() === 'more');
    return view.answer(query)
  }

  /** From now on somebody else is calling, who has all calls left. */
  nextClient(): void {
    this.#clients++
  }

  /** Returns the address of a server of this instance under a circumstance. */
  base(circumstance: Circumstance | null = null): string {
    const known = this.#servers.get(circumstance)
    if (known !== undefined) return known.url.origin
    const server = serveChecked(createApp(this.#under(circumstance, this.services)))
    this.#servers.set(circumstance, server)
    return server.url.origin
  }

  #under(circumstance: Circumstance | null, services: AppServices): AppServices {
    switch (circumstance) {
      case null:
        return services
      case 'limit_used_up': {
        const once = { quota: 1, windowMs: minuteMs }
        const policies = Object.entries(services.limits)
        const limits = policies.map(([policy, limit]) => [policy, limit === null ? null : once])
        return { ...services, limits: Object.fromEntries(limits) }
      }
      case 'loading':
        return { ...services, isLoading: () => true, readiness: () => this.#readiness('loading') }
      case 'stopping':
        return { ...services, readiness: () => this.#readiness('stopping') }
      case 'failing':
        return failing(services)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop(true)))
    await this.#lists.close()
    this.db.remove()
  }
}

function fail(error: unknown): never {
  throw error
}

/** Returns services each of which fails as soon as it is asked for anything. */
function failing(services: AppServices): AppServices {
  const broken = (): never => fail(new Error('a disk that cannot be read: /srv/weir/weir.db'))
  let isUp = false
  queueMicrotask(() => {
    isUp = true
  })
  return {
    ...services,
    urls: { check: broken },
    bulk: { check: broken },
    phones: { check: broken },
    emails: { check: broken },
    blacklist: { state: broken, page: broken },
    changes: { read: broken },
    lists: { version: broken, plain: broken, coded: broken },
    stixExport: { bundle: broken },
    taxii: {
      object: broken,
      objectPage: broken,
      page: broken,
      envelope: broken,
      manifest: broken,
      bundle: broken,
    },
    search: { ask: broken },
    feeds: { read: broken },
    reports: { submit: broken, status: broken },
    readiness: broken,
    // What is written once can fail at nothing but the time; the limits ask for that, so they are off.
    limits: {},
    now: () => (isUp ? broken() : services.now()),
    report: () => {},
  }
}
