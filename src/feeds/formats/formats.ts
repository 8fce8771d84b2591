/** The formats weir reads, by name. */

import { csvFormats } from './csv-formats.ts'
import type { DocumentFormat, LineFormat, NewsFormat } from './format.ts'
import { ftcCalls } from './ftc-calls.ts'
import { jsonFormats } from './json-feeds.ts'
import { lineFormats } from './lines.ts'

/** What reads feeds of news is loaded with the first of them: a start has no need of it. */
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

/** A name by which `--format` and `data/sources.toml` call a format. */
export type FormatName = keyof typeof formats

/** Returns the format of that name. */
export function findFormat(name: FormatName): LineFormat | DocumentFormat | NewsFormat {
  return formats[name]
}

/** Reports whether `name` names a format. */
export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(formats, name)
}

/** Formats of lists that say what is not to be blocked: they are read as guards, or not at all. */
const guardFormats: readonly string[] = ['misp-warninglist', 'tranco-csv'] satisfies FormatName[]

/** Reports whether a format lists what is innocent. */
export function isGuardFormat(name: FormatName): boolean {
  return guardFormats.includes(name)
}

/** Reports whether a format holds articles: it is read as news, and news is read as nothing else. */
export function isNewsFormat(name: FormatName): boolean {
  return name === 'news'
}

/** Every format's name, in the order in which the help names them. */
export const formatNames: readonly FormatName[] = Object.keys(formats).filter(isFormatName)
