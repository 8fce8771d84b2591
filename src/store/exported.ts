/**
 * Reads what exports say, in the order in which it was added: by ranges of `date_added`, from indexes alone
 * where only dates are asked for, whatever lies before or after.
 */

import type { Database } from 'bun:sqlite'
import type { IndicatorName, SubjectKind } from '../model/stix-id.ts'
import {
  type ExportSubject,
  type PastRow,
  type RelationshipRow,
  subjectColumns,
} from './exports.ts'
import type { IndicatorRow } from './indicators.ts'
import { Statements, selected } from './statements.ts'

// biome-ignore format: columns, as many to a line as fit
const indicatorFields = [
  'id', 'type', 'value', 'generation', 'listedAt', 'threatType', 'threatLevel', 'targetBrand',
  'malwareFamily', 'inCampaigns', 'dateAdded', 'createdAt', 'statedConfidence',
] as const satisfies readonly (keyof IndicatorRow)[]
const indicatorColumns = selected('indicator', indicatorFields)

/** An exported indicator, as of its last change. */
export interface ExportedIndicator
  extends Readonly<
    Pick<IndicatorRow, Exclude<(typeof indicatorFields)[number], 'createdAt' | 'statedConfidence'>>
  > {
  readonly createdAt: number
  readonly statedConfidence: number
}

// biome-ignore format: columns, as many to a line as fit
const pastFields = [
  'type', 'generation', 'createdAt', 'validFrom', 'revoked', 'inCampaigns', 'dateAdded',
] as const satisfies readonly (keyof PastRow)[]
const pastColumns = `indicator.value, ${selected('stix_past', pastFields)}`

/** An indicator that is exported no longer, as of its end. */
export type PastExport = IndicatorName & Pick<PastRow, (typeof pastFields)[number]>

// biome-ignore format: columns, as many to a line as fit
const relationshipFields = [
  'generation', 'kind', 'key', 'createdAt', 'state', 'dateAdded',
] as const satisfies readonly (keyof RelationshipRow)[]
const relationshipColumns = `indicator.type, indicator.value, ${selected('stix_relationship', relationshipFields)}`

/** A relationship of an indicator to a brand or family. */
export type ExportedRelationship = IndicatorName &
  Pick<RelationshipRow, (typeof relationshipFields)[number]>

const pastOf = 'stix_past JOIN indicator ON indicator.id = indicator_id'

const relationshipsOf = 'stix_relationship JOIN indicator ON indicator.id = indicator_id'

/** Where one kind of records is read from. */
interface RecordTable {
  /** With the index over its dates. */
  readonly table: string
  /** With what its columns are joined from, when that is more. */
  readonly joined?: string
  readonly condition: string
  readonly columns: string
}

interface Dated {
  readonly dateAdded: number
}

/**
 * One kind of records in the order of their dates. Ranges are open at their start: `(after, upTo]`.
 *
 * A plus sign precedes each parameter: SQLite prepares a statement again at each binding of a bare one that
 * might decide whether a partial index holds what is asked for, at ten times the cost of a look-up in a
 * join (3.4 against 0.4 µs).
 */
export class DatedRecords<Row> extends Statements {
  readonly #dates
  readonly #rows
  readonly #latest

