/**
 * Writes many objects as JSON, piece by piece: which ones and how is said in a form that one thread can tell
 * another, so that long answers need not be written on the thread that serves.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReadStore } from '../store/store.ts'
import { addedText } from './added.ts'
import { Collection, type CollectionName, type ObjectFilter } from './collections.ts'
import { type Newest, newestObjects } from './newest.ts'
import { type StixRecord, stixMediaType } from './stix.ts'
import { timeText } from './wire.ts'

/** Which objects are to be written: a stretch of a collection, or the newest indicators. */
export type ObjectSelection =
  | {
      readonly kind: 'stretch'
      readonly collection: CollectionName
      readonly filter: ObjectFilter
      /** Of the dates `(after, upTo]`, about so many. */
      readonly after: number
      readonly upTo: number
      readonly count: number
    }
  | ({ readonly kind: 'newest' } & Newest)

/** What is to be written. */
export interface ObjectRequest {
  /** Null for none. */
  readonly objects: ObjectSelection | null
  /** Each whole, or as the entry of a manifest. */
  readonly form: 'object' | 'manifest'
  /** The members that stand before them. */
  readonly head: string
}

/** A text in pieces, each made when it is asked for. */
export type Pieces = AsyncGenerator<string | Uint8Array, void>

/** Whoever writes objects. */
export interface ObjectSerializer {
  write(request: ObjectRequest): Pieces
}

/** Returns the members that a STIX bundle begins with (STIX §8). */
export const bundleHead = (uuid: string): string => `"type":"bundle","id":"bundle--${uuid}"`

const manifestEntry = (object: StixRecord): string =>
  `{"id":"${object.id}","date_added":"${addedText(object)}",` +
  `"version":"${timeText(object.version)}","media_type":"${stixMediaType}"}`

const forms = { object: (object: StixRecord) => object.text(), manifest: manifestEntry } as const

function readSlices(store: ReadStore, objects: ObjectSelection): Generator<readonly StixRecord[]> {
  if (objects.kind === 'newest') return newestObjects(store, objects)
  const { collection, filter, after, upTo } = objects
  return new Collection(store, collection).slices(filter, { after, upTo })
}

/**
 * Writes a JSON object with the members of `head` and the list `objects`, which is left out when it is
 * empty: lists without items are forbidden (TAXII §2, STIX §2).
 */
export async function* serializeObjects(
  store: ReadStore,
  { objects, form, head }: ObjectRequest,
): AsyncGenerator<string, void> {
  const toText = forms[form]
  let isEmpty = true
  for (const slice of objects === null ? [] : readSlices(store, objects)) {
    if (slice.length === 0) continue
    const text = slice.map(toText).join(',')
    yield isEmpty ? `{${head},"objects":[${text}` : `,${text}`
    isEmpty = false
    await nextTurn()
  }
  yield isEmpty ? `{${head}}` : ']}'
}

/** Returns a writer on this thread. */
export function createSerializer(store: ReadStore): ObjectSerializer {
  return { write: (request) => serializeObjects(store, request) }
}
