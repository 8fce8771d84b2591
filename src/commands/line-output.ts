/**
 * Lines to a file descriptor, for logs: writing one waits for nobody and fails nobody.
 *
 * While the reader is slow, lines queue up to a limit; those beyond it are lost and counted, and the
 * count is told when there is room again. One write is under way at a time, on a thread of the
 * runtime's pool, so that a pipe that nobody reads holds up that thread and nothing else.
 */

import { write } from 'node:fs'

/** How much may wait, besides what is being written: some hours of a quiet service. */
const queuedCharactersMax = 1_048_576

/** Between two attempts on a descriptor that does not take anything just now. */
const retryMs = 50

/** A queue of lines in front of a descriptor. */
export class LineOutput {
  readonly #fd: number
  readonly #lostLine: (count: number) => string
  #queue: string[] = []
  #queuedCharacters = 0
  #lost = 0
  /** Settles when everything is written; null while nothing is under way. */
  #drained: PromiseWithResolvers<void> | null = null

  /** `lostLine` gives the line that tells how many were lost. */
  constructor(fd: number, lostLine: (count: number) => string) {
    this.#fd = fd
    this.#lostLine = lostLine
  }

  /** Takes a line with its line break. */
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
      // A reader that is gone, a full disk: there is nobody to tell, and weir goes on.
      else this.#writeQueue()
    })
  }
}
