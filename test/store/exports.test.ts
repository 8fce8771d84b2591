/** What the store keeps for exports: dates that no two objects share, and nothing left of what is forgotten. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { parseIdKey, toIndicatorId } from '../../src/model/stix-id.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { migrations } from '../../src/store/migrations.ts'
import { WriteStore } from '../../src/store/store.ts'
import { sourceNamed, startOfTest, TestStore } from './fixture.ts'

const feed = sourceNamed('feed')
const dayMs = 86_400_000

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

async function list(sightings: readonly Sighting[], source = feed): Promise<void> {
  db.now += 60_000
  const run = await db.startRun(source)
  await db.sight(source.name, run, sightings)
  await db.endRun(run)
}

const sightings: readonly Sighting[] = [
  { type: 'domain', value: 'plain.test' },
  { type: 'domain', value: 'brand.test', targetBrand: 'Bank' },
  {
    type: 'url',
    value: 'https://both.test/',
    host: 'both.test',
    targetBrand: 'BANK',
    malwareFamily: 'Loader',
  },
  { type: 'phone', value: '+12025550123' },
]

/** Reads rows as SQLite has them, without the store. */
function rowsOf(sql: string): Record<string, unknown>[] {
  const database = new Database(db.store.path, { readonly: true })
  try {
    return database.query<Record<string, unknown>, []>(sql).all()
  } finally {
    database.close()
  }
}

const everyDate = `
  SELECT date_added FROM indicator WHERE exported = 1 UNION ALL SELECT date_added FROM stix_past
  UNION ALL SELECT date_added FROM stix_relationship UNION ALL SELECT date_added FROM stix_subject
  UNION ALL SELECT date_added + 1 FROM stix_subject UNION ALL SELECT date_added + 2 FROM stix_subject`

