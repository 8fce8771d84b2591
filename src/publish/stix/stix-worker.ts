/**
 * The entry of the thread that serializes STIX objects, on its own connection: it sends one piece of a
 * text for each request.
 */

import { ReadStore } from '../../store/store.ts'
import { type Call, serve } from '../../threads/serve.ts'
import { type ObjectRequest, serializeObjects } from './object-writing.ts'

/** Records are read in the order of their dates and seldom twice, so a small cache is enough. */
const cacheKiB = 8_192

/**
 * The number of bytes of text after which garbage is collected. By itself the collector would wait until
 * garbage exceeds all memory in use; here it takes some milliseconds, and no request waits for it.
 */
const bytesPerCollection = 8_388_608

class StixSerializer implements Disposable {
  readonly #store: ReadStore
  readonly #encoder = new TextEncoder()
  #bytesSinceCollection = 0

  constructor(dataDir: string) {
    this.#store = ReadStore.open({ dataDir, role: 'background', now: Date.now, cacheKiB })
  }

  async *write(call: Call, request: ObjectRequest): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const text of serializeObjects(this.#store, request)) {
      const piece = this.#encoder.encode(text)
      call.transfer(piece.buffer)
      this.#bytesSinceCollection += piece.length
      if (this.#bytesSinceCollection >= bytesPerCollection) {
        this.#bytesSinceCollection = 0
        // Once the piece is sent.
        setImmediate(() => Bun.gc(true))
      }
      yield piece
    }
  }

  [Symbol.dispose](): void {
    this.#store.close()
  }
}

const open = ({ dataDir }: { readonly dataDir: string }): StixSerializer =>
  new StixSerializer(dataDir)
export type OpenStixSerializer = typeof open

serve(open)
