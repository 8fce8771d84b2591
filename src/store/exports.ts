/**
 * What exports say of indicators, kept level inside the batch that changes a row: which are exported and
 * since when, to which brand and family each belongs, and what is exported no longer.
 *
 *     row changes ─▶ published and exportable? ─ yes ─▶ exported: its subjects, its relationships stand
 *                                │ no, and it was
 *                                ▼
 *                    stix_past: ended, or revoked when the listing was a mistake
 *
 * What has left the exports keeps a record of its own, so that nothing that happens to the row while it
 * is not public shows. Every object has a `date_added` of its own, ascending in the order in which objects
 * refer to each other: subject, indicator, relationship. An object's text follows from its record alone
 * (`publish/stix`), so whoever changes a record gives it a new `date_added`.
 */

import type { Database, Statement } from 'bun:sqlite'
import {
  listSubjectIds,
  parseIdKey,
  type SubjectKind,
  subjectKinds,
  toIndicatesId,
  toIndicatorId,
  toSubjectKey,
} from '../model/stix-id.ts'
import type { CounterTable } from './counters.ts'
import type { IndicatorRow } from './indicators.ts'
import { StoreError } from './store-error.ts'

/** A brand or family as SQLite holds it. */
export interface SubjectRow {
  readonly id: number
  readonly kind: SubjectKind
  readonly key: string
  readonly name: string
  readonly created_at: number
  readonly active: number
  readonly date_added: number
}

/** How a relationship is: ended ones may stand again, revoked ones never. */
export type RelationshipState = 'stands' | 'ended' | 'revoked'

interface RelationshipRow {
  readonly indicator_id: number
  readonly generation: number
  readonly kind: SubjectKind
  readonly key: string
  readonly created_at: number
  readonly state: RelationshipState
  readonly date_added: number
}

interface PastRow {
  readonly indicator_id: number
  readonly generation: number
  readonly type: IndicatorRow['type']
  readonly created_at: number
  readonly valid_from: number
  readonly revoked: number
  readonly in_campaigns: number
  readonly date_added: number
}

/** What of a batch's progress exports need. */
export interface Dating {
  /** The next microsecond that is free. */
  dateAdded: number
  /** The subjects that this batch knows to be active. */
  readonly subjects: Set<string>
}

/** Microseconds of `date_added` reserved for each record: room for the objects made of it. */
const dateAddedPerRecord = 4

/** Where in the block of an indicator its relationship to each kind of subject stands. */
const slotOf: Readonly<Record<SubjectKind, number>> = { brand: 1, family: 2 }

/** What is counted of each kind: exported indicators, by the key of their subject. */
const scopeOf = { brand: 'exported_brand', family: 'exported_family' } as const

/** Every statement that keeps exports level, by name. */
export const exportSql = {
  subject: 'SELECT * FROM stix_subject WHERE kind = ?1 AND key = ?2',
  lastSubject: 'SELECT coalesce(max(id), 0) AS id FROM stix_subject',
  putSubject: 'INSERT OR REPLACE INTO stix_subject VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
  relationships: 'SELECT * FROM stix_relationship WHERE indicator_id = ?1 AND generation = ?2',
  putRelationship: 'INSERT OR REPLACE INTO stix_relationship VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
  past: 'SELECT * FROM stix_past WHERE indicator_id = ?1 AND generation = ?2',
  putPast: 'INSERT OR REPLACE INTO stix_past VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)',
  removePast: 'DELETE FROM stix_past WHERE indicator_id = ?1 AND generation = ?2',
  revoked: 'SELECT generation FROM stix_revoked WHERE value = ?1 AND type = ?2',
  noteRevoked: 'INSERT OR REPLACE INTO stix_revoked VALUES (?1, ?2, ?3)',
  noteId: 'INSERT OR IGNORE INTO stix_id VALUES (?1, ?2)',
  forgetId: 'DELETE FROM stix_id WHERE key = ?1 AND owner = ?2',
  allRelationships: 'SELECT * FROM stix_relationship WHERE indicator_id = ?1',
  forgetRelationships: 'DELETE FROM stix_relationship WHERE indicator_id = ?1',
  forgetPast: 'DELETE FROM stix_past WHERE indicator_id = ?1',
} as const

/** Returns the millisecond in which a version with this `date_added` was made: its `modified`. */
export function millisecondOf(dateAdded: number): number {
  return Math.floor(dateAdded / 1000)
}

/** Takes the next block of `date_added`. */
export function nextDateAdded(dating: Dating): number {
  const date = dating.dateAdded
  dating.dateAdded += dateAddedPerRecord
  return date
}

const isExportable = (row: IndicatorRow): boolean =>
  row.published === 1 && row.do_not_block === 0 && row.type !== 'phone'

const keyOf = (id: string): number => {
  const key = parseIdKey(id)
  if (key === null) {
    throw new StoreError('write', `${id} is no id of an object`, { hint: 'report this as a bug' })
  }
  return key
}

