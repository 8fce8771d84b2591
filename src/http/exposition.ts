/**
 * Writes the metrics of weir in the text format of Prometheus. Loaded with prom-client by the first reading;
 * each reading fills a registry of its own, so that nothing which has gone away remains in it.
 *
 * The values of every label come from a bounded set: templates of routes, verdicts, policies, the sources
 * that /ready names. prom-client's own gauges of the process are left out: they are wrong under Bun.
 */

import { Counter, Gauge, Registry } from 'prom-client'
import { type AnswerCounts, durationBounds } from './answer-counts.ts'
import type { Readiness } from './endpoints/service.ts'
import type { GateOccupancy } from './gate.ts'
import { type LookupCounts, lookupVerdicts } from './lookup-counts.ts'

/** Everything that one reading shows. */
export interface Reading {
  readonly readiness: Readiness
  readonly occupancy: GateOccupancy
  readonly publishedDomains: number
  readonly loopDelaySeconds: number
  readonly answers: AnswerCounts
  readonly lookups: LookupCounts
}

/** Declares a gauge; without labels it has one value. */
type NewGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

const statuses = ['ready', 'loading', 'degraded', 'stopping'] as const

/** Statuses of refusals that come from the state of weir or its limits, not from a malformed call. */
const refusals = [413, 429, 503] as const

/** Maximum number of sources with an age. */
const sourcesMax = 500

function setProcessGauges(gauge: NewGauge, { loopDelaySeconds }: Reading): void {
  const { rss, heapUsed } = process.memoryUsage()
  gauge('weir_resident_memory_bytes', 'Resident memory of the process.').set(rss)
  gauge('weir_heap_bytes', 'JavaScript heap in use.').set(heapUsed)
  gauge('weir_uptime_seconds', 'Time since the process started.').set(process.uptime())
  gauge(
    'weir_event_loop_delay_seconds',
    'Longest delay of the event loop since the last reading.',
  ).set(loopDelaySeconds)
}

function setDataGauges(gauge: NewGauge, { readiness, publishedDomains }: Reading): void {
  const { status, version, viewLag, searchLag } = readiness
  gauge('weir_build_info', 'The version of weir and of Bun.', 'version', 'bun')
    .labels(version, Bun.version)
    .set(1)
  const isStatus = gauge('weir_status', '1 for the status that /ready reports.', 'status')
  for (const name of statuses) isStatus.labels(name).set(name === status ? 1 : 0)
  gauge('weir_indicators', 'Active indicators.').set(readiness.indicators)
  gauge('weir_published_domains', 'Domains on the block list.').set(publishedDomains)
  gauge('weir_sequence_number', 'Number of the last change in answers.').set(readiness.seq)
  gauge('weir_view_lag_rows', 'Changes not yet in answers.').set(viewLag.rows)
  gauge('weir_view_lag_seconds', 'Time since answers were complete.').set(viewLag.seconds)
  gauge('weir_search_lag_rows', 'Changes not yet in search.').set(searchLag.rows)
  gauge('weir_search_lag_seconds', 'Time since search was complete.').set(searchLag.seconds)
  gauge('weir_wal_bytes', "Size of the database's write-ahead log.").set(readiness.walBytes)
}

function setSourceGauges(gauge: NewGauge, { readiness }: Reading): void {
  const age = gauge('weir_source_age_seconds', "Time since a source's last success.", 'source')
  const isOverdue = gauge(
    'weir_source_overdue',
    '1 for a source that should have been fetched by now.',
    'source',
  )
  for (const { name, ageSeconds, overdue } of readiness.sources.slice(0, sourcesMax)) {
    if (ageSeconds !== null) age.labels(name).set(ageSeconds)
    isOverdue.labels(name).set(overdue ? 1 : 0)
  }
}

function setGateGauges(gauge: NewGauge, { occupancy }: Reading): void {
  const known = gauge('weir_limit_clients', 'Clients that a policy remembers.', 'policy')
  const knownMax = gauge('weir_limit_clients_max', 'Clients that it can remember.', 'policy')
  for (const { policy, clients, clientsMax } of occupancy.policies) {
    known.labels(policy).set(clients)
    knownMax.labels(policy).set(clientsMax)
  }
  const inFlight = gauge('weir_calls_in_flight', 'Costly calls in flight.', 'class')
  const inFlightMax = gauge('weir_calls_in_flight_max', 'Costly calls admitted at once.', 'class')
  for (const { class: name, count, max } of occupancy.inFlight) {
    inFlight.labels(name).set(count)
    inFlightMax.labels(name).set(max)
  }
}

/** Declares the counters and sets them to what has been counted. */
function setCounters(registers: Registry[], { answers, lookups }: Reading): void {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const lookedUp = counter('weir_lookups_total', 'Lookups by verdict.', 'kind', 'verdict')
  for (const kind of ['url', 'bulk'] as const) {
    for (const verdict of lookupVerdicts) lookedUp.labels(kind, verdict).inc(lookups[kind][verdict])
  }
  const answered = counter(
    'weir_answers_total',
    'Answers by route and class of status.',
    'route',
    'status',
  )
  const refused = counter(
    'weir_refusals_total',
    'Answers 413, 429 and 503 by route.',
    'route',
    'status',
  )
  for (const [route, { byStatus }] of answers) {
    for (const [status, count] of byStatus) {
      answered.labels(route, `${Math.floor(status / 100)}xx`).inc(count)
    }
    for (const status of refusals) {
      refused.labels(route, String(status)).inc(byStatus.get(status) ?? 0)
    }
  }
}

/** Formats the durations of answers as a histogram; prom-client's cannot be filled from counts. */
function formatDurations(answers: AnswerCounts): string {
  const name = 'weir_answer_seconds'
  const lines = [
    `# HELP ${name} Time until an answer begins, by route.`,
    `# TYPE ${name} histogram`,
  ]
  for (const [route, { byDuration, seconds }] of answers) {
    // Templates of routes are ASCII, which JSON and Prometheus quote alike.
    const label = `route=${JSON.stringify(route)}`
    let count = 0
    for (const [slot, inSlot] of byDuration.entries()) {
      count += inSlot
      lines.push(`${name}_bucket{le="${durationBounds[slot] ?? '+Inf'}",${label}} ${count}`)
    }
    lines.push(`${name}_sum{${label}} ${seconds}`, `${name}_count{${label}} ${count}`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns everything of a reading in the text format of Prometheus. */
export async function formatMetrics(reading: Reading): Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  const gauge: NewGauge = (name, help, ...labelNames) =>
    new Gauge({ name, help, labelNames, registers })
  setProcessGauges(gauge, reading)
  setDataGauges(gauge, reading)
  setSourceGauges(gauge, reading)
  setGateGauges(gauge, reading)
  setCounters(registers, reading)
  return `${await registry.metrics()}\n${formatDurations(reading.answers)}`
}
