/**
 * Parses the text of a search box. Every text is valid, whatever characters it contains: there is no syntax
 * to get wrong.
 */

import { refang, unwrap } from '../model/refang.ts'
import { type AddressPart, addressPartsMax } from './address-index.ts'

/** The categories of a search. */
export const searchCategories = ['all', 'urls', 'news', 'scams'] as const
export type SearchCategory = (typeof searchCategories)[number]

export interface SearchQuery {
  readonly text: string
  readonly category: SearchCategory
  /** Counted from 1. */
  readonly page: number
  readonly limit: number
}

/** A query, ready for the indexes: a result contains all parts, or all phrases. */
export interface Wanted {
  readonly parts: readonly AddressPart[]
  /** The parts of the query between spaces; the words of a phrase are adjacent. */
  readonly phrases: readonly string[]
}

/** Only the first 24 words of a query are used. */
const wordsMax = 24

/** A part of this length may match anywhere in an address. */
const anywhereLength = 3

/** Characters around words with which no address begins or ends. */
const around = /^["'`“”‘’<>()[\]{},;!*|]+|["'`“”‘’<>()[\]{},;!*|]+$/g

/** Returns a Unicode name in ASCII, as it is listed; other texts unchanged. */
function inAscii(text: string): string {
  const slash = text.indexOf('/')
  const host = slash === -1 ? text : text.slice(0, slash)
  // Without a dot it is a word, which the URL parser would read as a number or a name.
  if (/^[\x20-\x7e]*$/.test(host) || !host.includes('.')) return text
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host
  return slash === -1 ? ascii : ascii + text.slice(slash)
}

/** Returns an address without user and port: few are listed with either. */
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
  // An address is listed with the scheme that a feed gave.
  const bare = nameAlone(plain.replace(/^[a-z][a-z0-9+.-]{0,9}:\/\/(?=.)/, ''))
  // The dot that ends a sentence, not the one before an ending.
  const text = inAscii(bare.indexOf('.') < bare.length - 1 ? bare.replace(/\.$/, '') : bare)
  if (text === '') return null
  return { text, where: [...text].length < anywhereLength ? 'label_start' : 'anywhere' }
}

/** Returns the texts between spaces as phrases, of at most `wordsMax` words together. */
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

/** Returns the parts that an address must contain: at most `addressPartsMax`, the longest, as they match the fewest. */
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

/** Parses a query. */
export function wantedBy(text: string): Wanted {
  const texts = text.normalize('NFC').trim().split(/\s+/, wordsMax)
  return { parts: toParts(texts), phrases: toPhrases(texts) }
}
