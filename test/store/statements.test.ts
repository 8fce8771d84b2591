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
import { newsSql } from '../../src/store/news.ts'
import { reportedCallSql } from '../../src/store/reported-calls.ts'
import { reportSql } from '../../src/store/reports.ts'
import { migrate, openDatabase } from '../../src/store/schema.ts'
import { searchableSql } from '../../src/store/searchable.ts'
import { sightingSql } from '../../src/store/sightings.ts'
import { sourceSql } from '../../src/store/sources.ts'
import { storeSql } from '../../src/store/store.ts'
import { parameters, rows } from './statement-parameters.ts'

const millisecondsMax = 20

/** Statements that may read a table or index from end to end, and why. */
const allowedScans: Readonly<Record<string, string>> = {
  'indicator.delisted': 'it looks through its own slice',
  'source.all': 'there are a few dozen sources',
  'source.forgetRuns':
    'there are some thousand runs, and it is done once a day off the serving thread',
  'guard.version': 'there are a few dozen sources',
  ...Object.fromEntries(
    ['indicator', 'news', 'report'].flatMap((table) =>
      ['newestListed', 'newest_professional', 'newest_elder', 'newest_general'].map((name) => [
        `${table}.${name}`,
        'it reads the end of its index',
      ]),
    ),
  ),
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
  news: newsSql,
  report: reportSql,
  searchable: searchableSql,
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
    NULL, 1, 1, i / 2, i, i, i, i % 20 > 0, 1, i, 80, i % 5 = 0,
    1 + (i % 100 = 0) * 2 + (i % 5 = 0) * 4, NULL FROM n`

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
      database.run(`INSERT INTO news SELECT id, 1 + id % 3, 'key' || id, 'https://news.example/' || id,
        'Title ' || id, 'title ' || id, 'summary', id, id, id % 8, NULL, id % 50 = 0, id
        FROM indicator`)
      database.run(`INSERT INTO report SELECT id, 'name' || id, 'identity' || id, 'url', value, type,
        'text', NULL, NULL, iif(id % 3, 'accepted', 'received'), NULL, 1, id, id, id, id % 8, NULL,
        iif(id % 3, id, NULL), iif(id % 3, id, NULL), id FROM indicator`)
      database.run(
        `INSERT INTO report_event SELECT id, 1, 'received', NULL, 'reporter' FROM indicator`,
      )
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
