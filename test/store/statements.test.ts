/**
 * Every statement of the store on a file of 200,000 rows: none may scan without a covering index,
 * sort in a temporary B-tree that is not allowed here by name, or take longer than 20 ms.
 */

import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applySql } from '../../src/store/apply.ts'
import { counterSql } from '../../src/store/counters.ts'
import { decisionSql } from '../../src/store/decisions.ts'
import { eventSql } from '../../src/store/events.ts'
import { exportedLookupSql, exportedSql } from '../../src/store/exported.ts'
import { exportSql } from '../../src/store/exports.ts'
import { fetchSql } from '../../src/store/fetches.ts'
import { guardSql } from '../../src/store/guards.ts'
import { indicatorSql } from '../../src/store/indicators.ts'
import { listChangesSql } from '../../src/store/list-changes.ts'
import { listingsSql } from '../../src/store/listings.ts'
import { reportedCallSql } from '../../src/store/reported-calls.ts'
import { migrate, openDatabase } from '../../src/store/schema.ts'
import { sightingSql } from '../../src/store/sightings.ts'
import { sourceSql } from '../../src/store/sources.ts'
import { storeSql } from '../../src/store/store.ts'

const rows = 200_000
const millisecondsMax = 20

type Parameters = readonly (string | number | null)[]

/** Real parameters for every statement: those that make it work hardest. */
const parameters: Readonly<Record<string, Parameters>> = {
  'indicator.byId': [rows / 2],
  'indicator.byValue': [`name${rows / 2}.example`, 'domain'],
  'indicator.pageOnHost': ['host77.example'],
  'indicator.changes': [0, 1_000],
  'indicator.standing': [0, 1_000],
  'indicator.nameable': [0, 1_000],
  'indicator.blacklist': [0, 1_001, rows / 4],
  'indicator.blacklistSameTime': [5_000, 'a', 1_001],
  'indicator.blacklistEarlier': [90_000, 0, 1_001],
  'indicator.insert': [
    rows + 1,
    'domain',
    'new.example',
    null,
    null,
    1,
    1,
    0,
    null,
    'phishing',
    'high',
    80,
    null,
    null,
    null,
    'feed',
    null,
    1,
    1,
    1,
    rows + 1,
    rows + 1,
    1,
    1,
    1,
    1,
    80,
    0,
  ],
  'indicator.touch': [1, 2],
  'indicator.refresh': [1, 80, 'feed', null, 1, null, null, 1],
  'indicator.change': [
    2,
    null,
    1,
    1,
    0,
    null,
    'phishing',
    'high',
    80,
    null,
    null,
    null,
    'feed',
    null,
    1,
    1,
    rows + 2,
    rows + 2,
    1,
    1,
    1,
    1,
    1,
    80,
    0,
  ],
  'indicator.restate': [
    2,
    null,
    0,
    null,
    'phishing',
    'high',
    80,
    null,
    null,
    null,
    'feed',
    null,
    1,
    rows + 3,
    1,
    1,
    1,
    1,
    1,
    80,
    0,
  ],
  'indicator.delisted': [rows, 1_000],
  'indicator.forget': [3],
  'sighting.find': [1, 1],
  'sighting.live': [1],
  'sighting.all': [1],
  'sighting.ofSource': [1, 0, 8_000],
  'sighting.ending': [1, 2_000],
  'sighting.put': [rows + 1, 1, 1, 1, 1, 1, null, 1, 80, 'phishing', null, null, null, null, 0],
  'sighting.touch': [1, 1, 2, 2],
  'sighting.grace': [1, 1, 2],
  'sighting.end': [1, 1, 0],
  'sighting.reinstate': [1, 1],
  'sighting.nameBrand': [1, 'Brand', 'rules'],
  'sighting.forget': [1],
  'source.all': [],
  'source.byName': ['source1'],
  'source.byId': [1],
  'source.nextSourceId': [],
  'source.put': [1, 'source1', 't', null, null, 1, 'list', 80, 'phishing', 'full'],
  'source.switch': [1, null, 0],
  'source.run': [1],
  'source.nextRunId': [],
  'source.startRun': [9_999, 1, 1, null],
  'source.addSeen': [1, 1],
  'source.endRun': [1, 1, 1, '{}'],
  'source.hasRead': [1, 'none'],
  'source.lastRun': [1],
  'source.newestRun': [1],
  'source.forgetRuns': [1],
  'counter.get': ['published', 'domain'],
  'counter.scope': ['listed_day'],
  'counter.sumFrom': ['listed_day', '1970-01-01'],
  'counter.add': ['active', 'domain', 1],
  'apply.meta': [],
  'apply.noteBrands': ['rules', 7],
  'reportedCall.put': [1, 1, 0, 'other', 2],
  'reportedCall.summary': [1],
  'reportedCall.forget': [1],
  'apply.advance': [1, 1, 1, 1, 1, 1, 0, 1, ''],
  'decision.find': [1],
  'decision.all': [0, 1_000],
  'decision.put': [1, 'block', 'r', 'b', 1, null, 0],
  'decision.noteFlag': [1, 0],
  'decision.remove': [1],
  'decision.ending': [1, 1_000],
  'event.add': [rows + 1, 1, 1, 'absent', 'listed', 'sighted', 'feed'],
  'event.of': [1, 20],
  'listings.lastId': [],
  'listings.blockable': [0, 'domain', 2_000],
  'listings.values': ['', 'domain', 2_000],
  'listChanges.end': [0, 999],
  'listChanges.domains': [0, 1_000],
  'listChanges.departure': [1, 0],
  'event.forget': [1],
  'guard.find': ['name7.example', 'name', 4],
  'guard.protects': ['name7.example', 'name'],
  'guard.naming': ['name7.example'],
  'guard.ofKind': ['name', 0, 500],
  'guard.ofSource': [4, 0, 8_000],
  'guard.nextId': [],
  'guard.put': [rows + 1, 4, 'name', 'new.example', null, 1],
  'guard.touch': [1, 2, null],
  'guard.remove': [1],
  'guard.version': [],
  'fetch.find': ['source1'],
  'fetch.put': ['source1', 1, 1, null, null, 0, 2, null, null, null, null, null],
  'export.subject': ['brand', 'brand7'],
  'export.lastSubject': [],
  'export.putSubject': [rows + 1, 'brand', 'new', 'New', 1, 1, rows * 10],
  'export.relationships': [5, 1],
  'export.putRelationship': [6, 1, 'brand', 'brand7', 1, 'stands', rows * 10],
  'export.past': [20, 1],
  'export.putPast': [21, 1, 'domain', 1, 1, 0, 0, rows * 10],
  'export.removePast': [20, 1],
  'export.revoked': ['name7.example', 'domain'],
  'export.noteRevoked': ['name7.example', 'domain', 1],
  'export.noteId': [rows + 1, 1],
  'export.forgetId': [7, 7],
  'export.allRelationships': [5],
  'export.forgetRelationships': [5],
  'export.forgetPast': [20],
  ...Object.fromEntries(
    Object.keys(exportedSql).flatMap((records) => [
      [`exported.${records}.dates`, [0, rows * 2, 1_001]],
      [`exported.${records}.rows`, [0, rows * 2, 250]],
      [`exported.${records}.latest`, [rows * 2]],
    ]),
  ),
  'exportedLookup.newestDomains': [0, rows, 250],
  'exportedLookup.newestOthers': [0, rows, 250],
  'exportedLookup.newestOfBrand': [0, rows, 250, 'brand7'],
  'exportedLookup.newestDomainDates': [0, rows, 10_001],
  'exportedLookup.newestOtherDates': [0, rows, 10_001],
  'exportedLookup.newestDatesOfBrand': [0, rows, 10_001, 'brand7'],
  'exportedLookup.owners': [7],
  'exportedLookup.indicator': [5],
  'exportedLookup.past': [20],
  'exportedLookup.relationships': [5],
  'exportedLookup.relationship': [5, 1, 'brand', 'brand7'],
  'exportedLookup.subjectById': [7],
  'store.snapshotToken': [],
  'store.setSnapshotToken': ['token'],
}

