/** Names brands in commands that write, by the rules of the server's writer. */

import { createBrandNaming } from '../checks/looks/brand-naming.ts'
import type { Config } from '../config.ts'
import { loadStoredGuards } from '../ingest/guards.ts'
import type { BrandNamer } from '../model/brand.ts'
import type { ReadStore } from '../store/store.ts'

/** Builds the naming of brands over the guards of a store. */
export function namingOver(store: ReadStore, { suspiciousAt }: Config): BrandNamer {
  const { platforms, isProtected } = loadStoredGuards(store)
  return createBrandNaming({ platforms, isPopular: isProtected, threshold: suspiciousAt })
}
