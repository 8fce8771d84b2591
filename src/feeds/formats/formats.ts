/** The formats weir reads, by name. */

import { csvFormats } from './csv-formats.ts'
import type { DocumentFormat, LineFormat } from './format.ts'
import { ftcCalls } from './ftc-calls.ts'
import { jsonFormats } from './json-feeds.ts'
import { lineFormats } from './lines.ts'

const formats = { ...lineFormats, ...csvFormats, 'ftc-calls': ftcCalls, ...jsonFormats }

/** A name by which `--format` and `data/sources.toml` call a format. */
export type FormatName = keyof typeof formats

/** Returns the format of that name. */
export function formatOf(name: FormatName): LineFormat | DocumentFormat {
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

/** Every format's name, in the order in which the help names them. */
export const formatNames: readonly FormatName[] = Object.keys(formats).filter(isFormatName)
