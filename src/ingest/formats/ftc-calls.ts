/**
 * Reads the unwanted calls that people report to the FTC, one file a day:
 *
 *     Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,
 *     Consumer_Area_Code,Subject,Recorded_Message_Or_Robocall
 *
 * A row is one report. A file becomes one entry per number, with the reports of the whole file counted by day
 * and subject: the same file gives the same entries again. Of a report only number, day and subject are kept;
 * the person's area code only shows that columns are not shifted.
 */

import type { CallSubject } from '../../model/phone.ts'
import type { CallCount } from '../../store/batch.ts'
import { openSplitter, TableHeader } from './csv.ts'
import { type DocumentFormat, type Item, type Refused, refusedRow, toEntry } from './format.ts'
import { parseTime } from './time.ts'

/** The columns, by which a file is known. */
const columns = [
  'company_phone_number',
  'created_date',
  'violation_date',
  'consumer_city',
  'consumer_state',
  'consumer_area_code',
  'subject',
  'recorded_message_or_robocall',
] as const

/** Topics of the FTC's form, in lower case with single spaces; any other is `other`. */
const subjects: ReadonlyMap<string, CallSubject> = new Map([
  ['calls pretending to be government, businesses, or family and friends', 'imposter'],
  ['charities', 'charity'],
  ['computer & technical support', 'tech_support'],
  ['debt collection', 'debt_collection'],
  ['dropped call or no message', 'dropped_call'],
  ['energy, solar, & utilities', 'energy'],
  ['home improvement & cleaning', 'home_improvement'],
  ['home security & alarms', 'home_security'],
  ['lotteries, prizes & sweepstakes', 'lottery_prize'],
  ['medical & prescriptions', 'medical'],
  ['no subject provided', 'none_given'],
  ['reducing your debt (credit cards, mortgage, student loans)', 'debt_reduction'],
  ['surveys & political calls', 'survey_political'],
  ['unknown', 'none_given'],
  ['vacation & timeshares', 'travel'],
  ['warranties & protection plans', 'warranty'],
  ['work from home & other ways to make money', 'work_from_home'],
])

/** The longest topic; the longest of the form has 68 characters. */
const subjectMax = 200

/** The most days and subjects that are counted for one number; a file of one day needs a few. */
const countsMax = 256

const dayMs = 86_400_000

const split = openSplitter(',')

/** The fields of a report that are kept. */
interface Report {
  readonly number: string
  readonly at: number
  readonly subject: CallSubject
}

/** The reports of one number in a file. */
interface Tally {
  firstAt: number
  readonly counts: Map<string, CallCount>
}

/** Returns the header; null when a file begins with anything else. */
function readHeader(line: string): TableHeader | null {
  const cells = split(line)
  const header = cells === null ? null : new TableHeader(split, cells)
  return header !== null && columns.every((name) => header.has(name)) ? header : null
}

/** Reports whether a text begins as the FTC's files do. */
export function isFtcCalls(text: string): boolean {
  const [line = ''] = text.split('\n', 1)
  return readHeader(line) !== null
}

/** Returns the subject of a topic; null when the text cannot be a topic. */
function readSubject(topic: string): CallSubject | null {
  if (topic === '') return 'none_given'
  const words = topic.toLowerCase().replace(/\s+/g, ' ')
  if (words.length > subjectMax || /^[\d\s:./-]+$/.test(words) || /^[yn]$/.test(words)) return null
  return subjects.get(words) ?? 'other'
}

/** Returns the report of a row; every field is checked, because in some rows they are shifted by one. */
function readRow(header: TableHeader, line: string): Report | Refused {
  const cells = split(line)
  if (cells?.length !== header.width) return refusedRow('malformed_row')
  const field = header.openRow(cells)
  const number = field('company_phone_number')
  const at = parseTime(field('created_date'))
  const violation = field('violation_date')
  const subject = readSubject(field('subject') ?? '')
  const isWhole =
    (violation === undefined || parseTime(violation) !== undefined) &&
    /^\d{0,4}$/.test(field('consumer_area_code') ?? '') &&
    /^[YN]?$/i.test(field('recorded_message_or_robocall') ?? '')
  if (at === undefined || subject === null || !isWhole) return refusedRow('malformed_row')
  if (number === undefined) return refusedRow('no_number')
  if (!/^\d{1,15}$/.test(number)) return refusedRow('malformed_row')
  // A number with and without its country code is one number.
  return { number: number.replace(/^1(?=\d{10}$)/, ''), at, subject }
}

function count({ counts }: Tally, { at, subject }: Report): void {
  const day = Math.floor(at / dayMs) * dayMs
  const key = `${day} ${subject}`
  const known = counts.get(key)
  if (known === undefined && counts.size >= countsMax) return
  counts.set(key, { day, subject, count: (known?.count ?? 0) + 1 })
}

/**
 * The format of the FTC's files. A file is held in memory while it is counted: the importer reads no document
 * over 64 MiB, 50 times the size of one day.
 */
export const ftcCalls: DocumentFormat = {
  kind: 'document',
  read(text) {
    const [first = '', ...lines] = text.split('\n')
    const header = readHeader(first)
    if (header === null) return { ok: false, reason: 'malformed' }
    const items: Item[] = []
    const tallies = new Map<string, Tally>()
    for (const line of lines) {
      if (line.trim() === '') continue
      const row = readRow(header, line)
      if ('kind' in row) {
        items.push(row)
        continue
      }
      const tally = tallies.get(row.number) ?? { firstAt: row.at, counts: new Map() }
      tallies.set(row.number, tally)
      tally.firstAt = Math.min(tally.firstAt, row.at)
      count(tally, row)
    }
    for (const [number, { firstAt, counts }] of tallies) {
      const calls = [...counts.values()]
      items.push(toEntry('phone', number, { firstSeenAt: firstAt, calls }))
    }
    return { ok: true, value: items }
  },
}
