/** The formats weir reads, by name. */

import { csvFormats } from './csv-formats.ts'
import type { DocumentFormat, LineFormat, NewsFormat } from './format.ts'
import { ftcCalls } from './ftc-calls.ts'
import { jsonFormats } from './json-feeds.ts'
import { lineFormats } from './lines.ts'

/** The reader of news is loaded with the first feed of news: a start does not need it. */
const newsFormat: NewsFormat = {
  kind: 'news',
  read: async (text, address) => (await import('./news.ts')).readNewsItems(text, address),
}

const formats = {
  ...lineFormats,
  ...csvFormats,
  'ftc-calls': ftcCalls,
  ...jsonFormats,
  news: newsFormat,
}

/** The name of a format in `--format` and `data/sources.toml`. */
export type FormatName = keyof typeof formats

/** Returns the format of that name. */
export function findFormat(name: FormatName): LineFormat | DocumentFormat | NewsFormat {
  return formats[name]
}

/** Reports whether `name` names a format. */
export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(formats, name)
}

/** Formats of lists of what must not be blocked: they are read only as guards. */
const guardFormats: readonly string[] = ['misp-warninglist', 'tranco-csv'] satisfies FormatName[]

/** Reports whether a format lists innocent names. */
export function isGuardFormat(name: FormatName): boolean {
  return guardFormats.includes(name)
}

/** Reports whether a format holds articles; only such a format is read as news. */
export function isNewsFormat(name: FormatName): boolean {
  return name === 'news'
}

/** Every format's name, in the order in which the help names them. */
export const formatNames: readonly FormatName[] = Object.keys(formats).filter(isFormatName)
