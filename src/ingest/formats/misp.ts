/**
 * MISP events, as a MISP feed serves them (`{ Event }`) and as MISP exports them
 * (`{ response: [{ Event }] }`), and the manifest that names the events of a feed.
 *
 * Only what its author marked for detection (`to_ids`) is an indicator. The strictest mark of the Traffic
 * Light Protocol on an event or attribute counts; what has none is read, since the operator chose to import
 * an exported event. From a *feed*, the importer fetches only the events that its manifest marks as open
 * (`isShareable`). MISP's `distribution` is ignored: it controls how far instances synchronise, and openly
 * published events have every value of it.
 */

import type { Result } from '../../model/result.ts'
import { type EntryFields, type EntryKind, type Item, refusedRow, toEntry } from './format.ts'
import {
  arrayUnder,
  documentItemsMax,
  isRecord,
  isTrueUnder,
  jsonFormat,
  member,
  parseJson,
  plainUnder,
  textUnder,
} from './json.ts'
import { parseTime, parseUnixSeconds } from './time.ts'
import { readSharing } from './tlp.ts'

/** The kind of each part of an attribute's value, split at its bar; null is not an indicator. */
type Parts = readonly (EntryKind | null)[]

const filenameAndDigest: Parts = [null, 'digest']
const hostAndPort = (kind: EntryKind): Parts => [kind, null]

/** The types of attribute that weir lists (MISP, "Attribute types"). */
const partsOfType: ReadonlyMap<string, Parts> = new Map([
  ['domain', ['name']],
  ['hostname', ['name']],
  ['url', ['url']],
  ['uri', ['url']],
  ['link', ['url']],
  ['ip-src', ['address']],
  ['ip-dst', ['address']],
  ['email', ['email']],
  ['email-src', ['email']],
  ['md5', ['digest']],
  ['sha1', ['digest']],
  ['sha256', ['digest']],
  ['domain|ip', ['name', 'address']],
  ['hostname|port', hostAndPort('name')],
  ['ip-src|port', hostAndPort('address')],
  ['ip-dst|port', hostAndPort('address')],
  ['filename|md5', filenameAndDigest],
  ['filename|sha1', filenameAndDigest],
  ['filename|sha256', filenameAndDigest],
])

/** The recipient of a message is the one attacked. */
const victimType = 'email-dst'

/** Galaxies whose clusters are families of malware. */
const familyTag =
  /^misp-galaxy:(?:malpedia|mitre-malware|ransomware|banker|stealer|rat|botnet|backdoor)="([^"]+)"$/

/** MITRE's number after a name: `Emotet - S0367`. */
const mitreNumber = / - S\d{4}$/

/** Returns the names of the tags on an event or attribute, under each key that MISP has for them. */
function listTags(tagged: unknown): string[] {
  const joined = ['EventTag', 'AttributeTag'].flatMap((key) => arrayUnder(tagged, key) ?? [])
  const tags = [...(arrayUnder(tagged, 'Tag') ?? []), ...joined.map((join) => member(join, 'Tag'))]
  return tags.flatMap((tag) => (typeof tag === 'string' ? tag : (textUnder(tag, 'name') ?? [])))
}

/** Returns the family that tags name; undefined when they name several. */
function findFamily(tags: readonly string[]): string | undefined {
  const names = tags.flatMap((tag) => familyTag.exec(tag)?.[1]?.replace(mitreNumber, '') ?? [])
  const [name, ...others] = names
  return others.every((other) => other.toLowerCase() === name?.toLowerCase()) ? name : undefined
}

/** Returns the fields that tags give. The tag of a technique does not classify what it is on. */
function readTags(tags: readonly string[]): EntryFields {
  const malwareFamily = findFamily(tags)
  if (malwareFamily !== undefined) return { threatType: 'malware', malwareFamily }
  const isPhishing = tags.some(
    (tag) => tag.toLowerCase().includes('phishing') && !tag.startsWith('misp-galaxy:'),
  )
  return isPhishing ? { threatType: 'phishing' } : {}
}

/** Returns the attributes of an event or an object. */
const listAttributes = (owner: unknown): readonly unknown[] => arrayUnder(owner, 'Attribute') ?? []

/** Returns the address of an event's own report: the first link to an external analysis. */
function findReport(event: unknown): string | undefined {
  const report = listAttributes(event).find(
    (attribute) =>
      textUnder(attribute, 'type') === 'link' &&
      textUnder(attribute, 'category') === 'External analysis' &&
      !isTrueUnder(attribute, 'deleted'),
  )
  return textUnder(report, 'value')
}

