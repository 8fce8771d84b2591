/**
 * What the test of statements runs: every method of every table, with the arguments that make its
 * statements work hardest. The types see to it that no method is left out.
 */

import type { Database } from 'bun:sqlite'
import { SetHash } from '../../src/model/set-hash.ts'
import { batchRowsMax, type ProposedArticle } from '../../src/store/batch.ts'
import { CounterTable } from '../../src/store/counters.ts'
import { DecisionTable } from '../../src/store/decisions.ts'
import { EventTable } from '../../src/store/events.ts'
import { Exported } from '../../src/store/exported.ts'
import { Exports } from '../../src/store/exports.ts'
import { FetchTable } from '../../src/store/fetches.ts'
import { GuardTable } from '../../src/store/guards.ts'
import { IndicatorReader, type IndicatorRow, IndicatorTable } from '../../src/store/indicators.ts'
import { ListChanges } from '../../src/store/list-changes.ts'
import { ListedValues } from '../../src/store/listings.ts'
import { MetaTable } from '../../src/store/meta.ts'
import { NewsTable } from '../../src/store/news.ts'
import type { Progress } from '../../src/store/progress.ts'
import { ReportedCallTable } from '../../src/store/reported-calls.ts'
import { ReportTable, type StoredReport } from '../../src/store/reports.ts'
import { SearchableAddresses } from '../../src/store/searchable.ts'
import { type SightingRow, SightingTable } from '../../src/store/sightings.ts'
import { SourceTable } from '../../src/store/sources.ts'
import { sourceNamed } from './fixture.ts'

/** How many rows each large table has. */
export const rows = 200_000

/** For each method of a table what calls it, in one way or in several. */
type Call<Table> = (table: Table, database: Database) => unknown
type Exercises<Table> = { readonly [Method in keyof Table]: Call<Table> }

/** One call of one method, over a connection. */
export interface Exercise {
  readonly name: string
  run(database: Database): unknown
}

function exercisesOf<Table>(
  name: string,
  create: (database: Database) => Table,
  exercises: Exercises<NoInfer<Table>>,
): Exercise[] {
  return Object.entries<Call<Table>>(exercises).map(([method, call]) => ({
    name: `${name}.${method}`,
    run: (database) => call(create(database), database),
  }))
}

/** Returns the fifth row: exported, and of a brand that is there. */
function fifth(database: Database): IndicatorRow {
  const row = new IndicatorTable(database).byId(5)
  if (row === null) throw new Error('there is no fifth row')
  return row
}

/** Each batch has numbers of its own. */
let batches = 100

const progress = (): Progress => ({
  at: 1,
  firstSeq: batches++ * batchRowsMax,
  ordinal: 0,
  seq: 0,
  textSeq: 0,
  nextId: rows + 1,
  dateAdded: rows * 10,
  subjects: new Set(),
  listedChangedAt: 0,
  listSeq: 0,
  setHash: new SetHash(),
  oldestSeq: 0,
  added: 0,
  changed: 0,
  seenAgain: 0,
  delisted: 0,
  run: null,
  next: null,
  report: null,
})

const article: ProposedArticle = {
  key: 'new',
  link: 'https://news.example/new',
  title: 'A new one',
  titleKey: 'a new one',
  summary: 's',
  publishedAt: 1,
  audiences: {},
}

const decided = { indicatorId: 1, reason: 'r', by: 'b', at: 1, until: null, doNotBlock: 0 }

const range = { after: 0, before: rows, limit: 250 }

/** Reads each kind of records, of which there are too many to be read at once. */
const dated = (records: Exported['domains' | 'pastDomains' | 'relationships' | 'brands']) => [
  records.dates(0, rows * 2, 1_001),
  records.rows(0, rows * 2, 250),
  records.latest(rows * 2),
]

