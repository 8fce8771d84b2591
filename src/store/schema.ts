/**
 * The database: its numbered migrations and how a connection is opened.
 *
 * Tables are of two kinds. *Replicated* tables change only through `Store.write`, so that the same
 * batches applied elsewhere under the same numbers give the same rows. *Local* tables hold what one
 * process keeps for itself (caches, leases). Each migration says which is which.
 */

import { Database, SQLiteError } from 'bun:sqlite'
import { StoreError } from './store-error.ts'

/** Each migration takes the schema from version `index` to `index + 1`; none is ever edited. */
const migrations: readonly string[] = [
  `
  -- Replicated. One row: the sequence and what a reader needs at once.
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,               -- random; new at creation and at every restore
    born_at INTEGER NOT NULL,
    batch INTEGER NOT NULL,            -- number of the last batch
    seq INTEGER NOT NULL,              -- number of the last change of meaning
    oldest_seq INTEGER NOT NULL,       -- the horizon: whoever asks from before it must resync
    next_id INTEGER NOT NULL,          -- ids are never reused
    date_added INTEGER NOT NULL,       -- the last microsecond given
    changed_at INTEGER NOT NULL,       -- when the last change of meaning was written
    listed_changed_at INTEGER NOT NULL -- when the published domains last changed
  ) STRICT;

  -- Replicated. Where sightings come from.
  CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    home TEXT,
    licence TEXT,
    redistribute INTEGER NOT NULL CHECK (redistribute IN (0, 1)),
    role TEXT NOT NULL CHECK (role IN ('list', 'guard', 'weir')),
    confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
    threat_type TEXT NOT NULL CHECK (threat_type IN ('phishing', 'malware', 'scam', 'spam'))
  ) STRICT;

  -- Replicated. One reading of a source's full list; without ended_at it ended nobody's sightings.
  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES source (id),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    digest TEXT,                       -- SHA-256 of what was read, to skip an unchanged list
    seen INTEGER NOT NULL DEFAULT 0,   -- live sightings that carry this run
    read INTEGER NOT NULL DEFAULT 0,
    refused TEXT NOT NULL DEFAULT '{}' -- JSON object: reason -> count
  ) STRICT;
  CREATE INDEX run_by_source ON run (source_id, id);

  -- Replicated. One row per indicator, as weir speaks of it; delisted rows stay as tombstones.
  CREATE TABLE indicator (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN
      ('domain', 'url', 'ip', 'sha256', 'sha1', 'md5', 'email', 'phone')),
    value TEXT NOT NULL,
    host TEXT,
    platform TEXT,                     -- the shared-infrastructure apex it stands under
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    published INTEGER NOT NULL CHECK (published IN (0, 1)),
    do_not_block INTEGER NOT NULL CHECK (do_not_block IN (0, 1)),
    decision TEXT CHECK (decision IN ('block', 'allow')),
    threat_type TEXT NOT NULL CHECK (threat_type IN ('phishing', 'malware', 'scam', 'spam')),
    threat_level TEXT NOT NULL CHECK (threat_level IN ('low', 'medium', 'high', 'critical')),
    confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
    target_brand TEXT,
    target_brand_origin TEXT CHECK (target_brand_origin IN ('source', 'rules')),
    malware_family TEXT,
    sources TEXT NOT NULL,             -- names of redistributable live sources, space-separated
    reference TEXT,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    listed_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    listed_seq INTEGER NOT NULL,
    date_added INTEGER NOT NULL        -- microseconds; a block of four per row
  ) STRICT;
  CREATE UNIQUE INDEX indicator_by_value ON indicator (value, type);
  CREATE UNIQUE INDEX indicator_by_seq ON indicator (seq);
  CREATE INDEX indicator_blacklist ON indicator (listed_at DESC, value)
    WHERE published = 1 AND type = 'domain';
  CREATE INDEX indicator_pages ON indicator (host) WHERE type = 'url' AND active = 1;

  -- Replicated. What one source says of one indicator.
  CREATE TABLE sighting (
    indicator_id INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    live INTEGER NOT NULL CHECK (live IN (0, 1)),
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    ends_at INTEGER,                   -- missing since its source's last run; ends when this passes
    redistribute INTEGER NOT NULL,     -- the source's word when it was last seen
    confidence INTEGER NOT NULL,
    threat_type TEXT NOT NULL,
    target_brand TEXT,
    target_brand_origin TEXT,
    malware_family TEXT,
    reference TEXT,
    PRIMARY KEY (indicator_id, source_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sighting_by_source ON sighting (source_id, indicator_id);
  CREATE INDEX sighting_ending ON sighting (ends_at) WHERE ends_at IS NOT NULL;

  -- Replicated. The operator's word, above every feed; the row keeps the reason.
  CREATE TABLE decision (
    indicator_id INTEGER PRIMARY KEY,
    verdict TEXT NOT NULL CHECK (verdict IN ('block', 'allow')),
    reason TEXT NOT NULL,
    by TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER
  ) STRICT;
  CREATE INDEX decision_ending ON decision (until) WHERE until IS NOT NULL;

  -- Replicated. Append-only history of states: absent, listed, private (active, unpublished), delisted.
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    indicator_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    reason TEXT NOT NULL,
    by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX event_by_indicator ON event (indicator_id, seq);

  -- Local. Names the snapshot of the views that was written last; one from another history of this
  -- file, as after a restore, has another name.
  CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL
  ) STRICT;

  -- Replicated. Everything that is shown as a number; nothing is counted by scanning.
  CREATE TABLE counter (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;
  `,
]

