/** The `indicator` table: its rows, and every statement over it. */

import type { Audience } from '../model/audience.ts'
import type {
  BrandOrigin,
  Indicator,
  IndicatorType,
  ThreatLevel,
  ThreatType,
} from '../model/indicator.ts'
import { audienceBits } from './audience-bits.ts'
import { assigned, inserted, Statements, selected } from './statements.ts'

/** An indicator as the store keeps it; flags are 0 or 1. Other rooms get an `Indicator`. */
export type IndicatorRow = {
  id: number
  type: IndicatorType
  value: string
  host: string | null
  platform: string | null
  active: number
  published: number
  doNotBlock: number
  decision: 'block' | 'allow' | null
  threatType: ThreatType
  threatLevel: ThreatLevel
  confidence: number
  targetBrand: string | null
  targetBrandOrigin: BrandOrigin | null
  malwareFamily: string | null
  sources: string
  reference: string | null
  firstSeen: number
  lastSeen: number
  listedAt: number
  seq: number
  listedSeq: number
  dateAdded: number
  exported: number
  generation: number
  createdAt: number | null
  statedConfidence: number | null
  inCampaigns: number
  /** Whom it concerns (`audienceBits`), and the words that decided, as JSON. */
  audiences: number
  audienceWords: string | null
}

// biome-ignore format: columns, as many to a line as fit
const fields = [
  'id', 'type', 'value', 'host', 'platform', 'active', 'published', 'doNotBlock', 'decision',
  'threatType', 'threatLevel', 'confidence', 'targetBrand', 'targetBrandOrigin', 'malwareFamily',
  'sources', 'reference', 'firstSeen', 'lastSeen', 'listedAt', 'seq', 'listedSeq', 'dateAdded',
  'exported', 'generation', 'createdAt', 'statedConfidence', 'inCampaigns', 'audiences',
  'audienceWords',
] as const satisfies readonly (keyof IndicatorRow)[]

/** What a row is read from. */
export const indicatorColumns = selected('indicator', fields)

// biome-ignore format: columns, as many to a line as fit
const changeFields = [
  'id', 'type', 'value', 'host', 'active', 'published', 'doNotBlock', 'decision', 'seq',
] as const satisfies readonly (keyof IndicatorRow)[]
const changeColumns = selected('indicator', changeFields)

/** What a view needs of a changed row; `active` 0 is a tombstone. */
export type IndicatorChange = Readonly<Pick<IndicatorRow, (typeof changeFields)[number]>>

// biome-ignore format: columns, as many to a line as fit
const nameableFields = [
  'id', 'type', 'value', 'host', 'targetBrand', 'targetBrandOrigin', 'malwareFamily', 'threatType',
  'confidence', 'audiences', 'audienceWords',
] as const satisfies readonly (keyof IndicatorRow)[]
const nameableColumns = selected('indicator', nameableFields)

/** What the rules need of a row: which brand it imitates, whom it concerns. */
export type NameableIndicator = Readonly<Pick<IndicatorRow, (typeof nameableFields)[number]>>

/** What names an indicator: it never changes. */
const identity: readonly string[] = [
  'id',
  'type',
  'value',
  'host',
] satisfies readonly (keyof IndicatorRow)[]

/** What only changes with the listing; other indexes than the one by number lie over these columns. */
const listing: readonly string[] = [
  'active',
  'published',
  'listedAt',
  'listedSeq',
  'audiences',
  'audienceWords',
] satisfies readonly (keyof IndicatorRow)[]

const changed = fields.filter((field) => !identity.includes(field))
const restated = changed.filter((field) => !listing.includes(field))

// biome-ignore format: columns, as many to a line as fit
const refreshed = [
  'confidence', 'sources', 'reference', 'lastSeen', 'targetBrandOrigin', 'platform', 'firstSeen',
] satisfies readonly (keyof IndicatorRow)[]

/** Returns the indicator of a row. */
export function toIndicator(row: IndicatorRow): Indicator {
  return {
    id: row.id,
    type: row.type,
    value: row.value,
    host: row.host,
    isActive: row.active === 1,
    isPublished: row.published === 1,
    doNotBlock: row.doNotBlock === 1,
    threatType: row.threatType,
    threatLevel: row.threatLevel,
    confidence: row.confidence,
    targetBrand: row.targetBrand,
    targetBrandOrigin: row.targetBrandOrigin,
    malwareFamily: row.malwareFamily,
    sources: row.sources === '' ? [] : row.sources.split(' '),
    reference: row.reference,
    firstSeen: row.firstSeen,
    lastSeen: row.lastSeen,
    listedAt: row.listedAt,
    seq: row.seq,
    listedSeq: row.listedSeq,
  }
}

const onBlacklist = `SELECT ${indicatorColumns} FROM indicator INDEXED BY indicator_blacklist
  WHERE published = 1 AND type = 'domain'`

/** Reads lists of indicators, as other rooms ask for them. */
export class IndicatorReader extends Statements {
  /** Returns what the rules need of the rows after `id`, also of those that may come back. */
  nameable(id: number, limit: number): NameableIndicator[] {
    const sql = `SELECT ${nameableColumns} FROM indicator WHERE id > ?1 ORDER BY id LIMIT ?2`
    return this.queryAll(sql, id, limit)
  }

  /** Returns published domains listed at or after `since`, newest first, ties by domain. */
  blacklist(since: number, limit: number, offset: number): Indicator[] {
    const sql = `${onBlacklist} AND listed_at >= ?1 ORDER BY listed_at DESC, value LIMIT ?2 OFFSET ?3`
    return this.#indicators(sql, since, limit, offset)
  }

