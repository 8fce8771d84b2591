/**
 * The STIX export (specification §4, GET /api/v1/export/stix): indicators that stand, changed last first,
 * each with what it belongs to. What does not fit in goes on behind a cursor; what changes meanwhile stands at
 * the beginning again.
 */

import { toSubjectKey } from '../model/stix-id.ts'
import type { ReadStore } from '../store/store.ts'
import { readCursor, toCursor } from './cursor.ts'
import { beforeNext, type Newest } from './newest.ts'
import { bundleHead, type ObjectSerializer, type Pieces } from './object-writing.ts'

export interface ExportQuery {
  /** Only what belongs to the brand that is meant by this name, alias or domain; null for all. */
  readonly campaign: string | null
  /** Only versions made after this time, milliseconds since the epoch; null for all. */
  readonly since: number | null
  /** The most indicators; what they belong to comes on top. */
  readonly limit: number
  /** Where an earlier export has ended (`readExportCursor`); null for the newest. */
  readonly before: number | null
}

/** One export. */
export interface ExportedBundle {
  /** Where it goes on; null when nothing is left. */
  readonly nextCursor: string | null
  readonly pieces: Pieces
}

export interface StixExport {
  /** Returns a bundle; `uuid` is a new one each time. O(limit). */
  bundle(query: ExportQuery, uuid: string): ExportedBundle
}

const cursorVersion = 1

/** Returns the number that a cursor names, before which the export goes on; null when it is not one. */
export function readExportCursor(cursor: string): number | null {
  const [before] = readCursor(cursor, /^1 (\d{1,16})$/) ?? []
  return before === undefined ? null : Number(before)
}

/** Builds the export; `brandNamed` returns the brand that is meant by a text, or null. */
export function createStixExport(
  store: ReadStore,
  serializer: ObjectSerializer,
  brandNamed: (text: string) => string | null,
): StixExport {
  /** Brands that weir does not know go by what their sources call them. */
  const findBrandKeys = (campaign: string): readonly string[] => [
    ...new Set([campaign, brandNamed(campaign) ?? campaign].map(toSubjectKey)),
  ]
  return {
    bundle: ({ campaign, ...query }, uuid) => {
      const newest: Newest = {
        ...query,
        brandKeys: campaign === null ? null : findBrandKeys(campaign),
      }
      const next = beforeNext(store, newest)
      return {
        nextCursor: next === null ? null : toCursor(cursorVersion, next),
        pieces: serializer.write({
          objects: { kind: 'newest', ...newest },
          form: 'object',
          head: bundleHead(uuid),
        }),
      }
    },
  }
}
