/**
 * The database's numbered migrations.
 *
 * Tables are of two kinds. *Replicated* tables change only through `Store.write`, so that the same
 * batches applied elsewhere under the same numbers give the same rows. *Local* tables hold what one
 * process keeps for itself (caches, leases). Each migration says which is which.
 */

import { textTables } from './text-tables.ts'

/** Each migration takes the schema from version `index` to `index + 1`; none is ever edited. */
export const migrations: readonly string[] = [
  `
  -- Replicated. One row: the sequence and what a reader needs at once.
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,               -- random; new at creation and at every restore
    born_at INTEGER NOT NULL,
    batch INTEGER NOT NULL,            -- number of the last batch
    seq INTEGER NOT NULL,              -- number of the last change of meaning
    oldest_seq INTEGER NOT NULL,       -- the horizon: a client that asks from before it must resync
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

  -- Replicated. One reading of a source's full list; without ended_at it ended no sightings.
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
  `
  -- Replicated. Is the list all that its publisher lists, or only what is recent? The operator's
  -- word: enabled (null: as weir's description of the source says), and everything taken back.
  ALTER TABLE source ADD COLUMN listing TEXT NOT NULL DEFAULT 'full'
    CHECK (listing IN ('full', 'recent'));
  ALTER TABLE source ADD COLUMN enabled INTEGER CHECK (enabled IN (0, 1));
  ALTER TABLE source ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn IN (0, 1));

  -- Replicated. Ended only because its source was withdrawn: comes back with it.
  ALTER TABLE sighting ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0 CHECK (withheld IN (0, 1));

  -- Replicated. What the row's flag was before the operator's word, to be given back after it.
  ALTER TABLE decision ADD COLUMN do_not_block INTEGER NOT NULL DEFAULT 0
    CHECK (do_not_block IN (0, 1));

  -- Replicated. What no list may block, as guard sources say.
  CREATE TABLE guard (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES source (id),
    kind TEXT NOT NULL CHECK (kind IN ('name', 'platform', 'network', 'digest')),
    value TEXT NOT NULL,
    mode TEXT CHECK (mode IN ('tenant', 'page', 'redirect')), -- of a platform
    run_id INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX guard_by_value ON guard (value, kind, source_id);
  CREATE INDEX guard_by_source ON guard (source_id, id);
  CREATE INDEX guard_by_kind ON guard (kind, id);

  -- What has been delisted for long is found by when it last changed, to be forgotten.
  CREATE INDEX indicator_delisted ON indicator (date_added) WHERE active = 0 AND decision IS NULL;

  -- Local. How fetching each source went, by its name. Times are milliseconds since the epoch.
  CREATE TABLE fetch (
    source TEXT PRIMARY KEY,
    checked_at INTEGER NOT NULL,  -- the last attempt
    succeeded_at INTEGER,         -- the last one that brought the list, or word that it is unchanged
    failed_at INTEGER,
    error TEXT,                   -- of the last attempt; null when it succeeded
    failures INTEGER NOT NULL,    -- in a row
    next_at INTEGER NOT NULL,     -- not before this
    url TEXT,                     -- what the validators belong to
    etag TEXT,
    last_modified TEXT,
    position TEXT,                -- how far an archive of many documents has been read
    reading TEXT                  -- by which run, and how, the last good list was read
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Replicated. The list of published domains: the number of its last change, and its set hash in hex,
  -- which is filled in from the rows.
  ALTER TABLE meta ADD COLUMN list_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE meta ADD COLUMN set_hash TEXT NOT NULL DEFAULT '00000000000000000000000000000000';
  UPDATE meta SET list_seq = seq;
  `,
  `
  -- Replicated. The look-alike rules by which brands were last filled in, and the indicator at which
  -- that has to go on; null: it is complete.
  ALTER TABLE meta ADD COLUMN brand_rules TEXT NOT NULL DEFAULT '';
  ALTER TABLE meta ADD COLUMN brands_after INTEGER DEFAULT 0;

  -- Replicated. How often people reported calls from a number, as one source counts them.
  CREATE TABLE reported_call (
    indicator_id INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    day INTEGER NOT NULL,              -- midnight UTC, milliseconds since the epoch
    subject TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (indicator_id, source_id, day, subject)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Replicated. What exports (STIX, TAXII) say of an indicator: is it an object of theirs now, which
  -- generation of it (a mistake is taken back for good, and comes back as another object), since when, with
  -- which confidence as of its last change, and does any relationship name it?
  ALTER TABLE indicator ADD COLUMN exported INTEGER NOT NULL DEFAULT 0 CHECK (exported IN (0, 1));
  ALTER TABLE indicator ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE indicator ADD COLUMN created_at INTEGER;
  ALTER TABLE indicator ADD COLUMN stated_confidence INTEGER;
  ALTER TABLE indicator ADD COLUMN in_campaigns INTEGER NOT NULL DEFAULT 0
    CHECK (in_campaigns IN (0, 1));
  CREATE INDEX indicator_exported_domains ON indicator (date_added)
    WHERE exported = 1 AND type = 'domain';
  CREATE INDEX indicator_exported_others ON indicator (date_added)
    WHERE exported = 1 AND type <> 'domain';
  CREATE INDEX indicator_exported_campaigns ON indicator (date_added)
    WHERE exported = 1 AND in_campaigns = 1;
  CREATE INDEX indicator_exported_brands ON indicator (lower(target_brand), date_added)
    WHERE exported = 1 AND target_brand IS NOT NULL;

  -- Replicated. What exported indicators belong to: brands that are imitated, malware families. Their
  -- objects take the microseconds from date_added on.
  CREATE TABLE stix_subject (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('brand', 'family')),
    key TEXT NOT NULL,                 -- the name in lower case
    name TEXT NOT NULL,                -- as it was first written
    created_at INTEGER NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)), -- does an exported indicator belong to it?
    date_added INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX stix_subject_by_key ON stix_subject (kind, key);
  CREATE UNIQUE INDEX stix_subject_by_date ON stix_subject (kind, date_added);

  -- Replicated. An indicator belongs, or belonged, to a subject. Ended ones may stand again, revoked
  -- ones never.
  CREATE TABLE stix_relationship (
    indicator_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('brand', 'family')),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('stands', 'ended', 'revoked')),
    date_added INTEGER NOT NULL,
    PRIMARY KEY (indicator_id, generation, kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX stix_relationship_by_date ON stix_relationship (date_added);

  -- Replicated. Exported indicators that are exported no longer, each as of its end. Ended ones may be
  -- exported again, revoked ones only as the next generation.
  CREATE TABLE stix_past (
    indicator_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    revoked INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    in_campaigns INTEGER NOT NULL CHECK (in_campaigns IN (0, 1)),
    date_added INTEGER NOT NULL,
    PRIMARY KEY (indicator_id, generation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX stix_past_domains ON stix_past (date_added) WHERE type = 'domain';
  CREATE INDEX stix_past_others ON stix_past (date_added) WHERE type <> 'domain';
  CREATE INDEX stix_past_campaigns ON stix_past (date_added) WHERE in_campaigns = 1;

  -- Replicated. The last generation that was revoked, of indicators that have been forgotten since.
  CREATE TABLE stix_revoked (
    value TEXT NOT NULL,
    type TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (value, type)
  ) STRICT, WITHOUT ROWID;

  -- Replicated. Where an object is found by its id: the first 48 bits of its UUID, and the indicator, or as
  -- a negative number the subject, that it is made of.
  CREATE TABLE stix_id (
    key INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    PRIMARY KEY (key, owner)
  ) STRICT, WITHOUT ROWID;
  `,
  textTables,
]
