/**
 * What exports say of the rows of an older database: everything published is exported as of its last
 * change. Subjects and relationships are dated after all rows. About four seconds a million rows.
 */

import type { Database } from 'bun:sqlite'
import { listSubjectIds, parseIdKey, toIndicatesId, toIndicatorId } from '../model/stix-id.ts'
import type { ExportSubject } from './exports.ts'
import type { IndicatorRow } from './indicators.ts'

/** `meta.date_added` is a whole millisecond; every record after it takes a block of four microseconds. */
const fillIn = {
  // Never on a whole millisecond: there is room for that in a row's block.
  indicators: `UPDATE indicator SET exported = 1, created_at = date_added / 1000,
      date_added = date_added + (date_added % 1000 = 0),
      stated_confidence = confidence,
      in_campaigns = target_brand IS NOT NULL OR malware_family IS NOT NULL
    WHERE published = 1 AND do_not_block = 0 AND type <> 'phone'`,
  subjects: `INSERT INTO stix_subject
    SELECT row_number() OVER (ORDER BY kind, key), kind, key, name,
      (block.date_added + 4 * row_number() OVER (ORDER BY kind, key) - 3) / 1000, 1,
      block.date_added + 4 * row_number() OVER (ORDER BY kind, key) - 3
    FROM meta AS block, (
      SELECT 'brand' AS kind, lower(target_brand) AS key, min(target_brand) AS name FROM indicator
        WHERE exported = 1 AND target_brand IS NOT NULL GROUP BY key
      UNION ALL
      SELECT 'family', lower(malware_family) AS key, min(malware_family) FROM indicator
        WHERE exported = 1 AND malware_family IS NOT NULL GROUP BY key)`,
  relationships: `INSERT INTO stix_relationship
    SELECT owner, 1, kind, key,
      (block.date_added + 4 * row_number() OVER (ORDER BY owner, kind) - 3) / 1000, 'stands',
      block.date_added + 4 * row_number() OVER (ORDER BY owner, kind) - 3
    FROM meta AS block, (
      SELECT id AS owner, 'brand' AS kind, lower(target_brand) AS key FROM indicator
        WHERE exported = 1 AND target_brand IS NOT NULL
      UNION ALL
      SELECT id, 'family', lower(malware_family) FROM indicator
        WHERE exported = 1 AND malware_family IS NOT NULL)`,
  counters: `INSERT INTO counter
    SELECT 'exported_' || kind, key, count(*) FROM stix_relationship GROUP BY kind, key`,
  dateOfSubjects: `UPDATE meta SET
    date_added = 1000 * ((date_added + 4 * (SELECT count(*) FROM stix_subject) + 999) / 1000)`,
  dateOfRelationships: `UPDATE meta SET
    date_added = 1000 * ((date_added + 4 * (SELECT count(*) FROM stix_relationship) + 999) / 1000)`,
} as const

type Exported = Pick<IndicatorRow, 'id' | 'type' | 'value' | 'generation'>

/** Fills in the tables of exports; belongs inside the transaction of the migration. */
export function fillInExports(database: Database): void {
  database.run(fillIn.indicators)
  database.run(fillIn.subjects)
  database.run(fillIn.dateOfSubjects)
  database.run(fillIn.relationships)
  database.run(fillIn.dateOfRelationships)
  database.run(fillIn.counters)
  fillInIds(database)
}

function fillInIds(database: Database): void {
  const note = database.prepare('INSERT OR IGNORE INTO stix_id VALUES (?1, ?2)')
  const exported = database.query<Exported, []>(
    'SELECT id, type, value, generation FROM indicator WHERE exported = 1',
  )
  for (const row of exported.iterate()) note.run(parseIdKey(toIndicatorId(row)), row.id)
  const related = database.query<Exported & Pick<ExportSubject, 'kind' | 'key'>, []>(
    `SELECT indicator.id, type, value, indicator.generation, kind, key FROM stix_relationship
      JOIN indicator ON indicator.id = indicator_id`,
  )
  for (const row of related.iterate()) {
    note.run(parseIdKey(toIndicatesId(row, row.kind, row.key)), row.id)
  }
  const subjects = database.query<Pick<ExportSubject, 'id' | 'kind' | 'key'>, []>(
    'SELECT id, kind, key FROM stix_subject',
  )
  for (const { id, kind, key } of subjects.iterate()) {
    for (const object of listSubjectIds(kind, key)) note.run(parseIdKey(object), -id)
  }
}
