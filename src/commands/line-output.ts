/**
 * Lines to a file descriptor, for logs: a write never waits and never fails.
 *
 * While the reader is slow, lines queue up to a limit; further lines are lost and counted, and the
 * count is written when there is room again. One write is in progress at a time, on a thread of the
 * runtime's pool, so that an unread pipe blocks that thread and nothing else.
 */

import { write } from 'node:fs'

/** Maximum size of the queue, without the write in progress: some hours of a quiet service. */
const queuedCharactersMax = 1_048_576

/** The time between two attempts on a descriptor that is not ready. */
const retryMs = 50

/** A queue of lines in front of a descriptor. */
export class LineOutput {
  readonly #fd: number
  readonly #lostLine: (count: number) => string
  #queue: string[] = []
  #queuedCharacters = 0
  #lost = 0
  /** Settles when everything is written; null while no write is in progress. */
  #drained: PromiseWithResolvers<void> | null = null

  /** `lostLine` returns the line that reports how many lines were lost. */
  constructor(fd: number, lostLine: (count: number) => string) {
    this.#fd = fd
    this.#lostLine = lostLine
  }

  /** Queues a line, which ends with its line break. */
  write(line: string): void {
    if (this.#queuedCharacters + line.length > queuedCharactersMax) {
      this.#lost++
      return
    }
    this.#queue.push(line)
    this.#queuedCharacters += line.length
    if (this.#drained !== null) return
    this.#drained = Promise.withResolvers()
    this.#writeQueue()
  }

  /** Resolves when everything is written, or after `withinMs`. */
  async flush(withinMs: number): Promise<void> {
    if (this.#drained !== null) await Promise.race([this.#drained.promise, Bun.sleep(withinMs)])
  }

  #writeQueue(): void {
    if (this.#lost > 0) this.#queue.push(this.#lostLine(this.#lost))
    if (this.#queue.length === 0) {
      this.#drained?.resolve()
      this.#drained = null
      return
    }
    const bytes = Buffer.from(this.#queue.join(''))
    this.#queue = []
    this.#queuedCharacters = 0
    this.#lost = 0
    this.#writeBytes(bytes)
  }

  #writeBytes(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeBytes(bytes), retryMs)
      else if (!error && written < bytes.length) this.#writeBytes(bytes.subarray(written))
      // The reader is gone, or the disk is full: there is nowhere to report it, and weir goes on.
      else this.#writeQueue()
    })
  }
}
