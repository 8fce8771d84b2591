/** A checker of URLs over a catalog, with all that weir knows of names, for tests of any room. */

import { createLookalikeChecker } from '../../src/checks/looks/lookalike.ts'
import { loadNameKnowledge } from '../../src/checks/looks/lookalikes.ts'
import { createUrlChecker, type UrlChecker, type UrlFinder } from '../../src/checks/url.ts'
import type { Catalog } from '../../src/index/catalog.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import type { Platforms } from '../../src/model/platform.ts'

/** Reading it takes a moment, and it never changes. */
export const knowledge = loadNameKnowledge()

const { isProtected } = loadGuards()

/** The score from which an address is suspicious, as by default. */
export const suspiciousAt = 50

/** Returns a look-alike checker over a catalog. */
export function buildLookalikes(catalog: Pick<Catalog, 'countRelated'>, platforms: Platforms) {
  return createLookalikeChecker({
    knowledge,
    platforms,
    isPopular: isProtected,
    countRelated: (host) => catalog.countRelated(host),
    threshold: suspiciousAt,
  })
}

/** Builds a checker of URLs over a catalog. */
export function urlCheckerOver(
  catalog: Catalog,
  platforms: Platforms,
  foundAt: number,
): UrlChecker & UrlFinder {
  const lookalikes = buildLookalikes(catalog, platforms)
  return createUrlChecker({ listings: catalog, platforms, lookalikes, foundAt, suspiciousAt })
}
