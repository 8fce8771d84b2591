/**
 * The HTTP side of weir: each endpoint becomes a route of Elysia, whose router matches the path once.
 *
 *   request ─▶ router ─▶ measures ─▶ CORS ─▶ gate and limit ─▶ reader ─▶ handler
 *
 * Knows nothing of how an answer is found; everything comes in by `AppServices`.
 */

import { Elysia } from 'elysia'
import { corsPrefix, createPreflight, withCors } from './cors.ts'
import type { Endpoint, Handler } from './endpoint.ts'
import { documentedEndpoints, endpoints } from './endpoints/endpoints.ts'
import { pageEndpoint, type Readiness } from './endpoints/service.ts'
import { createGate, type GateOccupancy, type GateServices } from './gate.ts'
import { type CallInput, type CallResult, callEndpoint, LocalRequests } from './in-process.ts'
import { countedBulk, countedUrls } from './lookup-counts.ts'
import { Metrics } from './metrics.ts'
import { type AnswerObserver, observed, otherRoute } from './observed.ts'
import type { PathTexts } from './parameter-reader.ts'
import { internalError, methodNotAllowed, notFound } from './problem.ts'

type DefinedEndpoint = (typeof endpoints)[number]

/** What the handlers of all endpoints need together. */
type EndpointServices = (
  DefinedEndpoint extends infer Each
    ? Each extends { compile(services: infer Services): unknown }
      ? (services: Services) => void
      : never
    : never
) extends (services: infer All) => void
  ? All
  : never

/** Everything that the app needs of the rest of weir. */
export type AppServices = Omit<EndpointServices, 'metrics' | 'openApi'> &
  GateServices & {
    readonly version: string
    /** Called for every answer, in addition to the metrics. */
    readonly observer?: AnswerObserver
    readiness(): Readiness
    /** Reports an unexpected error and the route it happened on; called once for each. */
    report(error: unknown, route: string | null): void
  }

/** What a server needs: `Bun.serve({ ...app.serveOptions, fetch: app.fetch, hostname, port })`. */
export interface App {
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Every path and method of an endpoint. */
  readonly routes: readonly { readonly path: string; readonly method: string }[]
  readonly serveOptions: ServeOptions
  /** Calls an endpoint in process: gate, limit, reader and handler, on behalf of the client at an address. */
  call<Called extends DefinedEndpoint>(
    called: Called,
    input: CallInput<Called>,
    client: string,
  ): Promise<CallResult<Called>>
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
 * Bun refuses longer bodies itself, with an empty 413. The gate and the reader of bodies refuse earlier, and say why;
 * a body that no handler reads is dropped as it arrives, and takes no memory.
 */
const serverBodyBytesMax = Number.MAX_SAFE_INTEGER
/** Longer than any pause within an answer; a silent connection is closed after it. */
const idleTimeoutSeconds = 30

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

/** Returns `inner` with unexpected errors reported and answered by 500. */
function withErrors(inner: Handler, route: string, report: AppServices['report']): Handler {
  const refuse = (error: unknown): Response => {
    report(error, route)
    return internalError()
  }
  return (request, path) => {
    try {
      const answer = inner(request, path)
      return answer instanceof Promise ? answer.catch(refuse) : answer
    } catch (error) {
      return refuse(error)
    }
  }
}

const methodsOf = ({ method }: { readonly method: string }): readonly string[] =>
  method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]

const noPath: PathTexts = {}

/**
 * Elysia decides by the source of a handler whether to await it and to read the body; `bind` hides the source.
 * (`parse: 'none'` would make a route asynchronous as well.)
 */
const routed = (handler: Handler) =>
  (({ request, params }: { readonly request: Request; readonly params?: PathTexts }) =>
    handler(request, params ?? noPath)).bind(null)

/** Builds the app; it listens nowhere. */
export function createApp(services: AppServices): App {
  return new RoutedApp(services)
}

class RoutedApp implements App {
  readonly routes: App['routes']
  readonly serveOptions: ServeOptions
  readonly #services: EndpointServices & AppServices
  readonly #gate: ReturnType<typeof createGate>
  readonly #observers: readonly AnswerObserver[]
  readonly #requests = new LocalRequests()
  /** The chain of each endpoint from the gate on. */
  readonly #gated = new Map<unknown, Handler>()
  // By default Elysia misreads the path when the host has fewer than four letters.
  readonly #router = new Elysia({ normalize: false, handler: { standardHostname: false } })

