/** The newest active indicators, with the brands and families they belong to: the content of an export. */

import { toSubjectKey } from '../../model/stix-id.ts'
import type { Exported, ExportedIndicator, NewestRange } from '../../store/exported.ts'
import type { ReadStore } from '../../store/store.ts'
import { sliceObjects } from './collections.ts'
import {
  commonObjects,
  indicatorObject,
  relationshipObject,
  type StixRecord,
  subjectObjects,
} from './stix.ts'

/** A selection of indicators. */
export interface Newest {
  /** Only those that belong to one of these brands (`toSubjectKey`); null for all. */
  readonly brandKeys: readonly string[] | null
  /** Only versions made after this time, milliseconds since the epoch; null for all. */
  readonly since: number | null
  /** Only what was dated before this, microseconds since the epoch; null for all. */
  readonly before: number | null
  /** Maximum number of indicators; brands and families are not counted. */
  readonly limit: number
}

/** Returns the range of dates of a selection. */
function toRange({ since, before, limit }: Newest): NewestRange {
  // To the end of the caller's millisecond.
  const after = since === null ? 0 : since * 1000 + 999
  return { after, before: before ?? Number.MAX_SAFE_INTEGER, limit }
}

/** Returns the date before which the next export begins; null when all indicators fit. O(limit), in an index. */
export function beforeNext({ exported }: ReadStore, newest: Newest): number | null {
  const range = toRange({ ...newest, limit: newest.limit + 1 })
  const dates = exported.newestDates(range, newest.brandKeys)
  return dates.length > newest.limit ? (dates[newest.limit - 1] ?? null) : null
}

/**
 * Yields the newest indicators in slices, each after its brand and family, and before them all the common
 * objects. No object refers to one that is missing.
 */
export function* newestObjects(store: ReadStore, newest: Newest): Generator<readonly StixRecord[]> {
  const { exported } = store
  const { brandKeys } = newest
  const written = new Set<string>()
  const { after, ...first } = toRange(newest)
  let { before, limit: missing } = first
  let isFirst = true
  while (missing > 0) {
    const range = { after, before, limit: Math.min(sliceObjects, missing) }
    // Rows, brands and families are of one moment.
    const { rows, objects } = store.atOnce(() => {
      const rows = exported.newest(range, brandKeys)
      return { rows, objects: rows.flatMap((row) => withSubjects(exported, row, written)) }
    })
    if (isFirst && objects.length > 0) yield commonObjects(store.meta().bornAt)
    isFirst = false
    yield objects
    missing -= rows.length
    before = rows.at(-1)?.dateAdded ?? 0
    if (rows.length < range.limit) return
  }
}

/** Returns an indicator after its brand and family, unless they are already written, and its relationships. */
function withSubjects(
  exported: Exported,
  row: ExportedIndicator,
  written: Set<string>,
): StixRecord[] {
  const { targetBrand: brand, malwareFamily: family } = row
  const indicator = indicatorObject(row)
  if (brand === null && family === null) return [indicator]
  const objects: StixRecord[] = []
  const relationships: StixRecord[] = []
  for (const [kind, name] of [
    ['brand', brand],
    ['family', family],
  ] as const) {
    if (name === null) continue
    const key = toSubjectKey(name)
    const relationship = exported.relationship(row, kind, key)
    if (relationship === null) continue
    relationships.push(relationshipObject(relationship))
    if (written.has(`${kind} ${key}`)) continue
    written.add(`${kind} ${key}`)
    const subject = exported.subject(kind, key)
    if (subject !== null) objects.push(...subjectObjects(subject))
  }
  return [...objects, indicator, ...relationships]
}