const keepsExports = {
  follow: (table, database) => {
    const row = fifth(database)
    const unnamed = { ...row, exported: 0, targetBrand: null, inCampaigns: 0 }
    const ended = { ...unnamed, id: 20 }
    table.follow(progress(), null, { ...unnamed, id: rows + 1, createdAt: null }, false)
    table.follow(progress(), ended, { ...ended, targetBrand: 'Unheard of' }, false)
    table.follow(progress(), row, { ...row, targetBrand: 'Brand7' }, false)
    table.follow(progress(), row, { ...row, published: 0, active: 0 }, true)
    table.follow(progress(), null, { ...ended, published: 0, decision: 'allow' }, false)
  },
  followSubjects: (table, database) => {
    const row = fifth(database)
    table.follow(progress(), { ...row, targetBrand: 'Brand1999' }, { ...row }, false)
    table.followSubjects(progress())
  },
  forget: (table, database) => table.forget({ ...fifth(database), generation: 2 }),
} satisfies Exercises<Exports>

const readsExports = {
  domains: (table) => dated(table.domains),
  others: (table) => dated(table.others),
  campaigns: (table) => dated(table.campaigns),
  pastDomains: (table) => dated(table.pastDomains),
  pastOthers: (table) => dated(table.pastOthers),
  pastCampaigns: (table) => dated(table.pastCampaigns),
  relationships: (table) => dated(table.relationships),
  brands: (table) => dated(table.brands),
  families: (table) => dated(table.families),
  newest: (table) => [table.newest(range, null), table.newest(range, ['brand7'])],
  newestDates: (table) => {
    const long = { ...range, limit: 10_001 }
    return [table.newestDates(long, null), table.newestDates(long, ['brand7'])]
  },
  newestBrands: (table) => table.newestBrands(50),
  ownedBy: (table) => [table.ownedBy(7), table.ownedBy(rows + 7)],
  relationship: (table) => {
    const [found] = table.newest({ ...range, after: 4, before: 6 }, null)
    if (found === undefined) throw new Error('the fifth row is exported')
    return table.relationship(found, 'brand', 'brand5')
  },
  subject: (table) => table.subject('brand', 'brand7'),
} satisfies Exercises<Exported>

const indicators = {
  byId: (table) => table.byId(rows / 2),
  byValue: (table) => table.byValue(`name${rows / 2}.example`, 'domain'),
  pageOnHost: (table) => table.pageOnHost('host77.example'),
  changesAfter: (table) => table.changesAfter(0, 1_000),
  rowsAfter: (table) => table.rowsAfter(0, 1_000),
  delisted: (table) => table.delisted(rows, 1_000),
  insert: (table, database) =>
    table.insert({ ...fifth(database), id: rows + 1, value: 'new.example', seq: rows + 1 }),
  touch: (table) => table.touch(1, 2),
  refresh: (table, database) => table.refresh(fifth(database)),
  change: (table, database) => table.change({ ...fifth(database), seq: rows + 2 }),
  restate: (table, database) => table.restate({ ...fifth(database), seq: rows + 3 }),
  address: (table) => table.address(2, 3, '{}'),
  forget: (table) => table.forget(3),
} satisfies Exercises<IndicatorTable>

const indicatorLists = {
  nameable: (table) => table.nameable(0, 1_000),
  blacklist: (table) => table.blacklist(0, 1_001, rows / 4),
  blacklistAfter: (table) => [
    table.blacklistAfter(5_000, 'a', 0, 1_001),
    table.blacklistAfter(90_000, 'z', 0, 1_001),
  ],
  newestListed: (table) => table.newestListed(50),
  newestFor: (table) => [
    table.newestFor('professional', 50),
    table.newestFor('elder', 50),
    table.newestFor('general', 50),
  ],
} satisfies Exercises<IndicatorReader>

function liveOf(table: SightingTable): SightingRow {
  const [first] = table.live(1)
  if (first === undefined) throw new Error('the first row has a sighting')
  return first
}

const sightings = {
  all: (table) => table.all(1),
  ending: (table) => table.ending(1, 2_000),
  find: (table) => table.find(1, 1),
  live: (table) => table.live(1),
  ofSource: (table) => table.ofSource(1, 0, 8_000),
  put: (table) => table.put({ ...liveOf(table), indicatorId: rows + 1 }),
  touch: (table) => table.touch(1, 1, 2, 2),
  grace: (table) => table.grace(1, 1, 2),
  end: (table) => table.end(1, 1, false),
  reinstate: (table) => table.reinstate(1, 1),
  nameBrand: (table) => table.nameBrand(1, 'Brand'),
  forget: (table) => table.forget(1),
} satisfies Exercises<SightingTable>

