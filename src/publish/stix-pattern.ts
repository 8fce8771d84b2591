/**
 * STIX patterns (STIX 2.1 §9): one comparison by equality each, in the form that consumers cut the value
 * out of with a regular expression.
 */

import type { IndicatorType } from '../model/indicator.ts'

/** What can be written as a pattern: STIX has no object for a phone number. */
export type PatternedType = Exclude<IndicatorType, 'phone'>

/** Escapes a text for a pattern: nothing else may follow a backslash (§9.2). */
const toLiteral = (value: string): string =>
  `'${/['\\]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll("'", "\\'") : value}'`

const percentEncode = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** What a URL may hold that would need an escape in a pattern, and what no pattern should. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const awkward = /[\u0000-\u0020'\\\u007f]/

/** Returns a URL with the same meaning whose pattern needs no escapes: many readers know none. */
const plainUrl = (url: string): string =>
  awkward.test(url) ? url.replace(new RegExp(awkward, 'g'), percentEncode) : url

const toHashPattern = (name: string, digest: string): string =>
  `[file:hashes.${name} = ${toLiteral(digest)}]`

/** Returns the pattern that an indicator of this type and canonical value stands for. */
export function toPattern(type: PatternedType, value: string): string {
  switch (type) {
    case 'domain':
      return `[domain-name:value = ${toLiteral(value)}]`
    case 'url':
      return `[url:value = ${toLiteral(plainUrl(value))}]`
    case 'ip':
      return `[ipv${value.includes(':') ? 6 : 4}-addr:value = ${toLiteral(value)}]`
    case 'email':
      return `[email-addr:value = ${toLiteral(value)}]`
    // A bare SHA-256 is a subtraction to the grammar.
    case 'sha256':
      return toHashPattern("'SHA-256'", value)
    case 'sha1':
      return toHashPattern("'SHA-1'", value)
    case 'md5':
      return toHashPattern('MD5', value)
  }
}
