/**
 * The STIX export (specification §4, GET /api/v1/export/stix): indicators that stand, changed last first,
 * each with what it belongs to.
 */

import { subjectKeyOf } from '../model/stix-id.ts'
import { bundleHead, type ObjectWriter, type Pieces } from './object-writing.ts'

export interface ExportQuery {
  /** Only what belongs to the brand that is meant by this name, alias or domain; null for all. */
  readonly campaign: string | null
  /** Only versions made after this time, milliseconds since the epoch; null for all. */
  readonly since: number | null
  /** The most indicators; what they belong to comes on top. */
  readonly limit: number
}

export interface StixExport {
  /** Returns a bundle in pieces; `uuid` is a new one each time. O(limit). */
  bundle(query: ExportQuery, uuid: string): Pieces
}

/** Builds the export; `brandNamed` returns the brand that is meant by a text, or null. */
export function createStixExport(
  writer: ObjectWriter,
  brandNamed: (text: string) => string | null,
): StixExport {
  /** Brands that weir does not know go by what their sources call them. */
  const keysOf = (campaign: string): readonly string[] => [
    ...new Set([campaign, brandNamed(campaign) ?? campaign].map(subjectKeyOf)),
  ]
  return {
    bundle: ({ campaign, since, limit }, uuid) => {
      const brandKeys = campaign === null ? null : keysOf(campaign)
      const objects = { kind: 'newest', brandKeys, since, limit } as const
      return writer.write({ objects, form: 'object', head: bundleHead(uuid) })
    },
  }
}
