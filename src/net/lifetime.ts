/**
 * How long one request lives: until it is done, its caller cancels it, or its time is over.
 *
 * One timer runs from the look-up to the last byte of the body, so that a server which sends a byte
 * now and then gains nothing by it. What is opened under the signal ends with it.
 */

import { OutboundError } from './outbound-error.ts'

/** The life of one request. */
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

  /** Aborts when the request ends, in whatever way. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Returns what to say of an error: what cut the request short comes before what followed. */
  explain(error: unknown, host: string): unknown {
    switch (this.#cutBy) {
      case 'timeout':
        return new OutboundError('timeout', host, `no full answer in ${this.#timeoutMs} ms`, error)
      case 'cancelled':
        return new OutboundError('cancelled', host, 'it was cancelled', error)
      case null:
        return error
    }
  }

  /** Ends the request, and with it all that was opened under its signal. */
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
