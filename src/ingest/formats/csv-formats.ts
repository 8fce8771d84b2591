/**
 * The feeds in CSV or TSV, by name, and how each is recognised from its beginning. `publishers.ts` reads the
 * rows of publishers that also serve JSON.
 */

import {
  type FindHeader,
  isComment,
  openHeader,
  openSplitter,
  placesFormat,
  type Table,
  type TableHeader,
  tableFormat,
} from './csv.ts'
import { type Item, type LineFormat, refusedRow, toEntry } from './format.ts'
import { indicatorTable } from './indicator-table.ts'
import {
  certplItem,
  phishtankItem,
  type ReadField,
  threatfoxItem,
  urlhausItem,
} from './publishers.ts'
import { parseTime } from './time.ts'
import { isPost, tweetfeed } from './tweetfeed.ts'

/** Returns a test for a header that names at least these columns. */
const naming =
  (...names: readonly string[]) =>
  (header: TableHeader): boolean =>
    names.every((name) => header.has(name))

/** Returns a reader of tables in which each row is one item. */
const eachRow =
  (toItem: (field: ReadField) => Item): Table['readRow'] =>
  (field, take) =>
    take(toItem(field))

/** PhishTank: `phish_id,url,phish_detail_url,submission_time,verified,…,online,target`. */
const phishtank: Table = { isHeader: naming('phish_id', 'url'), readRow: eachRow(phishtankItem) }

/**
 * URLhaus: a banner, then `# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter`,
 * all cells quoted. Tags name families, packers, file types and campaigns alike, so they are ignored.
 */
const urlhaus: Table = { isHeader: naming('dateadded', 'url'), readRow: eachRow(urlhausItem) }

/**
 * ThreatFox: a banner, then `# "first_seen_utc","ioc_id","ioc_value","ioc_type",…`, a space after each
 * comma of the rows, `None` for an empty cell, and the number of rows in a comment at the end.
 */
const threatfox: Table = {
  isHeader: naming('ioc_value', 'ioc_type'),
  readRow: eachRow(threatfoxItem),
}

/**
 * MalwareBazaar: `# "first_seen_utc","sha256_hash","md5_hash","sha1_hash",…,"signature",…`, written
 * as ThreatFox writes. A row is one sample under up to three digests.
 */
const malwarebazaar: Table = {
  isHeader: naming('sha256_hash', 'md5_hash'),
  readRow(field, take) {
    const signature = field('signature')
    const words = {
      threatType: 'malware',
      malwareFamily: signature === 'n/a' ? undefined : signature,
      firstSeenAt: parseTime(field('first_seen_utc')),
    } as const
    const digests = ['sha256_hash', 'sha1_hash', 'md5_hash'].flatMap((name) => {
      const digest = field(name)
      return digest === undefined || digest === 'n/a' ? [] : [digest]
    })
    if (digests.length === 0) take(refusedRow('malformed_row'))
    for (const digest of digests) take(toEntry('digest', digest, words))
  },
}

/** The columns of CERT Polska's table as its JSON calls them, and in Polish. */
const certplColumns: ReadonlyMap<string, string> = new Map([
  ['DomainAddress', 'AdresDomeny'],
  ['InsertDate', 'DataWpisu'],
  ['DeleteDate', 'DataWykreslenia'],
])

/**
 * CERT Polska: `PozycjaRejestru`, `AdresDomeny`, `DataWpisu` and `DataWykreslenia`, separated by tabs
 * although its name ends in `.csv`. The last column is required: it marks what was withdrawn.
 */
const certpl: Table = {
  delimiters: ['\t', ';', ','],
  isHeader: (header) =>
    [...certplColumns].every(([name, polish]) => header.has(name) || header.has(polish)),
  readRow: (field, take) =>
    take(certplItem((name) => field(name) ?? field(certplColumns.get(name) ?? name))),
}

/** The confidence for a score below each bound, by PhishStats' own ranges; under 50 is only suspicious. */
const phishstatsWorth: readonly (readonly [below: number, confidence: number])[] = [
  [2, 30],
  [4, 45],
  [6, 70],
  [Number.POSITIVE_INFINITY, 90],
]

/**
 * PhishStats: a banner, then `# CSV: Date,Score,URL,IP`, all cells quoted. The score goes from 0 to
 * 10. The address is where the page was, often shared by thousands of sites.
 */
const phishstats: Table = {
  isHeader: naming('score', 'url'),
  readRow(field, take) {
    const url = field('url')
    const text = field('score') ?? ''
    const score = /^\d{1,2}(?:\.\d{1,4})?$/.test(text) ? Number(text) : null
    if (url === undefined) take(refusedRow('malformed_row'))
    else {
      const confidence =
        score === null ? undefined : phishstatsWorth.find(([below]) => score < below)?.[1]
      const firstSeenAt = parseTime(field('date'))
      take(toEntry('url', url, { threatType: 'phishing', confidence, firstSeenAt }))
    }
  },
}

