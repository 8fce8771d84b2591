/**
 * Builds the checkers over the catalog, for the server and the command line alike. It holds no logic of its
 * own.
 */

import {
  type BulkChecker,
  createBulkChecker,
  createDigestChecker,
  type DigestChecker,
} from './checks/bulk.ts'
import { createEmailChecker, type EmailChecker } from './checks/email.ts'
import { brandMeantBy } from './checks/looks/brands.ts'
import { createLookalikeChecker } from './checks/looks/lookalike.ts'
import { loadNameKnowledge } from './checks/looks/lookalikes.ts'
import { loadMailDomains } from './checks/mail/domains.ts'
import { createPhoneChecker, type PhoneChecker } from './checks/phone.ts'
import { createUrlChecker, type UrlChecker } from './checks/url.ts'
import type { Config } from './config.ts'
import { Catalog } from './index/catalog.ts'
import { loadStoredGuards } from './ingest/guards.ts'
import type { Platforms } from './model/platform.ts'
import { CachedMailRoutes } from './net/mail-routes.ts'
import { Resolver } from './net/resolver.ts'
import { WriteStore } from './store/store.ts'

/** The checks of single things. */
export interface Checkers {
  readonly urls: UrlChecker
  readonly digests: DigestChecker
  readonly bulk: BulkChecker
  readonly emails: EmailChecker
  readonly phones: PhoneChecker
  /** Returns the brand that is meant by a name, an alias or a domain, or null. */
  brandNamed(text: string): string | null
  /** Cancels pending DNS queries. */
  close(): void
}

/** Returns checkers over a catalog and the guards of its store. */
export function buildCheckers(
  config: Config,
  store: WriteStore,
  catalog: Catalog,
  platforms: Platforms,
): Checkers {
  const { foundAt, suspiciousAt } = config
  const knowledge = loadNameKnowledge()
  const { isProtected } = loadStoredGuards(store)
  // The set of popular names is built now, and not during the first request that needs it.
  isProtected('')
  const lookalikes = createLookalikeChecker({
    knowledge,
    platforms,
    isPopular: isProtected,
    countRelated: (host) => catalog.countRelated(host),
    threshold: suspiciousAt,
  })
  const urls = createUrlChecker({ listings: catalog, platforms, lookalikes, foundAt, suspiciousAt })
  const digests = createDigestChecker(catalog, foundAt)
  const resolver = new Resolver({ servers: config.dns })
  const emails = createEmailChecker({
    urls,
    listings: catalog,
    platforms,
    mailDomains: loadMailDomains(),
    mailRoutes: new CachedMailRoutes(resolver, Date.now),
    foundAt,
    brands: knowledge.brands,
    letters: knowledge.facts.confusables,
  })
  return {
    urls,
    digests,
    bulk: createBulkChecker(urls, digests, catalog),
    emails,
    phones: createPhoneChecker(catalog, foundAt),
    brandNamed: (text) => brandMeantBy(knowledge.brands, text)?.name ?? null,
    close: () => resolver.cancel(),
  }
}

/** Opens the database, next to a running server, and builds the views and checkers over it. */
export function openLocalChecks(config: Config, report: (error: unknown) => void): Checkers {
  const store = WriteStore.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
  const catalog = Catalog.build({ store, dataDir: config.dataDir, wake: () => {}, report })
  const { platforms } = loadStoredGuards(store)
  const checkers = buildCheckers(config, store, catalog, platforms)
  return {
    ...checkers,
    close: () => {
      checkers.close()
      store.close()
    },
  }
}
