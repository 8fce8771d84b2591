/**
 * The three TAXII collections (specification §2): what is in each, oldest addition first.
 *
 *     records of the store, each kind in the order of its dates ─▶ chosen by a filter ─▶ merged ─▶ objects
 *
 * Every object has a unique `date_added`, and a new version gets a new one: a client that continues from
 * the last date it has seen misses nothing, and a page costs no more than its objects.
 */

import { parseIdKey } from '../../model/stix-id.ts'
import type { DatedRecords, Exported, OwnedRecords } from '../../store/exported.ts'
import type { ReadStore } from '../../store/store.ts'
import {
  brandIdentityObject,
  brandSlots,
  commonObjects,
  indicatorObject,
  intrusionSetObject,
  malwareObject,
  pastIndicatorObject,
  relationshipObject,
  type StixRecord,
  type StixType,
  subjectObjects,
  targetsObject,
} from './stix.ts'

/** The ids of the collections in the specification, which are their titles as well. */
export const collectionNames = ['domain-blacklist', 'phishing-urls', 'campaigns'] as const
export type CollectionName = (typeof collectionNames)[number]

/** A range of dates `(after, upTo]`. */
interface Stretch {
  readonly after: number
  readonly upTo: number
}

/** Objects in the order of their dates. */
interface ObjectSource {
  /** Returns the first dates of a range, at most `limit`. */
  dates(stretch: Stretch, limit: number): number[]
  /** Returns the first objects of a range, at most `limit`. */
  objects(stretch: Stretch, limit: number): StixRecord[]
}

/** Objects of one type, as the store keeps them. */
interface RecordSource extends ObjectSource {
  readonly type: StixType
  /** Returns the last date up to one, or null. */
  latest(upTo: number): number | null
}

/** The wanted objects; null for all. An object matches any of several types, ids or versions. */
export interface ObjectFilter {
  readonly types: readonly string[] | null
  readonly ids: readonly string[] | null
  /** Milliseconds since the epoch. */
  readonly versions: readonly number[] | null
}

export const noFilter: ObjectFilter = { types: null, ids: null, versions: null }

/** A request for a page of a collection. */
export interface CollectionQuery {
  readonly filter: ObjectFilter
  /** Only what was added after this, microseconds since the epoch, as the store dates it. */
  readonly after: number
  /** Only what was added up to this. */
  readonly upTo: number
  readonly limit: number
}

/** One page of a collection. */
export interface CollectionPage {
  /** The dates of its first and its last object; null when it has none. */
  readonly first: number | null
  readonly last: number | null
  /** The number of its objects. */
  readonly count: number
  /** Whether there is a next page. */
  readonly more: boolean
}

/** The number of objects in a slice: one to two milliseconds. */
export const sliceObjects = 250

function recordSource<Row>(
  type: StixType,
  records: DatedRecords<Row>,
  render: (row: Row) => StixRecord,
  slot = 0,
): RecordSource {
  return {
    type,
    dates: ({ after, upTo }, limit) =>
      records.dates(after - slot, upTo - slot, limit).map((date) => date + slot),
    objects: ({ after, upTo }, limit) => records.rows(after - slot, upTo - slot, limit).map(render),
    latest: (upTo) => {
      const date = records.latest(upTo - slot)
      return date === null ? null : date + slot
    },
  }
}

/** A source of a few objects that are known already. */
function fixedSource(objects: readonly StixRecord[]): ObjectSource {
  const ordered = [...objects].sort((a, b) => a.date - b.date)
  const within = ({ after, upTo }: Stretch, limit: number): StixRecord[] =>
    ordered.filter(({ date }) => date > after && date <= upTo).slice(0, limit)
  return {
    dates: (stretch, limit) => within(stretch, limit).map(({ date }) => date),
    objects: within,
  }
}

/** Returns a source limited to some ranges, which ascend and do not overlap. */
function limitToStretches(source: ObjectSource, stretches: readonly Stretch[]): ObjectSource {
  const read = <Item>(
    { after, upTo }: Stretch,
    limit: number,
    items: (stretch: Stretch, limit: number) => Item[],
  ): Item[] => {
    const found: Item[] = []
    for (const stretch of stretches) {
      const both = {
        after: Math.max(after, stretch.after),
        upTo: Math.min(upTo, stretch.upTo),
      }
      if (both.after < both.upTo) found.push(...items(both, limit - found.length))
      if (found.length === limit) break
    }
    return found
  }
  return {
    dates: (stretch, limit) => read(stretch, limit, source.dates),
    objects: (stretch, limit) => read(stretch, limit, source.objects),
  }
}

/** Returns the sources of a collection, the common objects left out. */
function recordSources(exported: Exported, name: CollectionName): readonly RecordSource[] {
  const indicators = (
    active: Exported['domains'],
    past: Exported['pastDomains'],
  ): readonly RecordSource[] => [
    recordSource('indicator', active, indicatorObject),
    recordSource('indicator', past, pastIndicatorObject),
  ]
  switch (name) {
    case 'domain-blacklist':
      return indicators(exported.domains, exported.pastDomains)
    case 'phishing-urls':
      return indicators(exported.others, exported.pastOthers)
    case 'campaigns': {
      const { brands, families, relationships } = exported
      const { identity, intrusionSet, targets } = brandSlots
      return [
        ...indicators(exported.campaigns, exported.pastCampaigns),
        recordSource('identity', brands, brandIdentityObject, identity),
        recordSource('intrusion-set', brands, intrusionSetObject, intrusionSet),
        recordSource('relationship', brands, targetsObject, targets),
        recordSource('malware', families, malwareObject),
        recordSource('relationship', relationships, relationshipObject),
      ]
    }
  }
}

