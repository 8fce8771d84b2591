/**
 * Has long texts written by another thread: what is thrown away while they are written makes neither this thread
 * wait nor its memory grow. A text is written no faster than it is taken, a piece at a time.
 */

import { LazyThread } from './lazy-thread.ts'
import type { ObjectWriter, Pieces, Writing } from './object-writing.ts'
import type { WritingReply, WritingRequest } from './writing-messages.ts'

/** So few objects are written at once here: sooner than they are asked for there. */
const fewObjects = 50

/** Writes objects, many of them on a thread of its own. */
export class WritingThread implements ObjectWriter {
  readonly #here: ObjectWriter
  readonly #thread: LazyThread<WritingRequest, WritingReply>
  #lastId = 0

  /** `here` writes on this thread; `report` hears of what goes wrong on the other. */
  constructor(dataDir: string, here: ObjectWriter, report: (error: unknown) => void) {
    this.#here = here
    this.#thread = new LazyThread({
      entry: 'publish/writing-worker.ts',
      name: 'the thread that writes objects',
      opening: { kind: 'open', dataDir },
      closing: { kind: 'close' },
      report,
    })
  }

  write(writing: Writing): Pieces {
    const { objects } = writing
    const isShort = objects === null || (objects.kind === 'stretch' && objects.count <= fewObjects)
    // A filter by ids holds but what is named.
    const isNamed = objects?.kind === 'stretch' && objects.filter.ids !== null
    return isShort || isNamed ? this.#here.write(writing) : this.#there(writing)
  }

  /** Ends the thread, once it has let go of the database. */
  close(): Promise<void> {
    return this.#thread.close()
  }

  async *#there(writing: Writing): Pieces {
    const id = ++this.#lastId
    const worker = this.#thread.start()
    const pieceFor = async (request: WritingRequest): Promise<Uint8Array | null> => {
      const reply = await this.#thread.ask(worker, id, request)
      return reply.kind === 'piece' ? reply.piece : null
    }
    try {
      let piece = await pieceFor({ kind: 'begin', id, writing })
      while (piece !== null) {
        yield piece
        piece = await pieceFor({ kind: 'next', id })
      }
    } finally {
      this.#thread.tell(worker, { kind: 'end', id })
    }
  }
}
