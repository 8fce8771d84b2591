/**
 * TAXII 2.1 over the collections: which page a request gets, and its text.
 *
 *     stored ──── one second ───▶ added, for whoever pulls: `date_added` + 1 s, and not before
 *
 * What is committed is withheld for a second, and dated a second later than the store dates it: a batch
 * that another process commits late is still dated after every moment at which a poller could have seen the
 * collection without it. So also who goes by his own clock misses nothing.
 */

import type { Result } from '../model/result.ts'
import type { Store } from '../store/store.ts'
import {
  Collection,
  type CollectionName,
  type CollectionPage,
  collectionNames,
} from './collections.ts'
import type { StixObject } from './stix.ts'
import {
  filterOf,
  inheritedMatch,
  type Match,
  type MatchField,
  taxiiCursorOf,
  taxiiPositionOf,
} from './taxii-filter.ts'
import { timeText } from './wire.ts'

/** The media type of TAXII, to the letter. */
export const taxiiMediaType = 'application/taxii+json;version=2.1'
/** The media type of STIX, to the letter. */
export const stixMediaType = 'application/stix+json;version=2.1'

/** What a collection is called beside the name in its path. */
export interface CollectionDescription {
  readonly name: CollectionName
  /** A UUID of version 4, as the standard wants it (§2); made once, never to be changed. */
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

/** Returns the collection that a path names by its name or its UUID, or null. */
export function collectionNamed(text: string): CollectionDescription | null {
  const name = collectionNames.find(
    (each) => each === text || collectionDescriptions[each].uuid === text.toLowerCase(),
  )
  return name === undefined ? null : collectionDescriptions[name]
}

/** What a request asks of a collection. */
export interface TaxiiQuery {
  readonly limit: number
  /** Microseconds since the epoch; null for all. Ignored when a cursor is given. */
  readonly addedAfter: number | null
  readonly next: string | null
  readonly match: Match
}

/** Why a request cannot be answered: its cursor, or a field to be matched, wrong or not as before. */
export type TaxiiRefusal = 'bad_cursor' | `bad_${MatchField}` | `changed_${MatchField}`

/** A page as TAXII tells of it. */
export interface TaxiiPage {
  /** When its first and last object were added; what to go on from when it has none. */
  readonly addedFirst: string
  readonly addedLast: string
  /** The cursor of the page after it; null on the last one. */
  readonly next: string | null
  slices(): Generator<readonly StixObject[]>
}

const millisecondUs = 1_000
const withheldUs = 1_000_000

/** Returns a date as TAXII writes it, with six digits behind the second (§2). */
export function addedText(date: number): string {
  const milliseconds = Math.floor(date / millisecondUs)
  const microseconds = String(millisecondUs + (date - milliseconds * millisecondUs)).slice(1)
  return `${timeText(milliseconds).slice(0, -1)}${microseconds}Z`
}

/** Returns when an object was added, for whoever pulls. */
export const addedAt = ({ date }: Pick<StixObject, 'date'>): string => addedText(date + withheldUs)

/** Returns up to which date the store has been quiet for a second. */
function settledUpTo(now: number, lastGiven: number): number {
  const lastOfNow = now * millisecondUs + millisecondUs - 1
  // A clock that has gone back would withhold for as long as it is behind.
  return lastGiven > lastOfNow + withheldUs ? lastGiven : lastOfNow - withheldUs
}

/** Reads collections over a connection. */
export class TaxiiReader {
  readonly #store: Pick<Store, 'exported' | 'meta'>
  readonly #collections: Readonly<Record<CollectionName, Collection>>

  constructor(store: Pick<Store, 'exported' | 'meta'>) {
    this.#store = store
    this.#collections = {
      'domain-blacklist': new Collection(store, 'domain-blacklist'),
      'phishing-urls': new Collection(store, 'phishing-urls'),
      campaigns: new Collection(store, 'campaigns'),
    }
  }

  /** Returns an object of a collection, also what was added just now, or null. */
  object(name: CollectionName, id: string): StixObject | null {
    return this.#collections[name].object(id)
  }

  /** Returns one object as a page of its collection, empty when the filters leave it out. */
  objectPage(
    name: CollectionName,
    object: StixObject,
    query: TaxiiQuery,
  ): Result<TaxiiPage, TaxiiRefusal> {
    const id = { ...query, match: { ...query.match, id: object.id } }
    return this.#page(name, id, Number.MAX_SAFE_INTEGER)
  }

