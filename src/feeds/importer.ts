/**
 * Reads one feed into the store:
 *
 *     bytes ─▶ lines ─▶ format ─▶ entries ─▶ judge ─▶ sightings ─▶ batches ─▶ store
 *                                              └▶ refused, counted by reason
 *
 * A reading is a run. Only a run that came to its end ends the sightings it did not see, and only
 * when the list has not shrunk by more than half: an outage at the publisher must not empty a list.
 */

import {
  batchBytesMax,
  batchSightingsMax,
  type Committed,
  type Operation,
  type Sighting,
  type SourceDescription,
} from '../store/batch.ts'
import type { Store } from '../store/store.ts'
import type { DocumentFormat, Item, LineFormat } from './formats/format.ts'
import { type FormatName, formatOf } from './formats/formats.ts'
import type { Guards } from './guards.ts'
import { judge, type Refusal } from './judge.ts'
import { InputError, readLines, readText } from './line-reader.ts'

/** The largest document that is read as a whole. */
const documentBytesMax = 64 * 1024 ** 2

/** How many line numbers a report keeps per reason. */
const refusedLinesKept = 5

/** Headroom for a batch's own words around its sightings. */
const batchBytesReserved = 4 * 1024

/** Bytes of JSON around the fields of one sighting: keys, quotes and commas. */
const sightingBytes = 160

export interface ImportRequest {
  readonly source: SourceDescription
  readonly format: FormatName
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>
  /** SHA-256 of the content when the caller knows it, for recognising an unchanged list. */
  readonly digest: string | null
  /** End missing sightings even when the list shrank by more than half. */
  readonly force: boolean
}

/** Refused entries of one reason. */
export interface RefusedEntries {
  readonly count: number
  /** The numbers of the first lines, counted from 1. */
  readonly lines: readonly number[]
}

/** How an import ended. */
export interface ImportReport {
  readonly source: string
  readonly format: FormatName
  /** Entries read, refused ones included. */
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly seenAgain: number
  /** Indicators delisted because the list no longer holds them. */
  readonly delisted: number
  readonly refused: Readonly<Partial<Record<Refusal, RefusedEntries>>>
  /** How many the list held before, when it shrank too much for missing ones to be ended. */
  readonly shrankFrom: number | null
  /** The number to which views must come to answer with everything imported. */
  readonly seq: number
}

export interface ImportParts {
  readonly store: Store
  readonly guards: Guards
  readonly now: () => number
  /** Called after every batch that is on disk. */
  readonly onCommit: (committed: Committed, read: number) => void
}

/** One import under way: what is counted and what waits to be written. */
class Import {
  readonly #parts: ImportParts
  readonly #source: SourceDescription
  readonly #run: number
  readonly #refused = new Map<Refusal, { count: number; lines: number[] }>()
  #pending: Sighting[] = []
  #pendingBytes = 0
  read = 0
  added = 0
  changed = 0
  seenAgain = 0
  delisted = 0
  seq: number

  constructor(parts: ImportParts, source: SourceDescription, run: number, seq: number) {
    this.#parts = parts
    this.#source = source
    this.#run = run
    this.seq = seq
  }

  get refused(): ReadonlyMap<Refusal, { count: number; lines: number[] }> {
    return this.#refused
  }

  refuse(reason: Refusal, line: number): void {
    const entry = this.#refused.get(reason) ?? { count: 0, lines: [] }
    this.#refused.set(reason, entry)
    entry.count++
    if (entry.lines.length < refusedLinesKept) entry.lines.push(line)
  }

  take(item: Item, line: number): void {
    this.read++
    if (item.kind === 'refused') {
      this.refuse(item.reason, line)
      return
    }
    const judged = judge(item, this.#parts.guards)
    if (!judged.ok) {
      this.refuse(judged.reason, line)
      return
    }
    this.#pending.push(judged.value)
    // A value may hold characters that JSON escapes or UTF-8 widens, but not after canonicalising.
    this.#pendingBytes += judged.value.value.length * 2 + sightingBytes
  }

  get isBatchDue(): boolean {
    return (
      this.#pending.length >= batchSightingsMax ||
      this.#pendingBytes >= batchBytesMax / 2 - batchBytesReserved
    )
  }

  async flush(): Promise<void> {
    const sightings = this.#pending
    if (sightings.length === 0) return
    this.#pending = []
    this.#pendingBytes = 0
    await this.#write({ op: 'sight', source: this.#source.name, run: this.#run, sightings })
  }

  /** Ends what the run did not see, slice by slice. */
  async end(): Promise<void> {
    const refused = Object.fromEntries([...this.#refused].map(([key, { count }]) => [key, count]))
    for (let after: number | null = 0; after !== null; ) {
      const { next } = await this.#write({
        op: 'endRun',
        run: this.#run,
        after,
        graceMs: 0,
        read: this.read,
        refused,
      })
      after = next
    }
  }

  async #write(operation: Operation): Promise<Committed> {
    const at = this.#parts.now()
    const committed = await this.#parts.store.write({ at, operations: [operation] })
    this.added += committed.added
    this.changed += committed.changed
    this.seenAgain += committed.seenAgain
    this.delisted += committed.delisted
    this.seq = committed.seq
    this.#parts.onCommit(committed, this.read)
    return committed
  }
}

async function readByLine(work: Import, format: LineFormat, request: ImportRequest): Promise<void> {
  let line = 0
  const readLine = format.open()
  const take = (item: Item): void => work.take(item, line)
  for await (const lines of readLines(request.stream)) {
    for (const text of lines) {
      line++
      if (text === null) {
        work.read++
        work.refuse('line_too_long', line)
        continue
      }
      readLine(text, take)
      if (work.isBatchDue) await work.flush()
    }
  }
}

async function readAtOnce(
  work: Import,
  format: DocumentFormat,
  request: ImportRequest,
): Promise<void> {
  const document = format.read(await readText(request.stream, documentBytesMax))
  if (!document.ok) {
    throw new InputError(`this is no ${request.format} document; choose another --format`)
  }
  for (const [index, item] of document.value.entries()) {
    work.take(item, index + 1)
    if (work.isBatchDue) await work.flush()
  }
}

/**
 * Imports one feed as a run of its source and reports what it did.
 *
 * Rejects with an `InputError` when the input cannot be read to its end (the run stays unfinished
 * and ends nobody's sightings) and with a `StoreError` when the store cannot take it; what was
 * committed until then stays.
 */
export async function importFeed(
  parts: ImportParts,
  request: ImportRequest,
): Promise<ImportReport> {
  const { store, now } = parts
  const { source, digest } = request
  // Read before the run adds to it: a list of which every name is new has not shrunk.
  const heldBefore = store.counters.get('source', source.name)
  const started = await store.write({
    at: now(),
    operations: [{ op: 'startRun', source, digest }],
  })
  const run = started.run ?? 0
  const work = new Import(parts, source, run, started.seq)
  const format = formatOf(request.format)
  if (format.kind === 'lines') await readByLine(work, format, request)
  else await readAtOnce(work, format, request)
  await work.flush()

  const seen = store.sources.run(run)?.seen ?? 0
  const shrankFrom = !request.force && seen * 2 < heldBefore ? heldBefore : null
  if (shrankFrom === null) await work.end()
  return {
    source: source.name,
    format: request.format,
    read: work.read,
    added: work.added,
    changed: work.changed,
    seenAgain: work.seenAgain,
    delisted: work.delisted,
    refused: Object.fromEntries(work.refused),
    shrankFrom,
    seq: work.seq,
  }
}
