/** `weir serve`: starts the service and stops it in order. */

import { parseArgs } from 'node:util'
import { type Config, loadConfig, SettingError } from '../config.ts'
import type { Refreshed } from '../feeds/refresh.ts'
import { loadSources } from '../feeds/sources.ts'
import { type App, createApp } from '../http/app.ts'
import { type Job, startSchedule } from '../http/schedule.ts'
import { StoreError } from '../store/store-error.ts'
import { version } from '../version.ts'
import { startWeir, type Weir } from '../weir.ts'
import { type Command, exitCodes } from './command.ts'
import { formatCount, problemLines, report } from './terminal.ts'

/** Within this time a second signal is the first one again. */
const repeatedSignalMs = 1_000

/**
 * How long the service goes on after the signal to stop: `server.stop` resets connections on which
 * nothing has been read yet, and with them the requests that had been sent before the signal.
 */
const settleMs = 100

/** How long requests under way may take to end when the service stops. */
const drainMs = 10_000

export const serveCommand: Command = {
  summary: 'start the service',
  usage: `weir serve

Listens on WEIR_HOST and WEIR_PORT and keeps its data in WEIR_DATA ("weir config" shows all
settings), fetches the sources that are enabled, and copies the database once a day.`,
  async run(args) {
    parseArgs({ args: [...args], options: {} })
    const { config, unknown } = await loadConfig(process.env)
    for (const name of unknown) console.error(`unknown setting, ignored: ${name}`)
    const stopping = stopSignal()
    const weir = startWeir(config, await loadSources(config.dataDir), report)
    const server = await listenOrStop(config, weir)
    await untilReady(weir)
    announce(weir, server.url.origin, config.dataDir)
    const schedule = startSchedule(jobsOf(config, weir), report)
    await stopping
    schedule.stop()
    await Bun.sleep(settleMs)
    await Promise.race([server.stop(), Bun.sleep(drainMs)])
    await server.stop(true)
    await weir.stop()
    return exitCodes.ok
  },
}

/** What is done by the clock; what fails is reported, and tried again the next time. */
function jobsOf({ fetch }: Config, weir: Weir): Job[] {
  const refresh = async (): Promise<void> => {
    for (const line of problemLines((await weir.refresh()).flatMap(problemsOf))) {
      console.error(`weir: ${line}`)
    }
  }
  return [
    ...(fetch ? [{ pattern: '*/30 * * * * *', run: refresh }] : []),
    { pattern: '15 * * * * *', run: () => weir.tidy() },
    { pattern: '45 * * * * *', run: () => weir.backUp() },
  ]
}

function problemsOf(refreshed: Refreshed) {
  const hasFailed = refreshed.kind === 'failed' || refreshed.kind === 'held_back'
  return hasFailed ? [{ name: refreshed.source, problem: refreshed.error }] : []
}

/** Listens; when that fails, stops what has been started and throws a `SettingError`. */
async function listenOrStop(config: Config, weir: Weir): Promise<Bun.Server<undefined>> {
  try {
    return listen(config, weir)
  } catch (error) {
    await untilReady(weir)
    await weir.stop()
    const { host, port } = config
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new SettingError(
      `WEIR_HOST and WEIR_PORT are "${host}" and "${port}", where weir cannot listen (${why}); they must be an address of this machine and a port that is free`,
    )
  }
}

/** Resolves when weir answers; throws a `StoreError` when it never will. */
async function untilReady(weir: Weir): Promise<void> {
  try {
    await weir.ready
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreError('start', `weir cannot start: ${message}`, {
      cause: error,
      hint: 'start it again: the database is then read through first, and what to do is said',
    })
  }
}

function listen(config: Config, weir: Weir): Bun.Server<undefined> {
  const { host, port } = config
  const appAt = (publicUrl: string): App =>
    createApp({
      ...config,
      publicUrl,
      urls: weir.urls,
      bulk: weir.bulk,
      blacklist: weir.blacklist,
      readiness: () => readinessOf(weir),
      isLoading: () => weir.isLoading(),
      addressOf: (request) => server.requestIP(request)?.address ?? null,
      version,
      now: Date.now,
      report,
    })
  let app = appAt(config.publicUrl ?? '')
  const server: Bun.Server<undefined> = Bun.serve({
    ...app.serveOptions,
    hostname: host,
    port,
    fetch: (request) => app.fetch(request),
  })
  // Answers name weir's own address, and a port that was picked is known only now.
  if (config.publicUrl === null) app = appAt(server.url.origin)
  return server
}

function readinessOf(weir: Weir) {
  const { sources, ...state } = weir.state()
  const now = Date.now()
  return {
    ...state,
    version,
    sources: sources.map(({ name, lastSuccess, isOverdue }) => ({
      name,
      ageSeconds: lastSuccess === null ? null : Math.round((now - lastSuccess) / 1000),
      overdue: isOverdue,
    })),
  }
}

/**
 * Resolves at the first SIGTERM or SIGINT; a later one ends the process at once. Supervisors that
 * signal a whole group reach the server twice in one moment, so what follows at once is no second word.
 */
function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let firstAt: number | null = null
  const hear = (): void => {
    const now = performance.now()
    if (firstAt !== null && now - firstAt > repeatedSignalMs) process.exit(exitCodes.failed)
    firstAt ??= now
    resolve()
  }
  process.on('SIGTERM', hear)
  process.on('SIGINT', hear)
  return promise
}

function announce(weir: Weir, address: string, dataDir: string): void {
  console.log(`weir ${version} listens on ${address}`)
  console.log(`  holds  ${formatCount(weir.state().indicators)} indicators`)
  console.log(`  data   ${dataDir}`)
  console.log(`  try    curl '${address}/api/check-url?url=found.weir.test'`)
  console.log(`         curl '${address}/api/v1/blacklist?limit=5'`)
  console.log('  stop   Ctrl-C')
}
