/** All that is known of names before any list is read: brands, words beside them, and the index over both. */

import { type Brands, brandsText, loadBrands } from './brands.ts'
import { Lookalikes } from './lookalikes.ts'
import { loadNameFacts, type NameFacts, nameFactTexts } from './name-facts.ts'

export interface NameKnowledge {
  readonly brands: Brands
  readonly facts: NameFacts
  readonly lookalikes: Lookalikes
  /** Changes with every fact. */
  readonly version: string
}

/** Reads the facts that ship with weir and builds the index over them: some ten milliseconds. */
export function loadNameKnowledge(): NameKnowledge {
  const brands = loadBrands()
  const facts = loadNameFacts()
  const version = Bun.hash.xxHash3([brandsText, ...nameFactTexts].join('\0')).toString(16)
  return { brands, facts, lookalikes: new Lookalikes(brands, facts), version }
}
