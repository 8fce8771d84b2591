/**
 * The STIX export (specification §4, GET /api/v1/export/stix): indicators that stand, changed last first,
 * each with what it belongs to. Nothing in it refers to anything that is not in it.
 */

import { subjectKeyOf } from '../model/stix-id.ts'
import type { ExportedRow } from '../store/exported.ts'
import type { Store } from '../store/store.ts'
import { sliceObjects } from './collections.ts'
import {
  commonObjects,
  indicatorObject,
  relationshipObject,
  type StixObject,
  subjectObjects,
} from './stix.ts'

export interface ExportQuery {
  /** Only what belongs to the brand of this name or alias, in any case; null for all. */
  readonly campaign: string | null
  /** Only versions made after this time, milliseconds since the epoch; null for all. */
  readonly since: number | null
  /** The most indicators; what they belong to comes on top. */
  readonly limit: number
}

/** The part of the store that an export reads. */
type ExportStore = Pick<Store, 'exported' | 'meta' | 'atOnce'>

export interface StixExport {
  /** Returns the objects of an export, to be read a few at a time. O(limit). */
  page(query: ExportQuery): { slices(): Generator<readonly StixObject[]> }
}

/** Builds the export over a connection; `brandNamed` returns the brand that is meant by a text, or null. */
export function createStixExport(
  store: ExportStore,
  brandNamed: (text: string) => string | null,
): StixExport {
  /** Brands that weir does not know go by what their sources call them. */
  const keysOf = (campaign: string): readonly string[] =>
    [...new Set([campaign, brandNamed(campaign) ?? campaign])].map(subjectKeyOf)
  return {
    page: ({ campaign, since, limit }) => {
      const brandKeys = campaign === null ? null : [...new Set(keysOf(campaign))]
      return { slices: () => exportedObjects(store, { brandKeys, since, limit }) }
    },
  }
}

interface Chosen {
  readonly brandKeys: readonly string[] | null
  readonly since: number | null
  readonly limit: number
}

function* exportedObjects(
  store: ExportStore,
  { brandKeys, since, limit }: Chosen,
): Generator<readonly StixObject[]> {
  const { exported } = store
  // To the end of the millisecond that the caller knows.
  const after = since === null ? 0 : since * 1000 + 999
  const told = new Set<string>()
  let before = Number.MAX_SAFE_INTEGER
  let missing = limit
  while (missing > 0) {
    const range = { after, before, limit: Math.min(sliceObjects, missing) }
    // Rows and what they belong to are of one moment.
    const { rows, objects } = store.atOnce(() => {
      const rows = exported.newest(range, brandKeys)
      return { rows, objects: rows.flatMap((row) => withSubjects(exported, row, told)) }
    })
    const isFirst = before === Number.MAX_SAFE_INTEGER
    if (isFirst && objects.length > 0) yield commonObjects(store.meta().born_at)
    yield objects
    missing -= rows.length
    before = rows.at(-1)?.date_added ?? 0
    if (rows.length < range.limit) return
  }
}

/** Returns an indicator behind what it belongs to, each of which is told once, and its relationships. */
function withSubjects(
  exported: Store['exported'],
  row: ExportedRow,
  told: Set<string>,
): StixObject[] {
  const { target_brand: brand, malware_family: family } = row
  const indicator = indicatorObject(row)
  if (brand === null && family === null) return [indicator]
  const objects: StixObject[] = []
  const relationships: StixObject[] = []
  for (const [kind, name] of [
    ['brand', brand],
    ['family', family],
  ] as const) {
    if (name === null) continue
    const key = subjectKeyOf(name)
    const relationship = exported.relationship(row, kind, key)
    if (relationship === null) continue
    relationships.push(relationshipObject(relationship))
    if (told.has(`${kind} ${key}`)) continue
    told.add(`${kind} ${key}`)
    const subject = exported.subject(kind, key)
    if (subject !== null) objects.push(...subjectObjects(subject))
  }
  return [...objects, indicator, ...relationships]
}
