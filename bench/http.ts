/**
 * What the HTTP layer costs: check-url through the whole app, against a bare `Bun.serve` route that
 * does the same work, and against a constant answer of the same bytes.
 *
 * All three serve from this process, in turn; the load comes from a process of its own. The ratio
 * compares the processor time that an answer takes here, in the least disturbed of interleaved rounds.
 */

import { headersWith, uncachedAnswer } from '../src/http/answer.ts'
import { createApp } from '../src/http/app.ts'
import { presentUrlAnswer } from '../src/http/endpoints/check-url.ts'
import { RateLimits } from '../src/http/limits.ts'
import { readQuery } from '../src/http/query.ts'
import { jsonText } from '../src/publish/wire.ts'
import { interleave, leastCost, type Round } from './load.ts'
import { type BenchRow, median, printRows } from './rounds.ts'
import { benchLimits, benchServices, buildWorld, urlAt, type World } from './world.ts'

const distinctUrls = 2_000
const connections = 64
const rounds = 9
const noNetworks = { text: '', has: () => false }
/** The calls are spread over this many clients, so that limits count but refuse nobody. */
const clientCount = 500

const serveOptions = { hostname: '127.0.0.1', port: 0, development: false } as const

/** Asks the socket for its address, as a server must, and answers with that of the next client. */
function nextClient(): (
  server: Bun.Server<unknown> | undefined,
  request: Request,
) => string | null {
  const clients = Array.from({ length: clientCount }, (_, i) => `203.0.${i >> 8}.${i & 255}`)
  let calls = 0
  return (server, request) =>
    server?.requestIP(request) ? (clients[calls++ % clientCount] ?? null) : null
}

function serveApp(services: World) {
  const clientOf = nextClient()
  const app = createApp(benchServices(services, (request) => clientOf(server, request)))
  const server = Bun.serve({ ...app.serveOptions, ...serveOptions, fetch: app.fetch })
  return server
}

/** The same work with nothing around it: address, limit, query, look-up, JSON, the same headers. */
function serveBare({ urls }: World) {
  const clientOf = nextClient()
  const limiter = new RateLimits(
    { limits: benchLimits, exempt: noNetworks, ipv6PrefixBits: 64 },
    Date.now,
  )
  const check = (request: Request): Response => {
    const judgement = limiter.judge('CHECK_URL', clientOf(server, request) ?? '')
    const [url = ''] = readQuery(request.url, ['url']).values
    const answer = urls.check(url)
    if (!answer.ok || judgement?.isAdmitted !== true) return new Response(null, { status: 400 })
    const response = uncachedAnswer(presentUrlAnswer(answer.value))
    response.headers.set('ratelimit-policy', judgement.policyField)
    response.headers.set('ratelimit', judgement.stateField)
    return response
  }
  const server = Bun.serve({ ...serveOptions, routes: { '/api/check-url': { GET: check } } })
  return server
}

/** Sends the same answer, headers and all, to whatever is asked. */
function serveConstant({ urls }: World) {
  const answer = urls.check(urlAt(0))
  const text = jsonText(answer.ok ? presentUrlAnswer(answer.value) : answer)
  const headers = headersWith({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'ratelimit-policy': '"check-url";q=1000;w=1',
    ratelimit: '"check-url";r=985;t=1',
  })
  return Bun.serve({ ...serveOptions, fetch: () => new Response(text, { headers }) })
}

/** Returns the nanoseconds of one call of `run`, in the best of several rounds. */
function nanosecondsOf(callsPerRound: number, run: (index: number) => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 12; round++) {
    const start = Bun.nanoseconds()
    for (let index = 0; index < callsPerRound; index++) run(index)
    best = Math.min(best, (Bun.nanoseconds() - start) / callsPerRound)
  }
  return best
}

/** Measures the judgement of a call from a known client. */
function benchLimiter(): BenchRow {
  const limiter = new RateLimits(
    { limits: benchLimits, exempt: noNetworks, ipv6PrefixBits: 64 },
    Date.now,
  )
  const clients = Array.from({ length: clientCount }, (_, i) => `203.0.${i >> 8}.${i & 255}`)
  const value = nanosecondsOf(50_000, (index) => {
    limiter.judge('CHECK_URL', clients[index % clientCount] ?? '')
  })
  return {
    name: 'limit, known client',
    value: Math.round(value),
    unit: 'ns',
    yardstick: '150 ns',
    ratio: 150 / value,
    goal: '≥ 1',
  }
}

const pathAt = (index: number): string => `/api/check-url?url=${encodeURIComponent(urlAt(index))}`

/** Measures check-url through the app, half of the URLs listed; takes about half a minute. */
export async function benchHttp(world: World): Promise<BenchRow[]> {
  const paths = Array.from({ length: distinctUrls }, (_, index) => pathAt(index))
  const servers = [serveApp(world), serveBare(world), serveConstant(world)]
  try {
    const results = await interleave({ paths, connections }, servers, rounds)
    const [app = [], bare = [], constant = []] = results
    const perSecond = Math.round(median(app.map((round) => round.perSecond)))
    const row = (yardstick: string, others: readonly Round[], goal: string): BenchRow => ({
      name: 'GET /api/check-url',
      value: perSecond,
      unit: 'requests/s',
      yardstick,
      ratio: leastCost(others) / leastCost(app),
      goal,
    })
    const p99 = (of: readonly Round[]): number => median(of.map((round) => round.p99Ms))
    return [
      row('a bare Bun.serve route doing the same work', bare, '≥ 0.88'),
      row('a constant answer of the same bytes', constant, '≥ 0.62'),
      {
        name: 'GET /api/check-url, p99',
        value: p99(app),
        unit: 'ms',
        yardstick: '1.5 times the p99 of the bare route',
        ratio: (1.5 * p99(bare)) / p99(app),
        goal: '≥ 1',
      },
      benchLimiter(),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop(true)))
  }
}

if (import.meta.main) {
  using world = await buildWorld()
  printRows(await benchHttp(world))
}