const sources = {
  all: (table) => table.all(),
  byName: (table) => table.byName('source1'),
  byId: (table) => table.byId(1),
  nameOf: (table) => table.nameOf(1),
  run: (table) => table.run(1),
  hasRead: (table) => table.hasRead(1, 'none'),
  lastRun: (table) => table.lastRun(1),
  newestRun: (table) => table.newestRun(1),
  describe: (table) => [table.describe(sourceNamed('source1')), table.describe(sourceNamed('new'))],
  switch: (table) => table.switch(1, null, false),
  startRun: (table) => table.startRun(1, 1, null),
  addSeen: (table) => table.addSeen(1, 1),
  endRun: (table) => table.endRun(1, 1, 1, '{}'),
  forgetRuns: (table) => table.forgetRuns(1),
} satisfies Exercises<SourceTable>

const counters = {
  get: (table) => table.get('published', 'domain'),
  scope: (table) => table.scope('listed_day'),
  sumFrom: (table) => table.sumFrom('listed_day', '1970-01-01'),
  add: (table) => table.add('active', 'domain', 1),
  current: (table) => table.current('active', 'domain'),
  countRow: (table, database) => table.countRow(null, fifth(database), 1),
  touched: (table) => table.touched('active'),
  flush: (table) => {
    table.add('active', 'domain', 1)
    table.flush()
  },
  discard: (table) => table.discard(),
} satisfies Exercises<CounterTable>

const decisions = {
  find: (table) => table.find(1),
  all: (table) => table.all(0, 1_000),
  ending: (table) => table.ending(1, 1_000),
  put: (table) => table.put({ ...decided, verdict: 'block' }),
  noteFlag: (table) => table.noteFlag(1, 0),
  remove: (table) => table.remove(1),
} satisfies Exercises<DecisionTable>

const guards = {
  protects: (table) => table.protects('name7.example', 'name'),
  covers: (table, database) => table.covers(fifth(database)),
  naming: (table) => table.naming('name7.example'),
  ofKind: (table) => table.ofKind('name', 0, 500),
  ofSource: (table) => table.ofSource(4, 0, 8_000),
  version: (table) => table.version(),
  put: (table) => [
    table.put(4, 1, { kind: 'name', value: 'new.example' }),
    table.put(4, 2, { kind: 'name', value: 'name7.example' }),
  ],
  remove: (table) => table.remove(1),
} satisfies Exercises<GuardTable>

const news = {
  byId: (table) => table.byId(7),
  newestFor: (table) => [
    table.newestFor('professional', 50),
    table.newestFor('elder', 50),
    table.newestFor('general', 50),
  ],
  changesAfter: (table) => table.changesAfter(0, 1_000),
  hasOld: (table) => [table.hasOld(0), table.hasOld(rows)],
  put: (table) => [
    table.put(progress(), 1, article),
    table.put(progress(), 1, { ...article, key: 'key3' }),
    table.put(progress(), 1, { ...article, key: 'key1' }),
  ],
  withhold: (table) => table.withhold(progress(), 1, 1, 2),
  forget: (table) => [
    table.forget(progress(), rows, 2),
    table.forget(progress(), rows + 2 * 86_400_000, 2),
  ],
} satisfies Exercises<NewsTable>

function seventh(table: ReportTable): StoredReport & { readonly identity: string } {
  const report = table.byId(7)
  if (report === null) throw new Error('there is no seventh report')
  return { ...report, identity: 'identity7' }
}

