/**
 * Serializes many objects as JSON, piece by piece. A request is plain data that can be sent to another
 * thread, so that long answers need not be written on the serving thread.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReadStore } from '../../store/store.ts'
import { timeText } from '../wire.ts'
import { addedText } from './added.ts'
import { Collection, type CollectionName, type ObjectFilter } from './collections.ts'
import { type Newest, newestObjects } from './newest.ts'
import { type StixRecord, stixMediaType } from './stix.ts'

/** The objects of a request: a range of a collection, or the newest indicators. */
export type ObjectSelection =
  | {
      readonly kind: 'stretch'
      readonly collection: CollectionName
      readonly filter: ObjectFilter
      /** The dates `(after, upTo]`, and about how many objects they have. */
      readonly after: number
      readonly upTo: number
      readonly count: number
    }
  | ({ readonly kind: 'newest' } & Newest)

/** A request for a JSON text of objects. */
export interface ObjectRequest {
  /** Null for none. */
  readonly objects: ObjectSelection | null
  /** Whole objects, or entries of a manifest. */
  readonly form: 'object' | 'manifest'
  /** The members before the list `objects`. */
  readonly head: string
}

/** A text in pieces, each made when it is requested. */
export type Pieces = AsyncGenerator<string | Uint8Array, void>

/** Serializes objects, on this thread or on another. */
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
 * Yields a JSON object with the members of `head` and the list `objects`, which is left out when it is
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

/** Returns a serializer on this thread. */
export function createSerializer(store: ReadStore): ObjectSerializer {
  return { write: (request) => serializeObjects(store, request) }
}
