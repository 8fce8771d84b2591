/**
 * STIX 2.1 objects, each made from one record of the store and nothing else: the export, TAXII and a
 * restart produce the same bytes, and two versions of an object never share `id` and `modified` (§3.6).
 *
 *     indicator ── indicates ─▶ intrusion-set ── targets ─▶ identity (the brand)
 *         └─────── indicates ─▶ malware (the family)
 */

import type { ThreatType } from '../../model/indicator.ts'
import {
  type SubjectKind,
  toIdentityId,
  toIndicatesId,
  toIndicatorId,
  toIntrusionSetId,
  toMalwareId,
  toTargetsId,
} from '../../model/stix-id.ts'
import type { ExportedIndicator, ExportedRelationship, PastExport } from '../../store/exported.ts'
import { type ExportSubject, toMillisecond } from '../../store/exports.ts'
import { jsonText, timeText } from '../wire.ts'
import { type PatternedType, toPattern } from './stix-pattern.ts'

/** The media type of STIX, to the letter. */
export const stixMediaType = 'application/stix+json;version=2.1'

/** The types of objects that weir writes. */
export type StixType =
  | 'marking-definition'
  | 'identity'
  | 'intrusion-set'
  | 'malware'
  | 'indicator'
  | 'relationship'

/** One STIX object, with the facts that collections select and sort by. */
export interface StixRecord {
  readonly type: StixType
  readonly id: string
  /** Its `date_added` in the store, microseconds since the epoch; unique in each collection. */
  readonly date: number
  /** Its version: `modified`, or `created` of objects without versions, milliseconds since the epoch. */
  readonly version: number
  /** Returns it as JSON. */
  text(): string
}

/** TLP:WHITE as the standard prints it (§7.2.1.4). */
const tlpWhite = {
  type: 'marking-definition',
  spec_version: '2.1',
  id: 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9',
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: 'TLP:WHITE',
  definition: { tlp: 'white' },
} as const

const publisherCreated = '2026-01-01T00:00:00.000Z'

/** The identity that all weir instances publish under. */
const publisher = {
  type: 'identity',
  spec_version: '2.1',
  id: toIdentityId('publisher', 'weir'),
  created: publisherCreated,
  modified: publisherCreated,
  object_marking_refs: [tlpWhite.id],
  name: 'weir',
  description: 'A phishing threat-data service: what feeds, reports and its operator have listed.',
  identity_class: 'organization',
} as const

/** Returns the first objects of every collection, dated a second before everything else. */
export function commonObjects(bornAt: number): readonly StixRecord[] {
  // Like all dates never on a whole millisecond, which would look like a date that a client has truncated.
  const earliest = (bornAt - 1_000) * 1_000 + 1
  const [marking, identity] = [jsonText(tlpWhite), jsonText(publisher)]
  return [
    {
      type: 'marking-definition',
      id: tlpWhite.id,
      date: earliest,
      version: Date.parse(tlpWhite.created),
      text: () => marking,
    },
    {
      type: 'identity',
      id: publisher.id,
      date: earliest + 1,
      version: Date.parse(publisher.created),
      text: () => identity,
    },
  ]
}

interface Dates {
  readonly createdAt: number
  readonly dateAdded: number
}

/** Returns the first members of every versioned object. */
const frame = (type: StixType, id: string, { createdAt, dateAdded }: Dates) => ({
  type,
  spec_version: '2.1',
  id,
  created_by_ref: publisher.id,
  created: timeText(createdAt),
  modified: timeText(toMillisecond(dateAdded)),
})

const marked = { object_marking_refs: [tlpWhite.id] } as const

/** Returns an object whose JSON is written when it is requested. */
const makeObject = (
  type: StixType,
  id: string,
  date: number,
  write: () => Readonly<Record<string, unknown>>,
): StixRecord => ({
  type,
  id,
  date,
  version: toMillisecond(date),
  text: () => jsonText(write()),
})

const nouns: Readonly<Record<PatternedType, string>> = {
  domain: 'Domain',
  url: 'Page',
  ip: 'Address',
  email: 'E-mail address',
  sha256: 'File',
  sha1: 'File',
  md5: 'File',
}

const threats: Readonly<Record<ThreatType, string>> = {
  phishing: 'phishing',
  malware: 'malware',
  scam: 'scams',
  spam: 'spam',
}

/** Returns the type of an exported indicator; throws for a type that is never exported. */
function patternedType({ type }: Pick<ExportedIndicator, 'type'>): PatternedType {
  if (type === 'phone') throw new Error('a phone number has no pattern')
  return type
}

function formatDescription(row: ExportedIndicator): string {
  const { threatType: threat, targetBrand: brand, malwareFamily: family } = row
  const imitated = brand === null ? '' : `; it imitates ${brand}`
  const belongs = family === null ? '' : `; malware family ${family}`
  return `${nouns[patternedType(row)]} listed for ${threats[threat]}${imitated}${belongs}.`
}

