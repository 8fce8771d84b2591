/**
 * Reads any table with a header whose columns have common names: the lists that people keep in
 * spreadsheets, and weir's own CSV.
 *
 * The first filled column that holds an indicator is the row's entry; the others describe it. A page must
 * never list its host, or a name its address. Each digest is an entry of its own.
 */

import { type ThreatType, threatTypes } from '../../model/indicator.ts'
import type { Table, TableHeader } from './csv.ts'
import { type EntryFields, type EntryKind, type Item, refusedRow, toEntry } from './format.ts'
import type { ReadField } from './publishers.ts'
import { parseTime } from './time.ts'

/** The columns that hold an indicator, the most exact first. */
const placeColumns: readonly (readonly [string, EntryKind])[] = [
  ['value', 'any'],
  ['indicator', 'any'],
  ['ioc', 'any'],
  ['url', 'url'],
  ['email', 'email'],
  ['hostname', 'name'],
  ['host', 'name'],
  ['fqdn', 'name'],
  ['domain', 'name'],
  ['domain_name', 'name'],
  ['ip', 'address'],
  ['ip_address', 'address'],
  ['ipv4', 'address'],
  ['ipv6', 'address'],
]

const digestColumns = ['sha256', 'sha_256', 'sha1', 'sha_1', 'md5', 'hash']

const indicatorColumns = [...placeColumns.map(([name]) => name), ...digestColumns]

/** What people write into an empty cell. */
const nothing: ReadonlySet<string> = new Set(['-', 'n/a', 'na', 'none', 'null', 'unknown', 'other'])

/** Returns the first of several columns that is filled. */
function readFirst(field: ReadField, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = field(name)
    if (text !== undefined && !nothing.has(text.toLowerCase())) return text
  }
  return undefined
}

function readFields(field: ReadField): EntryFields {
  const confidence = readFirst(field, 'confidence')
  const threat = readFirst(field, 'threat_type')?.toLowerCase()
  const malwareFamily = readFirst(field, 'family', 'malware', 'malware_family', 'signature')
  const plain: ThreatType | undefined = malwareFamily === undefined ? undefined : 'malware'
  return {
    threatType: threatTypes.find((type) => type === threat) ?? plain,
    confidence:
      confidence !== undefined && /^\d{1,3}$/.test(confidence) ? Number(confidence) : undefined,
    targetBrand: readFirst(field, 'brand', 'target', 'target_brand'),
    malwareFamily,
    reference: readFirst(field, 'reference', 'source_url'),
    firstSeenAt: parseTime(readFirst(field, 'first_seen', 'date', 'date_added')),
  }
}

function readRow(field: ReadField, take: (item: Item) => void): void {
  const words = readFields(field)
  const place = placeColumns.find(([name]) => readFirst(field, name) !== undefined)
  const digests = digestColumns
    .map((name) => readFirst(field, name))
    .filter((text) => text !== undefined)
  if (place === undefined && digests.length === 0) take(refusedRow('malformed_row'))
  if (place !== undefined) take(toEntry(place[1], readFirst(field, place[0]) ?? '', words))
  for (const digest of digests) take(toEntry('digest', digest, { ...words, threatType: 'malware' }))
}

/** The name of a column; a value of a row is seldom written like one. */
const word = /^[a-z][a-z0-9_()]{0,63}$/

/** Reports whether all names are words, except the first, which a spreadsheet may have left empty. */
function isHeader(header: TableHeader): boolean {
  return (
    indicatorColumns.some((name) => header.has(name)) &&
    header.names.every((name, index) => word.test(name) || (name === '' && index === 0))
  )
}

/** A table of indicators under common names, its columns separated by commas, tabs or semicolons. */
export const indicatorTable: Table = { delimiters: [',', '\t', ';'], isHeader, readRow }
