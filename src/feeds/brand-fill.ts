/**
 * Names the brands that the look-alike rules read out of what is known, once for each version of the rules: what
 * is sighted later is named at the write.
 *
 * Goes over the rows in slices, each a batch, and goes on where it stopped after a restart.
 */

import type { Committed } from '../store/batch.ts'
import type { Store } from '../store/store.ts'
import type { BrandNaming } from './intake.ts'

/** How many rows a slice looks at: about 20 ms of rules, and at most so many changes. */
const sliceRows = 1_000

export interface BrandFillParts {
  readonly store: Store
  readonly naming: BrandNaming
  readonly now: () => number
  readonly onCommit: (committed: Committed) => void
  /** When it fires, the filling stops before its next batch. */
  readonly signal: AbortSignal
}

/** Reports whether brands are still to be named by these rules. */
export function needsBrands(store: Store, rules: string): boolean {
  const meta = store.meta()
  return meta.brand_rules !== rules || meta.brands_after !== null
}

/** Names brands on what stands; returns how many rows it changed. */
export async function fillBrands(parts: BrandFillParts): Promise<number> {
  const { store, naming, now, onCommit, signal } = parts
  const { rules, brandOf } = naming
  const meta = store.meta()
  let changed = 0
  let after: number | null = meta.brand_rules === rules ? meta.brands_after : 0
  while (after !== null && !signal.aborted) {
    const rows = store.indicators.nameable(after, sliceRows)
    const names = rows.flatMap(({ id, type, value, host, target_brand, target_brand_origin }) => {
      const brand = brandOf({ type, value, ...(host === null ? {} : { host }) })
      // Beside a source that names one there may be others that do not.
      const known = target_brand_origin === 'source' ? null : target_brand
      return brand === known ? [] : [{ id, brand }]
    })
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