describe('exports', () => {
  test('are of what is published, each dated for itself, what is referred to first', async () => {
    await list(sightings)
    expect(rowsOf('SELECT value FROM indicator WHERE exported = 1').length).toBe(3)
    expect(rowsOf('SELECT kind, key, name, active FROM stix_subject')).toEqual([
      { kind: 'brand', key: 'bank', name: 'Bank', active: 1 },
      { kind: 'family', key: 'loader', name: 'Loader', active: 1 },
    ])
    const dates = rowsOf(everyDate).map((row) => Number(row['date_added']))
    expect(new Set(dates).size).toBe(dates.length)
    // Not on a whole millisecond: who cuts a time off never hits one.
    for (const date of dates) expect(date % 1000).toBeGreaterThan(0)
    for (const { subject, date } of rowsOf(`SELECT stix_subject.date_added AS subject,
        stix_relationship.date_added AS date FROM stix_relationship JOIN stix_subject USING (kind, key)`)) {
      expect(Number(subject)).toBeLessThan(Number(date))
    }
  })

  test('change with what weir says of a row, and not when it is seen again', async () => {
    await list(sightings)
    const before = rowsOf(everyDate)
    await list(sightings)
    expect(rowsOf(everyDate)).toEqual(before)
    // Within the band that it was in, confidence is no news; what was stated stays as it was.
    await list([{ type: 'domain', value: 'plain.test' }], {
      ...feed,
      name: 'other',
      confidence: 60,
    })
    const stated = rowsOf(`SELECT confidence, stated_confidence FROM indicator
      WHERE value = 'plain.test'`)
    expect(stated).toEqual([{ confidence: 90, stated_confidence: 90 }])
    await list([{ type: 'domain', value: 'plain.test' }], {
      ...feed,
      name: 'third',
      confidence: 60,
    })
    expect(
      rowsOf(`SELECT confidence, stated_confidence FROM indicator WHERE value = 'plain.test'`),
    ).toEqual([{ confidence: 100, stated_confidence: 90 }])
  })

  test('are dated when they are committed, also by who has waited to write', async () => {
    const at = db.now
    db.now += 5_000
    const operations = [{ op: 'startRun', source: feed, digest: null }] as const
    const { run } = await db.store.write({ at, operations })
    const sighted = { op: 'sight', source: 'feed', run: run ?? 0, sightings } as const
    await db.store.write({ at, operations: [sighted] })
    const [{ first } = { first: 0 }] = rowsOf('SELECT min(date_added) AS first FROM indicator')
    expect(Number(first)).toBeGreaterThan(db.now * 1000)
  })

  test('of a subject end with the last that belongs to it, and begin again', async () => {
    const states = (): unknown[] => rowsOf('SELECT active FROM stix_subject ORDER BY id')
    await list(sightings)
    await list(sightings.slice(0, 2))
    expect(states()).toEqual([{ active: 1 }, { active: 0 }])
    await list([])
    expect(states()).toEqual([{ active: 0 }, { active: 0 }])
    await list(sightings)
    expect(states()).toEqual([{ active: 1 }, { active: 1 }])
    expect(rowsOf(`SELECT sum(n) AS n FROM counter WHERE scope LIKE 'exported_%'`)).toEqual([
      { n: 3 },
    ])
  })

  test('of what is forgotten leave nothing behind', async () => {
    const decide = async (verdict: 'allow' | 'clear'): Promise<void> => {
      db.now += 60_000
      const words = {
        reason: 'r',
        by: 'b',
        until: null,
        type: 'domain',
        value: 'brand.test',
      } as const
      await db.store.write({ at: db.now, operations: [{ op: 'decide', verdict, ...words }] })
    }
    await list(sightings)
    await decide('allow')
    await decide('clear')
    await list([])
    expect(rowsOf('SELECT generation FROM stix_past ORDER BY generation').length).toBe(4)
    db.now += 500 * dayMs
    await db.inSlices(() => ({ op: 'prune', before: db.now - 400 * dayMs }))
    for (const table of ['indicator', 'stix_past', 'stix_relationship']) {
      expect(rowsOf(`SELECT * FROM ${table}`)).toEqual([])
    }
    // Of brands and families what has been told stays true.
    expect(rowsOf('SELECT DISTINCT owner FROM stix_id ORDER BY owner')).toEqual([
      { owner: -2 },
      { owner: -1 },
    ])
  })

  test('that were revoked never come back, however long ago that was', async () => {
    const decide = async (verdict: 'allow' | 'clear'): Promise<void> => {
      db.now += 60_000
      const words = { reason: 'r', by: 'b', until: null, type: 'domain' } as const
      const operation = { op: 'decide', verdict, value: 'plain.test', ...words } as const
      await db.store.write({ at: db.now, operations: [operation] })
    }
    const generation = (): unknown =>
      rowsOf(`SELECT generation FROM indicator WHERE value = 'plain.test'`)[0]?.['generation']
    await list(sightings)
    for (const [times, expected] of [
      [1, 2],
      [2, 3],
    ] as const) {
      await decide('allow')
      await list([])
      await decide('clear')
      db.now += 500 * dayMs
      await db.inSlices(() => ({ op: 'prune', before: db.now - 400 * dayMs }))
      expect(generation()).toBeUndefined()
      await list(sightings)
      expect([times, generation()]).toEqual([times, expected])
    }
  })

  test('tell nothing of what private lists hold, nor when', async () => {
    const privately = { ...feed, name: 'private', redistribute: false }
    const [plain] = sightings
    /** All that is exported, after the same public steps, with private ones between them or without. */
    const shown = async (hasPrivate: boolean): Promise<unknown> => {
      const other = new TestStore()
      const before = db
      db = other
      await list(sightings)
      if (hasPrivate) await list(plain === undefined ? [] : [plain], privately)
      else db.now += 60_000
      await list(sightings.slice(1))
      db.now += 60_000
      await db.guard({ ...sourceNamed('popular'), role: 'guard' }, ['plain.test'])
      if (hasPrivate) await list([], privately)
      else db.now += 60_000
      const rows = rowsOf(`SELECT * FROM (${everyDate}) ORDER BY 1`)
      const past = rowsOf('SELECT generation, revoked, date_added FROM stix_past')
      db = before
      other.remove()
      return { rows, past }
    }
    expect(await shown(true)).toEqual(await shown(false))
  })

  test('that cannot be written leave no trace', async () => {
    await list(sightings)
    const before = rowsOf(everyDate)
    const run = await db.startRun(feed)
    const operations = [
      {
        op: 'sight',
        source: 'feed',
        run,
        sightings: [{ type: 'domain', value: 'x.test', targetBrand: 'New' }],
      },
      { op: 'sight', source: 'nobody', run, sightings: [] },
    ] as const
    const refusal = await db.store.write({ at: db.now, operations }).then(String, String)
    expect(refusal).toContain('no source')
    expect(rowsOf(everyDate)).toEqual(before)
    await list([...sightings, { type: 'domain', value: 'x.test', targetBrand: 'New' }])
    expect(rowsOf(`SELECT key FROM stix_subject WHERE active = 1`).length).toBe(3)
  })
})

