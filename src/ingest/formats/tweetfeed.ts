/**
 * Reads TweetFeed: indicators that people post, collected from X. Lines without a header:
 *
 *     2025-09-22 00:00:08,user,domain,login.example.com,#scam #phishing,https://x.com/user/status/1
 *
 * The type is ip, url, domain, md5 or sha256. TweetFeed takes names of attachments for domains. A post has
 * no confidence of its own, so entries get that of the source.
 */

import { type ThreatType, threatTypes } from '../../model/indicator.ts'
import { openSplitter, placesFormat } from './csv.ts'
import { type EntryKind, type Item, type LineFormat, refusedRow, toEntry } from './format.ts'
import { parseTime } from './time.ts'

const columns = 6

const kinds: ReadonlyMap<string, EntryKind> = new Map([
  ['ip', 'address'],
  ['url', 'url'],
  ['domain', 'name'],
  ['md5', 'digest'],
  ['sha256', 'digest'],
])

/** The tags of each threat: its own names, and the malware that TweetFeed searches for. */
const tagsByThreat: Readonly<Record<ThreatType, string>> = {
  phishing: '#phishing #phish #smishing #phishingkit',
  malware:
    '#malware #maldoc #ransomware #banker #stealer #infostealer #rat #loader #trojan #botnet #c2 ' +
    '#agenttesla #alienbot #asyncrat #bazarloader #batloader #cobaltstrike #dcrat #emotet #formbook ' +
    '#gootloader #guloader #icedid #lokibot #njrat #qakbot #raccoon #redline #remcos ' +
    '#raspberryrobin #socgholish #ursnif',
  scam: '#scam',
  spam: '#spam',
}

const threats: ReadonlyMap<string, ThreatType> = new Map(
  threatTypes.flatMap((type) => tagsByThreat[type].split(' ').map((tag) => [tag, type] as const)),
)

/** Returns the threat that the tags of a post name; of several, the first of weir's threat types. */
function findThreat(tags: string): ThreatType | undefined {
  const named = new Set(
    tags
      .toLowerCase()
      .split(' ')
      .map((tag) => threats.get(tag)),
  )
  return threatTypes.find((type) => named.has(type))
}

/** Endings of files of which none is a top-level domain. */
const fileEndings: ReadonlySet<string> = new Set(
  (
    '7z apk avi bat bin cmd csv dll doc docm docx exe gif gz hta htm html img iso jar jpeg jpg js lnk ' +
    'mp3 mp4 msi pdf png ppt pptx ps1 rar rtf scr svg tar txt vbs wsf xls xlsb xlsm xlsx xml'
  ).split(' '),
)

/** Endings of files that are top-level domains as well. */
const fileDomains: ReadonlySet<string> = new Set(['zip', 'mov'])

/**
 * Reports whether a name is that of a file: `setup.exe`, where no name ends, or `invoice.pdf.zip`,
 * with two endings. Anyone may own `documents.zip`, and some use it for phishing.
 */
function isFileName(name: string): boolean {
  const [last = '', second = ''] = name.toLowerCase().split('.').reverse()
  return fileEndings.has(last) || (fileDomains.has(last) && fileEndings.has(second))
}

/** Returns the host name of an entry. */
function nameIn(kind: EntryKind, text: string): string {
  return kind === 'url' ? text.replace(/^[a-z]{1,10}:\/\//i, '').replace(/[/?#:].*$/, '') : text
}

function readPost(cells: readonly string[], take: (item: Item) => void): void {
  const [date = '', , type = '', text = '', tags = '', tweet] = cells
  const firstSeenAt = parseTime(date)
  if (cells.length !== columns || firstSeenAt === undefined || text === '') {
    take(refusedRow('malformed_row'))
    return
  }
  const kind = kinds.get(type)
  if (kind === undefined) take(refusedRow('unsupported_type'))
  else if (isFileName(nameIn(kind, text))) take(refusedRow('not_an_indicator'))
  else {
    // A file is malware, whatever it was sent with.
    const threatType = kind === 'digest' ? 'malware' : findThreat(tags)
    take(toEntry(kind, text, { threatType, reference: tweet, firstSeenAt }))
  }
}

/** Posts of one indicator each, by their place: date, user, type, value, tags, tweet. */
export const tweetfeed: LineFormat = placesFormat(() => openSplitter(','), readPost)

/** Reports whether a line is written as TweetFeed writes. */
export function isPost(line: string): boolean {
  const [date = '', , type = '', ...others] = line.split(',')
  return others.length >= 3 && kinds.has(type) && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date)
}
