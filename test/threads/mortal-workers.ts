/** Lets a test end the threads that weir starts: from the outside, and as they end by themselves. */

import type { ThreadEntry } from '../../src/threads/entries.ts'

/** From the outside, or from the inside: by an exit, an uncaught error, an unhandled rejection. */
export const waysToDie = ['terminate', 'exit', 'throw', 'reject'] as const
export type WayToDie = (typeof waysToDie)[number]

/** Tells a thread to die; it writes when it did. */
interface Death {
  readonly death: WayToDie
  readonly diedAt: SharedArrayBuffer
}

export const isDeath = (data: unknown): data is Death =>
  typeof data === 'object' && data !== null && 'death' in data

const preload = [new URL('./mortal.ts', import.meta.url).pathname]

/** Milliseconds that are the same in every thread. */
export const epochMs = (): number => performance.timeOrigin + performance.now()

interface Mortal {
  readonly worker: Worker
  /** Resolves once the thread has ended. */
  readonly ended: Promise<void>
}

/** While it is in use, every thread that starts is one that can be killed. */
export class MortalWorkers implements Disposable {
  readonly #original = globalThis.Worker
  readonly #alive = new Map<string, Mortal>()
  /** How many of the next threads end before they run. */
  stillborn = 0

  constructor() {
    const note = (address: string, worker: Worker): void => this.#note(address, worker)
    globalThis.Worker = class extends this.#original {
      constructor(address: string | URL, options: WorkerOptions = {}) {
        super(String(address), { ...options, preload })
        note(String(address), this)
      }
    }
  }

  #note(address: string, worker: Worker): void {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const mortal = { worker, ended }
    this.#alive.set(address, mortal)
    if (this.stillborn-- > 0) worker.terminate()
    worker.addEventListener('close', () => {
      if (this.#alive.get(address) === mortal) this.#alive.delete(address)
      resolve()
    })
  }

  /** Kills the thread of an entry, if one runs; resolves once it has ended to when it died. */
  async kill(entry: ThreadEntry, how: WayToDie): Promise<number> {
    const calledAt = epochMs()
    const found = [...this.#alive].find(([address]) => address.endsWith(`/src/${entry}`))
    if (found === undefined) return calledAt
    const { worker, ended } = found[1]
    const diedAt = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
    if (how === 'terminate') worker.terminate()
    else worker.postMessage({ death: how, diedAt } satisfies Death)
    await ended
    // A thread that was busy hears of its death later.
    return new Float64Array(diedAt)[0] || calledAt
  }

  [Symbol.dispose](): void {
    globalThis.Worker = this.#original
  }
}
