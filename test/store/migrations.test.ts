import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../src/store/migrations.ts'
import { hashListedDomains, schemaVersion } from '../../src/store/schema.ts'
import { databaseName, WriteStore } from '../../src/store/store.ts'
import { sourceNamed, startOfTest } from './fixture.ts'

class OldDatabase implements Disposable {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'weir-migrations-'))
  readonly path = join(this.dataDir, databaseName)

  /** Makes a database as version `version` of the schema left it, with one listed domain. */
  constructor(version: number) {
    const database = new Database(this.path, { create: true, strict: true })
    database.run('PRAGMA journal_mode = WAL')
    for (const migration of migrations.slice(0, version)) database.run(migration)
    database.run(`INSERT INTO meta (id, epoch, born_at, batch, seq, oldest_seq, next_id, date_added, changed_at,
        listed_changed_at) VALUES (1, 'old-epoch', 1, 1, 4096, 0, 2, 1000, 1, 1)`)
    database.run(`INSERT INTO source (id, name, title, redistribute, role, confidence, threat_type)
      VALUES (1, 'feed', 'Feed', 1, 'list', 80, 'phishing')`)
    database.run(
      'INSERT INTO run (id, source_id, started_at, ended_at, seen) VALUES (1, 1, 1, 1, 1)',
    )
    database.run(`INSERT INTO indicator (id, type, value, active, published, do_not_block,
        threat_type, threat_level, confidence, sources, first_seen, last_seen, listed_at, seq,
        listed_seq, date_added)
      VALUES (1, 'domain', 'old.example', 1, 1, 0, 'phishing', 'high', 80, 'feed', 1, 1, 1, 4096,
        4096, 1000)`)
    database.run(`INSERT INTO sighting (indicator_id, source_id, run_id, live, first_seen, last_seen,
        redistribute, confidence, threat_type) VALUES (1, 1, 1, 1, 1, 1, 1, 80, 'phishing')`)
    database.run(`INSERT INTO counter VALUES ('active', 'domain', 1), ('published', 'domain', 1),
      ('listed_day', '1970-01-01', 1), ('source', 'feed', 1)`)
    if (version >= 3) {
      const hash = hashListedDomains(database)
      database.run(`UPDATE meta SET list_seq = 4096, set_hash = '${hash}'`)
    }
    database.run(`PRAGMA application_id = ${0x77656972}`)
    database.run(`PRAGMA user_version = ${version}`)
    database.close()
  }

  open(): WriteStore {
    return WriteStore.open({ dataDir: this.dataDir, role: 'background', now: () => startOfTest })
  }

  [Symbol.dispose](): void {
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

describe('a database of an older schema', () => {
  for (let version = 1; version < schemaVersion; version++) {
    test(`of version ${version} opens, keeps what it holds, and can do what is new`, async () => {
      using old = new OldDatabase(version)
      const store = old.open()
      expect(store.meta().epoch).toBe('old-epoch')
      expect(store.byValue('old.example', 'domain')).toMatchObject({ isPublished: true })
      const hash = new Bun.CryptoHasher('sha256').update('old.example').digest('hex')
      expect(store.meta()).toMatchObject({ listSeq: 4096, setHash: hash.slice(0, 32) })
      const at = startOfTest
      const source = sourceNamed('feed')
      const write = (operation: Parameters<WriteStore['write']>[0]['operations'][number]) =>
        store.write({ at, operations: [operation] })
      await write({ op: 'switchSource', source, enabled: false, isWithdrawn: true })
      await write({ op: 'withhold', source: 'feed', after: 0 })
      expect(store.byValue('old.example', 'domain')).toMatchObject({ isActive: false })
      await write({ op: 'switchSource', source, enabled: true, isWithdrawn: false })
      await write({ op: 'reinstate', source: 'feed', after: 0 })
      expect(store.byValue('old.example', 'domain')).toMatchObject({ isActive: true })
      await write({ op: 'nameBrands', rules: 'r', names: [{ id: 1, brand: 'Old' }], next: null })
      expect(store.byValue('old.example', 'domain')).toMatchObject({ targetBrand: 'Old' })
      expect(store.meta()).toMatchObject({ brandRules: 'r', brandsAfter: null })
      store.close()
    })

    test(`of version ${version} is copied before it is changed`, () => {
      using old = new OldDatabase(version)
      old.open().close()
      const [name = '', ...others] = readdirSync(join(old.dataDir, 'backups'))
      expect(others).toEqual([])
      expect(name).toStartWith(`weir-before-schema-${version + 1}-`)
      const copy = new Database(join(old.dataDir, 'backups', name), { readonly: true })
      expect(copy.query('PRAGMA user_version').get()).toEqual({ user_version: version })
      expect(copy.query('SELECT value FROM indicator').all()).toEqual([{ value: 'old.example' }])
      copy.close()
      old.open().close()
      expect(readdirSync(join(old.dataDir, 'backups')).length).toBe(1)
    })
  }

  test('a new database is no older one: nothing is copied', () => {
    using old = new OldDatabase(1)
    rmSync(old.path)
    old.open().close()
    expect(readdirSync(old.dataDir)).not.toContain('backups')
  })
})
