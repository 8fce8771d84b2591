/**
 * What exports say of indicators, kept in sync inside the batch that changes a row: which are exported and
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
 * (`publish/stix`), so every change of a record gives it a new `date_added`.
 */

import type { Database } from 'bun:sqlite'
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
import { inserted, Statements, selected } from './statements.ts'
import { StoreError } from './store-error.ts'

/** A brand or family that exports name. */
export type ExportSubject = {
  readonly id: number
  readonly kind: SubjectKind
  readonly key: string
  readonly name: string
  readonly createdAt: number
  readonly active: number
  readonly dateAdded: number
}

/** The state of a relationship: `stands` is active; ended ones may become active again, revoked ones never. */
type RelationshipState = 'stands' | 'ended' | 'revoked'

export type RelationshipRow = {
  readonly indicatorId: number
  readonly generation: number
  readonly kind: SubjectKind
  readonly key: string
  readonly createdAt: number
  readonly state: RelationshipState
  readonly dateAdded: number
}

export type PastRow = {
  readonly indicatorId: number
  readonly generation: number
  readonly type: IndicatorRow['type']
  readonly createdAt: number
  readonly validFrom: number
  readonly revoked: number
  readonly inCampaigns: number
  readonly dateAdded: number
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

/** Where in the block of an indicator its relationship to each kind of subject is. */
const slotOf: Readonly<Record<SubjectKind, number>> = { brand: 1, family: 2 }

/** What is counted of each kind: exported indicators, by the key of their subject. */
const scopeOf = { brand: 'exported_brand', family: 'exported_family' } as const

// biome-ignore format: columns, as many to a line as fit
const subjectFields = [
  'id', 'kind', 'key', 'name', 'createdAt', 'active', 'dateAdded',
] as const satisfies readonly (keyof ExportSubject)[]

// biome-ignore format: columns, as many to a line as fit
const relationshipFields = [
  'indicatorId', 'generation', 'kind', 'key', 'createdAt', 'state', 'dateAdded',
] as const satisfies readonly (keyof RelationshipRow)[]
const relationshipColumns = selected('stix_relationship', relationshipFields)

// biome-ignore format: columns, as many to a line as fit
const pastFields = [
  'indicatorId', 'generation', 'type', 'createdAt', 'validFrom', 'revoked', 'inCampaigns',
  'dateAdded',
] as const satisfies readonly (keyof PastRow)[]

/** What a subject is read from. */
export const subjectColumns = selected('stix_subject', subjectFields)

/** Returns the millisecond in which a version with this `date_added` was made: its `modified`. */
export function toMillisecond(dateAdded: number): number {
  return Math.floor(dateAdded / 1000)
}

/** Takes the next block of `date_added`. */
export function nextDateAdded(dating: Dating): number {
  const date = dating.dateAdded
  dating.dateAdded += dateAddedPerRecord
  return date
}

const isExportable = (row: IndicatorRow): boolean =>
  row.published === 1 && row.doNotBlock === 0 && row.type !== 'phone'

const toIdKey = (id: string): number => {
  const key = parseIdKey(id)
  if (key === null) {
    throw new StoreError('write', `${id} is no id of an object`, { hint: 'report this as a bug' })
  }
  return key
}

/** Keeps exports in sync on one connection, inside the transaction of a batch. */
export class Exports extends Statements {
  readonly #counters: CounterTable
  readonly #subject = this.prepare<ExportSubject>(
    `SELECT ${subjectColumns} FROM stix_subject WHERE kind = ?1 AND key = ?2`,
  )
  readonly #putSubject = this.prepare(
    `INSERT OR REPLACE ${inserted('stix_subject', subjectFields)}`,
  )
  readonly #relationships = this.prepare<RelationshipRow>(
    `SELECT ${relationshipColumns} FROM stix_relationship
      WHERE indicator_id = ?1 AND generation = ?2`,
  )
  readonly #putRelationship = this.prepare(
    `INSERT OR REPLACE ${inserted('stix_relationship', relationshipFields)}`,
  )
  readonly #past = this.prepare<PastRow>(
    `SELECT ${selected('stix_past', pastFields)} FROM stix_past
      WHERE indicator_id = ?1 AND generation = ?2`,
  )
  readonly #putPast = this.prepare(`INSERT OR REPLACE ${inserted('stix_past', pastFields)}`)
  readonly #revoked = this.prepare<{ generation: number }>(
    'SELECT generation FROM stix_revoked WHERE value = ?1 AND type = ?2',
  )
  readonly #noteId = this.prepare('INSERT OR IGNORE INTO stix_id VALUES (?1, ?2)')
  readonly #forgetId = this.prepare('DELETE FROM stix_id WHERE key = ?1 AND owner = ?2')

  constructor(database: Database, counters: CounterTable) {
    super(database)
    this.#counters = counters
  }

  /**
   * Dates a row that changes from `before` (null: is new) to `after`, and sets the fields of `after` that
   * exports are made of. `isMistake`: if this ends its export, there should never have been one.
   */
  follow(
    dating: Dating,
    before: IndicatorRow | null,
    after: IndicatorRow,
    isMistake: boolean,
  ): void {
    const wasExported = before?.exported === 1
    const isExported = isExportable(after)
    const subjects = isExported ? listSubjects(after) : []
    for (const { kind, key, name } of subjects) this.#activate(dating, kind, key, name)
    // What is in no export takes no microsecond: it would show between those that are.
    after.dateAdded = isExported || wasExported ? nextDateAdded(dating) : dating.dateAdded
    if (isExported) {
      if (!wasExported) this.#begin(after)
      after.exported = 1
      after.statedConfidence = after.confidence
      this.#relate(dating, after, subjects, before === null)
    } else if (before !== null && wasExported) {
      after.exported = 0
      this.#end(dating, before, after, isMistake)
    } else if (after.decision === 'allow' && before?.decision !== 'allow') {
      // Only an operator's decision revokes what has ended: a guard's would reveal what private lists hold.
      this.#revoke(dating, after)
    }
    if (wasExported) for (const { kind, key } of listSubjects(before)) this.#count(kind, key, -1)
    for (const { kind, key } of subjects) this.#count(kind, key, 1)
  }

  #count(kind: SubjectKind, key: string, n: number): void {
    this.#counters.add(scopeOf[kind], key, n)
  }

  /** Makes a subject active, with objects that are older than those that will refer to it. */
  #activate(dating: Dating, kind: SubjectKind, key: string, name: string): void {
    const known = `${kind} ${key}`
    if (dating.subjects.has(known)) return
    dating.subjects.add(known)
    const row = this.#subject.get(kind, key)
    if (row?.active === 1) return
    const date = nextDateAdded(dating)
    if (row !== null) {
      this.#putSubject.run({ ...row, active: 1, dateAdded: date })
      return
    }
    const lastId = 'SELECT coalesce(max(id), 0) AS id FROM stix_subject'
    const id = (this.queryOne<{ id: number }>(lastId)?.id ?? 0) + 1
    const created = toMillisecond(date)
    this.#putSubject.run({ id, kind, key, name, createdAt: created, active: 1, dateAdded: date })
    for (const object of listSubjectIds(kind, key)) this.#noteId.run(toIdKey(object), -id)
  }

  /** Ends subjects to which nothing that is exported belongs any more; at the end of a batch. */
  followSubjects(dating: Dating): void {
    for (const kind of subjectKinds) {
      for (const key of this.#counters.touched(scopeOf[kind])) {
        if (this.#counters.current(scopeOf[kind], key) > 0) continue
        const row = this.#subject.get(kind, key)
        if (row === null || row.active === 0) continue
        this.#putSubject.run({ ...row, active: 0, dateAdded: nextDateAdded(dating) })
        dating.subjects.delete(`${kind} ${key}`)
      }
    }
  }

  /** Begins the first export of a row, the next one, or the next generation. */
  #begin(row: IndicatorRow): void {
    if (row.createdAt !== null) {
      const past = this.#past.get(row.id, row.generation)
      if (past?.revoked !== 1) {
        this.execute(
          'DELETE FROM stix_past WHERE indicator_id = ?1 AND generation = ?2',
          row.id,
          row.generation,
        )
        return
      }
      row.generation++
      row.inCampaigns = 0
    } else {
      row.generation = (this.#revoked.get(row.value, row.type)?.generation ?? 0) + 1
    }
    row.createdAt = toMillisecond(row.dateAdded)
    this.#noteId.run(toIdKey(toIndicatorId(row)), row.id)
  }

  /** Activates the row's relationships, and ends those that it no longer has. */
  #relate(
    dating: Dating,
    row: IndicatorRow,
    subjects: readonly NamedSubject[],
    isNew: boolean,
  ): void {
    if (subjects.length > 0) row.inCampaigns = 1
    if (row.inCampaigns === 0) return
    const known = isNew ? [] : this.#relationships.all(row.id, row.generation)
    for (const old of known) {
      const isWanted = subjects.some(({ kind, key }) => old.kind === kind && old.key === key)
      if (isWanted || old.state !== 'stands') continue
      this.#putRelationship.run({ ...old, state: 'ended', dateAdded: nextDateAdded(dating) })
    }
    for (const { kind, key } of subjects) {
      const old = known.find((each) => each.kind === kind && each.key === key)
      if (old?.state === 'stands') continue
      const date = row.dateAdded + slotOf[kind]
      const created = old?.createdAt ?? toMillisecond(date)
      const { id, generation } = row
      const record = { indicatorId: id, generation, kind, key, createdAt: created }
      this.#putRelationship.run({ ...record, state: 'stands', dateAdded: date })
      if (old === undefined) this.#noteId.run(toIdKey(toIndicatesId(row, kind, key)), id)
    }
  }

  /** Notes how the row was exported last, and ends its relationships with it. */
  #end(dating: Dating, before: IndicatorRow, after: IndicatorRow, isMistake: boolean): void {
    this.#putPast.run({
      indicatorId: after.id,
      generation: after.generation,
      type: after.type,
      createdAt: after.createdAt ?? before.listedAt,
      validFrom: before.listedAt,
      revoked: isMistake ? 1 : 0,
      inCampaigns: before.inCampaigns,
      dateAdded: after.dateAdded,
    })
    if (before.inCampaigns === 0) return
    this.#endRelationships(dating, after, isMistake ? 'revoked' : 'ended')
  }

  /** Revokes what is exported no longer, now that it turns out to have been a mistake. */
  #revoke(dating: Dating, row: IndicatorRow): void {
    const past = this.#past.get(row.id, row.generation)
    if (past === null || past.revoked === 1) return
    row.dateAdded = nextDateAdded(dating)
    this.#putPast.run({ ...past, revoked: 1, dateAdded: row.dateAdded })
    if (past.inCampaigns === 1) this.#endRelationships(dating, row, 'revoked')
  }

  #endRelationships(dating: Dating, row: IndicatorRow, state: 'ended' | 'revoked'): void {
    for (const old of this.#relationships.all(row.id, row.generation)) {
      if (old.state === 'stands') {
        this.#putRelationship.run({ ...old, state, dateAdded: row.dateAdded + slotOf[old.kind] })
      } else if (old.state === 'ended' && state === 'revoked') {
        this.#putRelationship.run({ ...old, state, dateAdded: nextDateAdded(dating) })
      }
    }
  }

  /** Deletes all that exports hold of a row that is forgotten, but remembers which ids are revoked. */
  forget(row: IndicatorRow): void {
    if (row.createdAt === null) return
    const isRevoked = this.#past.get(row.id, row.generation)?.revoked === 1
    const revoked = isRevoked ? row.generation : row.generation - 1
    if (revoked > 0) {
      const sql = 'INSERT OR REPLACE INTO stix_revoked VALUES (?1, ?2, ?3)'
      this.execute(sql, row.value, row.type, revoked)
    }
    for (let generation = 1; generation <= row.generation; generation++) {
      this.#forgetId.run(toIdKey(toIndicatorId({ ...row, generation })), row.id)
    }
    const relationships = this.queryAll<RelationshipRow>(
      `SELECT ${relationshipColumns} FROM stix_relationship WHERE indicator_id = ?1`,
      row.id,
    )
    for (const { generation, kind, key } of relationships) {
      this.#forgetId.run(toIdKey(toIndicatesId({ ...row, generation }, kind, key)), row.id)
    }
    this.execute('DELETE FROM stix_relationship WHERE indicator_id = ?1', row.id)
    this.execute('DELETE FROM stix_past WHERE indicator_id = ?1', row.id)
  }
}

interface NamedSubject {
  readonly kind: SubjectKind
  readonly key: string
  readonly name: string
}

/** Returns the brand and the family that a row names. */
function listSubjects(row: IndicatorRow | null): NamedSubject[] {
  const subjects: NamedSubject[] = []
  if (row === null) return subjects
  const { targetBrand: brand, malwareFamily: family } = row
  if (brand !== null) subjects.push({ kind: 'brand', key: toSubjectKey(brand), name: brand })
  if (family !== null) subjects.push({ kind: 'family', key: toSubjectKey(family), name: family })
  return subjects
}
