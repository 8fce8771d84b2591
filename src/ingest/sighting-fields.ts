/** Checks the untrusted fields of a feed's entry before they are stored and shown. */

import { controlCharacters } from '../model/characters.ts'
import type { Sighting } from '../store/batch.ts'
import type { FeedEntry } from './formats/format.ts'

/** The maximum length of the name of a brand or malware family. */
const nameMax = 100

/** The maximum length of the URL of a source's page. */
const referenceMax = 2_048

/** Earlier times are wrong: the web did not exist. */
const earliestMs = Date.UTC(1990, 0, 1)

type SightingFields = Pick<
  Sighting,
  | 'threatType'
  | 'confidence'
  | 'targetBrand'
  | 'malwareFamily'
  | 'reference'
  | 'firstSeenAt'
  | 'calls'
>

/** Returns the valid fields of an entry. */
export function toSightingFields(entry: FeedEntry): SightingFields {
  const { threatType, confidence, firstSeenAt, calls } = entry
  const targetBrand = toName(entry.targetBrand)
  const malwareFamily = toName(entry.malwareFamily)
  const reference = toPage(entry.reference)
  return {
    ...(threatType === undefined ? {} : { threatType }),
    ...(confidence === undefined || !Number.isFinite(confidence)
      ? {}
      : { confidence: Math.min(100, Math.max(0, Math.round(confidence))) }),
    ...(targetBrand === null ? {} : { targetBrand }),
    ...(malwareFamily === null ? {} : { malwareFamily }),
    ...(reference === null ? {} : { reference }),
    ...(firstSeenAt === undefined || !(firstSeenAt >= earliestMs)
      ? {}
      : { firstSeenAt: Math.round(firstSeenAt) }),
    ...(calls === undefined ? {} : { calls: calls.filter(({ day }) => day >= earliestMs) }),
  }
}

/** Returns a name on one line without control characters, or null when nothing is left of it. */
function toName(text: string | undefined): string | null {
  if (text === undefined) return null
  const name = text.toWellFormed().replace(controlCharacters, ' ').trim().slice(0, nameMax)
  return name === '' ? null : name
}

/** Returns the URL of a web page, or null when it must not be linked. */
function toPage(text: string | undefined): string | null {
  if (text === undefined || text.length > referenceMax) return null
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return url === null || !isWeb || url.username !== '' || url.password !== '' ? null : url.href
}
