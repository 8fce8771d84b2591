/**
 * Reads what exports say, in the order in which it was added: by ranges of `date_added`, from indexes alone
 * where only dates are asked for, whatever lies before or behind. Every statement for that.
 */

import type { Database, Statement } from 'bun:sqlite'
import type { IndicatorName, SubjectKind } from '../model/stix-id.ts'
import { exportSql, type RelationshipState, type SubjectRow } from './exports.ts'
import type { IndicatorRow } from './indicators.ts'

/** An exported indicator, as of its last change. */
export interface ExportedRow extends IndicatorName {
  readonly id: number
  readonly created_at: number
  readonly listed_at: number
  readonly threat_type: IndicatorRow['threat_type']
  readonly threat_level: IndicatorRow['threat_level']
  readonly stated_confidence: number
  readonly target_brand: string | null
  readonly malware_family: string | null
  readonly in_campaigns: number
  readonly date_added: number
}

/** An indicator that is exported no longer, as of its end. */
export interface PastExportRow extends IndicatorName {
  readonly created_at: number
  readonly valid_from: number
  readonly revoked: number
  readonly in_campaigns: number
  readonly date_added: number
}

/** A relationship of an indicator to a brand or family. */
export interface ExportedRelationshipRow extends IndicatorName {
  readonly kind: SubjectKind
  readonly key: string
  readonly created_at: number
  readonly state: RelationshipState
  readonly date_added: number
}

/** One kind of records in the order of their dates. Ranges are open at their start: `(after, upTo]`. */
export interface DatedRecords<Row> {
  /** Returns the first dates of a range, at most `limit`. O(limit). */
  dates(after: number, upTo: number, limit: number): number[]
  /** Returns the first records of a range, at most `limit`. O(limit). */
  rows(after: number, upTo: number, limit: number): Row[]
  /** Returns the last date up to `upTo`, or null. O(1). */
  latest(upTo: number): number | null
}

const indicatorColumns = `id, type, value, generation, created_at, listed_at, threat_type, threat_level,
  stated_confidence, target_brand, malware_family, in_campaigns, date_added`

const pastColumns = `stix_past.type, indicator.value, stix_past.generation, stix_past.created_at,
  valid_from, revoked, stix_past.in_campaigns, stix_past.date_added`

const pastOf = `stix_past JOIN indicator ON indicator.id = indicator_id`

const relationshipColumns = `indicator.type, indicator.value, stix_relationship.generation, kind, key,
  stix_relationship.created_at, state, stix_relationship.date_added`

const relationshipsOf = `stix_relationship JOIN indicator ON indicator.id = indicator_id`

/**
 * The three statements over one kind of records.
 *
 * Parameters stand behind a plus sign: SQLite plans a statement anew whenever it is bound a bare one that might
 * decide whether a partial index holds what is asked for, at ten times the cost of a look-up in a join.
 */
function rangeSql(table: string, joined: string, condition: string, columns: string) {
  const date = `${table.split(' ', 1)[0]}.date_added`
  const range = `${condition} AND ${date} > +?1 AND ${date} <= +?2 ORDER BY ${date} LIMIT ?3`
  return {
    dates: `SELECT ${date} FROM ${table} WHERE ${range}`,
    rows: `SELECT ${columns} FROM ${joined} WHERE ${range}`,
    latest: `SELECT ${date} FROM ${table} WHERE ${condition} AND ${date} <= +?1
      ORDER BY ${date} DESC LIMIT 1`,
  } as const
}

const indicatorRange = (index: string, condition: string) => {
  const table = `indicator INDEXED BY ${index}`
  return rangeSql(table, table, `exported = 1 AND ${condition}`, indicatorColumns)
}

const pastRange = (index: string, condition: string) => {
  const table = `stix_past INDEXED BY ${index}`
  const joined = pastOf.replace('stix_past', table)
  return rangeSql(table, joined, condition, pastColumns)
}

const subjectRange = (kind: SubjectKind) =>
  rangeSql('stix_subject', 'stix_subject', `kind = '${kind}'`, '*')

/** The statements over each kind of records. */
export const exportedSql = {
  domains: indicatorRange('indicator_exported_domains', `type = 'domain'`),
  others: indicatorRange('indicator_exported_others', `type <> 'domain'`),
  campaigns: indicatorRange('indicator_exported_campaigns', 'in_campaigns = 1'),
  pastDomains: pastRange('stix_past_domains', `stix_past.type = 'domain'`),
  pastOthers: pastRange('stix_past_others', `stix_past.type <> 'domain'`),
  pastCampaigns: pastRange('stix_past_campaigns', 'stix_past.in_campaigns = 1'),
  relationships: rangeSql('stix_relationship', relationshipsOf, 'true', relationshipColumns),
  brands: subjectRange('brand'),
  families: subjectRange('family'),
} as const

