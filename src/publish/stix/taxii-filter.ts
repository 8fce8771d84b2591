/**
 * The parameters of a TAXII request: `match[…]` filters (TAXII 2.1 §3.4), and cursors, which contain all
 * that the next page needs, so that the server need not remember anything.
 */

import { parseInstant } from '../../model/instant.ts'
import type { Result } from '../../model/result.ts'
import { readCursor, toCursor } from '../cursor.ts'
import { type CollectionName, collectionNames, noFilter, type ObjectFilter } from './collections.ts'

/** The text of each `match` field; null where it is missing. */
export interface Match {
  readonly id: string | null
  readonly type: string | null
  readonly version: string | null
  readonly spec_version: string | null
}

export const matchFields = ['id', 'type', 'version', 'spec_version'] as const
export type MatchField = (typeof matchFields)[number]

/** The only version of STIX that weir serves. */
const servedVersion = '2.1'

/** The keywords for versions: only the latest is kept, so all of them select it. */
const versionWords = ['last', 'first', 'all']

/** Longer filters would make a cursor too long for a URL. */
const matchLengthMax = 8_192

/** Each id is looked up separately. */
const versionsMax = 100

const splitItems = (text: string | null): readonly string[] | null =>
  text === null ? null : text.split(',').map((item) => item.trim())

/** Returns the filter, `nothing` where no object can match, or the reason why a field is invalid. */
export function toObjectFilter(
  match: Match,
): Result<ObjectFilter | 'nothing', `bad_${MatchField}` | 'long_match'> {
  const lengths = matchFields.map((field) => match[field]?.length ?? 0)
  if (lengths.reduce((sum, length) => sum + length) > matchLengthMax) {
    return { ok: false, reason: 'long_match' }
  }
  const items = {
    id: splitItems(match.id),
    type: splitItems(match.type),
    version: splitItems(match.version),
    spec_version: splitItems(match.spec_version),
  }
  for (const field of matchFields) {
    if (items[field]?.includes('')) return { ok: false, reason: `bad_${field}` }
  }
  const versions = parseVersions(items.version)
  if (versions === 'wrong') return { ok: false, reason: 'bad_version' }
  if (items.spec_version?.includes(servedVersion) === false) return { ok: true, value: 'nothing' }
  return { ok: true, value: { ...noFilter, ids: items.id, types: items.type, versions } }
}

function parseVersions(items: readonly string[] | null): readonly number[] | null | 'wrong' {
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
    // Versions are whole milliseconds; a finer time matches none.
    if (instant.microseconds % 1000 === 0) times.push(instant.microseconds / 1000)
  }
  return isAny ? null : times
}

/** The end of a page, with its collection and filters. */
export interface TaxiiPosition {
  readonly collection: CollectionName
  /** The date of the last object of the page, microseconds since the epoch. */
  readonly after: number
  readonly match: Match
}

const cursorVersion = 1

/** Returns a position as a cursor: with filters of 8,192 characters it still fits into a URL. */
export function formatTaxiiCursor({ collection, after, match }: TaxiiPosition): string {
  const filters = matchFields.map((field) => match[field])
  return toCursor(cursorVersion, collection, after, JSON.stringify(filters))
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string'

/** Returns the position in a cursor; null when it is not a cursor. */
export function parseTaxiiCursor(cursor: string): TaxiiPosition | null {
  const [named, date, json = ''] = readCursor(cursor, /^1 (\S+) (\d{1,16}) (\[.*\])$/s) ?? []
  const collection = collectionNames.find((name) => name === named)
  const after = Number(date)
  const filters = parseFilters(json)
  if (collection === undefined || !Number.isSafeInteger(after) || filters === null) return null
  const [id = null, type = null, version = null, specVersion = null] = filters
  return { collection, after, match: { id, type, version, spec_version: specVersion } }
}

function parseFilters(json: string): readonly (string | null)[] | null {
  try {
    const filters: unknown = JSON.parse(json)
    const isRead = Array.isArray(filters) && filters.length === matchFields.length
    return isRead && filters.every(isTextOrNull) ? filters : null
  } catch {
    return null
  }
}

const normal = (text: string): string => [...new Set(splitItems(text))].sort().join()

/**
 * Returns the filters of a page after a cursor: those of the page before. A request may repeat them but
 * not change them: then the field is the reason.
 */
export function inheritedMatch(given: Match, before: Match): Result<Match, MatchField> {
  for (const field of matchFields) {
    const [now, then] = [given[field], before[field]]
    if (now === null) continue
    if (then === null || normal(now) !== normal(then)) return { ok: false, reason: field }
  }
  return { ok: true, value: before }
}