/** Tranco: `rank,domain`, without a header; used as a guard. */
const tranco: LineFormat = placesFormat(
  () => openSplitter(','),
  ([rank = '', name = '', ...others], take) => {
    const isRow = /^\d{1,9}$/.test(rank) && name !== '' && others.length === 0
    take(isRow ? toEntry('name', name, {}) : refusedRow('malformed_row'))
  },
)

/**
 * Indicators by malware family, as in the companion list of Maltrail: `family`, `indicator` and `reference`
 * separated by tabs, without a header and without quotes. A remark may follow the indicator or surround the
 * reference; a path alone is left out, as it occurs on innocent hosts too.
 */
const familyIocs: LineFormat = placesFormat(
  () => (line) => line.split('\t'),
  (cells, take) => {
    const [malwareFamily = '', remarked = '', remark = ''] = cells
    const [text = ''] = remarked.split(' ', 1)
    if (cells.length !== 3 || malwareFamily === '' || text === '') {
      take(refusedRow('malformed_row'))
    } else if (text.startsWith('/')) {
      take(refusedRow('unsupported_type'))
    } else {
      const reference = remark.split(' ').find((part) => part.startsWith('http'))
      take(toEntry('any', text, { threatType: 'malware', malwareFamily, reference }))
    }
  },
)

/** The CSV formats, by name. */
export const csvFormats = {
  'phishtank-csv': tableFormat(phishtank),
  'urlhaus-csv': tableFormat(urlhaus),
  'threatfox-csv': tableFormat(threatfox),
  'malwarebazaar-csv': tableFormat(malwarebazaar),
  'certpl-csv': tableFormat(certpl),
  'phishstats-csv': tableFormat(phishstats),
  tweetfeed,
  'tranco-csv': tranco,
  'family-iocs': familyIocs,
  table: tableFormat(indicatorTable),
} as const satisfies Readonly<Record<string, LineFormat>>

/** The name of a CSV format. */
export type CsvFormatName = keyof typeof csvFormats

const publisherTables: readonly (readonly [CsvFormatName, Table])[] = [
  ['phishtank-csv', phishtank],
  ['urlhaus-csv', urlhaus],
  ['threatfox-csv', threatfox],
  ['malwarebazaar-csv', malwarebazaar],
  ['certpl-csv', certpl],
  ['phishstats-csv', phishstats],
]

/** The most lines of a sample that are examined. */
const sampleLinesMax = 200

/** The number of rows that decide what a table without a header is. */
const sampleRowsMax = 20

const isRanked = (line: string): boolean => {
  const [rank = '', name = '', ...others] = line.trim().split(',')
  return others.length === 0 && /^\d{1,9}$/.test(rank) && /[a-z]/i.test(name) && name.includes('.')
}

const isFamilyIoc = (line: string): boolean => {
  const [family = '', text = '', reference = '', ...others] = line.split('\t')
  const isFilled = /^[\w.-]{1,100}$/.test(family) && text !== '' && !text.includes(' ')
  return isFilled && others.length === 0 && reference.includes('://')
}

const shapes: readonly (readonly [CsvFormatName, (line: string) => boolean])[] = [
  ['tweetfeed', isPost],
  ['tranco-csv', isRanked],
  ['family-iocs', isFamilyIoc],
]

/**
 * Returns the CSV format of a file by its beginning: by its header, or without one by the form of nearly all
 * of its first rows; null when no format fits.
 */
export function recogniseCsv(sample: string): CsvFormatName | null {
  const lines = sample.split('\n', sampleLinesMax).filter((line) => line.trim() !== '')
  const firstRow = lines.findIndex((line) => !isComment(line))
  const head = firstRow === -1 ? lines : lines.slice(0, firstRow + 1)
  const names = (find: FindHeader): boolean => head.some((line) => find(line) !== null)
  const publisher = publisherTables.find(([, table]) => names(openHeader(table)))
  if (publisher !== undefined) return publisher[0]
  const rows = lines.filter((line) => !isComment(line))
  // The last line of a sample may be cut short.
  const whole = rows.slice(0, Math.max(1, Math.min(sampleRowsMax, rows.length - 1)))
  const shape = shapes.find(([, isRow]) => {
    return whole.length > 0 && whole.filter(isRow).length >= whole.length * 0.8
  })
  if (shape !== undefined) return shape[0]
  // A single column is a plain list, whatever its header.
  const findHeader = openHeader(indicatorTable)
  return head.some((line) => (findHeader(line)?.width ?? 0) > 1) ? 'table' : null
}
