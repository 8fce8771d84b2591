/**
 * Gives new dates to all that is exported, in its order. After a restore, what has changed since the backup is
 * as it was before, and clients have seen later versions: only a newer version corrects them.
 */

import type { Database } from 'bun:sqlite'

/** Each record gets a block of four microseconds after `meta.date_added`, which is a whole millisecond. */
const redated = (
  table: string,
): string => `UPDATE ${table} SET date_added = (SELECT date_added FROM meta) - 3
  + 4 * (SELECT place FROM dated WHERE was = ${table}.date_added)`

const redating = [
  `CREATE TEMP TABLE dated AS
    SELECT date_added AS was, row_number() OVER (ORDER BY date_added) AS place FROM (
      SELECT date_added FROM indicator WHERE exported = 1
      UNION ALL SELECT date_added FROM stix_past
      UNION ALL SELECT date_added FROM stix_relationship
      UNION ALL SELECT date_added FROM stix_subject)`,
  'CREATE UNIQUE INDEX temp.dated_by_date ON dated (was)',
  `${redated('indicator')} WHERE exported = 1`,
  redated('stix_past'),
  redated('stix_relationship'),
  redated('stix_subject'),
  `UPDATE meta SET
    date_added = 1000 * ((date_added + 4 * (SELECT count(*) FROM dated) + 999) / 1000)`,
  'DROP TABLE dated',
] as const

/** Gives every exported record a new `date_added`, and with it a new version. Some six seconds a million. */
export function redateExports(database: Database): void {
  database.transaction(() => {
    for (const statement of redating) database.run(statement)
  })()
}