/** Statements that may read a table or index from end to end, and why. */
const allowedScans: Readonly<Record<string, string>> = {
  'indicator.delisted': 'it looks through its own slice',
  'source.all': 'there are a few dozen sources',
  'source.forgetRuns':
    'there are some thousand runs, and it is done once a day off the serving thread',
  'guard.version': 'there are a few dozen sources',
}

/** Statements that may sort in a temporary B-tree, and why. */
const allowedSorts: Readonly<Record<string, string>> = {
  'reportedCall.summary': 'a number has a few subjects on a few days',
}

const statements = Object.entries({
  indicator: indicatorSql,
  sighting: sightingSql,
  source: sourceSql,
  counter: counterSql,
  apply: applySql,
  decision: decisionSql,
  event: eventSql,
  guard: guardSql,
  fetch: fetchSql,
  reportedCall: reportedCallSql,
  listChanges: listChangesSql,
  listings: listingsSql,
  store: storeSql,
  export: exportSql,
  exportedLookup: exportedLookupSql,
  ...Object.fromEntries(
    Object.entries(exportedSql).map(([records, sql]) => [`exported.${records}`, sql]),
  ),
}).flatMap(([table, sql]) =>
  Object.entries(sql).map(([name, text]) => ({ name: `${table}.${name}`, text })),
)