  /** Returns a page of a collection as it stood a second before `now`. */
  page(name: CollectionName, query: TaxiiQuery, now: number): Result<TaxiiPage, TaxiiRefusal> {
    return this.#page(name, query, settledUpTo(now, this.#store.meta().date_added))
  }

  #page(
    name: CollectionName,
    { limit, addedAfter, next, match: given }: TaxiiQuery,
    upTo: number,
  ): Result<TaxiiPage, TaxiiRefusal> {
    const position = next === null ? null : taxiiPositionOf(next)
    if (next !== null && position?.collection !== name) return { ok: false, reason: 'bad_cursor' }
    const match =
      position === null
        ? { ok: true as const, value: given }
        : inheritedMatch(given, position.match)
    if (!match.ok) return { ok: false, reason: `changed_${match.reason}` }
    const filter = filterOf(match.value)
    if (!filter.ok) return { ok: false, reason: `bad_${filter.reason}` }
    const after = position?.after ?? (addedAfter === null ? 0 : addedAfter - withheldUs)
    const collection = this.#collections[name]
    const page =
      filter.value === 'nothing'
        ? nothing
        : collection.page({ filter: filter.value, after, upTo, limit })
    const { first, last, more } = page
    // Whoever goes on from here neither goes back nor passes anything over.
    const standing = first === null || last === null ? Math.max(after, collection.latest(upTo)) : 0
    return {
      ok: true,
      value: {
        addedFirst: addedText((first ?? standing) + withheldUs),
        addedLast: addedText((last ?? standing) + withheldUs),
        next:
          more && last !== null
            ? taxiiCursorOf({ collection: name, after: last, match: match.value })
            : null,
        slices: page.slices,
      },
    }
  }
}

const nothing: CollectionPage = { first: null, last: null, more: false, *slices() {} }

/** How a page is written: what stands before its objects, each of them, and what stands behind. */
interface PageText {
  readonly head: string
  readonly each: (object: StixObject) => string
}

/** Lets others have the thread. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Writes a JSON object with the members of `head` and the list `objects`, which is left out when it is
 * empty: lists without items are forbidden (TAXII §2, STIX §2).
 */
export async function* objectsText(
  { slices }: Pick<TaxiiPage, 'slices'>,
  { head, each }: PageText,
): AsyncGenerator<string> {
  let isEmpty = true
  for (const slice of slices()) {
    if (slice.length === 0) continue
    const text = slice.map(each).join(',')
    yield isEmpty ? `{${head === '' ? '' : `${head},`}"objects":[${text}` : `,${text}`
    isEmpty = false
    await pause()
  }
  yield isEmpty ? `{${head}}` : ']}'
}

const moreText = ({ next }: Pick<TaxiiPage, 'next'>): string =>
  next === null ? '"more":false' : `"more":true,"next":"${next}"`

/** Writes an envelope (TAXII §3.7). */
export function envelopeText(page: TaxiiPage): AsyncGenerator<string> {
  return objectsText(page, { head: moreText(page), each: (object) => object.text() })
}

/** Writes a manifest (TAXII §5.3). */
export function manifestText(page: TaxiiPage): AsyncGenerator<string> {
  return objectsText(page, {
    head: moreText(page),
    each: (object) =>
      `{"id":"${object.id}","date_added":"${addedAt(object)}",` +
      `"version":"${timeText(object.version)}","media_type":"${stixMediaType}"}`,
  })
}

/** Writes the versions of an object (TAXII §5.8): the latest is the only one that is kept. */
export function versionsText({ slices }: TaxiiPage, object: StixObject): string {
  const isLeftOut = slices().next().done === true
  return isLeftOut ? '{"more":false}' : `{"more":false,"versions":["${timeText(object.version)}"]}`
}

/** Writes a STIX bundle (STIX §8); `uuid` is a new one each time. */
export function bundleText(page: Pick<TaxiiPage, 'slices'>, uuid: string): AsyncGenerator<string> {
  return objectsText(page, {
    head: `"type":"bundle","id":"bundle--${uuid}"`,
    each: (object) => object.text(),
  })
}