const newest = (index: string, condition: string, columns = indicatorColumns): string =>
  `SELECT ${columns} FROM indicator INDEXED BY ${index}
    WHERE exported = 1 AND ${condition} AND date_added > +?1 AND date_added < +?2
    ORDER BY date_added DESC LIMIT ?3`

const newestOf = {
  domains: ['indicator_exported_domains', `type = 'domain'`],
  others: ['indicator_exported_others', `type <> 'domain'`],
  brand: ['indicator_exported_brands', 'target_brand IS NOT NULL AND lower(target_brand) = +?4'],
} as const

/** The other statements over exports, by name. */
export const exportedLookupSql = {
  newestDomains: newest(...newestOf.domains),
  newestOthers: newest(...newestOf.others),
  newestOfBrand: newest(...newestOf.brand),
  newestDomainDates: newest(...newestOf.domains, 'date_added'),
  newestOtherDates: newest(...newestOf.others, 'date_added'),
  newestDatesOfBrand: newest(...newestOf.brand, 'date_added'),
  owners: 'SELECT owner FROM stix_id WHERE key = ?1',
  indicator: `SELECT ${indicatorColumns} FROM indicator WHERE id = +?1 AND exported = 1`,
  past: `SELECT ${pastColumns} FROM ${pastOf} WHERE indicator_id = +?1`,
  relationships: `SELECT ${relationshipColumns} FROM ${relationshipsOf} WHERE indicator_id = +?1`,
  relationship: `SELECT ${relationshipColumns} FROM ${relationshipsOf}
    WHERE indicator_id = +?1 AND stix_relationship.generation = +?2 AND kind = +?3 AND key = +?4`,
  subjectById: 'SELECT * FROM stix_subject WHERE id = ?1',
  newestBrands: `SELECT * FROM stix_subject INDEXED BY stix_subject_newest
    WHERE kind = 'brand' AND active = 1 ORDER BY created_at DESC, id DESC LIMIT ?1`,
} as const

type RangeSql = ReturnType<typeof rangeSql>

function recordsOf<Row>(database: Database, sql: RangeSql): DatedRecords<Row> {
  const dates = database.prepare<{ date_added: number }, [number, number, number]>(sql.dates)
  const rows = database.prepare<Row, [number, number, number]>(sql.rows)
  const latest = database.prepare<{ date_added: number }, [number]>(sql.latest)
  return {
    dates: (after, upTo, limit) =>
      dates.all(after, upTo, limit).map(({ date_added }) => date_added),
    rows: (after, upTo, limit) => rows.all(after, upTo, limit),
    latest: (upTo) => latest.get(upTo)?.date_added ?? null,
  }
}

/** Everything that one indicator or subject has in the exports. */
export interface OwnedRecords {
  readonly indicator: ExportedRow | null
  readonly past: readonly PastExportRow[]
  readonly relationships: readonly ExportedRelationshipRow[]
  readonly subject: SubjectRow | null
}

/** Where a reading of the newest indicators begins and ends; both ends are left out. */
export interface NewestRange {
  readonly after: number
  readonly before: number
  readonly limit: number
}

/** How the newest of each kind are read. */
interface NewestStatements<Row> {
  readonly domains: Statement<Row, [number, number, number]>
  readonly others: Statement<Row, [number, number, number]>
  readonly ofBrand: Statement<Row, [number, number, number, string]>
}

function newestBy<Row extends { readonly date_added: number }>(
  { domains, others, ofBrand }: NewestStatements<Row>,
  { after, before, limit }: NewestRange,
  brandKeys: readonly string[] | null,
): Row[] {
  const found =
    brandKeys === null
      ? [domains, others].map((each) => each.all(after, before, limit))
      : brandKeys.map((key) => ofBrand.all(after, before, limit, key))
  const [first = [], ...rest] = found.filter((rows) => rows.length > 0)
  if (rest.length === 0) return first
  return found
    .flat()
    .sort((a, b) => b.date_added - a.date_added)
    .slice(0, limit)
}