/** Keeps exports level on one connection, inside the transaction of a batch. */
export class Exports {
  readonly #counters: CounterTable
  readonly #subject: Statement<SubjectRow, [string, string]>
  readonly #lastSubject: Statement<{ id: number }, []>
  readonly #putSubject: Statement
  readonly #relationships: Statement<RelationshipRow, [number, number]>
  readonly #putRelationship: Statement
  readonly #past: Statement<PastRow, [number, number]>
  readonly #putPast: Statement
  readonly #removePast: Statement
  readonly #revoked: Statement<{ generation: number }, [string, string]>
  readonly #noteRevoked: Statement
  readonly #noteId: Statement
  readonly #forgetId: Statement
  readonly #allRelationships: Statement<RelationshipRow, [number]>
  readonly #forgetRelationships: Statement
  readonly #forgetPast: Statement

  constructor(database: Database, counters: CounterTable) {
    this.#counters = counters
    this.#subject = database.prepare(exportSql.subject)
    this.#lastSubject = database.prepare(exportSql.lastSubject)
    this.#putSubject = database.prepare(exportSql.putSubject)
    this.#relationships = database.prepare(exportSql.relationships)
    this.#putRelationship = database.prepare(exportSql.putRelationship)
    this.#past = database.prepare(exportSql.past)
    this.#putPast = database.prepare(exportSql.putPast)
    this.#removePast = database.prepare(exportSql.removePast)
    this.#revoked = database.prepare(exportSql.revoked)
    this.#noteRevoked = database.prepare(exportSql.noteRevoked)
    this.#noteId = database.prepare(exportSql.noteId)
    this.#forgetId = database.prepare(exportSql.forgetId)
    this.#allRelationships = database.prepare(exportSql.allRelationships)
    this.#forgetRelationships = database.prepare(exportSql.forgetRelationships)
    this.#forgetPast = database.prepare(exportSql.forgetPast)
  }

  /**
   * Dates a row that changes from `before` (null: is new) to `after`, and says in it what exports say of
   * it from now on. `isMistake`: if this ends its export, there should never have been one.
   */
  settle(
    dating: Dating,
    before: IndicatorRow | null,
    after: IndicatorRow,
    isMistake: boolean,
  ): void {
    const wasExported = before?.exported === 1
    const isExported = isExportable(after)
    const subjects = isExported ? subjectsOf(after) : []
    for (const { kind, key, name } of subjects) this.#activate(dating, kind, key, name)
    // What is in no export takes no microsecond: it would show between those that are.
    after.date_added = isExported || wasExported ? nextDateAdded(dating) : dating.dateAdded
    if (isExported) {
      if (!wasExported) this.#begin(after)
      after.exported = 1
      after.stated_confidence = after.confidence
      this.#relate(dating, after, subjects, before === null)
    } else if (before !== null && wasExported) {
      after.exported = 0
      this.#end(dating, before, after, isMistake)
    } else if (after.decision === 'allow' && before?.decision !== 'allow') {
      // Only the operator speaks of what has ended: a guard would tell what private lists still hold.
      this.#revoke(dating, after)
    }
    if (wasExported) for (const { kind, key } of subjectsOf(before)) this.#count(kind, key, -1)
    for (const { kind, key } of subjects) this.#count(kind, key, 1)
  }