describe('a database from before there were exports', () => {
  test('exports what it has published, under the ids that a new one gives', async () => {
    await list(sightings)
    await list([{ type: 'domain', value: 'private.test', targetBrand: 'Bank' }], {
      ...feed,
      name: 'private',
      redistribute: false,
    })
    const wanted = {
      ids: rowsOf('SELECT key, sign(owner) AS owner FROM stix_id ORDER BY key'),
      counts: rowsOf(`SELECT * FROM counter WHERE scope LIKE 'exported%' ORDER BY scope, key`),
      subjects: rowsOf('SELECT kind, key, active FROM stix_subject ORDER BY kind, key'),
      relationships: rowsOf('SELECT indicator_id, kind, key, state FROM stix_relationship'),
      exported: rowsOf('SELECT id, exported, in_campaigns, stated_confidence FROM indicator'),
    }
    db.store.close()
    backToVersion4(db.store.path)
    // As the version before may have dated a row.
    const file = new Database(db.store.path)
    file.run('UPDATE indicator SET date_added = date_added / 1000 * 1000 WHERE id = 1')
    file.close()
    db.store = WriteStore.open({ dataDir: db.dataDir, role: 'background', now: () => db.now })
    expect({
      ids: rowsOf('SELECT key, sign(owner) AS owner FROM stix_id ORDER BY key'),
      counts: rowsOf(`SELECT * FROM counter WHERE scope LIKE 'exported%' ORDER BY scope, key`),
      subjects: rowsOf('SELECT kind, key, active FROM stix_subject ORDER BY kind, key'),
      relationships: rowsOf('SELECT indicator_id, kind, key, state FROM stix_relationship'),
      exported: rowsOf('SELECT id, exported, in_campaigns, stated_confidence FROM indicator'),
    }).toEqual(wanted)
    const dates = rowsOf(everyDate).map((row) => Number(row['date_added']))
    expect(new Set(dates).size).toBe(dates.length)
    expect(Math.max(...dates)).toBeLessThanOrEqual(db.store.meta().dateAdded)
    for (const date of dates) expect(date % 1000).toBeGreaterThan(0)
    for (const table of ['indicator', 'stix_subject', 'stix_relationship']) {
      const late = `SELECT * FROM ${table} WHERE created_at <> date_added / 1000`
      expect(rowsOf(late)).toEqual([])
    }
    const key = parseIdKey(toIndicatorId({ type: 'domain', value: 'plain.test', generation: 1 }))
    expect(db.store.exported.ownedBy(key ?? 0)[0]?.indicator?.value).toBe('plain.test')
    // And it goes on from there.
    db.now = startOfTest + dayMs
    await list([])
    expect(rowsOf('SELECT * FROM stix_past').length).toBe(3)
  })
})

/** Takes away what the migrations after version 4 have added. */
function backToVersion4(path: string): void {
  const database = new Database(path)
  for (const added of migrations.slice(4).reverse()) {
    for (const [, name] of added.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)/g)) {
      database.run(`DROP INDEX ${name}`)
    }
    for (const [, name] of added.matchAll(/CREATE TABLE (\w+)/g)) {
      // It has taken the place of another, and reads like it.
      if (name !== 'source_with_news') database.run(`DROP TABLE ${name}`)
    }
    for (const [, table, name] of added.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g)) {
      database.run(`ALTER TABLE ${table} DROP COLUMN ${name}`)
    }
  }
  database.run(`DELETE FROM counter WHERE scope LIKE 'exported%'`)
  database.run('PRAGMA user_version = 4')
  database.close()
}
