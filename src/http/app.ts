/**
 * The HTTP side of weir: puts routes, problem documents, the gate and CORS together.
 *
 *   request ──▶ under /api/v1/? ──▶ CORS ──▶ gate ──▶ routes
 *                     └───────── no ─────────▶
 *
 * Knows nothing of how an answer is found; everything comes in by `AppServices`.
 */

import { Elysia, NotFoundError } from 'elysia'
import type { BulkChecker } from '../checks/bulk.ts'
import type { UrlChecker } from '../checks/url.ts'
import { corsPrefix, withCors } from './cors.ts'
import { type Endpoint, type GateServices, gated, type Handler, isUnder, pathOf } from './gate.ts'
import { internalError, methodNotAllowed, notFound } from './problem.ts'
import { type BlacklistServices, blacklistPath, blacklistRoute } from './routes/blacklist.ts'
import { bulkBodyBytesMax, bulkPath, bulkRoute } from './routes/bulk.ts'
import { checkUrlPath, checkUrlRoute } from './routes/check-url.ts'
import { healthRoutes, type Readiness } from './routes/health.ts'

/** Everything the app needs of the rest of weir. */
export interface AppServices extends GateServices, BlacklistServices {
  readonly urls: UrlChecker
  readonly bulk: BulkChecker
  readiness(): Readiness
  /** Takes note of an error that nobody expected; called once for each. */
  report(error: unknown): void
}

/** What a server needs: `Bun.serve({ ...app.serveOptions, fetch: app.fetch, hostname, port })`. */
export interface App {
  readonly fetch: Handler
  readonly serveOptions: {
    readonly maxRequestBodySize: number
    readonly idleTimeout: number
    readonly development: false
    readonly reusePort: false
    readonly error: (error: unknown) => Response
  }
}

/**
 * Bodies up to here get a problem document when they are too long; Bun refuses longer ones itself,
 * with an empty 413, before a byte is read.
 */
const serverBodyBytesMax = 16 * 1024 * 1024
/** Longer than any answer takes; a silent connection is cut after it. */
const idleTimeoutSeconds = 30

const endpoints: readonly Endpoint[] = [
  { path: blacklistPath, policy: 'BLACKLIST' },
  { path: checkUrlPath, policy: 'CHECK_URL' },
  { path: bulkPath, policy: 'BULK', bodyBytesMax: bulkBodyBytesMax },
]

function createRoutes(services: AppServices): Handler {
  const methodsOf = new Map<string, string[]>()
  const refuseUnknown = (url: string): Response => {
    const path = pathOf(url)
    const methods = methodsOf.get(path) ?? methodsOf.get(path.replace(/\/$/, ''))
    return methods === undefined ? notFound() : methodNotAllowed(methods)
  }
  // By default Elysia misreads the path when the host has under four letters.
  const routes = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onError({ as: 'global' }, ({ error, request }) => {
      if (error instanceof NotFoundError) return refuseUnknown(request.url)
      services.report(error)
      return internalError()
    })
    .use(blacklistRoute(services))
    .use(checkUrlRoute(services))
    .use(bulkRoute(services))
    .use(healthRoutes(services))
    .compile()
  for (const { path, method } of routes.routes) {
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  }
  return (request) => {
    // Without a usable Host header the URL is a mere path, which Elysia would misread.
    if (!request.url.startsWith('/')) return routes.fetch(request)
    return routes.fetch(new Request(`http://localhost${request.url}`, request))
  }
}

/** Builds the app; it listens nowhere. */
export function createApp(services: AppServices): App {
  const open = gated(createRoutes(services), endpoints, services)
  const shared = withCors(open)
  return {
    fetch: (request) => (isUnder(request.url, corsPrefix) ? shared : open)(request),
    serveOptions: {
      maxRequestBodySize: serverBodyBytesMax,
      idleTimeout: idleTimeoutSeconds,
      development: false,
      reusePort: false,
      error: (error) => {
        services.report(error)
        return internalError()
      },
    },
  }
}