  #count(kind: SubjectKind, key: string, n: number): void {
    this.#counters.add(scopeOf[kind], key, n)
  }

  /** Sees to it that a subject has objects, older than those that will refer to it. */
  #activate(dating: Dating, kind: SubjectKind, key: string, name: string): void {
    const known = `${kind} ${key}`
    if (dating.subjects.has(known)) return
    dating.subjects.add(known)
    const row = this.#subject.get(kind, key)
    if (row?.active === 1) return
    const date = nextDateAdded(dating)
    if (row !== null) {
      this.#writeSubject({ ...row, active: 1, date_added: date })
      return
    }
    const id = (this.#lastSubject.get()?.id ?? 0) + 1
    const created = millisecondOf(date)
    this.#writeSubject({ id, kind, key, name, created_at: created, active: 1, date_added: date })
    for (const object of listSubjectIds(kind, key)) this.#noteId.run(keyOf(object), -id)
  }

  #writeSubject({ id, kind, key, name, created_at, active, date_added }: SubjectRow): void {
    this.#putSubject.run(id, kind, key, name, created_at, active, date_added)
  }

  /** Ends subjects to which nothing that is exported belongs any more; at the end of a batch. */
  followSubjects(dating: Dating): void {
    for (const kind of subjectKinds) {
      for (const key of this.#counters.touched(scopeOf[kind])) {
        if (this.#counters.current(scopeOf[kind], key) > 0) continue
        const row = this.#subject.get(kind, key)
        if (row === null || row.active === 0) continue
        this.#writeSubject({ ...row, active: 0, date_added: nextDateAdded(dating) })
        dating.subjects.delete(`${kind} ${key}`)
      }
    }
  }

  /** Begins the first export of a row, the next one, or the next generation. */
  #begin(row: IndicatorRow): void {
    if (row.created_at !== null) {
      const past = this.#past.get(row.id, row.generation)
      if (past?.revoked !== 1) {
        this.#removePast.run(row.id, row.generation)
        return
      }
      row.generation++
      row.in_campaigns = 0
    } else {
      row.generation = (this.#revoked.get(row.value, row.type)?.generation ?? 0) + 1
    }
    row.created_at = millisecondOf(row.date_added)
    this.#noteId.run(keyOf(toIndicatorId(row)), row.id)
  }

  /** Has the row's relationships stand, and ends those that it no longer has. */
  #relate(
    dating: Dating,
    row: IndicatorRow,
    subjects: readonly NamedSubject[],
    isNew: boolean,
  ): void {
    if (subjects.length > 0) row.in_campaigns = 1
    if (row.in_campaigns === 0) return
    const known = isNew ? [] : this.#relationships.all(row.id, row.generation)
    for (const old of known) {
      const isWanted = subjects.some(({ kind, key }) => old.kind === kind && old.key === key)
      if (isWanted || old.state !== 'stands') continue
      this.#write({ ...old, state: 'ended', date_added: nextDateAdded(dating) })
    }
    for (const { kind, key } of subjects) {
      const old = known.find((each) => each.kind === kind && each.key === key)
      if (old?.state === 'stands') continue
      const date = row.date_added + slotOf[kind]
      const created = old?.created_at ?? millisecondOf(date)
      const { id, generation } = row
      const record = { indicator_id: id, generation, kind, key, created_at: created }
      this.#write({ ...record, state: 'stands', date_added: date })
      if (old === undefined) this.#noteId.run(keyOf(toIndicatesId(row, kind, key)), id)
    }
  }

  #write(row: RelationshipRow): void {
    const { indicator_id: id, generation, kind, key, created_at, state, date_added } = row
    this.#putRelationship.run(id, generation, kind, key, created_at, state, date_added)
  }

  /** Notes how the row was exported last, and ends its relationships with it. */
  #end(dating: Dating, before: IndicatorRow, after: IndicatorRow, isMistake: boolean): void {
    this.#writePast({
      indicator_id: after.id,
      generation: after.generation,
      type: after.type,
      created_at: after.created_at ?? before.listed_at,
      valid_from: before.listed_at,
      revoked: isMistake ? 1 : 0,
      in_campaigns: before.in_campaigns,
      date_added: after.date_added,
    })
    if (before.in_campaigns === 0) return
    this.#endRelationships(dating, after, isMistake ? 'revoked' : 'ended')
  }

  #writePast(row: PastRow): void {
    const { indicator_id: id, generation, type, created_at, valid_from, ...rest } = row
    const { revoked, in_campaigns, date_added } = rest
    this.#putPast.run(
      id,
      generation,
      type,
      created_at,
      valid_from,
      revoked,
      in_campaigns,
      date_added,
    )
  }

  /** Revokes what is exported no longer, now that it turns out to have been a mistake. */
  #revoke(dating: Dating, row: IndicatorRow): void {
    const past = this.#past.get(row.id, row.generation)
    if (past === null || past.revoked === 1) return
    row.date_added = nextDateAdded(dating)
    this.#writePast({ ...past, revoked: 1, date_added: row.date_added })
    if (past.in_campaigns === 1) this.#endRelationships(dating, row, 'revoked')
  }

  #endRelationships(dating: Dating, row: IndicatorRow, state: 'ended' | 'revoked'): void {
    for (const old of this.#relationships.all(row.id, row.generation)) {
      if (old.state === 'stands') {
        this.#write({ ...old, state, date_added: row.date_added + slotOf[old.kind] })
      } else if (old.state === 'ended' && state === 'revoked') {
        this.#write({ ...old, state, date_added: nextDateAdded(dating) })
      }
    }
  }

  /** Deletes all that exports say of a row that is forgotten, but for which of its ids never come back. */
  forget(row: IndicatorRow): void {
    if (row.created_at === null) return
    const isRevoked = this.#past.get(row.id, row.generation)?.revoked === 1
    const revoked = isRevoked ? row.generation : row.generation - 1
    if (revoked > 0) this.#noteRevoked.run(row.value, row.type, revoked)
    for (let generation = 1; generation <= row.generation; generation++) {
      this.#forgetId.run(keyOf(toIndicatorId({ ...row, generation })), row.id)
    }
    for (const { generation, kind, key } of this.#allRelationships.all(row.id)) {
      this.#forgetId.run(keyOf(toIndicatesId({ ...row, generation }, kind, key)), row.id)
    }
    this.#forgetRelationships.run(row.id)
    this.#forgetPast.run(row.id)
  }
}

interface NamedSubject {
  readonly kind: SubjectKind
  readonly key: string
  readonly name: string
}

/** Returns the brand and the family that a row names. */
function subjectsOf(row: IndicatorRow | null): NamedSubject[] {
  const subjects: NamedSubject[] = []
  if (row === null) return subjects
  const { target_brand: brand, malware_family: family } = row
  if (brand !== null) subjects.push({ kind: 'brand', key: toSubjectKey(brand), name: brand })
  if (family !== null) subjects.push({ kind: 'family', key: toSubjectKey(family), name: family })
  return subjects
}
