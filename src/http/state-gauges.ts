/**
 * How weir is at the moment somebody reads its measures: memory, data, views, sources, limits. It is
 * asked only then; between two readings nothing is spent but on watching the event loop, from the first
 * reading on.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import type { GateOccupancy } from './gate.ts'
import type { Readiness } from './routes/health.ts'

/** Whom the state is asked of. */
export interface MetricsSources {
  readiness(): Readiness
  occupancy(): GateOccupancy
  /** How many domains are published. */
  publishedDomains(): number
}

type NewGauge = (name: string, help: string, ...labelNames: readonly string[]) => Gauge

const statuses = ['ready', 'loading', 'degraded', 'stopping'] as const

/** Of so many sources the age is told. */
const sourcesMax = 500

/** How often the event loop is looked at: a fiftieth of it takes 2 % of a processor, this 0.2 %. */
const loopResolutionMs = 100
const nanosecondsPerSecond = 1e9

/** Sets the gauges anew. */
type Reading<State> = (state: State) => void

function processGauges(gauge: NewGauge): Reading<void> {
  const resident = gauge('weir_resident_memory_bytes', 'Resident memory of the process.')
  const heap = gauge('weir_heap_bytes', 'JavaScript heap in use.')
  const uptime = gauge('weir_uptime_seconds', 'Time since the process started.')
  const delay = gauge(
    'weir_event_loop_delay_seconds',
    'Longest delay of the event loop since the last reading.',
  )
  let loop: ReturnType<typeof monitorEventLoopDelay> | null = null
  return () => {
    const { rss, heapUsed } = process.memoryUsage()
    resident.set(rss)
    heap.set(heapUsed)
    uptime.set(process.uptime())
    delay.set(loop === null ? 0 : loop.max / nanosecondsPerSecond)
    loop?.reset()
    if (loop !== null) return
    loop = monitorEventLoopDelay({ resolution: loopResolutionMs })
    loop.enable()
  }
}

function dataGauges(gauge: NewGauge): Reading<Readiness> {
  const build = gauge(
    'weir_build_info',
    'The version of weir and of its runtime.',
    'version',
    'bun',
  )
  const status = gauge('weir_status', '1 for the status that /ready tells.', 'status')
  const indicators = gauge('weir_indicators', 'Active indicators.')
  const seq = gauge('weir_sequence_number', 'The change up to which answers are true.')
  const lagRows = gauge('weir_view_lag_rows', 'Changes that answers do not know of yet.')
  const lagSeconds = gauge('weir_view_lag_seconds', 'Time since answers knew of every change.')
  const searchRows = gauge('weir_search_lag_rows', 'Changes that search does not know of yet.')
  const searchSeconds = gauge('weir_search_lag_seconds', 'Time since search knew of every change.')
  const wal = gauge('weir_wal_bytes', "Size of the database's write-ahead log.")
  return (state) => {
    build.set({ version: state.version, bun: Bun.version }, 1)
    for (const name of statuses) status.set({ status: name }, name === state.status ? 1 : 0)
    indicators.set(state.indicators)
    seq.set(state.seq)
    lagRows.set(state.viewLag.rows)
    lagSeconds.set(state.viewLag.seconds)
    searchRows.set(state.searchLag.rows)
    searchSeconds.set(state.searchLag.seconds)
    wal.set(state.walBytes)
  }
}

function sourceGauges(gauge: NewGauge): Reading<Readiness['sources']> {
  const age = gauge('weir_source_age_seconds', "Time since a source's last success.", 'source')
  const overdue = gauge(
    'weir_source_overdue',
    '1 for a source that should have been fetched by now.',
    'source',
  )
  return (sources) => {
    // A source that is gone is told of no longer.
    age.reset()
    overdue.reset()
    for (const { name, ageSeconds, overdue: isOverdue } of sources.slice(0, sourcesMax)) {
      if (ageSeconds !== null) age.set({ source: name }, ageSeconds)
      overdue.set({ source: name }, isOverdue ? 1 : 0)
    }
  }
}

function limitGauges(gauge: NewGauge): Reading<GateOccupancy> {
  const clients = gauge('weir_limit_clients', 'Clients a policy counts one by one.', 'policy')
  const clientsMax = gauge('weir_limit_clients_max', 'Clients a policy has room for.', 'policy')
  const inFlight = gauge('weir_calls_in_flight', 'Costly calls under way.', 'class')
  const inFlightMax = gauge('weir_calls_in_flight_max', 'Costly calls admitted at once.', 'class')
  return (occupancy) => {
    for (const { policy, ...room } of occupancy.policies) {
      clients.set({ policy }, room.clients)
      clientsMax.set({ policy }, room.clientsMax)
    }
    for (const { class: name, count, max } of occupancy.inFlight) {
      inFlight.set({ class: name }, count)
      inFlightMax.set({ class: name }, max)
    }
  }
}

/** Adds the gauges to a registry; the function returned sets them to how things are. */
export function createStateGauges(registry: Registry, ask: MetricsSources): () => void {
  const gauge: NewGauge = (name, help, ...labelNames) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const readProcess = processGauges(gauge)
  const readData = dataGauges(gauge)
  const readSources = sourceGauges(gauge)
  const readLimits = limitGauges(gauge)
  const published = gauge('weir_published_domains', 'Domains on the blacklist.')
  return () => {
    const readiness = ask.readiness()
    readProcess()
    readData(readiness)
    readSources(readiness.sources)
    readLimits(ask.occupancy())
    published.set(ask.publishedDomains())
  }
}
