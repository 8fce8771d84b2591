/** Builds an entry from the fields of a feed, without those that are undefined. */

import type { ThreatType } from '../../model/indicator.ts'
import type { CallCount } from '../../store/batch.ts'
import type { EntryKind, FeedEntry } from './format.ts'

/** The optional fields of an entry; undefined where the feed has none. */
export interface EntryFields {
  readonly threatType?: ThreatType | undefined
  readonly confidence?: number | undefined
  readonly targetBrand?: string | undefined
  readonly malwareFamily?: string | undefined
  readonly reference?: string | undefined
  readonly firstSeenAt?: number | undefined
  readonly validUntilAt?: number | undefined
  readonly calls?: readonly CallCount[] | undefined
}

/** Returns an entry with the fields that are defined. */
export function toEntry(kind: EntryKind, text: string, fields: EntryFields): FeedEntry {
  const { threatType, confidence, targetBrand, malwareFamily, reference } = fields
  const { firstSeenAt, validUntilAt, calls } = fields
  return {
    kind,
    text,
    ...(threatType === undefined ? {} : { threatType }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(targetBrand === undefined ? {} : { targetBrand }),
    ...(malwareFamily === undefined ? {} : { malwareFamily }),
    ...(reference === undefined ? {} : { reference }),
    ...(firstSeenAt === undefined ? {} : { firstSeenAt }),
    ...(validUntilAt === undefined ? {} : { validUntilAt }),
    ...(calls === undefined ? {} : { calls }),
  }
}
