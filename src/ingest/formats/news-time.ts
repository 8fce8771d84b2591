/**
 * Reads the times of news feeds: those of RFC 822 and its successors, of ISO 8601, and the variants that
 * content management systems write. A time that cannot be read is null; one without a zone, or with an
 * unknown zone, is UTC (RFC 5322 §4.3).
 */

import { parseTime } from './time.ts'

/** The longest text that can be a time. */
const timeLengthMax = 100

const hour = 60

/** Names of zones, in minutes east of Greenwich: those of RFC 822, and those that publishers use. */
const zones: ReadonlyMap<string, number> = new Map([
  ['HST', -10 * hour],
  ['AKST', -9 * hour],
  ['AKDT', -8 * hour],
  ['PST', -8 * hour],
  ['PDT', -7 * hour],
  ['MST', -7 * hour],
  ['MDT', -6 * hour],
  ['CST', -6 * hour],
  ['CDT', -5 * hour],
  ['EST', -5 * hour],
  ['EDT', -4 * hour],
  ['WEST', hour],
  ['BST', hour],
  ['CET', hour],
  ['CEST', 2 * hour],
  ['EET', 2 * hour],
  ['EEST', 3 * hour],
  ['JST', 9 * hour],
  ['AEST', 10 * hour],
  ['AEDT', 11 * hour],
])

const months =
  'january february march april may june july august september october november december'.split(' ')

const month = '(?<month>[a-z]{3,9})\\.?'
const clock = '(?<hours>\\d{1,2}):(?<minutes>\\d\\d)(?::(?<seconds>\\d\\d)(?:\\.\\d+)?)?'
const tail = `(?:,? (?:- |at )?${clock}(?: ?(?<half>[ap])\\.?m\\.?)?(?: ?(?<zone>(?:gmt|utc)?[+-]\\d\\d:?\\d\\d|[a-z]{1,5}))?)?`

/** `Thu, 14 Mar 2024 14:08:43 -0400`; the day of the week is ignored. */
const dayFirst = new RegExp(
  `^(?:[a-z]{2,9}\\.?,? )?(?<day>\\d{1,2})[ -]${month},?[ -](?<year>\\d{4}|\\d\\d)${tail}$`,
  'i',
)
/** `March 14, 2024 2:08 PM EDT`. */
const monthFirst = new RegExp(
  `^(?:[a-z]{2,9}\\.?,? )?${month} (?<day>\\d{1,2}),? (?<year>\\d{4})${tail}$`,
  'i',
)

/** Two digits are a year from 1950 to 2049 (RFC 5322 §4.3). */
function readYear(digits: string): number {
  const year = Number(digits)
  if (digits.length > 2) return year
  return year < 50 ? 2000 + year : 1900 + year
}

/** Returns the minutes east of Greenwich. */
function readOffset(zone: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign === undefined) return zones.get(zone.toUpperCase()) ?? 0
  const offset = Number(hours) * hour + Number(minutes)
  return sign === '-' ? -offset : offset
}

/** Returns the hour of the day; null when a clock of twelve hours cannot show it. */
function readHour(hours: number, half: string | undefined): number | null {
  if (half === undefined) return hours
  if (hours < 1 || hours > 12) return null
  return (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

function parseWritten(text: string): number | null {
  const groups = (dayFirst.exec(text) ?? monthFirst.exec(text))?.groups
  if (groups === undefined) return null
  const name = groups['month']?.toLowerCase() ?? ''
  const monthIndex = months.findIndex((full) => full.startsWith(name))
  const year = readYear(groups['year'] ?? '')
  const day = Number(groups['day'])
  const hours = readHour(Number(groups['hours'] ?? 0), groups['half'])
  const minutes = Number(groups['minutes'] ?? 0)
  const seconds = Number(groups['seconds'] ?? 0)
  if (monthIndex === -1 || hours === null || hours > 23 || minutes > 59 || seconds > 60) return null
  const midnight = new Date(Date.UTC(2000, monthIndex, 1))
  midnight.setUTCFullYear(year, monthIndex, day)
  // The 31st of a month with 30 days is a typo, and the intended day is unknown.
  if (day < 1 || midnight.getUTCDate() !== day) return null
  const minuteOfDay = hours * hour + minutes - readOffset(groups['zone'] ?? '')
  // A leap second is the last of its minute.
  return midnight.getTime() + minuteOfDay * 60_000 + Math.min(seconds, 59) * 1_000
}

/** Returns the time in milliseconds since the epoch; null when it cannot be read. */
export function parseNewsTime(text: string): number | null {
  // Some websites put the element that shows the time into the feed, escaped.
  const [, attribute] = /\bdatetime="([^"]{1,40})"/i.exec(text.slice(0, 500)) ?? []
  const written = (attribute ?? text).trim()
  if (written.length > timeLengthMax) return null
  // Text in brackets after a time is a comment.
  const plain = written.replace(/\s+/g, ' ').replace(/ ?\([^()]*\)$/, '')
  return parseTime(plain) ?? parseWritten(plain)
}