/** Returns the objects that an indicator or subject has in a collection. */
function objectsIn(name: CollectionName, owned: OwnedRecords): StixRecord[] {
  const { indicator, past, relationships, subject } = owned
  const isWhole = name === 'campaigns'
  const belongs = (row: { readonly type: string; readonly inCampaigns: number }): boolean =>
    isWhole ? row.inCampaigns === 1 : (row.type === 'domain') === (name === 'domain-blacklist')
  return [
    ...(indicator !== null && belongs(indicator) ? [indicatorObject(indicator)] : []),
    ...past.filter(belongs).map(pastIndicatorObject),
    ...(isWhole ? relationships.map(relationshipObject) : []),
    ...(isWhole && subject !== null ? subjectObjects(subject) : []),
  ]
}

const millisecond = (time: number): Stretch => ({ after: time * 1000 - 1, upTo: time * 1000 + 999 })

/** Reads one collection over a connection. */
export class Collection {
  readonly name: CollectionName
  readonly #exported: Exported
  readonly #common: readonly StixRecord[]
  readonly #sources: readonly RecordSource[]

  constructor(store: ReadStore, name: CollectionName) {
    this.name = name
    this.#exported = store.exported
    this.#common = commonObjects(store.meta().bornAt)
    this.#sources = recordSources(store.exported, name)
  }

  /** Returns the object with this id, or null. */
  object(id: string): StixRecord | null {
    const common = this.#common.find((object) => object.id === id)
    if (common !== undefined) return common
    const key = parseIdKey(id)
    if (key === null) return null
    const owned = this.#exported.ownedBy(key).flatMap((records) => objectsIn(this.name, records))
    return owned.find((object) => object.id === id) ?? null
  }

  /** Returns the date of the last addition up to a date; every collection has one. */
  latest(upTo: number): number {
    return Math.max(
      ...this.#common.map(({ date }) => date),
      ...this.#sources.flatMap((source) => source.latest(upTo) ?? []),
    )
  }

  /** Returns a page; O(limit) whatever lies before it, O(ids) when ids are given. */
  page({ filter, after, upTo, limit }: CollectionQuery): CollectionPage {
    const sources = this.#chosen(filter)
    const stretch = { after, upTo }
    const dates = sources.flatMap((source) => source.dates(stretch, limit + 1))
    // Objects of one type are in order already.
    if (sources.length > 1) dates.sort((a, b) => a - b)
    const count = Math.min(limit, dates.length)
    return {
      first: dates[0] ?? null,
      last: dates[count - 1] ?? null,
      count,
      more: dates.length > limit,
    }
  }

  /** Yields the objects of a range in slices; objects that changed since the page was made are left out. */
  slices(filter: ObjectFilter, stretch: Stretch): Generator<readonly StixRecord[]> {
    return merged(this.#chosen(filter), stretch)
  }

  #chosen({ types, ids, versions }: ObjectFilter): readonly ObjectSource[] {
    const isWanted = (type: string): boolean => types?.includes(type) ?? true
    const isVersion = ({ version }: StixRecord): boolean => versions?.includes(version) ?? true
    const fixed = (objects: readonly StixRecord[]): ObjectSource =>
      fixedSource(objects.filter((object) => isWanted(object.type) && isVersion(object)))
    if (ids !== null) {
      return [fixed([...new Set(ids)].flatMap((id) => this.object(id) ?? []))]
    }
    const records = this.#sources.filter(({ type }) => isWanted(type))
    const dated =
      versions === null
        ? records
        : records.map((source) =>
            limitToStretches(source, [...new Set(versions)].sort((a, b) => a - b).map(millisecond)),
          )
    return [fixed(this.#common), ...dated]
  }
}

/** The objects that were read from a source and not yet yielded. */
interface Head {
  readonly source: ObjectSource
  after: number
  buffer: readonly StixRecord[]
  next: number
  isRead: boolean
}

/** Yields the objects of several sources in the order of their dates, in slices. */
function* merged(
  sources: readonly ObjectSource[],
  { after, upTo }: Stretch,
): Generator<readonly StixRecord[]> {
  const heads = sources.map(
    (source): Head => ({ source, after, buffer: [], next: 0, isRead: false }),
  )
  for (;;) {
    for (const head of heads) refill(head, upTo)
    const open = heads.filter(({ buffer, next }) => next < buffer.length)
    if (open.length === 0) return
    yield open.length === 1 ? rest(open[0]) : nextSlice(open)
  }
}

function refill(head: Head, upTo: number): void {
  if (head.isRead || head.next < head.buffer.length) return
  head.buffer = head.source.objects({ after: head.after, upTo }, sliceObjects)
  head.next = 0
  head.isRead = head.buffer.length < sliceObjects
  head.after = head.buffer.at(-1)?.date ?? head.after
}

function rest(head: Head | undefined): readonly StixRecord[] {
  if (head === undefined) return []
  const objects = head.next === 0 ? head.buffer : head.buffer.slice(head.next)
  head.next = head.buffer.length
  return objects
}

/** Takes the earliest objects of several heads until one of them must be refilled. */
function nextSlice(heads: readonly Head[]): readonly StixRecord[] {
  const slice: StixRecord[] = []
  const isDry = ({ buffer, next }: Head): boolean => next === buffer.length
  while (slice.length < sliceObjects) {
    let earliest: Head | null = null
    let object: StixRecord | null = null
    for (const head of heads) {
      const first = head.buffer[head.next]
      if (first === undefined || (object !== null && object.date <= first.date)) continue
      earliest = head
      object = first
    }
    if (earliest === null || object === null) break
    slice.push(object)
    earliest.next++
    if (isDry(earliest) && !earliest.isRead) break
  }
  return slice
}
