/** A thread for the tests of `connect`: each of its handlers shows one thing that a thread can do. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Call, serve, type ThreadContext } from '../../src/threads/serve.ts'

export interface EchoOpening {
  /** Why it must not start, or null. */
  readonly refusal: string | null
}

class Echo implements Disposable {
  readonly #context: ThreadContext<string>

  constructor(context: ThreadContext<string>) {
    this.#context = context
  }

  add(_: Call, left: number, right: number): number {
    return left + right
  }

  /** Pushes a text before it is answered. */
  push(_: Call, text: string): void {
    this.#context.push(text)
  }

  fail(_: Call, message: string, code: string): void {
    throw Object.assign(new Error(message), { code })
  }

  /** Returns what cannot be sent. */
  unsendable(): () => void {
    return () => {}
  }

  /** Resolves when the call is aborted, and then pushes that it was. */
  async untilAborted({ signal }: Call): Promise<string> {
    while (!signal.aborted) await nextTurn()
    this.#context.push('aborted')
    return 'aborted'
  }

  /** Never returns, and hears no message. */
  spin(): void {
    for (;;);
  }

  end(_: Call, how: 'throw' | 'reject' | 'exit'): Promise<never> {
    if (how === 'exit') process.exit(3)
    if (how === 'reject') void Promise.reject(new Error('rejected'))
    else {
      setTimeout(() => {
        throw new Error('thrown')
      })
    }
    return new Promise(() => {})
  }

  /** Yields the numbers up to `to`; their memory is moved. */
  async *count(call: Call, to: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      for (let n = 1; n <= to; n++) {
        const piece = Uint8Array.of(n)
        call.transfer(piece.buffer)
        yield piece
        this.#context.push(`moved ${piece.buffer.byteLength}`)
      }
    } finally {
      this.#context.push('counted')
    }
  }

  [Symbol.dispose](): void {
    this.#context.push('disposed')
  }
}

const open = ({ refusal }: EchoOpening, context: ThreadContext<string>): Echo => {
  if (refusal !== null) throw new Error(refusal)
  return new Echo(context)
}
export type OpenEcho = typeof open

serve(open)
