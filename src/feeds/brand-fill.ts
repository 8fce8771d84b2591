/**
 * Names the brands that the look-alike rules read out of what is known, and whom it concerns, once for each
 * version of the rules: of what is sighted later both are said at the write.
 *
 * Goes over the rows in slices, each a batch, and goes on where it stopped after a restart.
 */

import type { IndicatorType } from '../model/indicator.ts'
import { isAddressedTo } from '../store/audience-bits.ts'
import type { Committed, NamedRow } from '../store/batch.ts'
import type { NameableIndicator } from '../store/indicators.ts'
import type { WriteStore } from '../store/store.ts'
import { audienceRulesVersion, findListingAudiences } from './audiences.ts'
import type { BrandNaming } from './intake.ts'

/** How many rows a slice looks at: about 20 ms of rules, and at most so many changes. */
const sliceRows = 1_000

export interface BrandFillParts {
  readonly store: WriteStore
  readonly naming: BrandNaming
  readonly now: () => number
  readonly onCommit: (committed: Committed) => void
  /** When it fires, the filling stops before its next batch. */
  readonly signal: AbortSignal
}

/** Reports whether brands are still to be named by these rules. */
export function needsBrands(store: WriteStore, naming: Pick<BrandNaming, 'rules'>): boolean {
  const meta = store.meta()
  return meta.brandRules !== combineRules(naming) || meta.brandsAfter !== null
}

/** Tells one set of rules from another: those of looks, and those of audiences. */
const combineRules = ({ rules }: Pick<BrandNaming, 'rules'>): string =>
  `${rules}-${audienceRulesVersion}`

/** What has a name in it. */
const namedTypes: readonly IndicatorType[] = ['domain', 'url', 'email']

/** Returns what the rules say of a row that says something else; null when it says the same. */
function toNamedRow(row: NameableIndicator, naming: BrandNaming): NamedRow | null {
  const { id, type, value, targetBrand: knownBrand, targetBrandOrigin: origin } = row
  const place = row.host === null ? {} : { host: row.host }
  const brand = namedTypes.includes(type) ? naming.findBrand({ type, value, ...place }) : null
  // Beside a source that names one there may be others that do not.
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

/** Names brands on what stands; returns how many rows it changed. */
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
    // A thread that only awaits what is done already hears no message.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return changed
}