const seed = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
  INSERT INTO indicator SELECT i,
    CASE i % 10 WHEN 0 THEN 'url' ELSE 'domain' END,
    CASE i % 10 WHEN 0 THEN 'http://host' || (i % 1000) || '.example/' || i
      ELSE 'name' || i || '.example' END,
    CASE i % 10 WHEN 0 THEN 'host' || (i % 1000) || '.example' END,
    NULL, i % 20 > 0, i % 20 > 0, 0, NULL, 'phishing', 'high', 80,
    CASE i % 5 WHEN 0 THEN 'Brand' || (i % 1000) END, NULL, NULL, 'source1',
    NULL, 1, 1, i / 2, i, i, i, i % 20 > 0, 1, i, 80, i % 5 = 0 FROM n`

describe('every statement on 200,000 rows', () => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-statements-'))
  let database: Database
  // Bun keeps the plan of a write in progress, so plans have a connection of their own.
  let planner: Database

  beforeAll(() => {
    const path = join(directory, 'weir.db')
    database = openDatabase(path, 0, true)
    migrate(database, 'epoch', 1)
    planner = openDatabase(path, 0, false)
    database.transaction(() => {
      database.run(seed)
      database.run(`INSERT INTO sighting SELECT id, 1 + id % 3, 1, 1, 1, 1,
        CASE id % 50 WHEN 0 THEN 1 END, 1, 80, 'phishing', NULL, NULL, NULL, NULL, 0 FROM indicator`)
      database.run(`INSERT INTO event SELECT id, id, 1, 'absent', 'listed', 'sighted', 's'
        FROM indicator`)
      for (const id of [1, 2, 3]) {
        database.run(`INSERT INTO source (id, name, title, redistribute, role, confidence, threat_type)
          VALUES (${id}, 'source${id}', 't', 1, 'list', 80, 'phishing')`)
      }
      database.run(`INSERT INTO source (id, name, title, redistribute, role, confidence, threat_type)
        VALUES (4, 'guard', 't', 1, 'guard', 0, 'phishing')`)
      database.run(`INSERT INTO guard SELECT id, 4, 'name', value, NULL, 1 FROM indicator
        WHERE type = 'domain'`)
      database.run(`INSERT INTO run (id, source_id, started_at, ended_at)
        SELECT id, 1 + id % 3, 1, 1 FROM indicator WHERE id <= 5000`)
      database.run(`INSERT INTO stix_subject SELECT id, iif(id % 2, 'brand', 'family'), 'brand' || id,
        'Brand' || id, 1, 1, id FROM indicator WHERE id <= 2000`)
      database.run(`INSERT INTO stix_relationship SELECT id, 1, 'brand', 'brand' || (id % 1000), 1, 'stands',
        date_added + 1 FROM indicator WHERE in_campaigns = 1`)
      database.run(`INSERT INTO stix_past SELECT id, 1, type, 1, 1, 0, id % 3 = 0, id
        FROM indicator WHERE exported = 0`)
      database.run('INSERT INTO stix_id SELECT id, id FROM indicator')
      database.run(`INSERT INTO counter SELECT 'listed_day', date(id * 86400, 'unixepoch'), 1
        FROM indicator WHERE id <= 1000`)
    })()
  })

  afterAll(() => {
    planner.close()
    database.close()
    rmSync(directory, { recursive: true })
  })

  test('each has parameters here', () => {
    const named = new Set(Object.keys(parameters))
    expect(statements.filter(({ name }) => !named.has(name))).toEqual([])
    expect(named.size).toBe(statements.length)
  })

  for (const { name, text } of statements) {
    test(name, () => {
      const bound = [...(parameters[name] ?? [])]
      const plan = planner
        .query<{ detail: string }, (string | number | null)[]>(`EXPLAIN QUERY PLAN ${text}`)
        .all(...bound)
        .map(({ detail }) => detail)
      const scans = plan.filter((step) => step.startsWith('SCAN ') && !step.includes('COVERING'))
      const sorts = plan.filter((step) => step.includes('TEMP B-TREE'))
      if (!(name in allowedScans)) expect(scans).toEqual([])
      if (!(name in allowedSorts)) expect(sorts).toEqual([])

      const statement = database.prepare<unknown, (string | number | null)[]>(text)
      const timings = [0, 1, 2].map(() => {
        database.run('SAVEPOINT probe')
        const startedAt = performance.now()
        if (text.startsWith('SELECT')) statement.all(...bound)
        else statement.run(...bound)
        const took = performance.now() - startedAt
        database.run('ROLLBACK TO probe')
        database.run('RELEASE probe')
        return took
      })
      // The quickest of three: the bound is on the plan, not on a busy machine.
      expect(Math.min(...timings)).toBeLessThan(millisecondsMax)
    })
  }
})
