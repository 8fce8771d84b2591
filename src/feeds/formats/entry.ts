/** Makes an entry of what a feed says, leaving out what it does not say. */

import type { ThreatType } from '../../model/indicator.ts'
import type { CallCount } from '../../store/batch.ts'
import type { EntryKind, FeedEntry } from './format.ts'

/** What a feed may say of an entry; undefined is what it does not. */
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

/** Returns an entry with what is said of it. */
export function toEntry(kind: EntryKind, text: string, said: EntryFields): FeedEntry {
  const { threatType, confidence, targetBrand, malwareFamily, reference } = said
  const { firstSeenAt, validUntilAt, calls } = said
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
