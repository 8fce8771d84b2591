/** The sixth migration: what people write and read, news and reports, and whom listings concern. Never edited. */

export const textTables = `
-- Replicated. Sources may bring news. (A check can only be changed with the table.)
CREATE TABLE source_with_news (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  home TEXT,
  licence TEXT,
  redistribute INTEGER NOT NULL CHECK (redistribute IN (0, 1)),
  role TEXT NOT NULL CHECK (role IN ('list', 'guard', 'weir', 'news')),
  confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
  threat_type TEXT NOT NULL CHECK (threat_type IN ('phishing', 'malware', 'scam', 'spam')),
  listing TEXT NOT NULL DEFAULT 'full' CHECK (listing IN ('full', 'recent')),
  enabled INTEGER CHECK (enabled IN (0, 1)),
  withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn IN (0, 1))
) STRICT;
INSERT INTO source_with_news SELECT * FROM source;
DROP TABLE source;
ALTER TABLE source_with_news RENAME TO source;

-- Replicated. Whom a listing concerns, decided when it was listed: 1 professional, 2 elder, 4 general,
-- added up; and the words that decided, as JSON.
ALTER TABLE indicator ADD COLUMN audiences INTEGER NOT NULL DEFAULT 0;
ALTER TABLE indicator ADD COLUMN audience_words TEXT;
CREATE INDEX indicator_for_professional ON indicator (listed_seq)
  WHERE published = 1 AND do_not_block = 0 AND (audiences & 1) <> 0;
CREATE INDEX indicator_for_elder ON indicator (listed_seq)
  WHERE published = 1 AND do_not_block = 0 AND (audiences & 2) <> 0;
CREATE INDEX indicator_for_general ON indicator (listed_seq)
  WHERE published = 1 AND do_not_block = 0 AND (audiences & 4) <> 0;
CREATE INDEX stix_subject_newest ON stix_subject (kind, created_at) WHERE active = 1;

-- Replicated. The number of the last change of an article or a report.
ALTER TABLE meta ADD COLUMN text_seq INTEGER NOT NULL DEFAULT 0;

-- Replicated. Articles of others, as their feeds tell of them.
CREATE TABLE news (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id),
  key TEXT NOT NULL,                 -- what the feed calls it
  link TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,           -- its letters and digits
  summary TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  audiences INTEGER NOT NULL,
  words TEXT,
  withheld INTEGER NOT NULL CHECK (withheld IN (0, 1)), -- its source has been taken back
  seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX news_by_key ON news (source_id, key);
CREATE UNIQUE INDEX news_by_seq ON news (seq);
CREATE INDEX news_by_link ON news (link);
CREATE INDEX news_by_title ON news (title_key, published_at);
CREATE INDEX news_by_date ON news (published_at);
CREATE INDEX news_of_source ON news (source_id, withheld);
CREATE INDEX news_for_professional ON news (published_at)
  WHERE withheld = 0 AND (audiences & 1) <> 0;
CREATE INDEX news_for_elder ON news (published_at) WHERE withheld = 0 AND (audiences & 2) <> 0;
CREATE INDEX news_for_general ON news (published_at) WHERE withheld = 0 AND (audiences & 4) <> 0;

-- Replicated. What strangers report; personal data in it is masked.
CREATE TABLE report (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,         -- random; what its reporter is given
  identity TEXT UNIQUE,              -- what a repetition of it has as well; null: nothing repeats it
  type TEXT NOT NULL CHECK (type IN
    ('url', 'email', 'phone', 'message', 'other', 'false_positive')),
  value TEXT,
  value_type TEXT,                   -- of an indicator; null: a text, or none
  description TEXT,
  target_brand TEXT,
  contact TEXT,
  status TEXT NOT NULL CHECK (status IN ('received', 'in_review', 'accepted', 'rejected')),
  reason TEXT,
  count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,       -- its status
  told_at INTEGER NOT NULL,          -- its last repetition
  audiences INTEGER NOT NULL,
  words TEXT,
  indicator_id INTEGER,              -- what was listed by accepting it
  personal_since INTEGER,            -- settled then; null: it is open, or erased as far as it is personal
  seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX report_by_seq ON report (seq);
CREATE INDEX report_by_status ON report (status, id);
CREATE INDEX report_by_value ON report (value) WHERE value IS NOT NULL;
CREATE INDEX report_by_indicator ON report (indicator_id) WHERE indicator_id IS NOT NULL;
CREATE INDEX report_personal ON report (personal_since) WHERE personal_since IS NOT NULL;
CREATE INDEX report_for_professional ON report (updated_at)
  WHERE status = 'accepted' AND type <> 'false_positive' AND (audiences & 1) <> 0;
CREATE INDEX report_for_elder ON report (updated_at)
  WHERE status = 'accepted' AND type <> 'false_positive' AND (audiences & 2) <> 0;
CREATE INDEX report_for_general ON report (updated_at)
  WHERE status = 'accepted' AND type <> 'false_positive' AND (audiences & 4) <> 0;

-- Replicated. Every step of a report, append-only.
CREATE TABLE report_event (
  report_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  by TEXT NOT NULL
) STRICT;
CREATE INDEX report_event_by_report ON report_event (report_id);
`
