/**
 * A list of some three thousand entries of every type that is exported, with values that are awkward to
 * write as JSON or as a pattern, and how many objects of each type the collections must hold for it.
 */

import { lines } from '../../commands/process.ts'

/** One row of a table that weir imports. */
export interface Entry {
  readonly column: 'domain' | 'url' | 'email' | 'ip' | 'sha256' | 'sha1' | 'md5'
  readonly value: string
  /** The brand that it imitates. */
  readonly brand?: string
  /** Does the row name the brand? If not, weir has to recognise it. */
  readonly isBrandTold?: boolean
  readonly family?: string
}

/** How many objects of each type there are. */
export type Counts = Readonly<Record<string, number>>

const awkwardNames = [
  "O'Brien & Söhne",
  'The "Bank"',
  'back\\slash',
  '銀行',
  '100 % [sic], {really}',
  '🏦 emoji',
]

/** What follows the host of a URL. */
const awkwardPaths = [
  "/it's?q='x'",
  '/a\\b\\c?d=\\',
  '/?back=\\\'\\"',
  '/with space?and=more space',
  '/"double"?q="x"',
  '/münchen/日本?ü=ß',
  '/🎣?🎣=🎣',
  '/%27%5C%22%20?x=%',
  '/100%?y=%zz',
  '/%00%0A%0d%7f?',
  '/<script>?a=<b>&c={d}|e^f`g',
  "/[file:hashes.MD5 = 'x'] OR [url:value = 'y']",
  '/;a=b,c=d?e;f,g',
  `/${'long/'.repeat(300)}`,
]

const parcelBrand = 'DHL'

/** Beginnings of names, each with the brand that weir recognises in it. */
const recognised = [
  ['paypal-login', 'PayPal'],
  ['netflix-account', 'Netflix'],
] as const

const times = (count: number, entry: (n: number) => Entry): Entry[] =>
  Array.from({ length: count }, (_, n) => entry(n))

/** Returns one of some values, each in turn. */
function inTurn<Value>(values: readonly [Value, ...Value[]] | readonly Value[], n: number): Value {
  const value = values[n % values.length]
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}

const digestOf = (algorithm: 'sha256' | 'sha1' | 'md5', n: number): string =>
  new Bun.CryptoHasher(algorithm).update(`sample ${n}`).digest('hex')

const familyOf = (n: number): string => `${inTurn(awkwardNames, n)} stealer`

/** The entries of the list. */
export const entries: readonly Entry[] = [
  ...times(1_100, (n) => {
    const [name, brand] = inTurn(recognised, n)
    // Among shorter numbers some are brands themselves.
    return { column: 'domain', value: `${name}-${10_000 + n}.example`, brand }
  }),
  ...times(20, (n) => ({
    column: 'domain',
    value: `dhl-parcel-${10_000 + n}.example`,
    brand: parcelBrand,
  })),
  ...times(1_400, (n) => ({ column: 'domain', value: `n${n}.example` })),
  ...times(60, (n) => ({
    column: 'domain',
    value: `bücher-${n}.example`,
    brand: inTurn(awkwardNames, n),
    isBrandTold: true,
    ...(n % 2 === 0 ? { family: familyOf(n) } : {}),
  })),
  ...times(140, (n) => ({
    column: 'url',
    value: `http://u${n}.example${inTurn(awkwardPaths, n)}`,
    ...(n % 3 === 0 ? { family: familyOf(n) } : {}),
  })),
  ...times(40, (n) => ({ column: 'sha256', value: digestOf('sha256', n), family: familyOf(n) })),
  ...times(20, (n) => ({ column: 'sha1', value: digestOf('sha1', n), family: familyOf(n) })),
  ...times(20, (n) => ({ column: 'md5', value: digestOf('md5', n), family: familyOf(n) })),
  ...times(20, (n) => ({
    column: 'email',
    value: `o'brien+${n}@m${n}.example`,
    brand: inTurn(awkwardNames, n),
    isBrandTold: true,
  })),
  ...times(10, (n) => ({ column: 'ip', value: `203.0.113.${n + 1}` })),
  ...times(10, (n) => ({ column: 'ip', value: `2001:db8::${n + 1}`, family: familyOf(n) })),
]

/** Reports whether a later edition of the list leaves an entry out: some of every type, all of a brand. */
export const isDropped = ({ column, value, brand }: Entry): boolean =>
  brand === parcelBrand ||
  column === 'email' ||
  column === 'sha1' ||
  column === 'md5' ||
  column === 'ip' ||
  /^http:\/\/u1?\d\./.test(value) ||
  /^n\d+7\./.test(value)

const columns = [
  'domain',
  'url',
  'email',
  'ip',
  'sha256',
  'sha1',
  'md5',
  'brand',
  'family',
] as const

const cellOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Returns entries as a table. */
export function tableOf(rows: readonly Entry[]): string {
  const cells = (entry: Entry): string[] =>
    columns.map((column) => {
      if (column === 'brand') return cellOf(entry.isBrandTold === true ? (entry.brand ?? '') : '')
      if (column === 'family') return cellOf(entry.family ?? '')
      return column === entry.column ? cellOf(entry.value) : ''
    })
  return lines(columns.join(), ...rows.map((entry) => cells(entry).join()))
}

/** Returns what there is of something, leaving out what there is nothing of. */
const countsOf = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

/** Returns how many relationships an indicator has: to its brand and to its family. */
export const relationshipsOf = ({ brand, family }: Entry): number =>
  (brand === undefined ? 0 : 1) + (family === undefined ? 0 : 1)

/** Returns how many different values there are. */
const distinct = (values: readonly (string | undefined)[]): number =>
  new Set(values.filter((value) => value !== undefined)).size

/** The marking and the publisher, which every collection begins with. */
const common = { 'marking-definition': 1, identity: 1 } as const

/** The titles of the collections. */
export type CollectionTitle = 'domain-blacklist' | 'phishing-urls' | 'campaigns'

/** Returns how many objects of each type each collection holds for entries that are all listed. */
export function countsFor(rows: readonly Entry[]): Readonly<Record<CollectionTitle, Counts>> {
  const domains = rows.filter(({ column }) => column === 'domain').length
  const related = rows.filter((row) => relationshipsOf(row) > 0)
  const brands = distinct(rows.map(({ brand }) => brand))
  return {
    'domain-blacklist': countsOf({ ...common, indicator: domains }),
    'phishing-urls': countsOf({ ...common, indicator: rows.length - domains }),
    campaigns: countsOf({
      'marking-definition': 1,
      identity: 1 + brands,
      'intrusion-set': brands,
      malware: distinct(rows.map(({ family }) => family)),
      indicator: related.length,
      relationship: brands + related.reduce((sum, row) => sum + relationshipsOf(row), 0),
    }),
  }
}

/** Returns how many objects of each type an export of all entries holds. */
export function exportCountsFor(rows: readonly Entry[]): Counts {
  return { ...countsFor(rows).campaigns, indicator: rows.length }
}

/** Returns how many objects there are of all types. */
export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
