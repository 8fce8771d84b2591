/**
 * The ids of STIX objects: UUIDs of version 5 in weir's own namespace (STIX 2.1 §2.9), so that the same
 * object has the same id after every import. Every key includes the type: a UUID belongs to one object.
 */

import type { IndicatorType } from './indicator.ts'

/** What an indicator can belong to: the brand that it imitates, a malware family. */
export const subjectKinds = ['brand', 'family'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** What the id of an indicator is made of; `generation` counts how often it was retracted as a mistake. */
export interface IndicatorName {
  readonly type: IndicatorType
  readonly value: string
  readonly generation: number
}

/** Random; must never change, or every id changes. */
const namespace = '6f1de3c4-5a0b-4d55-9c86-2f4a7c0e9b13'

const toUuid = (key: string): string => Bun.randomUUIDv5(key, namespace)

/** Returns the key of a brand or family, equal for spellings that differ only in ASCII case. */
export function toSubjectKey(name: string): string {
  // Like SQLite's `lower`, which handles ASCII only.
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const formatName = ({ type, value, generation }: IndicatorName): string =>
  `${type}:${value}#${generation}`

/** Returns the id of an indicator in a generation. */
export function toIndicatorId(name: IndicatorName): string {
  return `indicator--${toUuid(`indicator:${formatName(name)}`)}`
}

/** Returns the id of the relationship from an indicator to a brand's intrusion set or to a family. */
export function toIndicatesId(name: IndicatorName, kind: SubjectKind, key: string): string {
  return `relationship--${toUuid(`relationship:indicates:${formatName(name)}:${kind}:${key}`)}`
}

/** Returns the id of an identity: a brand's, or the publisher's. */
export function toIdentityId(role: 'brand' | 'publisher', key: string): string {
  return `identity--${toUuid(`identity:${role}:${key}`)}`
}

/** Returns the id of the intrusion set that imitates a brand. */
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

/** Returns all ids of a brand or a family. */
export function listSubjectIds(kind: SubjectKind, key: string): readonly string[] {
  return kind === 'family'
    ? [toMalwareId(key)]
    : [toIdentityId('brand', key), toIntrusionSetId(key), toTargetsId(key)]
}

/** Returns the id of an item of a feed, as a URN (RFC 9562); `key` is unique within its kind. */
export function toFeedItemId(
  kind: 'listing' | 'campaign' | 'news' | 'report',
  key: string,
): string {
  return `urn:uuid:${toUuid(`feed-item:${kind}:${key}`)}`
}

const idForm = /^[a-z][a-z0-9-]*--([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the first 48 bits of an id's UUID, its key in the store; null when the text is not an id. */
export function parseIdKey(id: string): number | null {
  const parts = idForm.exec(id)
  return parts === null ? null : Number.parseInt(`${parts[1]}${parts[2]}`, 16)
}
