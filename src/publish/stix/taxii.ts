/** TAXII 2.1 over the collections: the page for a request, and its text. */

import type { Result } from '../../model/result.ts'
import type { ReadStore } from '../../store/store.ts'
import { timeText } from '../wire.ts'
import { microsecondText, shownUpTo, withheldUs } from './added.ts'
import {
  Collection,
  type CollectionName,
  type CollectionPage,
  collectionNames,
} from './collections.ts'
import {
  bundleHead,
  type ObjectSelection,
  type ObjectSerializer,
  type Pieces,
} from './object-writing.ts'
import type { StixRecord } from './stix.ts'
import {
  formatTaxiiCursor,
  inheritedMatch,
  type Match,
  type MatchField,
  parseTaxiiCursor,
  toObjectFilter,
} from './taxii-filter.ts'

/** The media type of TAXII, verbatim. */
export const taxiiMediaType = 'application/taxii+json;version=2.1'

/** The names and description of a collection. */
export interface CollectionDescription {
  readonly name: CollectionName
  /** A UUID of version 4, as the standard requires (§2); it never changes. */
  readonly uuid: string
  readonly description: string
}

export const collectionDescriptions: Readonly<Record<CollectionName, CollectionDescription>> = {
  'domain-blacklist': {
    name: 'domain-blacklist',
    uuid: 'a68b7c15-0eea-40d7-86d0-31859d5c4265',
    description: 'Indicators of listed domains; shared platforms are left out.',
  },
  'phishing-urls': {
    name: 'phishing-urls',
    uuid: 'd993194e-99d0-4a41-b2db-5e7c6584b434',
    description: 'Indicators of listed pages, files, e-mail addresses and network addresses.',
  },
  campaigns: {
    name: 'campaigns',
    uuid: 'a377cdba-d7b7-495c-9fe0-0c5e1eb67fe2',
    description:
      'Brands that are imitated and malware families, and every indicator that belongs to one.',
  },
}

/** Returns the collection with this name or UUID, or null. */
export function collectionNamed(text: string): CollectionDescription | null {
  const name = collectionNames.find(
    (each) => each === text || collectionDescriptions[each].uuid === text.toLowerCase(),
  )
  return name === undefined ? null : collectionDescriptions[name]
}

/** The parameters of a request. */
export interface TaxiiQuery {
  readonly limit: number
  /** Microseconds since the epoch; null for all. Ignored when a cursor is given. */
  readonly addedAfter: number | null
  /** Whether that time has only milliseconds, as from a client that has truncated it. */
  readonly isCut: boolean
  readonly next: string | null
  readonly match: Match
}

/** Why a request is invalid: its cursor, or a `match` field that is malformed or changed. */
export type TaxiiRefusal =
  | 'bad_cursor'
  | 'long_match'
  | `bad_${MatchField}`
  | `changed_${MatchField}`

/** The facts of a page of objects. */
export interface TaxiiPage {
  /** When its first and last object were added; of an empty page, the date to continue from. */
  readonly addedFirst: string
  readonly addedLast: string
  /** The cursor of the page after it; null on the last one. */
  readonly next: string | null
  /** The selection of its objects; null for none. */
  readonly objects: ObjectSelection | null
}

/** Reads collections over a connection. */
export class TaxiiReader {
  readonly #store: ReadStore
  readonly #serializer: ObjectSerializer
  readonly #collections: Readonly<Record<CollectionName, Collection>>