/** Returns the indicators in an attribute's value. */
function readEntries(parts: Parts, value: string, fields: EntryFields): Item[] {
  const [first] = parts
  if (first !== undefined && first !== null && parts.length === 1) {
    return [toEntry(first, value, fields)]
  }
  // A file's name may hold a bar, the part after it cannot.
  const bar = value.lastIndexOf('|')
  if (bar === -1) return [refusedRow('malformed_row')]
  const texts = [value.slice(0, bar), value.slice(bar + 1)]
  return parts.flatMap((kind, at) => (kind === null ? [] : toEntry(kind, texts[at] ?? '', fields)))
}

/** What all attributes of an event have in common. */
interface EventWords {
  readonly isRestricted: boolean
  readonly fields: EntryFields
}

function readAttribute(attribute: unknown, event: EventWords): Item[] {
  const type = textUnder(attribute, 'type')
  const value = textUnder(attribute, 'value')
  if (type === undefined || value === undefined) return [refusedRow('malformed_row')]
  if (isTrueUnder(attribute, 'deleted')) return [refusedRow('withdrawn')]
  const tags = listTags(attribute)
  if (event.isRestricted || readSharing(tags) === 'restricted') return [refusedRow('not_shareable')]
  if (!isTrueUnder(attribute, 'to_ids') || type === victimType) {
    return [refusedRow('not_an_indicator')]
  }
  const parts = partsOfType.get(type)
  if (parts === undefined) return [refusedRow('unsupported_type')]
  const firstSeenAt =
    parseTime(plainUnder(attribute, 'first_seen')) ??
    parseUnixSeconds(plainUnder(attribute, 'timestamp'))
  return readEntries(parts, value, { ...event.fields, ...readTags(tags), firstSeenAt })
}

function* readEvent(event: unknown): Generator<Item> {
  const tags = listTags(event)
  const words: EventWords = {
    isRestricted: readSharing(tags) === 'restricted',
    fields: { ...readTags(tags), reference: findReport(event) },
  }
  for (const attribute of listAttributes(event)) yield* readAttribute(attribute, words)
  for (const object of arrayUnder(event, 'Object') ?? []) {
    const isDeleted = isTrueUnder(object, 'deleted')
    for (const attribute of listAttributes(object)) {
      if (isDeleted) yield refusedRow('withdrawn')
      else yield* readAttribute(attribute, words)
    }
  }
}

function* readEvents(events: readonly unknown[]): Generator<Item> {
  for (const event of events) yield* readEvent(event)
}

/** Returns the number of attributes of events and their objects. */
function countAttributes(events: readonly unknown[]): number {
  let count = 0
  for (const event of events) {
    count += listAttributes(event).length
    for (const object of arrayUnder(event, 'Object') ?? []) count += listAttributes(object).length
  }
  return count
}

/** Returns the events of a document of any of the three shapes; null when there are none. */
function findEvents(document: unknown): readonly unknown[] | null {
  const wrapped = Array.isArray(document)
    ? document
    : (arrayUnder(document, 'response') ?? [document])
  const events = wrapped.map((wrapper: unknown) => member(wrapper, 'Event'))
  return events.every(isRecord) ? events : null
}

/** One MISP event or several. */
export const misp = jsonFormat((document) => {
  const events = findEvents(document)
  if (events === null || countAttributes(events) > documentItemsMax) return null
  return readEvents(events)
})

/** One event of a MISP feed, by its manifest. */
export interface MispManifestEntry {
  /** Of the shape of a UUID, and so fit to be part of a URL. */
  readonly uuid: string
  /** When the event was last changed, milliseconds since the epoch; 0 when the manifest does not say. */
  readonly timestampMs: number
  /** The manifest marks it as open to anyone. */
  readonly isShareable: boolean
}

/** RFC 9562 §4, versions 1 to 8. */
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/**
 * Reads the manifest of a MISP feed. A key that is not a UUID is left out; a document without such a key is
 * not a manifest, unless it is empty.
 */
export function mispManifest(text: string): Result<readonly MispManifestEntry[], 'malformed'> {
  const manifest = parseJson(text)
  if (!isRecord(manifest)) return { ok: false, reason: 'malformed' }
  const rows: readonly [string, unknown][] = Object.entries(manifest)
  const entries = rows
    .filter(([uuid]) => uuidShape.test(uuid))
    .map(([uuid, row]) => ({
      uuid,
      timestampMs: parseUnixSeconds(plainUnder(row, 'timestamp')) ?? 0,
      isShareable: readSharing(listTags(row)) === 'open',
    }))
  return entries.length === 0 && rows.length > 0
    ? { ok: false, reason: 'malformed' }
    : { ok: true, value: entries }
}
