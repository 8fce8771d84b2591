/**
 * How long one request lives: until it is done, its caller cancels it, or its time is over.
 *
 * One timer runs from the DNS lookup to the last byte of the body, so that a server cannot extend a request
 * by sending a byte now and then. Everything opened with the signal ends with it.
 */

import { OutboundError } from './outbound-error.ts'

/** The lifetime of one request. */
export class Lifetime {
  readonly #timeoutMs: number
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #caller: AbortSignal | undefined
  readonly #onCancel = (): void => this.#cut('cancelled')
  #cutBy: 'timeout' | 'cancelled' | null = null

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs
    this.#timer = setTimeout(() => this.#cut('timeout'), timeoutMs)
    this.#caller = caller
    caller?.addEventListener('abort', this.#onCancel)
    if (caller?.aborted) this.#cut('cancelled')
  }

  /** Aborts when the request ends, for whatever reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Returns the error to report: a time-out or cancellation instead of the error that it caused. */
  explain(error: unknown, host: string): unknown {
    switch (this.#cutBy) {
      case 'timeout':
        return new OutboundError(
          'timeout',
          host,
          `no complete answer within ${this.#timeoutMs} ms`,
          error,
        )
      case 'cancelled':
        return new OutboundError('cancelled', host, 'it was cancelled', error)
      case null:
        return error
    }
  }

  /** Ends the request and everything opened with its signal. */
  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onCancel)
    this.#controller.abort()
  }

  #cut(by: 'timeout' | 'cancelled'): void {
    this.#cutBy = by
    this.end()
  }
}