/** Reads what exports say, on one connection. */
export class Exported {
  readonly domains: DatedRecords<ExportedRow>
  readonly others: DatedRecords<ExportedRow>
  /** Indicators that relationships name, of all types. */
  readonly campaigns: DatedRecords<ExportedRow>
  readonly pastDomains: DatedRecords<PastExportRow>
  readonly pastOthers: DatedRecords<PastExportRow>
  readonly pastCampaigns: DatedRecords<PastExportRow>
  readonly relationships: DatedRecords<ExportedRelationshipRow>
  readonly brands: DatedRecords<SubjectRow>
  readonly families: DatedRecords<SubjectRow>
  readonly #newest: NewestStatements<ExportedRow>
  readonly #newestDates: NewestStatements<{ readonly date_added: number }>
  readonly #owners: Statement<{ owner: number }, [number]>
  readonly #indicator: Statement<ExportedRow, [number]>
  readonly #past: Statement<PastExportRow, [number]>
  readonly #relationships: Statement<ExportedRelationshipRow, [number]>
  readonly #relationship: Statement<ExportedRelationshipRow, [number, number, string, string]>
  readonly #subjectById: Statement<SubjectRow, [number]>
  readonly #subject: Statement<SubjectRow, [string, string]>
  readonly #newestBrands: Statement<SubjectRow, [number]>

  constructor(database: Database) {
    this.domains = recordsOf(database, exportedSql.domains)
    this.others = recordsOf(database, exportedSql.others)
    this.campaigns = recordsOf(database, exportedSql.campaigns)
    this.pastDomains = recordsOf(database, exportedSql.pastDomains)
    this.pastOthers = recordsOf(database, exportedSql.pastOthers)
    this.pastCampaigns = recordsOf(database, exportedSql.pastCampaigns)
    this.relationships = recordsOf(database, exportedSql.relationships)
    this.brands = recordsOf(database, exportedSql.brands)
    this.families = recordsOf(database, exportedSql.families)
    this.#newest = {
      domains: database.prepare(exportedLookupSql.newestDomains),
      others: database.prepare(exportedLookupSql.newestOthers),
      ofBrand: database.prepare(exportedLookupSql.newestOfBrand),
    }
    this.#newestDates = {
      domains: database.prepare(exportedLookupSql.newestDomainDates),
      others: database.prepare(exportedLookupSql.newestOtherDates),
      ofBrand: database.prepare(exportedLookupSql.newestDatesOfBrand),
    }
    this.#owners = database.prepare(exportedLookupSql.owners)
    this.#indicator = database.prepare(exportedLookupSql.indicator)
    this.#past = database.prepare(exportedLookupSql.past)
    this.#relationships = database.prepare(exportedLookupSql.relationships)
    this.#relationship = database.prepare(exportedLookupSql.relationship)
    this.#subjectById = database.prepare(exportedLookupSql.subjectById)
    this.#subject = database.prepare(exportSql.subject)
    this.#newestBrands = database.prepare(exportedLookupSql.newestBrands)
  }

  /** Returns the brands that were first imitated last, and still are. */
  newestBrands(limit: number): SubjectRow[] {
    return this.#newestBrands.all(limit)
  }

  /** Returns exported indicators of all types, or those of brands, changed last first. O(limit). */
  newest(range: NewestRange, brandKeys: readonly string[] | null): ExportedRow[] {
    return newestBy(this.#newest, range, brandKeys)
  }

  /** Returns their dates alone, without reading a row. */
  newestDates(range: NewestRange, brandKeys: readonly string[] | null): number[] {
    return newestBy(this.#newestDates, range, brandKeys).map(({ date_added: date }) => date)
  }

  /** Returns the records of whatever may have an id with this key (`parseIdKey`). */
  ownedBy(key: number): OwnedRecords[] {
    return this.#owners.all(key).map(({ owner }) => ({
      indicator: owner > 0 ? this.#indicator.get(owner) : null,
      past: owner > 0 ? this.#past.all(owner) : [],
      relationships: owner > 0 ? this.#relationships.all(owner) : [],
      subject: owner < 0 ? this.#subjectById.get(-owner) : null,
    }))
  }

  /** Returns the relationship of an exported indicator to a subject, or null. */
  relationship(row: ExportedRow, kind: SubjectKind, key: string): ExportedRelationshipRow | null {
    return this.#relationship.get(row.id, row.generation, kind, key)
  }

  /** Returns a brand or family by its key (`toSubjectKey`), or null. */
  subject(kind: SubjectKind, key: string): SubjectRow | null {
    return this.#subject.get(kind, key)
  }
}
