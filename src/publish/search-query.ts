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
  const slash = text.indexOf('/')
  const host = slash === -1 ? text : text.slice(0, slash)
  // Without a dot it is a word, which would be read as a number or a name.
  if (/^[\x20-\x7e]*$/.test(host) || !host.includes('.')) return text
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host
  return slash === -1 ? ascii : ascii + text.slice(slash)
}

/** Takes the user and the port off an address: few are listed with either. */
function nameAlone(address: string): string {
  const end = address.search(/[/?#]/)
  const place = end === -1 ? address : address.slice(0, end)
  const named = place.slice(place.lastIndexOf('@') + 1)
  const hasPort = named.indexOf(':') === named.lastIndexOf(':') && /:\d{1,5}$/.test(named)
  const name = hasPort ? named.slice(0, named.indexOf(':')) : named
  return name.includes('.') ? name + address.slice(place.length) : address
}

function toPart(word: string): AddressPart | null {
  const plain = refang(unwrap(word)).replace(around, '').toLowerCase()
  // An address is listed under the scheme that a feed has named.
  const bare = nameAlone(plain.replace(/^[a-z][a-z0-9+.-]{0,9}:\/\/(?=.)/, ''))
  // The dot that ends a sentence, not the one before an ending.
  const text = inAscii(bare.indexOf('.') < bare.length - 1 ? bare.replace(/\.$/, '') : bare)
  if (text === '') return null
  return { text, where: [...text].length < anywhereLength ? 'label_start' : 'anywhere' }
}

/** Returns the words between two blanks as phrases, together of at most `wordsMax` words. */
function toPhrases(texts: readonly string[]): string[] {
  let left = wordsMax
  return texts.flatMap((text) => {
    const words =
      refang(text)
        .match(/[\p{L}\p{N}]+/gu)
        ?.slice(0, left) ?? []
    left -= words.length
    return words.length === 0 ? [] : [words.join(' ')]
  })
}

/** Returns the parts an address must hold: of more than can be looked for the longest, which few hold. */
function toParts(texts: readonly string[]): AddressPart[] {
  const parts = new Map<string, AddressPart>()
  for (const text of texts) {
    const part = toPart(text)
    if (part !== null) parts.set(part.text, part)
  }
  const different = [...parts.values()]
  if (different.length <= addressPartsMax) return different
  const longest = different.toSorted((one, other) => other.text.length - one.text.length)
  return longest.slice(0, addressPartsMax)
}

/** Reads a query. */
export function wantedBy(text: string): Wanted {
  const texts = text.normalize('NFC').trim().split(/\s+/, wordsMax)
  return { parts: toParts(texts), phrases: toPhrases(texts) }
}
