/**
 * The HTTP side of weir: puts routes, problem documents, the gate, CORS and measures together.
 *
 *   request ──▶ measures ──▶ under /api/v1/? ──▶ CORS ──▶ gate ──▶ routes
 *                                  └───────── no ─────────▶
 *
 * Knows nothing of how an answer is found; everything comes in by `AppServices`.
 */

import { Elysia, NotFoundError } from 'elysia'
import type { BulkChecker } from '../checks/bulk.ts'
import type { EmailChecker } from '../checks/email.ts'
import type { PhoneChecker } from '../checks/phone.ts'
import type { UrlChecker } from '../checks/url.ts'
import type { ChangesReader } from '../publish/changes.ts'
import { corsPrefix, withCors } from './cors.ts'
import {
  type Endpoint,
  type GateOccupancy,
  type GateServices,
  gated,
  type Handler,
  isUnder,
} from './gate.ts'
import { countedBulk, countedUrls } from './lookup-counts.ts'
import { Metrics } from './metrics.ts'
import { type AnswerObserver, createRouteOf, observed } from './observed.ts'
import { internalError, methodNotAllowed, notFound } from './problem.ts'
import { type BlacklistServices, blacklistPath, blacklistRoute } from './routes/blacklist.ts'
import { bulkBodyBytesMax, bulkPath, bulkRoute } from './routes/bulk.ts'
import { changesPath, changesRoute } from './routes/changes.ts'
import { checkEmailBodyBytesMax, checkEmailPath, checkEmailRoute } from './routes/check-email.ts'
import { checkPhonePath, checkPhoneRoute } from './routes/check-phone.ts'
import { checkUrlPath, checkUrlRoute } from './routes/check-url.ts'
import { healthRoutes, type Readiness } from './routes/health.ts'
import { type ListsServices, listsPaths, listsRoute } from './routes/lists.ts'
import { metricsRoute } from './routes/metrics.ts'
import { openApiRoute } from './routes/openapi.ts'
import { type PagesServices, pagesRoute } from './routes/pages.ts'
import {
  type ReportServices,
  reportBodyBytesMax,
  reportScamPath,
  reportScamRoutes,
} from './routes/report-scam.ts'
import { type RssServices, rssPrefix, rssRoute } from './routes/rss.ts'
import { type SearchServices, searchPath, searchRoute } from './routes/search.ts'
import { type StixExportServices, stixExportPath, stixExportRoute } from './routes/stix-export.ts'
import { type TaxiiServices, taxiiRoutes } from './routes/taxii.ts'
import { taxiiDiscoveryPath, taxiiRootPaths, withTaxiiErrors } from './taxii-error.ts'

/** Everything the app needs of the rest of weir. */
export interface AppServices
  extends GateServices,
    BlacklistServices,
    ListsServices,
    PagesServices,
    ReportServices,
    RssServices,
    SearchServices,
    StixExportServices,
    TaxiiServices {
  readonly urls: UrlChecker
  readonly bulk: BulkChecker
  readonly emails: EmailChecker
  readonly phones: PhoneChecker
  readonly changes: ChangesReader
  /** Hears of every answer, beside the measures. */
  readonly observer?: AnswerObserver
  now(): number
  readiness(): Readiness
  /** Takes note of an error that nobody expected, and of the route it was met on; called once for each. */
  report(error: unknown, route: string | null): void
}

/** What a server needs: `Bun.serve({ ...app.serveOptions, fetch: app.fetch, hostname, port })`. */
export interface App {
  readonly fetch: Handler
  /** Every path and method that is answered. */
  readonly routes: readonly { readonly path: string; readonly method: string }[]
  readonly serveOptions: ServeOptions
}

/** How a server of the app treats connections; made without the app, which may need its address. */
export interface ServeOptions {
  readonly maxRequestBodySize: number
  readonly idleTimeout: number
  readonly development: false
  readonly reusePort: false
  readonly error: (error: unknown) => Response
}

/**
 * Bun refuses longer bodies itself, with an empty 413. The gate and whoever reads a body refuse sooner,
 * and say why; what nobody reads is dropped as it arrives, and takes no memory.
 */
const serverBodyBytesMax = Number.MAX_SAFE_INTEGER
/** Longer than any answer takes; a silent connection is cut after it. */
const idleTimeoutSeconds = 30

/** Each may wait two seconds for name servers. */
const emailsInFlightMax = 64
/** Bodies of 5 MiB are held while they arrive. */
const bulkInFlightMax = 32
/** An answer of 10,000 entries has four megabytes. */
const changesInFlightMax = 16
/** Waiting for a list to be written takes no memory. */
const listsInFlightMax = 32
/** They are written while they are sent, however slowly that is. */
const exportsInFlightMax = { inFlightMax: 4, clientInFlightMax: 2 } as const
const taxiiInFlightMax = 32
/** One after the other is answered, each within milliseconds. */
const searchInFlightMax = 64