  constructor(database: Database, { table, joined = table, condition, columns }: RecordTable) {
    super(database)
    const date = `${table.split(' ', 1)[0]}.date_added`
    const range = `${condition} AND ${date} > +?1 AND ${date} <= +?2 ORDER BY ${date} LIMIT ?3`
    this.#dates = this.prepare<Dated>(`SELECT ${date} AS dateAdded FROM ${table} WHERE ${range}`)
    this.#rows = this.prepare<Row>(`SELECT ${columns} FROM ${joined} WHERE ${range}`)
    this.#latest = this.prepare<Dated>(`SELECT ${date} AS dateAdded FROM ${table}
      WHERE ${condition} AND ${date} <= +?1 ORDER BY ${date} DESC LIMIT 1`)
  }

  /** Returns the first dates of a range, at most `limit`. O(limit). */
  dates(after: number, upTo: number, limit: number): number[] {
    return this.#dates.all(after, upTo, limit).map(({ dateAdded }) => dateAdded)
  }

  /** Returns the first records of a range, at most `limit`. O(limit). */
  rows(after: number, upTo: number, limit: number): Row[] {
    return this.#rows.all(after, upTo, limit)
  }

  /** Returns the last date up to `upTo`, or null. O(1). */
  latest(upTo: number): number | null {
    return this.#latest.get(upTo)?.dateAdded ?? null
  }
}

/** Everything that one indicator or subject has in the exports. */
export interface OwnedRecords {
  readonly indicator: ExportedIndicator | null
  readonly past: readonly PastExport[]
  readonly relationships: readonly ExportedRelationship[]
  readonly subject: ExportSubject | null
}

/** Where a reading of the newest indicators begins and ends; both ends are left out. */
export interface NewestRange {
  readonly after: number
  readonly before: number
  readonly limit: number
}

const newestOf = {
  domains: ['domains', `type = 'domain'`],
  others: ['others', `type <> 'domain'`],
  brand: ['brands', 'target_brand IS NOT NULL AND lower(target_brand) = +?4'],
} as const

/** Reads what exports say, on one connection. */
export class Exported extends Statements {
  readonly domains = this.#exported('domains', `type = 'domain'`)
  readonly others = this.#exported('others', `type <> 'domain'`)
  /** Indicators that relationships name, of all types. */
  readonly campaigns = this.#exported('campaigns', 'in_campaigns = 1')
  readonly pastDomains = this.#ended('domains', `type = 'domain'`)
  readonly pastOthers = this.#ended('others', `type <> 'domain'`)
  readonly pastCampaigns = this.#ended('campaigns', 'in_campaigns = 1')
  readonly relationships = new DatedRecords<ExportedRelationship>(this.database, {
    table: 'stix_relationship',
    joined: relationshipsOf,
    condition: 'true',
    columns: relationshipColumns,
  })
  readonly brands = this.#subjects('brand')
  readonly families = this.#subjects('family')
  readonly #indicator = this.prepare<ExportedIndicator>(
    `SELECT ${indicatorColumns} FROM indicator WHERE id = +?1 AND exported = 1`,
  )
  readonly #past = this.prepare<PastExport>(
    `SELECT ${pastColumns} FROM ${pastOf} WHERE indicator_id = +?1`,
  )
  readonly #relationships = this.prepare<ExportedRelationship>(
    `SELECT ${relationshipColumns} FROM ${relationshipsOf} WHERE indicator_id = +?1`,
  )
  readonly #relationship = this.prepare<ExportedRelationship>(
    `SELECT ${relationshipColumns} FROM ${relationshipsOf}
      WHERE indicator_id = +?1 AND stix_relationship.generation = +?2 AND kind = +?3 AND key = +?4`,
  )
  readonly #subject = this.prepare<ExportSubject>(
    `SELECT ${subjectColumns} FROM stix_subject WHERE kind = ?1 AND key = ?2`,
  )

  #exported(index: string, condition: string): DatedRecords<ExportedIndicator> {
    return new DatedRecords(this.database, {
      table: `indicator INDEXED BY indicator_exported_${index}`,
      condition: `exported = 1 AND ${condition}`,
      columns: indicatorColumns,
    })
  }

  #ended(index: string, condition: string): DatedRecords<PastExport> {
    const table = `stix_past INDEXED BY stix_past_${index}`
    return new DatedRecords(this.database, {
      table,
      joined: pastOf.replace('stix_past', table),
      condition: `stix_past.${condition}`,
      columns: pastColumns,
    })
  }

  #subjects(kind: SubjectKind): DatedRecords<ExportSubject> {
    const condition = `kind = '${kind}'`
    return new DatedRecords(this.database, {
      table: 'stix_subject',
      condition,
      columns: subjectColumns,
    })
  }

  /** Returns the brands that were first imitated last, and still are. */
  newestBrands(limit: number): ExportSubject[] {
    const sql = `SELECT ${subjectColumns} FROM stix_subject INDEXED BY stix_subject_newest
      WHERE kind = 'brand' AND active = 1 ORDER BY created_at DESC, id DESC LIMIT ?1`
    return this.queryAll(sql, limit)
  }

  /** Returns exported indicators of all types, or those of brands, changed last first. O(limit). */
  newest(range: NewestRange, brandKeys: readonly string[] | null): ExportedIndicator[] {
    return this.#newest(indicatorColumns, range, brandKeys)
  }

  /** Returns their dates alone, without reading a row. */
  newestDates(range: NewestRange, brandKeys: readonly string[] | null): number[] {
    const dated: Dated[] = this.#newest('date_added AS dateAdded', range, brandKeys)
    return dated.map(({ dateAdded }) => dateAdded)
  }

  #newest<Row extends Dated>(
    columns: string,
    { after, before, limit }: NewestRange,
    brandKeys: readonly string[] | null,
  ): Row[] {
    const read = ([index, condition]: readonly [string, string], ...key: string[]): Row[] =>
      this.queryAll(
        `SELECT ${columns} FROM indicator INDEXED BY indicator_exported_${index}
          WHERE exported = 1 AND ${condition} AND date_added > +?1 AND date_added < +?2
          ORDER BY date_added DESC LIMIT ?3`,
        after,
        before,
        limit,
        ...key,
      )
    const found =
      brandKeys === null
        ? [read(newestOf.domains), read(newestOf.others)]
        : brandKeys.map((key) => read(newestOf.brand, key))
    const [first = [], ...rest] = found.filter((rows) => rows.length > 0)
    if (rest.length === 0) return first
    return found
      .flat()
      .sort((a, b) => b.dateAdded - a.dateAdded)
      .slice(0, limit)
  }

  /** Returns the records of whatever may have an id with this key (`parseIdKey`). */
  ownedBy(key: number): OwnedRecords[] {
    const owners = this.queryAll<{ owner: number }>('SELECT owner FROM stix_id WHERE key = ?1', key)
    return owners.map(({ owner }) => ({
      indicator: owner > 0 ? this.#indicator.get(owner) : null,
      past: owner > 0 ? this.#past.all(owner) : [],
      relationships: owner > 0 ? this.#relationships.all(owner) : [],
      subject: owner < 0 ? this.#subjectById(-owner) : null,
    }))
  }

  #subjectById(id: number): ExportSubject | null {
    return this.queryOne(`SELECT ${subjectColumns} FROM stix_subject WHERE id = ?1`, id)
  }

  /** Returns the relationship of an exported indicator to a subject, or null. */
  relationship(
    { id, generation }: ExportedIndicator,
    kind: SubjectKind,
    key: string,
  ): ExportedRelationship | null {
    return this.#relationship.get(id, generation, kind, key)
  }

  /** Returns a brand or family by its key (`toSubjectKey`), or null. */
  subject(kind: SubjectKind, key: string): ExportSubject | null {
    return this.#subject.get(kind, key)
  }
}
