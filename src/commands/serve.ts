/** `weir serve`: starts the service and stops it in order. */

import { type Config, describeUnknown, SettingError } from '../config.ts'
import { createApp, serveOptionsFor } from '../http/app.ts'
import { documentedEndpoints } from '../http/endpoints/endpoints.ts'
import type { Page, Readiness } from '../http/endpoints/service.ts'
import { type Job, startSchedule } from '../http/schedule.ts'
import { loadSources } from '../ingest/sources.ts'
import { exitCodes } from '../model/operator-error.ts'
import { StoreError } from '../store/store-error.ts'
import { version } from '../version.ts'
import { docsPages } from '../web/docs.ts'
import { feedPages } from '../web/feed-pages.ts'
import { startWeir, type Weir } from '../weir.ts'
import { command } from './command.ts'
import { endWhenBroken, Log, type Started } from './log.ts'
import { formatCount } from './terminal.ts'

/** A second signal within this time counts as the first one repeated. */
const repeatedSignalMs = 1_000

/**
 * How long the service continues after the signal to stop: `server.stop` resets connections on which
 * nothing has been read yet, and with them requests that were sent before the signal.
 */
const lingerMs = 100

/** How long requests in progress may take to end when the service stops. */
const drainMs = 10_000

export const serveCommand = command({
  summary: 'start the service',
  usage: `weir serve

Listens on WEIR_HOST and WEIR_PORT and keeps its data in WEIR_DATA ("weir config" shows all
settings), fetches the enabled sources, and copies the database once a day. Logs lines of JSON to
standard output; WEIR_LOG sets the level ("silent" to "trace"). No line contains what people look
up, or the message of an error that may quote it.`,
  options: {},
  async run(_, session) {
    const { config, unknown } = await session.settings()
    for (const setting of unknown) console.error(describeUnknown(setting))
    const log = new Log(config.logLevel)
    const leaveToRuntime = endWhenBroken(log, exitCodes.failed)
    try {
      await serve(config, log)
    } finally {
      // Why it did not start is printed in full.
      leaveToRuntime()
      await log.flush()
    }
    return exitCodes.ok
  },
})

/** Serves until the signal to stop, then lets the requests in progress end. */
async function serve(config: Config, log: Log): Promise<void> {
  const signal = new StopSignal(log)
  const weir = startWeir(config, await loadSources(config.dataDir), (error) => log.failed(error))
  const server = await listenOrStop(config, weir, { log, signal })
  await untilReady(weir)
  announce(log, {
    version,
    address: server.url.origin,
    data: config.dataDir,
    indicators: weir.state().indicators,
  })
  const schedule = startSchedule(scheduledJobs(config, weir, log), (error) => log.failed(error))
  await signal.given
  log.stopping()
  schedule.stop()
  await Bun.sleep(lingerMs)
  await Promise.race([server.stop(), Bun.sleep(drainMs)])
  await server.stop(true)
  await weir.stop()
  log.stopped()
}

/** Returns the scheduled work; a failure is logged, and the work tried again the next time. */
function scheduledJobs({ fetch }: Config, weir: Weir, log: Log): Job[] {
  const refresh = async (): Promise<void> => {
    for (const refreshed of await weir.refresh()) log.refreshed(refreshed)
  }
  return [
    ...(fetch ? [{ pattern: '*/30 * * * * *', run: refresh }] : []),
    { pattern: '15 * * * * *', run: () => weir.tidy() },
    { pattern: '45 * * * * *', run: () => weir.backUp() },
  ]
}

/** What answers need apart from weir itself. */
interface Surroundings {
  readonly log: Log
  readonly signal: StopSignal
}

/** Listens; on failure, stops what was started and throws a `SettingError`. */
async function listenOrStop(
  config: Config,
  weir: Weir,
  surroundings: Surroundings,
): Promise<Bun.Server<undefined>> {
  try {
    return listen(config, weir, surroundings)
  } catch (error) {
    await untilReady(weir)
    await weir.stop()
    const { host, port } = config
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new SettingError(
      `WEIR_HOST and WEIR_PORT are "${host}" and "${port}", where weir cannot listen (${why}); they must be an address of this machine and a free port`,
    )
  }
}

