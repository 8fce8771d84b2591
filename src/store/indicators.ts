/** The `indicator` table: its rows, and every statement over it. */

import type { Database, Statement } from 'bun:sqlite'
import type { Audience } from '../model/audience.ts'
import type {
  BrandOrigin,
  Indicator,
  IndicatorType,
  ThreatLevel,
  ThreatType,
} from '../model/indicator.ts'
import { audienceBits } from './audience-bits.ts'

/** A row as SQLite holds it; flags are 0 or 1. */
export interface IndicatorRow {
  id: number
  type: IndicatorType
  value: string
  host: string | null
  platform: string | null
  active: number
  published: number
  do_not_block: number
  decision: 'block' | 'allow' | null
  threat_type: ThreatType
  threat_level: ThreatLevel
  confidence: number
  target_brand: string | null
  target_brand_origin: BrandOrigin | null
  malware_family: string | null
  sources: string
  reference: string | null
  first_seen: number
  last_seen: number
  listed_at: number
  seq: number
  listed_seq: number
  date_added: number
  exported: number
  generation: number
  created_at: number | null
  stated_confidence: number | null
  in_campaigns: number
  /** Whom it concerns (`audienceBits`), and the words that decided, as JSON. */
  audiences: number
  audience_words: string | null
}

/** What a view needs of a changed row; `active` 0 is a tombstone. */
export interface Change {
  readonly id: number
  readonly type: IndicatorType
  readonly value: string
  readonly host: string | null
  readonly active: number
  readonly published: number
  readonly do_not_block: number
  readonly decision: 'block' | 'allow' | null
  readonly seq: number
}

/** What the rules need of a row: which brand it imitates, whom it concerns. */
export interface NameableRow {
  readonly id: number
  readonly type: IndicatorType
  readonly value: string
  readonly host: string | null
  readonly target_brand: string | null
  readonly target_brand_origin: BrandOrigin | null
  readonly malware_family: string | null
  readonly threat_type: ThreatType
  readonly confidence: number
  readonly audiences: number
  readonly audience_words: string | null
}

const newestFor = (audience: Audience): string => `SELECT * FROM indicator
  WHERE published = 1 AND do_not_block = 0 AND (audiences & ${audienceBits[audience]}) <> 0
  ORDER BY listed_seq DESC LIMIT ?1`

const changeColumns = 'id, type, value, host, active, published, do_not_block, decision, seq'