  constructor(store: ReadStore, serializer: ObjectSerializer) {
    this.#store = store
    this.#serializer = serializer
    this.#collections = {
      'domain-blacklist': new Collection(store, 'domain-blacklist'),
      'phishing-urls': new Collection(store, 'phishing-urls'),
      campaigns: new Collection(store, 'campaigns'),
    }
  }

  /** Returns an object of a collection, even one that was added just now, or null. */
  object(name: CollectionName, id: string): StixRecord | null {
    return this.#collections[name].object(id)
  }

  /** Returns one object as a page of its collection, empty when the filters exclude it. */
  objectPage(
    name: CollectionName,
    object: StixRecord,
    query: TaxiiQuery,
  ): Result<TaxiiPage, TaxiiRefusal> {
    const id = { ...query, match: { ...query.match, id: object.id } }
    return this.#store.atOnce(() => this.#page(name, id, Number.MAX_SAFE_INTEGER))
  }

  /** Returns a page of a collection as it was a second before `now`. */
  page(name: CollectionName, query: TaxiiQuery, now: number): Result<TaxiiPage, TaxiiRefusal> {
    return this.#store.atOnce(() =>
      this.#page(name, query, shownUpTo(now, this.#store.meta().dateAdded)),
    )
  }

  /** Writes an envelope (TAXII §3.7). */
  envelope(page: TaxiiPage): Pieces {
    return this.#serializer.write({ objects: page.objects, form: 'object', head: moreText(page) })
  }

  /** Writes a manifest (TAXII §5.3). */
  manifest(page: TaxiiPage): Pieces {
    return this.#serializer.write({ objects: page.objects, form: 'manifest', head: moreText(page) })
  }

  /** Writes a STIX bundle; `uuid` is a new one each time. */
  bundle({ objects }: TaxiiPage, uuid: string): Pieces {
    return this.#serializer.write({ objects, form: 'object', head: bundleHead(uuid) })
  }

  /** Returns a page; the caller ensures that all reads are of one moment. */
  #page(
    name: CollectionName,
    { limit, addedAfter, isCut, next, match: given }: TaxiiQuery,
    upTo: number,
  ): Result<TaxiiPage, TaxiiRefusal> {
    const position = next === null ? null : parseTaxiiCursor(next)
    if (next !== null && position?.collection !== name) return { ok: false, reason: 'bad_cursor' }
    const match =
      position === null
        ? { ok: true as const, value: given }
        : inheritedMatch(given, position.match)
    if (!match.ok) return { ok: false, reason: `changed_${match.reason}` }
    const filter = toObjectFilter(match.value)
    if (!filter.ok) return filter
    const collection = this.#collections[name]
    const asked = addedAfter === null ? 0 : addedAfter - withheldUs
    // A client that has all of the truncated millisecond is in sync; any other gets the rest of it again.
    const isInSync = isCut && collection.latest(upTo) <= asked + lastOfMillisecond
    const after = position?.after ?? (isInSync ? asked + lastOfMillisecond : asked)
    const page =
      filter.value === 'nothing'
        ? nothing
        : collection.page({ filter: filter.value, after, upTo, limit })
    const { first, last, count, more } = page
    // A client that continues from here neither goes back nor misses anything.
    const continueAt =
      first === null || last === null ? Math.max(after, collection.latest(upTo)) : 0
    return {
      ok: true,
      value: {
        addedFirst: microsecondText((first ?? continueAt) + withheldUs),
        addedLast: microsecondText((last ?? continueAt) + withheldUs),
        next:
          more && last !== null
            ? formatTaxiiCursor({ collection: name, after: last, match: match.value })
            : null,
        objects:
          filter.value === 'nothing' || last === null
            ? null
            : { kind: 'stretch', collection: name, filter: filter.value, after, upTo: last, count },
      },
    }
  }
}

/** Microseconds from a whole millisecond to its end. */
const lastOfMillisecond = 999

const nothing: CollectionPage = { first: null, last: null, count: 0, more: false }

const moreText = ({ next }: Pick<TaxiiPage, 'next'>): string =>
  next === null ? '"more":false' : `"more":true,"next":"${next}"`

/** Returns the versions of an object (TAXII §5.8): only the latest is kept. */
export function versionsText({ objects }: TaxiiPage, object: StixRecord): string {
  return objects === null
    ? '{"more":false}'
    : `{"more":false,"versions":["${timeText(object.version)}"]}`
}
