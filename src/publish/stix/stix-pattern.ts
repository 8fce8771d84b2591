/**
 * STIX patterns (STIX 2.1 §9): each is one comparison by equality, in the form from which consumers extract
 * the value with a regular expression.
 */

import type { IndicatorType } from '../../model/indicator.ts'

/** The types that have a pattern: STIX has no object for a phone number. */
export type PatternedType = Exclude<IndicatorType, 'phone'>

/** Escapes a text for a pattern: nothing else may follow a backslash (§9.2). */
const toLiteral = (value: string): string =>
  `'${/['\\]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll("'", "\\'") : value}'`

const percentEncode = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Characters of a URL that would need an escape in a pattern, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for.
const awkward = /[\u0000-\u0020'\\\u007f]/

/** Returns an equivalent URL whose pattern needs no escapes: many readers support none. */
const plainUrl = (url: string): string =>
  awkward.test(url) ? url.replace(new RegExp(awkward, 'g'), percentEncode) : url

const toHashPattern = (name: string, digest: string): string =>
  `[file:hashes.${name} = ${toLiteral(digest)}]`

/** Returns the pattern of an indicator with this type and canonical value. */
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
    // The grammar would parse an unquoted SHA-256 as a subtraction.
    case 'sha256':
      return toHashPattern("'SHA-256'", value)
    case 'sha1':
      return toHashPattern("'SHA-1'", value)
    case 'md5':
      return toHashPattern('MD5', value)
  }
}
