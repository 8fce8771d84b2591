/**
 * Has long texts written by another thread, so that neither this thread's answers wait nor its memory grows
 * by the garbage of writing. A text is written no faster than it is read, a piece at a time.
 */

import { connect } from '../threads/connect.ts'
import type { ObjectRequest, ObjectSerializer, Pieces } from './object-writing.ts'
import type { OpenStixSerializer } from './stix-worker.ts'

/** At most this many objects are written on this thread: sooner than they are asked for on the other. */
const fewObjects = 50

/** Writes objects, many of them on a thread of its own. */
export class StixThread implements ObjectSerializer {
  readonly #here: ObjectSerializer
  readonly #thread

  /** `here` writes on this thread; `report` is called with what goes wrong on the other. */
  constructor(dataDir: string, here: ObjectSerializer, report: (error: unknown) => void) {
    this.#here = here
    this.#thread = connect<OpenStixSerializer>({
      entry: 'publish/stix-worker.ts',
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
