/**
 * The formats of the full lists as data: for each file its comment syntax, the lines before its entries,
 * the syntax of an entry, and which values its readers interpret correctly.
 *
 * Name servers and blockers load the files unchecked. Whatever the store contains, a value becomes one
 * entry about itself, or none: no second line, no directive, nothing about other names.
 */

import { endsInNumber } from '../../model/address.ts'
import { batchRowsMax } from '../../store/batch.ts'
import type { ListedType } from '../../store/listings.ts'
import { timeText } from '../wire.ts'

/** Every full list, by the name of its file. */
export const listNames = [
  'domains.txt',
  'domains.hosts',
  'domains.adblock',
  'domains.dnsmasq',
  'domains.unbound',
  'domains.rpz',
  'urls.txt',
] as const
export type ListName = (typeof listNames)[number]

/** The facts in the header of a list. */
export interface ListFacts {
  /** The number of the store's sequence that the list is as of. */
  readonly number: number
  /** When the list last changed, milliseconds since the epoch. */
  readonly changedAt: number
  readonly entryCount: number
  /** Each with its licence. */
  readonly sources: readonly string[]
  /** The public address of this weir. */
  readonly homepage: string
}

/** How a list is written. */
export interface ListFormat {
  readonly type: ListedType
  readonly comment: string
  /** Lines before the comments, and between them and the entries. */
  readonly first?: string
  readonly preamble?: (facts: ListFacts) => readonly string[]
  /** Reports whether a value is published; `lines` is only called for such values. */
  readonly isWanted: (value: string) => boolean
  /** Returns the entry of a value, line ends included. */
  readonly lines: (value: string) => string
}

/** The longest name of the DNS, in characters. */
const nameLengthMax = 253

const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/

/**
 * Reports whether a value is plainly a canonical name of two labels or more: nothing in it can begin
 * a line, a comment or a second name.
 */
export function isHostName(value: string): boolean {
  return value.length <= nameLengthMax && hostName.test(value)
}

/** Reports whether a value is a canonical name of two labels or more, and plainly no address. */
const isName = (value: string): boolean => isHostName(value) && !endsInNumber(value)

/** uBlock Origin applies a rule whose name starts with another character to every name with that ending. */
const startsPlainly = (name: string): boolean => /^[a-z0-9]/.test(name)

/**
 * A policy zone is loaded under a name that its reader chooses, and fails as a whole when this makes a
 * name too long: this length is reserved for it.
 */
const zoneLengthMax = 63
const policyNameLengthMax = nameLengthMax - '*.'.length - '.'.length - zoneLengthMax

/**
 * In a policy zone, names that end like this are rules about addresses, name servers and the reader's own
 * clients: `32.1.0.0.127.rpz-client-ip` would refuse all queries of the machine itself.
 */
const policyTrigger = /\.rpz-[a-z0-9_-]*$/

function isPolicyName(value: string): boolean {
  return isName(value) && value.length <= policyNameLengthMax && !policyTrigger.test(value)
}

/** Canonical URLs hold neither white space nor control characters, nor anything but ASCII. */
const plainUrl = /^(?:https?|ftp):\/\/[\x21-\x7e]+$/

/**
 * A zone's serial has 32 bits, a number of the sequence up to 53, so the serial is the number's batch: a
 * batch commits as a whole, so no two versions of a list share one, and there is room for four billion.
 */
const toSerial = (number: number): number => Math.floor(number / batchRowsMax)

/** Domains in the syntax that most readers of lists share. */
const domains = { type: 'domain', comment: '#', isWanted: isName } as const

/** How each list is written. */
export const listFormats: Readonly<Record<ListName, ListFormat>> = {
  'domains.txt': { ...domains, lines: (name) => `${name}\n` },
  'domains.hosts': { ...domains, lines: (name) => `0.0.0.0 ${name}\n` },
  'domains.adblock': {
    type: 'domain',
    comment: '!',
    first: '[Adblock Plus]',
    isWanted: (value) => isName(value) && startsPlainly(value),
    lines: (name) => `||${name}^\n`,
  },
  'domains.dnsmasq': { ...domains, lines: (name) => `local=/${name}/\n` },
  'domains.unbound': {
    ...domains,
    preamble: () => ['server:'],
    lines: (name) => `local-zone: "${name}" always_nxdomain\n`,
  },
  'domains.rpz': {
    type: 'domain',
    comment: ';',
    preamble: ({ number }) => [
      '$TTL 300',
      `@ SOA localhost. root.localhost. ${toSerial(number)} 3600 600 604800 300`,
      '@ NS localhost.',
    ],
    isWanted: isPolicyName,
    lines: (name) => `${name} CNAME .\n*.${name} CNAME .\n`,
  },
  'urls.txt': {
    type: 'url',
    comment: '#',
    isWanted: (value) => plainUrl.test(value),
    lines: (url) => `${url}\n`,
  },
}

const titles: Readonly<Record<ListedType, readonly [title: string, description: string]>> = {
  domain: [
    'weir phishing domains',
    'Domains of phishing, malware, scams and spam, without platforms that many people share',
  ],
  url: [
    'weir phishing URLs',
    'Pages of phishing, malware, scams and spam, one canonical address a line',
  ],
}

/** Longer lines break: dnsmasq reads the bytes after the 1,024th as another line. */
const headerValueLengthMax = 160

/** Returns `text` as one short line. */
function oneLine(text: string): string {
  const start = text.slice(0, headerValueLengthMax).toWellFormed()
  return start.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

/**
 * Returns everything before a list's entries. It does not contain the time of writing, so the same
 * version is always the same bytes.
 */
export function listHeader(name: ListName, facts: ListFacts): string {
  const { type, comment, first, preamble } = listFormats[name]
  const [title, description] = titles[type]
  const comments: readonly (readonly [key: string, value: string])[] = [
    ['Title', title],
    ['Description', description],
    ['Version', String(facts.number)],
    ['Last modified', timeText(facts.changedAt)],
    ['Expires', '1 hour'],
    ['Number of entries', String(facts.entryCount)],
    ['Licence', 'each entry has the licence of its sources'],
    ...facts.sources.map((source) => ['Source', source] as const),
    ['Homepage', facts.homepage],
  ]
  const lines = [
    ...(first === undefined ? [] : [first]),
    ...comments.map(([key, value]) => `${comment} ${key}: ${oneLine(value)}`),
    ...(preamble?.(facts) ?? []),
  ]
  return `${lines.join('\n')}\n`
}
