/**
 * Serializes long texts on another thread, so that this thread's answers do not wait and its memory does
 * not grow by the garbage of serialization. A text is written no faster than it is read, piece by piece.
 */

import { connect } from '../../threads/connect.ts'
import type { ObjectRequest, ObjectSerializer, Pieces } from './object-writing.ts'
import type { OpenStixSerializer } from './stix-worker.ts'

/** Maximum number of objects that are written on this thread: faster than a request to the other. */
const fewObjects = 50

/** Serializes objects, many of them on another thread. */
export class StixThread implements ObjectSerializer {
  readonly #here: ObjectSerializer
  readonly #thread

  /** `here` serializes on this thread; `report` is called with errors of the other. */
  constructor(dataDir: string, here: ObjectSerializer, report: (error: unknown) => void) {
    this.#here = here
    this.#thread = connect<OpenStixSerializer>({
      entry: 'publish/stix/stix-worker.ts',
      name: 'the thread that writes objects',
      opening: { dataDir },
      report,
    })
  }

  get isDegraded(): boolean {
    return this.#thread.isDegraded
  }

  write(request: ObjectRequest): Pieces {
    const { objects } = request
    const isShort = objects === null || (objects.kind === 'stretch' && objects.count <= fewObjects)
    // A filter by ids selects at most the objects that it names.
    const isNamed = objects?.kind === 'stretch' && objects.filter.ids !== null
    return isShort || isNamed ? this.#here.write(request) : this.#thread.pieces('write', request)
  }

  /** Ends the thread, once it has closed the database. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
