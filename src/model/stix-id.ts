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

const uuidOf = (key: string): string => Bun.randomUUIDv5(key, namespace)

/** Returns the key of a brand or family: two spellings that differ in ASCII case alone are one. */
export function subjectKeyOf(name: string): string {
  // As SQLite's `lower` has it, which knows ASCII alone.
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const nameText = ({ type, value, generation }: IndicatorName): string =>
  `${type}:${value}#${generation}`

/** Returns the id of an indicator of a generation. */
export function indicatorIdOf(name: IndicatorName): string {
  return `indicator--${uuidOf(`indicator:${nameText(name)}`)}`
}

/** Returns the id of the relationship from an indicator to a brand's intrusion set or to a family. */
export function indicatesIdOf(name: IndicatorName, kind: SubjectKind, key: string): string {
  return `relationship--${uuidOf(`relationship:indicates:${nameText(name)}:${kind}:${key}`)}`
}

/** Returns the id of an identity: a brand's, or the publisher's. */
export function identityIdOf(role: 'brand' | 'publisher', key: string): string {
  return `identity--${uuidOf(`identity:${role}:${key}`)}`
}

/** Returns the id of the intrusion set of those who imitate a brand. */
export function intrusionSetIdOf(key: string): string {
  return `intrusion-set--${uuidOf(`intrusion-set:${key}`)}`
}

/** Returns the id of the relationship from a brand's intrusion set to the brand. */
export function targetsIdOf(key: string): string {
  return `relationship--${uuidOf(`relationship:targets:${key}`)}`
}

/** Returns the id of a malware family. */
export function malwareIdOf(key: string): string {
  return `malware--${uuidOf(`malware:${key}`)}`
}

/** Returns every id that a brand or a family has. */
export function idsOfSubject(kind: SubjectKind, key: string): readonly string[] {
  return kind === 'family'
    ? [malwareIdOf(key)]
    : [identityIdOf('brand', key), intrusionSetIdOf(key), targetsIdOf(key)]
}

/** Returns the id of an item of a feed, as a URN (RFC 9562); `key` names it among those of its kind. */
export function feedItemIdOf(
  kind: 'listing' | 'campaign' | 'news' | 'report',
  key: string,
): string {
  return `urn:uuid:${uuidOf(`feed-item:${kind}:${key}`)}`
}

const idForm = /^[a-z][a-z0-9-]*--([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the first 48 bits of an id's UUID, by which it is found; null for what is no id. */
export function idKeyOf(id: string): number | null {
  const parts = idForm.exec(id)
  return parts === null ? null : Number.parseInt(`${parts[1]}${parts[2]}`, 16)
}
