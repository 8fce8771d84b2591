/**
 * The measures of weir as the text that Prometheus reads. The library that writes it is loaded with the
 * first reading: a start has no need of it.
 *
 * The values of every label come from a bounded set: templates of routes, verdicts, policies, the sources
 * that /ready names. The library's own gauges of the process are left out: they are false under this
 * runtime.
 */

import { Counter, Registry } from 'prom-client'
import type { AnswerCounts } from './answer-counts.ts'
import { type LookupCounts, lookupKinds, lookupVerdicts } from './lookup-counts.ts'
import { createStateGauges, type MetricsSources } from './state-gauges.ts'

/** What is counted as it happens. */
export interface Measured {
  readonly answers: AnswerCounts
  readonly lookups: LookupCounts
}

/** Writes measures, as often as they are read. */
export class Exposition {
  readonly #measured: Measured
  readonly #registry = new Registry()
  readonly #readState: () => void
  readonly #lookups: Counter
  readonly #answers: Counter
  readonly #refusals: Counter

  constructor(measured: Measured, ask: MetricsSources) {
    this.#measured = measured
    const counter = (name: string, help: string, ...labelNames: readonly string[]): Counter =>
      new Counter({ name, help, labelNames, registers: [this.#registry] })
    this.#readState = createStateGauges(this.#registry, ask)
    this.#lookups = counter('weir_lookups_total', 'Look-ups by how they ended.', 'kind', 'verdict')
    this.#answers = counter(
      'weir_answers_total',
      'Answers by route and class of status.',
      'route',
      'status',
    )
    this.#refusals = counter(
      'weir_refusals_total',
      'Answers 413, 429 and 503 by route.',
      'route',
      'status',
    )
  }

  /** Returns everything in the text format of Prometheus. */
  async render(): Promise<string> {
    this.#readState()
    this.#readCounts()
    const text = await this.#registry.metrics()
    const help = 'Time until an answer begins, by route.'
    return `${text}\n${this.#measured.answers.histogram('weir_answer_seconds', help)}`
  }

  #readCounts(): void {
    const { answers, lookups } = this.#measured
    for (const counter of [this.#lookups, this.#answers, this.#refusals]) counter.reset()
    for (const kind of lookupKinds) {
      for (const verdict of lookupVerdicts) {
        this.#lookups.inc({ kind, verdict }, lookups.get(kind, verdict))
      }
    }
    for (const { route, status, count } of answers.byClass()) {
      this.#answers.inc({ route, status }, count)
    }
    for (const { route, status, count } of answers.byRefusal()) {
      this.#refusals.inc({ route, status }, count)
    }
  }
}
