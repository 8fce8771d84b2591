/**
 * Every statement of the store on a file of 200,000 rows: none may scan a table or an index or sort in a
 * temporary B-tree unless it is allowed here by name, and none returns or changes more rows than a page holds.
 */

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, openDatabase } from '../../src/store/schema.ts'
import { exercises, rows } from './statement-exercises.ts'

const rowsMax = 10_001

/** Methods whose statements may read a table or index from end to end, and why. */
const allowedScans: Readonly<Record<string, string>> = {
  'indicator.delisted': 'it looks through its own slice',
  'source.all': 'there are a few dozen sources',
  'source.forgetRuns':
    'there are some thousand runs, and it is done once a day off the serving thread',
  'guard.version': 'there are a few dozen sources',
  'indicators.newestListed': 'it reads the end of its index',
  'indicators.newestFor': 'it reads the end of its index',
  'news.newestFor': 'it reads the end of its index',
  'report.newestFor': 'it reads the end of its index',
}

/** Methods whose statements may sort in a temporary B-tree, and why. */
const allowedSorts: Readonly<Record<string, string>> = {
  'reportedCall.of': 'a number has a few subjects on a few days',
}

/** A statement that ran, what it was bound to, and how many rows it returned or changed. */
interface Ran {
  readonly sql: string
  readonly values: SQLQueryBindings[]
  readonly rows: number
}

/** Has a connection note every statement that runs over it. */
function record(database: Database, ran: Ran[]): void {
  const recorded = (sql: string, statement: Statement): Statement => {
    const counted =
      <Result>(run: (...values: SQLQueryBindings[]) => Result, count: (result: Result) => number) =>
      (...values: SQLQueryBindings[]): Result => {
        const result = run(...values)
        ran.push({ sql, values, rows: count(result) })
        return result
      }
    const get = counted(
      (...values) => statement.get(...values),
      () => 1,
    )
    const all = counted(
      (...values) => statement.all(...values),
      (found) => found.length,
    )
    const run = counted(
      (...values) => statement.run(...values),
      ({ changes }) => changes,
    )
    return Object.assign(Object.create(statement), { get, all, run })
  }
  const prepare = database.prepare.bind(database)
  const note = (sql: string): Statement => recorded(sql, prepare(sql))
  Object.assign(database, { prepare: note, query: note })
}

/** Returns a pattern for each statement that the source writes down; what is put into it may be anything. */
function writtenStatements(): RegExp[] {
  const store = join(import.meta.dir, '../../src/store')
  const sources = readdirSync(store).map((file) => readFileSync(join(store, file), 'utf8'))
  return sources
    .filter((source) => source.includes(`from './statements.ts'`))
    .flatMap((source) => [
      ...source.matchAll(/`((?:SELECT|INSERT|UPDATE|DELETE)\s[^`]*)`/g),
      ...source.matchAll(/'((?:SELECT|INSERT|UPDATE|DELETE)\s[^'\n]*)'/g),
    ])
    .map(([, sql = '']) => {
      const fixed = sql.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part))
      return new RegExp(`^${fixed.join('[^]*')}`)
    })
}

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
  const ran: Ran[] = []

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
      database.run(`INSERT INTO stix_id VALUES (${rows + 7}, -7)`)
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
    record(database, ran)
  })

  afterAll(() => {
    planner.close()
    database.close()
    rmSync(directory, { recursive: true })
  })

  const tried = new Set<string>()

  for (const exercise of exercises) {
    const { name } = exercise
    test(name, () => {
      ran.length = 0
      database.run('SAVEPOINT probe')
      exercise.run(database)
      database.run('ROLLBACK TO probe')
      database.run('RELEASE probe')
      for (const { sql, values, rows } of [...ran]) {
        tried.add(sql)
        const plan = planner
          .query<{ detail: string }, SQLQueryBindings[]>(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...values)
          .map(({ detail }) => detail)
        const scans = plan.filter(
          (step) => step.startsWith('SCAN ') && step !== 'SCAN CONSTANT ROW',
        )
        const sorts = plan.filter((step) => step.includes('TEMP B-TREE'))
        if (!(name in allowedScans)) expect(scans).toEqual([])
        if (!(name in allowedSorts)) expect(sorts).toEqual([])
        expect(rows, sql).toBeLessThanOrEqual(rowsMax)
      }
    })
  }

  test('a row is written with every column of its table', () => {
    const inserts = [...tried].flatMap((sql) => {
      const [, table = '', columns = ''] =
        /^INSERT (?:OR REPLACE )?INTO (\w+) \(([^)]*)\)/.exec(sql) ?? []
      // What an operator has decided about a source, and how a run ends, is written later.
      return ['', 'source', 'run'].includes(table) ? [] : [{ table, columns: columns.split(', ') }]
    })
    expect(inserts.length).toBeGreaterThan(10)
    for (const { table, columns } of inserts) {
      const sql = 'SELECT name FROM pragma_table_info(?1)'
      const known = planner.query<{ name: string }, [string]>(sql).all(table)
      expect(columns, table).toEqual(known.map(({ name }) => name))
    }
  })

  test('every statement of the source has run', () => {
    const isTried = (written: RegExp): boolean => [...tried].some((sql) => written.test(sql))
    expect(writtenStatements().filter((written) => !isTried(written))).toEqual([])
  })
})
