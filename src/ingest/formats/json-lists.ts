/**
 * Reads JSON documents that hold their entries in one array of names:
 *
 * - eth-phishing-detect: `{ version, tolerance, fuzzylist, whitelist, blacklist }`. Only the
 *   blacklist lists anything; the other lists guide its own fuzzy matching.
 * - polkadot: `{ allow, deny }`.
 * - json-array: the document is the array itself.
 */

import type { Item } from './format.ts'
import { eachItem, jsonFormat, member } from './json.ts'

/** Returns the name in an element; one that is not a string becomes an empty name, which is refused. */
const nameItem = (element: unknown): Item => ({
  kind: 'name',
  text: typeof element === 'string' ? element : '',
})

/** Returns the format of a document whose names are in the array that `select` finds. */
const namesIn = (select: (document: unknown) => unknown) =>
  jsonFormat((document) => eachItem(select(document), nameItem))

/** The `blacklist` of an eth-phishing-detect configuration. */
export const ethPhishingDetect = namesIn((document) => member(document, 'blacklist'))

/** The `deny` list of polkadot's all.json. */
export const polkadot = namesIn((document) => member(document, 'deny'))

/** An array of names. */
export const jsonArray = namesIn((document) => document)