function listLabels(row: ExportedIndicator): string[] {
  const { threatType, threatLevel, targetBrand: brand, malwareFamily: family } = row
  const labels: string[] = [threatType, `threat-level:${threatLevel}`]
  if (brand !== null) labels.push(`brand:${brand.toLowerCase()}`)
  if (family !== null) labels.push(`family:${family.toLowerCase()}`)
  return labels
}

/** Returns an active indicator. */
export function indicatorObject(row: ExportedIndicator): StixRecord {
  const id = toIndicatorId(row)
  return makeObject('indicator', id, row.dateAdded, () => ({
    ...frame('indicator', id, row),
    ...marked,
    name: row.value,
    description: formatDescription(row),
    indicator_types: ['malicious-activity'],
    pattern: toPattern(patternedType(row), row.value),
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: timeText(row.listedAt),
    confidence: row.statedConfidence,
    labels: listLabels(row),
  }))
}

/** Returns an indicator that is no longer exported: that it has ended, without details of the threat. */
export function pastIndicatorObject(row: PastExport): StixRecord {
  const id = toIndicatorId(row)
  const isRevoked = row.revoked === 1
  const noun = nouns[patternedType(row)]
  return makeObject('indicator', id, row.dateAdded, () => ({
    ...frame('indicator', id, row),
    ...(isRevoked ? { revoked: true } : {}),
    ...marked,
    name: row.value,
    description: isRevoked ? `${noun} taken off the lists.` : `${noun} no longer listed.`,
    indicator_types: ['unknown'],
    pattern: toPattern(patternedType(row), row.value),
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: timeText(row.validFrom),
    valid_until: timeText(Math.max(toMillisecond(row.dateAdded), row.validFrom + 1)),
  }))
}

const toSubjectId = (kind: SubjectKind, key: string): string =>
  kind === 'brand' ? toIntrusionSetId(key) : toMalwareId(key)

/** Returns the relationship of an indicator to the intrusion set of a brand, or to a malware family. */
export function relationshipObject(row: ExportedRelationship): StixRecord {
  const { kind, key, state } = row
  const id = toIndicatesId(row, kind, key)
  return makeObject('relationship', id, row.dateAdded, () => ({
    ...frame('relationship', id, row),
    ...(state === 'revoked' ? { revoked: true } : {}),
    ...marked,
    relationship_type: 'indicates',
    source_ref: toIndicatorId(row),
    target_ref: toSubjectId(kind, key),
    ...(state === 'stands' ? {} : { stop_time: timeText(toMillisecond(row.dateAdded)) }),
  }))
}

/** The order in which the objects of a brand use the microseconds of its block. */
export const brandSlots = { identity: 0, intrusionSet: 1, targets: 2 } as const

/** Returns the identity of a brand that is imitated. */
export function brandIdentityObject(row: ExportSubject): StixRecord {
  const id = toIdentityId('brand', row.key)
  return makeObject('identity', id, row.dateAdded + brandSlots.identity, () => ({
    ...frame('identity', id, row),
    ...marked,
    name: row.name,
    description: 'A brand that others imitate.',
    identity_class: 'organization',
  }))
}

/** Returns the intrusion set of those who imitate a brand, active while an exported indicator is. */
export function intrusionSetObject(row: ExportSubject): StixRecord {
  const id = toIntrusionSetId(row.key)
  return makeObject('intrusion-set', id, row.dateAdded + brandSlots.intrusionSet, () => ({
    ...frame('intrusion-set', id, row),
    ...marked,
    name: `${row.name} impersonation`,
    description: `All who imitate ${row.name}: sites and addresses, not a known group.`,
    aliases: [row.name],
    first_seen: timeText(row.createdAt),
    ...(row.active === 1 ? {} : { last_seen: timeText(toMillisecond(row.dateAdded)) }),
    goals: ['credential theft'],
    primary_motivation: 'personal-gain',
    labels: [`brand:${row.name.toLowerCase()}`],
  }))
}

/** Returns the relationship of a brand's intrusion set to the brand. */
export function targetsObject(row: ExportSubject): StixRecord {
  const id = toTargetsId(row.key)
  return makeObject('relationship', id, row.dateAdded + brandSlots.targets, () => ({
    ...frame('relationship', id, row),
    ...marked,
    relationship_type: 'targets',
    source_ref: toIntrusionSetId(row.key),
    target_ref: toIdentityId('brand', row.key),
  }))
}

/** Returns a malware family. */
export function malwareObject(row: ExportSubject): StixRecord {
  const id = toMalwareId(row.key)
  return makeObject('malware', id, row.dateAdded, () => ({
    ...frame('malware', id, row),
    ...marked,
    name: row.name,
    description: `The malware family ${row.name}, as sources name it.`,
    is_family: true,
    malware_types: ['unknown'],
    labels: [`family:${row.name.toLowerCase()}`],
  }))
}

/** Returns every object of a brand or family, in the order in which they refer to each other. */
export function subjectObjects(row: ExportSubject): readonly StixRecord[] {
  return row.kind === 'family'
    ? [malwareObject(row)]
    : [brandIdentityObject(row), intrusionSetObject(row), targetsObject(row)]
}
