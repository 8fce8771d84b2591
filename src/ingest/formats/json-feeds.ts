/**
 * Reads JSON documents with one object per row, and lists all JSON formats by name:
 *
 * - PhishTank and CERT Polska: an array of rows.
 * - URLhaus and ThreatFox: an object of ids, each with an array of (nearly always) one row.
 * - polkadot-meta: an array of `{ date, url }`, one file a month. (polkadot's address.json maps sites,
 *   people and incidents to wallets; its keys are no list of sites, and it is not read.)
 */

import { type DocumentFormat, type Item, refusedRow, toEntry } from './format.ts'
import { documentItemsMax, eachItem, isRecord, jsonFormat, plainUnder } from './json.ts'
import { ethPhishingDetect, jsonArray, polkadot } from './json-lists.ts'
import { misp } from './misp.ts'
import { mispWarninglist } from './misp-warninglist.ts'
import {
  certplItem,
  phishtankItem,
  type ReadField,
  threatfoxItem,
  urlhausItem,
} from './publishers.ts'
import { stix } from './stix.ts'
import { parseTime } from './time.ts'

type ToItem = (field: ReadField) => Item

/** Returns the item of a row by the rules of its publisher; only an object is a row. */
const readRow = (row: unknown, toItem: ToItem): Item =>
  isRecord(row) ? toItem((name) => plainUnder(row, name)) : refusedRow('malformed_row')

/** Returns the format of a document that is an array of rows. */
const rowsInArray = (toItem: ToItem) =>
  jsonFormat((document) => eachItem(document, (row) => readRow(row, toItem)))

/** Returns the format of an object of ids, each with an array of rows; an error document has no array. */
const rowsById = (toItem: ToItem) =>
  jsonFormat((document) => {
    if (!isRecord(document)) return null
    const groups: readonly unknown[] = Object.values(document)
    if (groups.length > 0 && !groups.some(Array.isArray)) return null
    const count = groups.reduce<number>(
      (sum, rows) => sum + (Array.isArray(rows) ? rows.length : 1),
      0,
    )
    return count > documentItemsMax ? null : readGroups(groups, toItem)
  })

function* readGroups(groups: readonly unknown[], toItem: ToItem): Generator<Item> {
  for (const rows of groups) {
    if (!Array.isArray(rows)) yield refusedRow('malformed_row')
    else for (const row of rows) yield readRow(row, toItem)
  }
}

/** Returns a name, seldom a page, with the day on which polkadot's maintainers listed it. */
const polkadotMetaItem: ToItem = (field) => {
  const text = field('url')
  if (text === undefined) return refusedRow('malformed_row')
  const kind = text.includes('/') ? 'url' : 'name'
  return toEntry(kind, text, { firstSeenAt: parseTime(field('date')) })
}

/** The JSON formats, by name. */
export const jsonFormats = {
  'eth-phishing-detect': ethPhishingDetect,
  polkadot,
  'polkadot-meta': rowsInArray(polkadotMetaItem),
  'json-array': jsonArray,
  'phishtank-json': rowsInArray(phishtankItem),
  'urlhaus-json': rowsById(urlhausItem),
  'threatfox-json': rowsById(threatfoxItem),
  'certpl-json': rowsInArray(certplItem),
  misp,
  'misp-warninglist': mispWarninglist,
  stix,
} as const satisfies Readonly<Record<string, DocumentFormat>>

/** The name of a JSON format. */
export type JsonFormatName = keyof typeof jsonFormats