const endpoints: readonly Endpoint[] = [
  { path: blacklistPath, policy: 'BLACKLIST' },
  {
    path: changesPath,
    policy: 'BLACKLIST_CHANGES',
    costly: { class: 'changes', inFlightMax: changesInFlightMax },
  },
  { path: checkUrlPath, policy: 'CHECK_URL' },
  {
    path: checkEmailPath,
    policy: 'CHECK_EMAIL',
    bodyBytesMax: checkEmailBodyBytesMax,
    costly: { class: 'emails', inFlightMax: emailsInFlightMax },
  },
  { path: checkPhonePath, policy: 'CHECK_PHONE' },
  {
    path: bulkPath,
    policy: 'BULK',
    bodyBytesMax: bulkBodyBytesMax,
    costly: { class: 'bulk', inFlightMax: bulkInFlightMax },
  },
  {
    path: searchPath,
    policy: 'SEARCH',
    costly: { class: 'search', inFlightMax: searchInFlightMax },
  },
  { path: `${rssPrefix}/*`, policy: 'RSS' },
  { path: `${reportScamPath}/*`, policy: 'MANAGE' },
  // Its own path lies under the one above, and counts by itself.
  { path: reportScamPath, policy: 'REPORT_SCAM', bodyBytesMax: reportBodyBytesMax },
  ...listsPaths.map((path): Endpoint => {
    return { path, policy: 'LISTS', costly: { class: 'lists', inFlightMax: listsInFlightMax } }
  }),
  { path: stixExportPath, policy: 'STIX', costly: { class: 'exports', ...exportsInFlightMax } },
  ...[taxiiDiscoveryPath, taxiiRootPaths.specification].map(
    (path): Endpoint => ({
      path: `${path}/*`,
      policy: 'TAXII',
      costly: { class: 'taxii', inFlightMax: taxiiInFlightMax },
    }),
  ),
]

/** Answers by path, with a problem document for every other path and method. */
function createRoutes(services: AppServices, metrics: Metrics) {
  const methodsOf = new Map<string, string[]>()
  const refuseUnknown = (url: string): Response => {
    const methods = methodsOf.get(routeOf(url))
    return methods === undefined ? notFound() : methodNotAllowed(methods)
  }
  // By default Elysia misreads the path when the host has under four letters.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onError({ as: 'global' }, ({ error, request, route }) => {
      if (error instanceof NotFoundError) return refuseUnknown(request.url)
      services.report(error, route)
      return internalError()
    })
    .use(blacklistRoute(services))
    .use(changesRoute(services))
    .use(checkUrlRoute({ urls: countedUrls(services.urls, metrics.lookups) }))
    .use(bulkRoute({ bulk: countedBulk(services.bulk, metrics.lookups) }))
    .use(checkEmailRoute(services))
    .use(checkPhoneRoute(services))
    .use(searchRoute(services))
    .use(rssRoute(services))
    .use(reportScamRoutes(services))
    .use(listsRoute(services))
    .use(stixExportRoute(services))
    .use(taxiiRoutes(services))
    .use(healthRoutes(services))
    .use(metricsRoute({ metrics }))
    .use(openApiRoute(services))
    .use(pagesRoute(services))
    .compile()
  for (const { path, method } of app.routes) {
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  }
  const routeOf = createRouteOf([...methodsOf.keys()])
  const answer: Handler = (request) => {
    // Without a usable Host header the URL is a mere path, which Elysia would misread.
    if (!request.url.startsWith('/')) return app.fetch(request)
    return app.fetch(new Request(`http://localhost${request.url}`, request))
  }
  const routes = app.routes.map(({ path, method }) => ({ path, method }))
  return { answer, routes, routeOf }
}

/** Returns the options of a server of the app. */
export function serveOptionsFor(report: AppServices['report']): ServeOptions {
  return {
    maxRequestBodySize: serverBodyBytesMax,
    idleTimeout: idleTimeoutSeconds,
    development: false,
    reusePort: false,
    error: (error) => {
      report(error, null)
      return internalError()
    },
  }
}

/** Builds the app; it listens nowhere. */
export function createApp(services: AppServices): App {
  const { blacklist, readiness, report } = services
  const metrics = new Metrics({
    readiness,
    occupancy: (): GateOccupancy => gate.occupancy(),
    publishedDomains: () => blacklist.state().totalActive,
  })
  const { answer, routes, routeOf } = createRoutes(services, metrics)
  const gate = gated(answer, endpoints, services)
  const refusing = withTaxiiErrors(gate.fetch)
  const shared = withCors(gate.fetch)
  const observers = services.observer === undefined ? [] : [services.observer]
  const fetch = observed(
    (request) => (isUnder(request.url, corsPrefix) ? shared : refusing)(request),
    routeOf,
    [metrics.answers, ...observers],
    performance.now.bind(performance),
  )
  return { fetch, routes, serveOptions: serveOptionsFor(report) }
}
