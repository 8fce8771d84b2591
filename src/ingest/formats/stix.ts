/**
 * STIX 2.1 and 2.0 bundles, `{ type: "bundle", objects }`, and TAXII envelopes, `{ objects }`.
 *
 * Rows are the `indicator` objects; the other objects of a bundle describe them: marking definitions
 * restrict sharing, relationships to malware name the family. No clock is read here: the importer checks
 * whether `valid_until` has passed.
 */

import type { ThreatType } from '../../model/indicator.ts'
import { type EntryFields, type EntryKind, type Item, refusedRow, toEntry } from './format.ts'
import {
  arrayUnder,
  documentItemsMax,
  isRecord,
  isTrueUnder,
  jsonFormat,
  member,
  textUnder,
} from './json.ts'
import { type Comparison, parseStixPattern } from './stix-pattern.ts'
import { parseTime } from './time.ts'
import { readSharing } from './tlp.ts'

/** The object paths of values that weir lists, in lower case. */
const kindOfPath: ReadonlyMap<string, EntryKind> = new Map([
  ['domain-name:value', 'name'],
  ['url:value', 'url'],
  ['ipv4-addr:value', 'address'],
  ['ipv6-addr:value', 'address'],
  ['email-addr:value', 'email'],
  ['file:hashes.md5', 'digest'],
  ['file:hashes.sha-1', 'digest'],
  ['file:hashes.sha1', 'digest'],
  ['file:hashes.sha-256', 'digest'],
  ['file:hashes.sha256', 'digest'],
])

/** Words in `indicator_types` and `labels` that name a threat. */
const threatOfWord: ReadonlyMap<string, ThreatType> = new Map([
  ['phishing', 'phishing'],
  ['spear-phishing', 'phishing'],
  ['credential-phishing', 'phishing'],
  ['credential-harvesting', 'phishing'],
  ['malware', 'malware'],
  ['ransomware', 'malware'],
  ['botnet', 'malware'],
  ['c2', 'malware'],
  ['command-and-control', 'malware'],
  ['scam', 'scam'],
  ['fraud', 'scam'],
  ['spam', 'spam'],
])

/**
 * The published ids of marking definitions that forbid sharing: green, amber and red of TLP 1
 * (STIX 2.1 §7.2.1.4), green, amber, amber+strict and red of TLP 2 (the OASIS extension for it).
 */
const restrictedMarkings: readonly string[] = [
  'marking-definition--34098fce-860f-48ae-8e50-ebd3cc5e41da',
  'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82',
  'marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed',
  'marking-definition--bab4a63c-aed9-4cf5-a766-dfca5abac2bb',
  'marking-definition--55d920b0-5e8b-4f79-9ee9-91f868d9b421',
  'marking-definition--939a9414-2ddd-4d32-a0cd-375ea402b003',
  'marking-definition--e828b379-4e03-4974-9ac4-e53a884c97c1',
]

/** What the other objects of a bundle add to its indicators. */
interface BundleWords {
  readonly restricted: ReadonlySet<string>
  /** By the id of an indicator, the malware that it indicates; null for several. */
  readonly families: ReadonlyMap<string, string | null>
  /** By id, the latest version of an indicator. */
  readonly latest: ReadonlyMap<string, unknown>
}

const isOfType = (object: unknown, type: string): boolean => member(object, 'type') === type

/** Returns the texts of an array of texts. */
function textsUnder(object: unknown, key: string): string[] {
  return (arrayUnder(object, key) ?? []).filter((text) => typeof text === 'string')
}

/** Returns every name that a marking definition has for its level. */
function listLevels(definition: unknown): string[] {
  const extensions = member(definition, 'extensions')
  const ofExtensions = isRecord(extensions) ? Object.values(extensions) : []
  const levels = [
    textUnder(member(definition, 'definition'), 'tlp'),
    ...ofExtensions.map((extension: unknown) => textUnder(extension, 'tlp_2_0')),
  ].flatMap((level) => (level === undefined ? [] : `tlp:${level}`))
  return [...levels, textUnder(definition, 'name') ?? '']
}

function findRestricted(objects: readonly unknown[]): ReadonlySet<string> {
  const own = objects
    .filter((object) => isOfType(object, 'marking-definition'))
    .filter((definition) => readSharing(listLevels(definition)) === 'restricted')
    .flatMap((definition) => textUnder(definition, 'id') ?? [])
  return new Set([...restrictedMarkings, ...own])
}

function findFamilies(objects: readonly unknown[]): ReadonlyMap<string, string | null> {
  const nameOfMalware = new Map<string, string>()
  for (const object of objects) {
    const id = textUnder(object, 'id')
    const name = textUnder(object, 'name')
    if (isOfType(object, 'malware') && id !== undefined && name !== undefined) {
      nameOfMalware.set(id, name)
    }
  }
  const families = new Map<string, string | null>()
  for (const object of objects) {
    if (!isOfType(object, 'relationship') || isTrueUnder(object, 'revoked')) continue
    if (textUnder(object, 'relationship_type') !== 'indicates') continue
    const source = textUnder(object, 'source_ref')
    const name = nameOfMalware.get(textUnder(object, 'target_ref') ?? '')
    if (source === undefined || name === undefined) continue
    const other = families.get(source)
    families.set(source, other === undefined || other === name ? name : null)
  }
  return families
}

