/**
 * What weir measures of itself (`GET /metrics`). Answers and lookups are counted as they happen; everything
 * else is read when a client asks for it. Between two readings nothing runs but a watch on the event loop,
 * from the first reading on.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AnswerCounts } from './answer-counts.ts'
import type { Readiness } from './endpoints/service.ts'
import type { GateOccupancy } from './gate.ts'
import { LookupCounts } from './lookup-counts.ts'

/** The current state of other parts of weir. */
export interface MetricsSources {
  readiness(): Readiness
  occupancy(): GateOccupancy
  /** Returns how many domains are published. */
  publishedDomains(): number
}

/** How often the event loop is checked: every 20 ms would take 2 % of a processor, this takes 0.2 %. */
const loopResolutionMs = 100
const nanosecondsPerSecond = 1e9

/** The metrics of one weir. */
export class Metrics {
  readonly answers = new AnswerCounts()
  readonly lookups = new LookupCounts()
  readonly #sources: MetricsSources
  #loopDelay: ReturnType<typeof monitorEventLoopDelay> | null = null

  constructor(sources: MetricsSources) {
    this.#sources = sources
  }

  /** Returns all metrics in the text format of Prometheus. */
  async render(): Promise<string> {
    const { formatMetrics } = await import('./exposition.ts')
    return formatMetrics({
      readiness: this.#sources.readiness(),
      occupancy: this.#sources.occupancy(),
      publishedDomains: this.#sources.publishedDomains(),
      loopDelaySeconds: this.#takeLoopDelay(),
      answers: this.answers,
      lookups: this.lookups,
    })
  }

  /** Returns the longest delay of the event loop since the last call, in seconds. */
  #takeLoopDelay(): number {
    if (this.#loopDelay === null) {
      this.#loopDelay = monitorEventLoopDelay({ resolution: loopResolutionMs })
      this.#loopDelay.enable()
    }
    const seconds = this.#loopDelay.max / nanosecondsPerSecond
    this.#loopDelay.reset()
    return seconds
  }
}
