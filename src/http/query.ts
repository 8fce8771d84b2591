/**
 * Reads query strings: the known parameters of an endpoint, each given at most once, decoded
 * strictly. Unknown parameters are ignored.
 *
 * Elysia's own parser keeps bytes that cannot be decoded, and the last of several values.
 */

import type { FieldError } from './problem.ts'

/** The texts of the known parameters, in their order, and what is wrong with any of them. */
export interface QueryTexts {
  readonly values: readonly (string | undefined)[]
  readonly errors: readonly FieldError[]
}

const repeated = 'Give this parameter only once.'
const undecodable = 'Escape this parameter as percent-encoded UTF-8 without NUL characters.'

/** Decodes percent-escapes and `+`; null for what is not UTF-8, or holds NUL or U+FFFD. */
function decode(raw: string): string | null {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  if (!spaced.includes('%')) return spaced
  try {
    const text = decodeURIComponent(spaced)
    return text.includes('\0') || text.includes('\uFFFD') ? null : text
  } catch {
    return null
  }
}

/** Returns which of `names` is written in the query from `start` to `end`, or -1. */
function indexOfName(url: string, start: number, end: number, names: readonly string[]): number {
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? ''
    if (name.length === end - start && url.startsWith(name, start)) return i
  }
  const written = decode(url.slice(start, end))
  return written === null ? -1 : names.indexOf(written)
}

/**
 * Returns the values of the parameters `names` (at most 31) in the query of `url`.
 *
 * A parameter that is repeated or cannot be decoded is an error. Linear in the query.
 */
export function readQuery(url: string, names: readonly string[]): QueryTexts {
  const values: (string | undefined)[] = []
  const errors: FieldError[] = []
  let seen = 0
  let equalsAt = 0
  let start = url.indexOf('?') + 1
  // Without a question mark there is nothing to read.
  if (start === 0) start = url.length
  while (start < url.length) {
    const ampersandAt = url.indexOf('&', start)
    const end = ampersandAt === -1 ? url.length : ampersandAt
    if (equalsAt !== -1 && equalsAt < start) equalsAt = url.indexOf('=', start)
    const nameEnd = equalsAt === -1 || equalsAt > end ? end : equalsAt
    const index = indexOfName(url, start, nameEnd, names)
    const field = names[index]
    if (field !== undefined) {
      const value = decode(url.slice(Math.min(nameEnd + 1, end), end))
      if (seen & (1 << index)) errors.push({ field, message: repeated })
      else if (value === null) errors.push({ field, message: undecodable })
      else values[index] = value
      seen |= 1 << index
    }
    start = end + 1
  }
  return { values, errors }
}

/** Reads plain decimal digits, of any length; null for anything else. */
export function parseDigits(text: string): number | null {
  return /^[0-9]+$/.test(text) ? Number(text) : null
}

/** Reads `YYYY-MM-DD` as midnight UTC in milliseconds; null when it is not a day of the calendar. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const time = Date.parse(`${text}T00:00:00Z`)
  // The parser may take the 31st of February for the 3rd of March.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? null : time
}
