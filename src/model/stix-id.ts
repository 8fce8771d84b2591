/**
 * The ids of STIX objects: UUIDs of version 5 in weir's own namespace (STIX 2.1 §2.9), so that the same
 * thing has the same id after every import. The type stands in every key: a UUID belongs to one object.
 */

import type { IndicatorType } from './indicator.ts'

/** What an indicator can be told to belong to: the brand that it imitates, a malware family. */
export const subjectKinds = ['brand', 'family'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** An indicator as its id names it; `generation` counts how often it was taken back as a mistake. */
export interface IndicatorName {
  readonly type: IndicatorType
  readonly value: string
  readonly generation: number
}

/** Made once by a random generator; never to be changed, or every id changes. */
const namespace = '6f1de3c4-5a0b-4d55-9c86-2f4a7c0e9b13'

const toUuid = (key: string): string => Bun.randomUUIDv5(key, namespace)

/** Returns the key of a brand or family: two spellings that differ in ASCII case alone are one. */
export function toSubjectKey(name: string): string {
  // As SQLite's `lower` has it, which knows ASCII alone.
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const nameText = ({ type, value, generation }: IndicatorName): string =>
  `${type}:${value}#${generation}`

/** Returns the id of an indicator of a generation. */
export function toIndicatorId(name: IndicatorName): string {
  return `indicator--${toUuid(`indicator:${nameText(name)}`)}`
}

/** Returns the id of the relationship from an indicator to a brand's intrusion set or to a family. */
export function toIndicatesId(name: IndicatorName, kind: SubjectKind, key: string): string {
  return `relationship--${toUuid(`relationship:indicates:${nameText(name)}:${kind}:${key}`)}`
}

/** Returns the id of an identity: a brand's, or the publisher's. */
export function toIdentityId(role: 'brand' | 'publisher', key: string): string {
  return `identity--${toUuid(`identity:${role}:${key}`)}`
}

/** Returns the id of the intrusion set of those who imitate a brand. */
export function toIntrusionSetId(key: string): string {
  return `intrusion-set--${toUuid(`intrusion-set:${key}`)}`
}

/** Returns the id of the relationship from a brand's intrusion set to the brand. */
export function toTargetsId(key: string): string {
  return `relationship--${toUuid(`relationship:targets:${key}`)}`
}

/** Returns the id of a malware family. */
export function toMalwareId(key: string): string {
  return `malware--${toUuid(`malware:${key}`)}`
}

/** Returns every id that a brand or a family has. */
export function listSubjectIds(kind: SubjectKind, key: string): readonly string[] {
  return kind === 'family'
    ? [toMalwareId(key)]
    : [toIdentityId('brand', key), toIntrusionSetId(key), toTargetsId(key)]
}

/** Returns the id of an item of a feed, as a URN (RFC 9562); `key` names it among those of its kind. */
export function toFeedItemId(
  kind: 'listing' | 'campaign' | 'news' | 'report',
  key: string,
): string {
  return `urn:uuid:${toUuid(`feed-item:${kind}:${key}`)}`
}

const idForm = /^[a-z][a-z0-9-]*--([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the first 48 bits of an id's UUID, by which it is found; null for what is no id. */
export function parseIdKey(id: string): number | null {
  const parts = idForm.exec(id)
  return parts === null ? null : Number.parseInt(`${parts[1]}${parts[2]}`, 16)
}