  /** Continues after the entry listed at `listedAt` named `value`, in the blacklist's order. */
  blacklistAfter(listedAt: number, value: string, since: number, limit: number): Indicator[] {
    const sameTime =
      listedAt < since
        ? []
        : this.#indicators(
            `${onBlacklist} AND listed_at = ?1 AND value > ?2 ORDER BY value LIMIT ?3`,
            listedAt,
            value,
            limit,
          )
    const missing = limit - sameTime.length
    if (missing === 0) return sameTime
    const earlier = this.#indicators(
      `${onBlacklist} AND listed_at < ?1 AND listed_at >= ?2
        ORDER BY listed_at DESC, value LIMIT ?3`,
      listedAt,
      since,
      missing,
    )
    return sameTime.concat(earlier)
  }

  /** Returns the published domains that were listed last and may be blocked. */
  newestListed(limit: number): Indicator[] {
    const sql = `${onBlacklist} AND do_not_block = 0 ORDER BY listed_at DESC, value LIMIT ?1`
    return this.#indicators(sql, limit)
  }

  /** Returns what was listed last for an audience. */
  newestFor(audience: Audience, limit: number): Indicator[] {
    const sql = `SELECT ${indicatorColumns} FROM indicator
      WHERE published = 1 AND do_not_block = 0 AND (audiences & ${audienceBits[audience]}) <> 0
      ORDER BY listed_seq DESC LIMIT ?1`
    return this.#indicators(sql, limit)
  }

  #indicators(sql: string, ...values: (string | number)[]): Indicator[] {
    return this.queryAll<IndicatorRow>(sql, ...values).map(toIndicator)
  }
}

/** Looks rows up. */
export class IndicatorRows extends Statements {
  readonly #byId = this.prepare<IndicatorRow>(
    `SELECT ${indicatorColumns} FROM indicator WHERE id = ?1`,
  )
  readonly #byValue = this.prepare<IndicatorRow>(
    `SELECT ${indicatorColumns} FROM indicator WHERE value = ?1 AND type = ?2`,
  )
  readonly #pageOnHost = this.prepare<IndicatorRow>(
    `SELECT ${indicatorColumns} FROM indicator
      WHERE host = ?1 AND type = 'url' AND active = 1 ORDER BY id LIMIT 1`,
  )

  byId(id: number): IndicatorRow | null {
    return this.#byId.get(id)
  }

  byValue(value: string, type: IndicatorType): IndicatorRow | null {
    return this.#byValue.get(value, type)
  }

  /** Returns one listed page of exactly this host, or null. */
  pageOnHost(host: string): IndicatorRow | null {
    return this.#pageOnHost.get(host)
  }

  /** Returns at most `limit` rows changed after `seq`, oldest change first, tombstones included. */
  changesAfter(seq: number, limit: number): IndicatorChange[] {
    const sql = `SELECT ${changeColumns} FROM indicator WHERE seq > ?1 ORDER BY seq LIMIT ?2`
    return this.queryAll(sql, seq, limit)
  }

  /** Returns at most `limit` rows with an id over `id`, tombstones included. */
  rowsAfter(id: number, limit: number): IndicatorChange[] {
    const sql = `SELECT ${changeColumns} FROM indicator WHERE id > ?1 ORDER BY id LIMIT ?2`
    return this.queryAll(sql, id, limit)
  }

  /**
   * Returns rows that were delisted before a time (microseconds), carry no decision, and are not to come
   * back with their source: those among the `limit` that were delisted first.
   */
  delisted(before: number, limit: number): { id: number; seq: number }[] {
    const sql = `SELECT id, seq FROM (SELECT id, seq FROM indicator INDEXED BY indicator_delisted
        WHERE active = 0 AND decision IS NULL AND date_added < ?1 ORDER BY date_added LIMIT ?2)
        AS old
      WHERE NOT EXISTS
        (SELECT 1 FROM sighting WHERE indicator_id = old.id AND withheld = 1)`
    return this.queryAll(sql, before, limit)
  }
}

/** Looks rows up and changes them; changing belongs inside a batch's transaction. */
export class IndicatorTable extends IndicatorRows {
  readonly #insert = this.prepare(`INSERT ${inserted('indicator', fields)}`)
  readonly #touch = this.prepare('UPDATE indicator SET last_seen = ?2 WHERE id = ?1')
  readonly #refresh = this.prepare(`UPDATE indicator SET ${assigned(refreshed)} WHERE id = $id`)
  readonly #change = this.prepare(`UPDATE indicator SET ${assigned(changed)} WHERE id = $id`)
  readonly #restate = this.prepare(`UPDATE indicator SET ${assigned(restated)} WHERE id = $id`)
  readonly #address = this.prepare(
    'UPDATE indicator SET audiences = ?2, audience_words = ?3 WHERE id = ?1',
  )

  insert(row: IndicatorRow): void {
    this.#insert.run(row)
  }

  /** Notes that the indicator was seen again; touches no index. */
  touch(id: number, lastSeen: number): void {
    this.#touch.run(id, lastSeen)
  }

  /** Writes what may change without a new sequence number; touches no index. */
  refresh(row: IndicatorRow): void {
    this.#refresh.run(row)
  }

  /** Writes a change of meaning with the numbers the row carries. */
  change(row: IndicatorRow): void {
    this.#change.run(row)
  }

  /** Notes whom an indicator concerns; that does not change its meaning. */
  address(id: number, audiences: number, words: string | null): void {
    this.#address.run(id, audiences, words)
  }

  /**
   * Writes a change of meaning that leaves the row as listed as it was: half the work, as only the
   * index by number moves.
   */
  restate(row: IndicatorRow): void {
    this.#restate.run(row)
  }

  /** Deletes a row; every follower of the sequence must be past its number. */
  forget(id: number): void {
    this.execute('DELETE FROM indicator WHERE id = ?1', id)
  }
}
