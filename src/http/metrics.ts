/**
 * What weir measures of itself (`GET /metrics`). Answers and look-ups are counted as they happen; all
 * else is asked for when somebody reads.
 */

import { AnswerCounts } from './answer-counts.ts'
import type { Exposition } from './exposition.ts'
import { LookupCounts } from './lookup-counts.ts'
import type { MetricsSources } from './state-gauges.ts'

/** The measures of one weir. */
export class Metrics {
  readonly answers = new AnswerCounts()
  readonly lookups = new LookupCounts()
  readonly #ask: MetricsSources
  #exposition: Promise<Exposition> | null = null

  constructor(ask: MetricsSources) {
    this.#ask = ask
  }

  /** Returns everything in the text format of Prometheus. */
  async render(): Promise<string> {
    this.#exposition ??= this.#load()
    return (await this.#exposition).render()
  }

  async #load(): Promise<Exposition> {
    const { Exposition } = await import('./exposition.ts')
    return new Exposition(this, this.#ask)
  }
}