const reports = {
  byId: (table) => table.byId(7),
  byName: (table) => table.byName('name7'),
  byIdentity: (table) => table.byIdentity('identity7'),
  ofStatus: (table) => table.ofStatus('received', 0, 1_000),
  ofValue: (table) => table.ofValue('name7.example', 10),
  ofIndicator: (table) => table.ofIndicator(7, 100),
  events: (table) => table.events(7),
  personal: (table) => table.personal(rows, 1_000),
  shownById: (table) => table.shownById(7),
  newestFor: (table) => [
    table.newestFor('professional', 50),
    table.newestFor('elder', 50),
    table.newestFor('general', 50),
  ],
  changesAfter: (table) => table.changesAfter(0, 1_000),
  add: (table) => table.add({ ...seventh(table), name: 'new', identity: 'new' }, 1, rows * 2),
  repeat: (table) => table.repeat(7, 1, rows * 2),
  settle: (table) => table.settle({ ...seventh(table), seq: rows * 2 }),
  follow: (table) => table.follow(7, rows * 2),
  addEvent: (table) =>
    table.addEvent({ reportId: 7, at: 1, status: 'accepted', reason: null, by: 'operator' }),
  free: (table) => table.free(7),
  erase: (table) => table.erase({ id: 7, status: 'rejected' }),
} satisfies Exercises<ReportTable>

const simple = [
  ...exercisesOf('event', (database) => new EventTable(database), {
    of: (table) => table.of(1, 20),
    add: (table) =>
      table.add({
        seq: rows + 1,
        indicatorId: 1,
        at: 1,
        fromState: 'absent',
        toState: 'listed',
        reason: 'sighted',
        by: 'feed',
      }),
    forget: (table) => table.forget(1),
  }),
  ...exercisesOf('fetch', (database) => new FetchTable(database), {
    find: (table) => table.find('source1'),
    put: (table) =>
      table.put({
        source: 'source1',
        checkedAt: 1,
        succeededAt: 1,
        failedAt: null,
        error: null,
        failures: 0,
        nextAt: 2,
        url: null,
        etag: null,
        lastModified: null,
        position: null,
        reading: null,
      }),
  }),
  ...exercisesOf('reportedCall', (database) => new ReportedCallTable(database), {
    of: (table) => table.of(1),
    put: (table) => table.put(1, 1, [{ day: 0, subject: 'other', count: 2 }], 1),
    forget: (table) => table.forget(1),
  }),
  ...exercisesOf('listChanges', (database) => new ListChanges(database), {
    stretch: (table) => table.stretch(0, 1_000),
    departure: (table) => table.departure(1, 0),
  }),
  ...exercisesOf('listedValues', (database) => new ListedValues(database), {
    choose: (table) => table.choose('domain', () => false),
    inOrder: (table) =>
      table
        .inOrder(
          'domain',
          table.choose('domain', () => false),
        )
        .next(),
  }),
  ...exercisesOf('searchable', (database) => new SearchableAddresses(database), {
    after: (table) => table.after(0, 2_000),
    changesAfter: (table) => table.changesAfter(0, 1_000),
  }),
  ...exercisesOf('meta', (database) => new MetaTable(database), {
    read: (table) => table.read(),
    advance: (table) => table.advance(table.read()),
    noteBrands: (table) => table.noteBrands('rules', 7),
    snapshotToken: (table) => table.snapshotToken(),
    setSnapshotToken: (table) => table.setSnapshotToken('token'),
  }),
]

export const exercises: readonly Exercise[] = [
  ...simple,
  ...exercisesOf('indicator', (database) => new IndicatorTable(database), indicators),
  ...exercisesOf('indicators', (database) => new IndicatorReader(database), indicatorLists),
  ...exercisesOf('sighting', (database) => new SightingTable(database), sightings),
  ...exercisesOf('source', (database) => new SourceTable(database), sources),
  ...exercisesOf('counter', (database) => new CounterTable(database), counters),
  ...exercisesOf('decision', (database) => new DecisionTable(database), decisions),
  ...exercisesOf('guard', (database) => new GuardTable(database), guards),
  ...exercisesOf('news', (database) => new NewsTable(database), news),
  ...exercisesOf('report', (database) => new ReportTable(database), reports),
  ...exercisesOf('exported', (database) => new Exported(database), readsExports),
  ...exercisesOf(
    'exports',
    (database) => new Exports(database, new CounterTable(database)),
    keepsExports,
  ),
]
