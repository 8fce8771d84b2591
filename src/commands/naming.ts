/** How commands that write name brands: as the server's writer does. */

import { type BrandNaming, createBrandNaming } from '../checks/brand-naming.ts'
import type { Config } from '../config.ts'
import { loadStoredGuards } from '../feeds/guards.ts'
import type { ReadStore } from '../store/store.ts'

/** Builds the naming of brands over what a store guards. */
export function namingOver(store: ReadStore, { suspiciousAt }: Config): BrandNaming {
  const { platforms, isProtected } = loadStoredGuards(store)
  return createBrandNaming({ platforms, isPopular: isProtected, threshold: suspiciousAt })
}