/** Resolves when weir can answer; throws a `StoreError` when it cannot start. */
async function untilReady(weir: Weir): Promise<void> {
  try {
    await weir.ready
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreError('start', `weir cannot start: ${message}`, {
      cause: error,
      hint: 'start it again: it then checks the database first, and says what to do',
    })
  }
}

function listen(config: Config, weir: Weir, { log, signal }: Surroundings): Bun.Server<undefined> {
  const { host, port } = config
  const report = (error: unknown, route: string | null): void => log.answerFailed(error, route)
  const server: Bun.Server<undefined> = Bun.serve({
    ...serveOptionsFor(report),
    hostname: host,
    port,
    // No request is accepted before this turn of the event loop ends.
    fetch: (request) => app.fetch(request),
  })
  // Answers contain weir's own address; a port that was picked is known only now.
  const publicUrl = config.publicUrl ?? server.url.origin
  const app = createApp({
    ...config,
    publicUrl,
    ...weir.checkers,
    blacklist: weir.blacklist,
    changes: weir.changes,
    lists: weir.lists,
    stixExport: weir.stixExport,
    taxii: weir.taxii,
    search: weir.search,
    feeds: weir.feeds,
    reports: weir.reports,
    pages: [...buildDocs(publicUrl, config), ...feedPages({ publicUrl, version })],
    observer: log,
    readiness: () => toReadiness(weir, signal.isGiven),
    isLoading: () => weir.isLoading(),
    addressOf: (request) => server.requestIP(request)?.address ?? null,
    version,
    now: Date.now,
    report,
  })
  return server
}

/** Returns the documentation with the address and the limits of this instance. */
function buildDocs(publicUrl: string, { limits }: Config): readonly Page[] {
  const settings = { publicUrl, version, limits }
  return docsPages({
    publicUrl,
    version,
    // Loaded with the first page: a start does not need it.
    document: async () => {
      const { openApiDocument } = await import('../http/openapi.ts')
      return openApiDocument(documentedEndpoints, settings)
    },
  })
}

function toReadiness(weir: Weir, isStopping: boolean): Readiness {
  const { sources, ...state } = weir.state()
  const now = Date.now()
  return {
    ...state,
    status: isStopping ? 'stopping' : state.status,
    version,
    sources: sources.map(({ name, lastSuccess, isOverdue }) => ({
      name,
      ageSeconds: lastSuccess === null ? null : Math.round((now - lastSuccess) / 1000),
      overdue: isOverdue,
    })),
  }
}

/**
 * The first SIGTERM or SIGINT; a later one ends the process at once. A supervisor that signals a whole
 * group reaches the server twice in one moment, so a signal that follows at once does not count.
 */
class StopSignal {
  /** Resolves at the first signal. */
  readonly given: Promise<void>
  #firstAt: number | null = null

  constructor(log: Log) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.given = promise
    const onSignal = (): void => {
      const now = performance.now()
      const isRepeated = this.#firstAt !== null && now - this.#firstAt > repeatedSignalMs
      this.#firstAt ??= now
      resolve()
      if (isRepeated) log.exit(exitCodes.failed)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  }

  get isGiven(): boolean {
    return this.#firstAt !== null
  }
}

/** Announces the start: in words at a terminal, else in a line of the log. */
function announce(log: Log, started: Started): void {
  if (!process.stdout.isTTY) {
    log.started(started)
    return
  }
  const { version, address, data, indicators } = started
  console.log(`weir ${version} listens on ${address}`)
  console.log(`  holds  ${formatCount(indicators)} indicators`)
  console.log(`  data   ${data}`)
  console.log(`  try    curl '${address}/api/check-url?url=found.weir.test'`)
  console.log(`         curl '${address}/api/v1/blacklist?limit=5'`)
  console.log(`  read   ${address}/docs`)
  console.log('  stop   Ctrl-C')
}
