/**
 * What a TAXII request asks of a collection: `match[…]` filters (TAXII 2.1 §3.4), and cursors, which carry
 * all that the next page needs and nothing that a server would have to remember.
 */

import { parseInstant } from '../model/instant.ts'
import type { Result } from '../model/result.ts'
import { type CollectionName, collectionNames, noFilter, type ObjectFilter } from './collections.ts'

/** The fields that can be matched, each as it came; null where it did not. */
export interface Match {
  readonly id: string | null
  readonly type: string | null
  readonly version: string | null
  readonly spec_version: string | null
}

export const matchFields = ['id', 'type', 'version', 'spec_version'] as const
export type MatchField = (typeof matchFields)[number]

/** The one version of STIX that there is here. */
const specVersion = '2.1'

/** The words for versions: the latest is the only one that is kept, so they all mean it. */
const versionWords = ['last', 'first', 'all']

/** Longer filters would not fit into a cursor that fits into an address. */
const matchLengthMax = 8_192

/** Each is looked for by itself. */
const versionsMax = 100

const itemsOf = (text: string | null): readonly string[] | null =>
  text === null ? null : text.split(',').map((item) => item.trim())

/** Returns what is to be matched, `nothing` where nothing can be, or the field that cannot be read. */
export function filterOf(
  match: Match,
): Result<ObjectFilter | 'nothing', `bad_${MatchField}` | 'long_match'> {
  const lengths = matchFields.map((field) => match[field]?.length ?? 0)
  if (lengths.reduce((sum, length) => sum + length) > matchLengthMax) {
    return { ok: false, reason: 'long_match' }
  }
  const items = {
    id: itemsOf(match.id),
    type: itemsOf(match.type),
    version: itemsOf(match.version),
    spec_version: itemsOf(match.spec_version),
  }
  for (const field of matchFields) {
    if (items[field]?.includes('')) return { ok: false, reason: `bad_${field}` }
  }
  const versions = versionsOf(items.version)
  if (versions === 'wrong') return { ok: false, reason: 'bad_version' }
  if (items.spec_version?.includes(specVersion) === false) return { ok: true, value: 'nothing' }
  return { ok: true, value: { ...noFilter, ids: items.id, types: items.type, versions } }
}

function versionsOf(items: readonly string[] | null): readonly number[] | null | 'wrong' {
  if (items === null) return null
  if (items.length > versionsMax || (items.includes('all') && items.length > 1)) return 'wrong'
  const times: number[] = []
  let isAny = false
  for (const item of items) {
    if (versionWords.includes(item)) {
      isAny = true
      continue
    }
    const instant = parseInstant(item, 'strict')
    if (instant === null) return 'wrong'
    // Finer times than a version has name none.
    if (instant.microseconds % 1000 === 0) times.push(instant.microseconds / 1000)
  }
  return isAny ? null : times
}

/** Where a page has ended, and what it was a page of. */
export interface TaxiiPosition {
  readonly collection: CollectionName
  /** The date of the last object that was given, microseconds since the epoch. */
  readonly after: number
  readonly match: Match
}

const cursorVersion = 1

/** Returns a position as a cursor: with filters of 8,192 characters it still fits into an address. */
export function taxiiCursorOf({ collection, after, match }: TaxiiPosition): string {
  const parts = [cursorVersion, collection, after, ...matchFields.map((field) => match[field])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string'

/** Reads a cursor; null when it is none. */
export function taxiiPositionOf(cursor: string): TaxiiPosition | null {
  const parts = partsOf(cursor)
  const [version, named, after, id, type, ofVersion, ofSpecVersion, ...rest] = parts
  const collection = collectionNames.find((name) => name === named)
  if (version !== cursorVersion || collection === undefined || rest.length > 0) return null
  if (typeof after !== 'number' || !Number.isSafeInteger(after) || after < 0) return null
  if (!isTextOrNull(id) || !isTextOrNull(type)) return null
  if (!isTextOrNull(ofVersion) || !isTextOrNull(ofSpecVersion)) return null
  const match = { id, type, version: ofVersion, spec_version: ofSpecVersion }
  const position = { collection, after, match }
  // Whatever else decodes to the same is no cursor of weir's.
  return taxiiCursorOf(position) === cursor ? position : null
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const normal = (text: string): string => [...new Set(itemsOf(text))].sort().join()

/**
 * Returns the filters of a page that goes on from a cursor: those of the page before. Naming one of them
 * again is allowed, changing one is not: then the field is returned.
 */
export function inheritedMatch(given: Match, before: Match): Result<Match, MatchField> {
  for (const field of matchFields) {
    const [now, then] = [given[field], before[field]]
    if (now === null) continue
    if (then === null || normal(now) !== normal(then)) return { ok: false, reason: field }
  }
  return { ok: true, value: before }
}