/** The schema version this build reads and writes. */
export const schemaVersion = migrations.length

/** How long a connection waits for another writer: long off the serving thread, short on it. */
export const busyTimeoutMs = { background: 5_000, serving: 50 } as const

const cacheKiB = 65_536

/** Marks files as weir's, so that a foreign database is never migrated (ASCII "weir"). */
const applicationId = 0x77656972

/** Opens a connection with every pragma the store relies on; creates the file when asked to. */
export function openDatabase(path: string, waitMs: number, create: boolean): Database {
  const database = new Database(path, { create, readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${waitMs}`)
  // Before anything is written to the file, the journal mode included.
  refuseOthers(database, path)
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  database.run('PRAGMA trusted_schema = OFF')
  database.run('PRAGMA cell_size_check = ON')
  database.run('PRAGMA temp_store = MEMORY')
  database.run('PRAGMA mmap_size = 0')
  database.run('PRAGMA journal_size_limit = 67108864')
  database.run(`PRAGMA cache_size = -${cacheKiB}`)
  return database
}

function pragma(database: Database, name: string): number {
  const row = database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()
  return Object.values(row ?? {})[0] ?? 0
}

/** Throws a `StoreError` for a file that is newer than this build or not weir's at all. */
function refuseOthers(database: Database, path: string): void {
  const current = pragma(database, 'user_version')
  if (current > schemaVersion) {
    throw new StoreError('open', `${path} was written by a newer version of weir`, {
      hint: 'start that version, or restore a backup made by this one',
    })
  }
  const isForeign = pragma(database, 'application_id') !== applicationId
  if (isForeign && (current > 0 || pragma(database, 'schema_version') > 0)) {
    throw new StoreError('open', `${path} is a database, but not one of weir's`, {
      hint: 'point WEIR_DATA at another directory',
    })
  }
}

/**
 * Brings the file to this build's schema: a new file gets the schema, `epoch` and a birthday, an
 * older one its missing migrations, all in one transaction.
 */
export function migrate(database: Database, epoch: string, now: number): void {
  const version = pragma(database, 'user_version')
  if (version === schemaVersion && pragma(database, 'application_id') === applicationId) return
  const upgrade = database.transaction(() => {
    const current = pragma(database, 'user_version')
    for (const migration of migrations.slice(current)) database.run(migration)
    if (current === 0) {
      database
        .query<null, [string, number]>(
          `INSERT INTO meta VALUES (1, ?1, ?2, 0, 0, 0, 1, ?2 * 1000, ?2, ?2)`,
        )
        .run(epoch, now)
    }
    database.run(`PRAGMA application_id = ${applicationId}`)
    database.run(`PRAGMA user_version = ${schemaVersion}`)
  })
  upgrade.immediate()
}

/** Reports whether `error` says that another connection held the write lock for too long. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_BUSY') ?? false)
}

/** Reports whether `error` says that the file is damaged or no database at all. */
export function isCorrupt(error: unknown): boolean {
  return (
    error instanceof SQLiteError &&
    (error.code === 'SQLITE_NOTADB' || (error.code?.startsWith('SQLITE_CORRUPT') ?? false))
  )
}

/** Reports whether `error` says that the disk (or the allowed file size) is full. */
export function isFull(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === 'SQLITE_FULL'
}
