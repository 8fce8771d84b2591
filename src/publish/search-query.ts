/**
 * What somebody has typed into a search box, as it is looked for. It is text, whatever characters it holds:
 * there is no syntax that could be wrong.
 */

import { refang, unwrap } from '../model/refang.ts'
import { type AddressPart, addressPartsMax } from './address-index.ts'

/** What can be asked for. */
export const searchCategories = ['all', 'urls', 'news', 'scams'] as const
export type SearchCategory = (typeof searchCategories)[number]

export interface SearchQuery {
  readonly text: string
  readonly category: SearchCategory
  /** From 1 on. */
  readonly page: number
  readonly limit: number
}

/** A query, ready for the indexes: all parts, or all phrases, must be there. */
export interface Wanted {
  readonly parts: readonly AddressPart[]
  /** The words between two blanks stand together. */
  readonly phrases: readonly string[]
}

/** So many words are looked for; whoever pastes a page means its beginning. */
const wordsMax = 24

/** A part of this length may stand anywhere in an address. */
const anywhereLength = 3

/** What people put around words, and no address begins or ends with. */
const around = /^["'`“”‘’<>()[\]{},;!*|]+|["'`“”‘’<>()[\]{},;!*|]+$/g

/** Returns the name in Unicode as it is listed, in ASCII; other texts as they are. */
function inAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const slash = text.indexOf('/')
  const host = slash === -1 ? text : text.slice(0, slash)
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host
  return slash === -1 ? ascii : ascii + text.slice(slash)
}

function partOf(word: string): AddressPart | null {
  const plain = refang(unwrap(word)).replace(around, '').toLowerCase()
  // An address is listed under the scheme that a feed has named.
  const bare = plain.replace(/^[a-z][a-z0-9+.-]{0,9}:\/\/(?=.)/, '')
  // The dot that ends a sentence, not the one before an ending.
  const text = inAscii(bare.indexOf('.') < bare.length - 1 ? bare.replace(/\.$/, '') : bare)
  if (text === '') return null
  return { text, where: [...text].length < anywhereLength ? 'label_start' : 'anywhere' }
}

function phraseOf(word: string): string | null {
  const words = refang(word).match(/[\p{L}\p{N}]+/gu)
  return words === null ? null : words.join(' ')
}

/** Reads a query. */
export function wantedBy(text: string): Wanted {
  const words = text.trim().split(/\s+/, wordsMax)
  return {
    parts: words.flatMap((word) => partOf(word) ?? []).slice(0, addressPartsMax),
    phrases: words.flatMap((word) => phraseOf(word) ?? []),
  }
}
