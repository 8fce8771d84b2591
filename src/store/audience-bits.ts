/** How a row keeps audiences: a bit for each, and the words that decided, as JSON. */

import { type Audience, type AudienceWords, audiences } from '../model/audience.ts'
import type { ThreatLevel } from '../model/indicator.ts'

/** The bit of each audience; the indexes over them name these numbers. */
export const audienceBits: Readonly<Record<Audience, number>> = {
  professional: 1,
  elder: 2,
  general: 4,
}

/** Returns the bits of the audiences that an item has. */
export function toAudienceBits(words: AudienceWords): number {
  return audiences.reduce(
    (bits, audience) => (words[audience] === undefined ? bits : bits | audienceBits[audience]),
    0,
  )
}

/** Returns the words as a row keeps them; null when there are none. */
export function formatWords(words: AudienceWords): string | null {
  return toAudienceBits(words) === 0 ? null : JSON.stringify(words)
}

/**
 * Returns the words as the row of an indicator keeps them: those of its name. Its threat level and its
 * brand, which decide about the other audiences, are columns of their own.
 */
export function formatListingWords({ elder }: AudienceWords): string | null {
  return elder === undefined ? null : formatWords({ elder })
}

/** Reports whether a row already carries these audiences and words. */
export function isAddressedTo(
  row: Pick<AddressedRow, 'audiences' | 'audienceWords'>,
  words: AudienceWords,
): boolean {
  return row.audiences === toAudienceBits(words) && row.audienceWords === formatListingWords(words)
}

/** The fields of an indicator's row that its audiences are read from. */
interface AddressedRow {
  readonly audiences: number
  readonly audienceWords: string | null
  readonly threatLevel: ThreatLevel
  readonly targetBrand: string | null
}

/** Returns whom a row concerns, by its words and its present threat level and brand. */
export function readListingWords(row: AddressedRow): AudienceWords {
  const words: Record<Audience, readonly string[]> = {
    professional: [row.threatLevel],
    elder: parseElderWords(row.audienceWords),
    general: row.targetBrand === null ? [] : [row.targetBrand],
  }
  const concerned = audiences.filter((audience) => (row.audiences & audienceBits[audience]) !== 0)
  return Object.fromEntries(concerned.map((audience) => [audience, words[audience]]))
}

function parseElderWords(json: string | null): readonly string[] {
  const words: unknown = json === null ? null : JSON.parse(json)
  if (typeof words !== 'object' || words === null || !('elder' in words)) return []
  return Array.isArray(words.elder) ? words.elder.map(String) : []
}
