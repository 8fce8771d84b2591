/**
 * Applies a new version of the look-alike and audience rules to all indicators: sets the brand that each
 * imitates, and its audiences. Later sightings get both when they are written.
 *
 * Works through the rows in slices, one batch each, and resumes after a restart.
 */

import type { BrandNamer } from '../model/brand.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { isAddressedTo } from '../store/audience-bits.ts'
import type { Committed, NamedRow } from '../store/batch.ts'
import type { NameableIndicator } from '../store/indicators.ts'
import type { WriteStore } from '../store/store.ts'
import { audienceRulesVersion, findListingAudiences } from './audiences.ts'

/** Rows per slice: about 20 ms of rules. */
const sliceRows = 1_000

export interface BrandFillParts {
  readonly store: WriteStore
  readonly naming: BrandNamer
  readonly now: () => number
  readonly onCommit: (committed: Committed) => void
  /** When it aborts, the work stops before its next batch. */
  readonly signal: AbortSignal
}

/** Reports whether some indicators have not been checked by these rules. */
export function needsBrands(store: WriteStore, naming: Pick<BrandNamer, 'rules'>): boolean {
  const meta = store.meta()
  return meta.brandRules !== combineRules(naming) || meta.brandsAfter !== null
}

/** Returns the version of the look-alike and audience rules together. */
const combineRules = ({ rules }: Pick<BrandNamer, 'rules'>): string =>
  `${rules}-${audienceRulesVersion}`

/** The types of values that contain a name. */
const namedTypes: readonly IndicatorType[] = ['domain', 'url', 'email']

/** Returns what the rules change in a row, or null when they change nothing. */
function toNamedRow(row: NameableIndicator, naming: BrandNamer): NamedRow | null {
  const { id, type, value, targetBrand: knownBrand, targetBrandOrigin: origin } = row
  const place = row.host === null ? {} : { host: row.host }
  const brand = namedTypes.includes(type) ? naming.findBrand({ type, value, ...place }) : null
  // Next to a source that names a brand there may be others that do not.
  const isNew = brand !== (origin === 'source' ? null : knownBrand)
  const targetBrand = origin === 'source' ? knownBrand : brand
  const audiences = findListingAudiences({
    type,
    value,
    ...place,
    threatType: row.threatType,
    confidence: row.confidence,
    ...(targetBrand === null ? {} : { targetBrand }),
  })
  const isAddressed = isAddressedTo(row, audiences)
  if (!isNew && isAddressed) return null
  return { id, ...(isNew ? { brand } : {}), ...(isAddressed ? {} : { audiences }) }
}

/** Applies the rules to all indicators, and returns how many rows changed. */
export async function fillBrands(parts: BrandFillParts): Promise<number> {
  const { store, naming, now, onCommit, signal } = parts
  const rules = combineRules(naming)
  const meta = store.meta()
  let changed = 0
  let after: number | null = meta.brandRules === rules ? meta.brandsAfter : 0
  while (after !== null && !signal.aborted) {
    const rows = store.indicators.nameable(after, sliceRows)
    const names = rows.flatMap((row) => toNamedRow(row, naming) ?? [])
    after = rows.length < sliceRows ? null : (rows.at(-1)?.id ?? null)
    const operations = [{ op: 'nameBrands', rules, names, next: after }] as const
    const committed = await store.write({ at: now(), operations })
    changed += committed.changed
    onCommit(committed)
    // Yield to the event loop, so that the thread receives messages.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return changed
}