  constructor(services: AppServices) {
    const { readiness, report, observer, publicUrl, version, limits } = services
    const metrics = new Metrics({
      readiness,
      occupancy: (): GateOccupancy => this.#gate.occupancy(),
      publishedDomains: () => services.blacklist.state().totalActive,
    })
    this.#services = {
      ...services,
      metrics,
      // A start does not need the document.
      openApi: async () => {
        const { openApiDocument } = await import('./openapi.ts')
        return openApiDocument(documentedEndpoints, { publicUrl, version, limits })
      },
      urls: countedUrls(services.urls, metrics.lookups),
      bulk: countedBulk(services.bulk, metrics.lookups),
    }
    this.#observers = [metrics.answers, ...(observer === undefined ? [] : [observer])]
    const all: readonly Endpoint<EndpointServices>[] = [...endpoints, ...this.#otherPages()]
    this.#gate = createGate(
      all.flatMap(({ costly }) => costly ?? []),
      {
        ...services,
        addressOf: (request) => this.#requests.find(request) ?? services.addressOf(request),
      },
    )
    this.routes = all.flatMap((endpoint) =>
      methodsOf(endpoint).map((method) => ({ path: endpoint.path, method })),
    )
    this.serveOptions = serveOptionsFor(report)
    this.#route(all)
  }

  readonly fetch = (request: Request): Response | Promise<Response> => {
    // Without a usable Host header the URL is a mere path, which Elysia would misread.
    if (!request.url.startsWith('/')) return this.#router.fetch(request)
    const address = this.#services.addressOf(request)
    return this.#router.fetch(this.#requests.create(request.url, request, address))
  }

  call<Called extends DefinedEndpoint>(
    called: Called,
    input: CallInput<Called>,
    client: string,
  ): Promise<CallResult<Called>> {
    const handler = this.#gated.get(called)
    if (handler === undefined) throw new Error(`${called.path} is not an endpoint of this app`)
    return callEndpoint<Called>(called, handler, this.#requests, input, client)
  }

  /** The pages that no endpoint describes. */
  #otherPages() {
    const described = new Set<string>(endpoints.map(({ path }) => path))
    return this.#services.pages
      .filter(({ path }) => !described.has(path))
      .map(({ path }) => pageEndpoint({ id: path, path, summary: '', description: '' }))
  }

  #route(all: readonly Endpoint<EndpointServices>[]): void {
    const router = this.#router.onError(({ error, route }) => {
      this.#services.report(error, route)
      return internalError()
    })
    const preflight = createPreflight()
    for (const [path, siblings] of Map.groupBy(all, (endpoint) => endpoint.path)) {
      const methods = siblings.flatMap(methodsOf)
      for (const endpoint of siblings) {
        const gated = this.#behindGate(endpoint, endpoint.compile(this.#services))
        this.#gated.set(endpoint, gated)
        const answering = this.#layers(endpoint, gated, path)
        for (const method of methodsOf(endpoint)) router.route(method, path, routed(answering))
      }
      const [first] = siblings
      if (first === undefined) continue
      const refuseMethod = this.#behindGate(first, () => methodNotAllowed(methods))
      const refusing = this.#layers(first, refuseMethod, path)
      // Elysia would answer HEAD itself, through the route of all methods.
      if (!methods.includes('HEAD')) router.route('HEAD', path, routed(refusing))
      if (path.startsWith(corsPrefix)) {
        router.route('OPTIONS', path, routed(this.#observed(preflight, path)))
      }
      router.all(path, routed(refusing))
    }
    this.#routeUnknown(all, preflight)
    router.compile()
  }

  /** Routes the paths that are no endpoint's. */
  #routeUnknown(all: readonly Endpoint<EndpointServices>[], preflight: Handler): void {
    const unlimited = { policy: null }
    const refuse = (pattern: string, handler: Handler): void => {
      this.#router.route('HEAD', pattern, routed(handler)).all(pattern, routed(handler))
    }
    const known = new Set(all.map(({ path }) => path))
    for (const endpoint of all) {
      const { limitsBelow: prefix } = endpoint
      if (prefix === undefined) continue
      const refuseUnknown = this.#behindGate(endpoint, () => notFound())
      const limited = this.#layers(endpoint, refuseUnknown, otherRoute)
      if (!known.has(prefix)) refuse(prefix, limited)
      refuse(`${prefix}/*`, limited)
    }
    const rest = this.#gate.before(unlimited, () => notFound())
    this.#router.route('OPTIONS', `${corsPrefix}*`, routed(this.#observed(preflight, otherRoute)))
    refuse(`${corsPrefix}*`, this.#observed(withCors(rest), otherRoute))
    refuse('/*', this.#observed(rest, otherRoute))
  }

  /** Returns `inner` behind the gate of an endpoint, with unexpected errors answered by 500. */
  #behindGate(endpoint: Endpoint<EndpointServices>, inner: Handler): Handler {
    return this.#gate.before(endpoint, withErrors(inner, endpoint.path, this.#services.report))
  }

  /** Returns `gated` with the format of refusals, CORS and measures of an endpoint. */
  #layers(endpoint: Endpoint<EndpointServices>, gated: Handler, route: string): Handler {
    const { refusals } = endpoint
    const formatted: Handler =
      refusals === undefined ? gated : (request, path) => refusals.rewrite(gated(request, path))
    const shared = endpoint.path.startsWith(corsPrefix) ? withCors(formatted) : formatted
    return this.#observed(shared, route)
  }

  #observed(inner: Handler, route: string): Handler {
    return observed(inner, route, this.#observers, performance.now.bind(performance))
  }
}