/** Returns the latest version of each indicator: a bundle may hold several. */
function findLatest(objects: readonly unknown[]): ReadonlyMap<string, unknown> {
  const modifiedAt = (object: unknown): number => parseTime(textUnder(object, 'modified')) ?? 0
  const latest = new Map<string, unknown>()
  for (const object of objects) {
    const id = textUnder(object, 'id')
    if (id === undefined || !isOfType(object, 'indicator')) continue
    const other = latest.get(id)
    if (other === undefined || modifiedAt(object) >= modifiedAt(other)) latest.set(id, object)
  }
  return latest
}

/** Reports whether an indicator, or a part of it, is marked as restricted. */
function isRestricted(indicator: unknown, words: BundleWords): boolean {
  const ofParts = (arrayUnder(indicator, 'granular_markings') ?? []).flatMap(
    (marking) => textUnder(marking, 'marking_ref') ?? [],
  )
  const markings = [...textsUnder(indicator, 'object_marking_refs'), ...ofParts]
  return (
    markings.some((id) => words.restricted.has(id)) ||
    readSharing(textsUnder(indicator, 'labels')) === 'restricted'
  )
}

/** Reads the fields of an indicator other than its pattern; its types and labels are `tags`. */
function readFields(indicator: unknown, tags: readonly string[], words: BundleWords): EntryFields {
  const id = textUnder(indicator, 'id')
  const malwareFamily = id === undefined ? undefined : (words.families.get(id) ?? undefined)
  const confidence = member(indicator, 'confidence')
  const [threatType = malwareFamily === undefined ? undefined : 'malware'] = tags.flatMap(
    (tag) => threatOfWord.get(tag) ?? [],
  )
  const [reference] = (arrayUnder(indicator, 'external_references') ?? []).flatMap(
    (source) => textUnder(source, 'url') ?? [],
  )
  return {
    threatType,
    malwareFamily,
    reference,
    confidence: typeof confidence === 'number' ? confidence : undefined,
    firstSeenAt:
      parseTime(textUnder(indicator, 'valid_from')) ?? parseTime(textUnder(indicator, 'created')),
    validUntilAt: parseTime(textUnder(indicator, 'valid_until')),
  }
}

/** Returns an alternative of a pattern as an item. An address may be written as a network of one. */
function toItem({ path, value }: Comparison, fields: EntryFields): Item {
  const kind = kindOfPath.get(path.toLowerCase())
  if (kind === undefined) return refusedRow('unsupported_type')
  if (kind !== 'address') return toEntry(kind, value, fields)
  const single = value.replace(value.includes(':') ? /\/128$/ : /\/32$/, '')
  return toEntry(single.includes('/') ? 'network' : 'address', single, fields)
}

function readIndicator(indicator: unknown, words: BundleWords): Item[] {
  const id = textUnder(indicator, 'id')
  const isSuperseded = id !== undefined && words.latest.get(id) !== indicator
  if (isSuperseded || isTrueUnder(indicator, 'revoked')) return [refusedRow('withdrawn')]
  if (isRestricted(indicator, words)) return [refusedRow('not_shareable')]
  const tags = [
    ...textsUnder(indicator, 'indicator_types'),
    ...textsUnder(indicator, 'labels'),
  ].map((tag) => tag.toLowerCase())
  if (tags.includes('benign')) return [refusedRow('not_an_indicator')]
  // STIX 2.0 knows no other language and does not name it.
  const language = textUnder(indicator, 'pattern_type') ?? 'stix'
  if (language !== 'stix') return [refusedRow('unsupported_type')]
  const alternatives = parseStixPattern(textUnder(indicator, 'pattern') ?? '')
  if (!alternatives.ok) return [refusedRow(alternatives.reason)]
  const fields = readFields(indicator, tags, words)
  return alternatives.value.map((comparison) => toItem(comparison, fields))
}

/** Returns the objects of a bundle or envelope, which may have none; null when it is neither. */
function findObjects(document: unknown): readonly unknown[] | null {
  const objects = arrayUnder(document, 'objects')
  if (objects !== null) return objects
  const isEmpty = isOfType(document, 'bundle') || typeof member(document, 'more') === 'boolean'
  return isEmpty && member(document, 'objects') === undefined ? [] : null
}

function* readItems(objects: readonly unknown[]): Generator<Item> {
  const words: BundleWords = {
    restricted: findRestricted(objects),
    families: findFamilies(objects),
    latest: findLatest(objects),
  }
  for (const object of objects) {
    if (!isRecord(object)) yield refusedRow('malformed_row')
    else if (isOfType(object, 'indicator')) yield* readIndicator(object, words)
  }
}

/** A STIX bundle or TAXII envelope. */
export const stix = jsonFormat((document) => {
  const objects = findObjects(document)
  return objects === null || objects.length > documentItemsMax ? null : readItems(objects)
})