/** Every statement over `indicator`, by name; a test holds each to its plan and its time. */
export const indicatorSql = {
  byId: 'SELECT * FROM indicator WHERE id = ?1',
  byValue: 'SELECT * FROM indicator WHERE value = ?1 AND type = ?2',
  pageOnHost: `SELECT * FROM indicator
    WHERE host = ?1 AND type = 'url' AND active = 1 ORDER BY id LIMIT 1`,
  changes: `SELECT ${changeColumns} FROM indicator WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
  standing: `SELECT ${changeColumns} FROM indicator
    WHERE id > ?1 ORDER BY id LIMIT ?2`,
  nameable: `SELECT id, type, value, host, target_brand, target_brand_origin, malware_family,
      threat_type, confidence, audiences, audience_words FROM indicator
    WHERE id > ?1 ORDER BY id LIMIT ?2`,
  blacklist: `SELECT * FROM indicator INDEXED BY indicator_blacklist
    WHERE published = 1 AND type = 'domain' AND listed_at >= ?1
    ORDER BY listed_at DESC, value LIMIT ?2 OFFSET ?3`,
  blacklistSameTime: `SELECT * FROM indicator INDEXED BY indicator_blacklist
    WHERE published = 1 AND type = 'domain' AND listed_at = ?1 AND value > ?2
    ORDER BY value LIMIT ?3`,
  blacklistEarlier: `SELECT * FROM indicator INDEXED BY indicator_blacklist
    WHERE published = 1 AND type = 'domain' AND listed_at < ?1 AND listed_at >= ?2
    ORDER BY listed_at DESC, value LIMIT ?3`,
  newestListed: `SELECT * FROM indicator INDEXED BY indicator_blacklist
    WHERE published = 1 AND type = 'domain' AND do_not_block = 0
    ORDER BY listed_at DESC, value LIMIT ?1`,
  newest_professional: newestFor('professional'),
  newest_elder: newestFor('elder'),
  newest_general: newestFor('general'),
  insert: `INSERT INTO indicator VALUES
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
     ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)`,
  touch: 'UPDATE indicator SET last_seen = ?2 WHERE id = ?1',
  refresh: `UPDATE indicator SET confidence = ?2, sources = ?3, reference = ?4, last_seen = ?5,
    target_brand_origin = ?6, platform = ?7, first_seen = ?8 WHERE id = ?1`,
  change: `UPDATE indicator SET platform = ?2, active = ?3, published = ?4, do_not_block = ?5,
    decision = ?6, threat_type = ?7, threat_level = ?8, confidence = ?9, target_brand = ?10,
    target_brand_origin = ?11, malware_family = ?12, sources = ?13, reference = ?14,
    last_seen = ?15, listed_at = ?16, seq = ?17, listed_seq = ?18, date_added = ?19,
    first_seen = ?20, exported = ?21, generation = ?22, created_at = ?23, stated_confidence = ?24,
    in_campaigns = ?25, audiences = ?26, audience_words = ?27 WHERE id = ?1`,
  address: 'UPDATE indicator SET audiences = ?2, audience_words = ?3 WHERE id = ?1',
  restate: `UPDATE indicator SET platform = ?2, do_not_block = ?3, decision = ?4, threat_type = ?5,
    threat_level = ?6, confidence = ?7, target_brand = ?8, target_brand_origin = ?9,
    malware_family = ?10, sources = ?11, reference = ?12, last_seen = ?13, seq = ?14,
    date_added = ?15, first_seen = ?16, exported = ?17, generation = ?18, created_at = ?19,
    stated_confidence = ?20, in_campaigns = ?21 WHERE id = ?1`,
  delisted: `SELECT id, seq FROM (SELECT id, seq FROM indicator INDEXED BY indicator_delisted
      WHERE active = 0 AND decision IS NULL AND date_added < ?1 ORDER BY date_added LIMIT ?2) AS old
    WHERE NOT EXISTS (SELECT 1 FROM sighting WHERE indicator_id = old.id AND withheld = 1)`,
  forget: 'DELETE FROM indicator WHERE id = ?1',
} as const

/** Makes the domain's word of a row. */
export function toIndicator(row: IndicatorRow): Indicator {
  return {
    id: row.id,
    type: row.type,
    value: row.value,
    host: row.host,
    isActive: row.active === 1,
    isPublished: row.published === 1,
    doNotBlock: row.do_not_block === 1,
    threatType: row.threat_type,
    threatLevel: row.threat_level,
    confidence: row.confidence,
    targetBrand: row.target_brand,
    targetBrandOrigin: row.target_brand_origin,
    malwareFamily: row.malware_family,
    sources: row.sources === '' ? [] : row.sources.split(' '),
    reference: row.reference,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    listedAt: row.listed_at,
    seq: row.seq,
    listedSeq: row.listed_seq,
  }
}

/** Looks rows up and changes them; changing belongs inside a batch's transaction. */
export class IndicatorTable {
  readonly #byId: Statement<IndicatorRow, [number]>
  readonly #byValue: Statement<IndicatorRow, [string, string]>
  readonly #pageOnHost: Statement<IndicatorRow, [string]>
  readonly #changes: Statement<Change, [number, number]>
  readonly #standing: Statement<Change, [number, number]>
  readonly #nameable: Statement<NameableRow, [number, number]>
  readonly #blacklist: Statement<IndicatorRow, [number, number, number]>
  readonly #blacklistSameTime: Statement<IndicatorRow, [number, string, number]>
  readonly #blacklistEarlier: Statement<IndicatorRow, [number, number, number]>
  readonly #newestListed: Statement<IndicatorRow, [number]>
  readonly #newestFor: Readonly<Record<Audience, Statement<IndicatorRow, [number]>>>
  readonly #insert: Statement
  readonly #touch: Statement
  readonly #refresh: Statement
  readonly #change: Statement
  readonly #restate: Statement
  readonly #address: Statement
  readonly #delisted: Statement<{ id: number; seq: number }, [number, number]>
  readonly #forget: Statement

  constructor(database: Database) {
    this.#byId = database.prepare(indicatorSql.byId)
    this.#byValue = database.prepare(indicatorSql.byValue)
    this.#pageOnHost = database.prepare(indicatorSql.pageOnHost)
    this.#changes = database.prepare(indicatorSql.changes)
    this.#standing = database.prepare(indicatorSql.standing)
    this.#nameable = database.prepare(indicatorSql.nameable)
    this.#blacklist = database.prepare(indicatorSql.blacklist)
    this.#blacklistSameTime = database.prepare(indicatorSql.blacklistSameTime)
    this.#blacklistEarlier = database.prepare(indicatorSql.blacklistEarlier)
    this.#newestListed = database.prepare(indicatorSql.newestListed)
    this.#newestFor = {
      professional: database.prepare(indicatorSql.newest_professional),
      elder: database.prepare(indicatorSql.newest_elder),
      general: database.prepare(indicatorSql.newest_general),
    }
    this.#insert = database.prepare(indicatorSql.insert)
    this.#touch = database.prepare(indicatorSql.touch)
    this.#refresh = database.prepare(indicatorSql.refresh)
    this.#change = database.prepare(indicatorSql.change)
    this.#restate = database.prepare(indicatorSql.restate)
    this.#address = database.prepare(indicatorSql.address)
    this.#delisted = database.prepare(indicatorSql.delisted)
    this.#forget = database.prepare(indicatorSql.forget)
  }

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
  changesAfter(seq: number, limit: number): Change[] {
    return this.#changes.all(seq, limit)
  }

  /** Returns at most `limit` rows with an id over `id`, tombstones included. */
  rowsAfter(id: number, limit: number): Change[] {
    return this.#standing.all(id, limit)
  }

  /** Returns what the rules need of the rows behind `id`, also of those that may come back. */
  nameable(id: number, limit: number): NameableRow[] {
    return this.#nameable.all(id, limit)
  }

  /** Returns published domains listed at or after `since`, newest first, ties by domain. */
  blacklist(since: number, limit: number, offset: number): IndicatorRow[] {
    return this.#blacklist.all(since, limit, offset)
  }

  /** Goes on behind the entry listed at `listedAt` named `value`, in the blacklist's order. */
  blacklistAfter(listedAt: number, value: string, since: number, limit: number): IndicatorRow[] {
    const sameTime = listedAt < since ? [] : this.#blacklistSameTime.all(listedAt, value, limit)
    const missing = limit - sameTime.length
    if (missing === 0) return sameTime
    return sameTime.concat(this.#blacklistEarlier.all(listedAt, since, missing))
  }

  /** Returns the published domains that were listed last and may be blocked. */
  newestListed(limit: number): IndicatorRow[] {
    return this.#newestListed.all(limit)
  }

  /** Returns what was listed last for an audience. */
  newestFor(audience: Audience, limit: number): IndicatorRow[] {
    return this.#newestFor[audience].all(limit)
  }

  insert(row: IndicatorRow): void {
    this.#insert.run(
      row.id,
      row.type,
      row.value,
      row.host,
      row.platform,
      row.active,
      row.published,
      row.do_not_block,
      row.decision,
      row.threat_type,
      row.threat_level,
      row.confidence,
      row.target_brand,
      row.target_brand_origin,
      row.malware_family,
      row.sources,
      row.reference,
      row.first_seen,
      row.last_seen,
      row.listed_at,
      row.seq,
      row.listed_seq,
      row.date_added,
      row.exported,
      row.generation,
      row.created_at,
      row.stated_confidence,
      row.in_campaigns,
      row.audiences,
      row.audience_words,
    )
  }

  /** Notes that the indicator was seen again; touches no index. */
  touch(id: number, lastSeen: number): void {
    this.#touch.run(id, lastSeen)
  }

  /** Writes what may change without a new sequence number; touches no index. */
  refresh(row: IndicatorRow): void {
    this.#refresh.run(
      row.id,
      row.confidence,
      row.sources,
      row.reference,
      row.last_seen,
      row.target_brand_origin,
      row.platform,
      row.first_seen,
    )
  }

  /** Writes a change of meaning with the numbers the row carries. */
  change(row: IndicatorRow): void {
    this.#change.run(
      row.id,
      row.platform,
      row.active,
      row.published,
      row.do_not_block,
      row.decision,
      row.threat_type,
      row.threat_level,
      row.confidence,
      row.target_brand,
      row.target_brand_origin,
      row.malware_family,
      row.sources,
      row.reference,
      row.last_seen,
      row.listed_at,
      row.seq,
      row.listed_seq,
      row.date_added,
      row.first_seen,
      row.exported,
      row.generation,
      row.created_at,
      row.stated_confidence,
      row.in_campaigns,
      row.audiences,
      row.audience_words,
    )
  }

  /** Notes whom an indicator concerns; that is no change of its meaning. */
  address(id: number, audiences: number, words: string | null): void {
    this.#address.run(id, audiences, words)
  }

  /**
   * Writes a change of meaning that leaves the row as listed as it was: half the work, as only the
   * index by number moves.
   */
  restate(row: IndicatorRow): void {
    this.#restate.run(
      row.id,
      row.platform,
      row.do_not_block,
      row.decision,
      row.threat_type,
      row.threat_level,
      row.confidence,
      row.target_brand,
      row.target_brand_origin,
      row.malware_family,
      row.sources,
      row.reference,
      row.last_seen,
      row.seq,
      row.date_added,
      row.first_seen,
      row.exported,
      row.generation,
      row.created_at,
      row.stated_confidence,
      row.in_campaigns,
    )
  }

  /**
   * Returns rows that were delisted before a time (microseconds), carry no decision, and are not to come
   * back with their source: those among the `limit` that were delisted first.
   */
  delisted(before: number, limit: number): { id: number; seq: number }[] {
    return this.#delisted.all(before, limit)
  }

  /** Deletes a row; whoever follows the sequence must be past its number. */
  forget(id: number): void {
    this.#forget.run(id)
  }
}
