/**
 * The STIX export (specification §4, GET /api/v1/export/stix): the active indicators, the latest change first,
 * each with its brand and family. The rest follows after a cursor; an indicator that changes meanwhile is at
 * the beginning of a new export.
 */

import { toSubjectKey } from '../../model/stix-id.ts'
import type { ReadStore } from '../../store/store.ts'
import { readCursor, toCursor } from '../cursor.ts'
import { beforeNext, type Newest } from './newest.ts'
import { bundleHead, type ObjectSerializer, type Pieces } from './object-writing.ts'

export interface ExportQuery {
  /** Only indicators of the brand with this name, alias or domain; null for all. */
  readonly campaign: string | null
  /** Only versions made after this time, milliseconds since the epoch; null for all. */
  readonly since: number | null
  /** Maximum number of indicators; brands and families are not counted. */
  readonly limit: number
  /** The position at which an earlier export ended (`readExportCursor`); null for the newest. */
  readonly before: number | null
}

/** One export. */
export interface ExportedBundle {
  /** The cursor of the next export; null when nothing is left. */
  readonly nextCursor: string | null
  readonly pieces: Pieces
}

export interface StixExport {
  /** Returns a bundle; `uuid` is a new one each time. O(limit). */
  bundle(query: ExportQuery, uuid: string): ExportedBundle
}

const cursorVersion = 1

/** Returns the number in a cursor, before which the export continues; null when it is not a cursor. */
export function readExportCursor(cursor: string): number | null {
  const [before] = readCursor(cursor, /^1 (\d{1,16})$/) ?? []
  return before === undefined ? null : Number(before)
}

/** Returns the export; `brandNamed` returns the brand that a text names, or null. */
export function createStixExport(
  store: ReadStore,
  serializer: ObjectSerializer,
  brandNamed: (text: string) => string | null,
): StixExport {
  /** Brands that weir does not know keep the name that their sources give. */
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
