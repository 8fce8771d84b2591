/**
 * The serving thread's handle on the writer's thread: asks it to import, refresh, tidy and copy, hears
 * when it has committed, and closes it in order.
 */

import type { ProposedReport, SourceDescription } from '../store/batch.ts'
import { workerUrl } from '../worker-url.ts'
import type { FormatName } from './formats/formats.ts'
import type { ImportReport } from './importer.ts'
import type { FetchSettings, Refreshed } from './refresh.ts'
import type { WriterReply, WriterRequest } from './writer-messages.ts'

/** A request that the writer could not fulfil; the message is the writer's own. */
export class WriterError extends Error {
  override readonly name = 'WriterError'
}

export interface WriterImport {
  readonly path: string
  readonly source: SourceDescription
  readonly format: FormatName
  readonly digest: string | null
}

/** What the operator has set about writing. */
export interface WriterSettings {
  readonly fetching: FetchSettings
  /** The score from which a brand counts as imitated. */
  readonly suspiciousAt: number
}

type Answer = Exclude<WriterReply, { kind: 'committed' }>
type Unnumbered<Request> = Request extends WriterRequest ? Omit<Request, 'id'> : never

export class Writer {
  readonly #worker: Worker
  readonly #onCommit: () => void
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #nextId = 1
  /** Why the thread answers nobody any more. */
  #broke: string | null = null

  private constructor(onCommit: () => void) {
    this.#onCommit = onCommit
    this.#worker = new Worker(workerUrl('writer-worker.ts'))
    this.#worker.onmessage = ({ data }: MessageEvent<WriterReply>) => this.#hear(data)
    this.#worker.onerror = (event) => this.#fail(event.message)
  }

  /** Starts the thread on a data directory; `onCommit` is called after every batch on disk. */
  static async start(
    dataDir: string,
    settings: WriterSettings,
    onCommit: () => void,
  ): Promise<Writer> {
    const writer = new Writer(onCommit)
    await writer.#ask({ kind: 'open', dataDir, ...settings })
    return writer
  }

  /** Imports a file as a run of its source. Rejects with a `WriterError`. */
  async import(request: WriterImport): Promise<ImportReport> {
    const answer = await this.#ask({ kind: 'import', ...request })
    if (answer.kind !== 'imported') throw new WriterError('the writer did not report the import')
    return answer.report
  }

  /** Writes a report, and returns the name it is known by; null: too many wait. Rejects with a `WriterError`. */
  async report(report: ProposedReport): Promise<string | null> {
    const answer = await this.#ask({ kind: 'report', report })
    if (answer.kind !== 'reported') throw new WriterError('the writer did not take the report down')
    return answer.name
  }

  /** Refreshes every source that is due; resolves when all have been tried. */
  async refresh(): Promise<readonly Refreshed[]> {
    const answer = await this.#ask({ kind: 'refresh' })
    if (answer.kind !== 'refreshed') throw new WriterError('the writer did not report the refresh')
    return answer.results
  }

  /** Names brands on what stands, once for each version of the rules. */
  async fillBrands(): Promise<void> {
    await this.#ask({ kind: 'fillBrands' })
  }

  /** Ends what has run out, and forgets what was delisted longer ago than `keepDelistedMs`. */
  async tidy(keepDelistedMs: number): Promise<void> {
    await this.#ask({ kind: 'tidy', keepDelistedMs })
  }

  /** Copies the database when the last copy is older than `everyMs`, and keeps so many copies. */
  async backUp(everyMs: number, keep: number): Promise<void> {
    await this.#ask({ kind: 'backUp', everyMs, keep })
  }

  /** Reads the whole database, away from the serving thread, and rejects when it is damaged. */
  async checkIntegrity(): Promise<void> {
    await this.#ask({ kind: 'checkIntegrity' })
  }

  /** Lets the request under way end, closes the connection and stops the thread. */
  async close(): Promise<void> {
    await this.#ask({ kind: 'close' })
    this.#worker.terminate()
  }

  async #ask(request: Unnumbered<WriterRequest>): Promise<Answer> {
    if (this.#broke !== null) throw new WriterError(this.#broke)
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#waiting.set(id, resolve)
    this.#worker.postMessage({ ...request, id })
    const answer = await promise
    if (answer.kind === 'failed') throw new WriterError(answer.message)
    return answer
  }

  #hear(reply: WriterReply): void {
    if (reply.kind === 'committed') {
      this.#onCommit()
      return
    }
    this.#waiting.get(reply.id)?.(reply)
    this.#waiting.delete(reply.id)
  }

  /** The thread itself broke: nobody will be answered any more. */
  #fail(message: string): void {
    this.#broke = `the writer's thread broke (${message}); start weir again`
    for (const [id, resolve] of this.#waiting) resolve({ kind: 'failed', id, message })
    this.#waiting.clear()
  }
}
