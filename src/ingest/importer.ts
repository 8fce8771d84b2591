/**
 * Imports one feed into the store:
 *
 *     bytes ─▶ lines ─▶ format ─▶ entries ─▶ judge ─▶ proposals ─▶ batches ─▶ store
 *                                              └▶ refused, counted by reason
 *
 * Each import is a run. Only a complete run ends the listings that it did not see, and only when the list is
 * not empty and has not shrunk by more than half: an outage at the publisher must not empty a list.
 */

import type { Audience } from '../model/audience.ts'
import type { BrandNamer } from '../model/brand.ts'
import type { PlatformMode } from '../model/platform.ts'
import {
  batchBytesMax,
  batchSightingsMax,
  type Committed,
  type Operation,
  type SourceDescription,
} from '../store/batch.ts'
import type { WriteStore } from '../store/store.ts'
import type { Article, DocumentFormat, Item, LineFormat, NewsFormat } from './formats/format.ts'
import { type FormatName, findFormat } from './formats/formats.ts'
import type { Guards } from './guards.ts'
import { createIntake, type Intake } from './intake.ts'
import type { Refusal } from './judge.ts'
import { readLines, readText } from './line-reader.ts'
import { InputError } from './unpack.ts'

/** The maximum size of a document that is read as a whole. */
const documentBytesMax = 64 * 1024 ** 2

/** Maximum number of line numbers reported per reason. */
const refusedLinesKept = 5

/** Headroom for the rest of a batch, and for its last proposal. */
const batchBytesReserved = 64 * 1024

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

export interface ImportRequest {
  readonly source: SourceDescription
  readonly format: FormatName
  /** The parts of the list. */
  readonly parts: readonly (() => Bytes)[]
  /** SHA-256 of the content if known, to recognise an unchanged list. */
  readonly digest: string | null
  /** Whether to end missing listings even when the list is empty or shrank by more than half. */
  readonly force: boolean
  /** How long a missing listing remains active; 0 by default. */
  readonly graceMs?: number
  /** The mode of the platforms that a guard names. */
  readonly platformMode?: PlatformMode | null
  /** The audiences of all articles of a news source. */
  readonly audiences?: readonly Audience[]
  /** The maximum number of entries to read. */
  readonly rowsMax?: number | null
  /** Whether the parts are independent documents, of which some may be empty or broken. */
  readonly isArchive?: boolean
}

/** Refused entries of one reason. */
export interface RefusedEntries {
  readonly count: number
  /** The numbers of the first lines, counted from 1. */
  readonly lines: readonly number[]
}

/** Why missing listings were not ended. */
export type HeldBack =
  | { readonly kind: 'empty' }
  /** The list held more than twice as many before. */
  | { readonly kind: 'shrank'; readonly from: number; readonly to: number }

/** Returns why a list was held back, as text. */
export function formatHeldBack(heldBack: HeldBack): string {
  return heldBack.kind === 'empty'
    ? 'the list has no readable entry; its earlier entries remain'
    : `the list shrank from ${heldBack.from} to ${heldBack.to}; its earlier entries remain`
}

/** What an import did. */
export interface ImportReport {
  readonly source: string
  readonly format: FormatName
  /** Entries read, refused ones included. */
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly seenAgain: number
  /** Indicators delisted because the list no longer holds them, or because a guard protects them. */
  readonly delisted: number
  readonly refused: Readonly<Partial<Record<Refusal, RefusedEntries>>>
  /** Why the list was considered incomplete, so that missing listings remain; null when it was complete. */
  readonly heldBack: HeldBack | null
  /** The number of the run. */
  readonly run: number
  /** The sequence number from which views answer with everything imported. */
  readonly seq: number
}

export interface ImportParts {
  readonly store: WriteStore
  readonly guards: Guards
  readonly naming: BrandNamer
  readonly now: () => number
  /** Called after every batch on disk. */
  readonly onCommit: (committed: Committed, read: number) => void
  /** When it aborts, the import stops before its next batch, and its run remains unfinished. */
  readonly signal?: AbortSignal
}

/** A running import: its counts, and the proposals that wait to be written. */
class Import {
  readonly #parts: ImportParts
  readonly #request: ImportRequest
  readonly #intake: Intake
  readonly #run: number
  readonly #refused = new Map<Refusal, { count: number; lines: number[] }>()
  read = 0
  added = 0
  changed = 0
  seenAgain = 0
  delisted = 0
  seq: number

  constructor(parts: ImportParts, request: ImportRequest, run: number, seq: number) {
    this.#parts = parts
    this.#request = request
    const { source, platformMode = null, audiences = [] } = request
    this.#intake = createIntake({ ...parts, source, platformMode, audiences })
    this.#run = run
    this.seq = seq
  }

  get refused(): ReadonlyMap<Refusal, { count: number; lines: number[] }> {
    return this.#refused
  }

  get isFull(): boolean {
    const { rowsMax } = this.#request
    return rowsMax !== undefined && rowsMax !== null && this.read >= rowsMax
  }

  refuse(reason: Refusal, line: number): void {
    const entry = this.#refused.get(reason) ?? { count: 0, lines: [] }
    this.#refused.set(reason, entry)
    entry.count++
    if (entry.lines.length < refusedLinesKept) entry.lines.push(line)
  }

  addItem(item: Item | Article, line: number): void {
    if (this.isFull) return
    this.read++
    if (item.kind === 'refused') {
      this.refuse(item.reason, line)
      return
    }
    const isOver =
      item.kind !== 'article' &&
      (item.validUntilAt ?? Number.POSITIVE_INFINITY) <= this.#parts.now()
    if (isOver) {
      this.refuse('expired', line)
      return
    }
    const added = this.#intake.add(item)
    if (!added.ok) this.refuse(added.reason, line)
  }

  get isBatchDue(): boolean {
    const { count, bytes } = this.#intake.waiting
    return count >= batchSightingsMax || bytes >= batchBytesMax - batchBytesReserved
  }

  /** Throws an `InputError` when the import was aborted. */
  throwIfAborted(): void {
    if (this.#parts.signal?.aborted !== true) return
    throw new InputError('the import was stopped; what it has read remains, nothing was delisted')
  }

  async flush(): Promise<void> {
    this.throwIfAborted()
    if (this.#intake.waiting.count > 0) await this.#write(this.#intake.operation(this.#run))
  }

  /** Ends the listings that the run did not see; after a guard's run, also those of what it protects. */
  async end(): Promise<void> {
    const refused = Object.fromEntries([...this.#refused].map(([key, { count }]) => [key, count]))
    const { source, graceMs = 0 } = this.#request
    const run = this.#run
    await this.#inSlices((after) => {
      return { op: 'endRun', run, after, graceMs, read: this.read, refused }
    })
    if (source.role !== 'guard') return
    await this.#inSlices((after) => ({ op: 'enforce', source: source.name, after }))
  }

  async #inSlices(operationAt: (after: number) => Operation): Promise<void> {
    for (let after: number | null = 0; after !== null; ) {
      const committed: Committed = await this.#write(operationAt(after))
      after = committed.next
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
    // Yield to the event loop so that an abort can be observed.
    await new Promise((resolve) => setImmediate(resolve))
    return committed
  }
}

async function readByLine(work: Import, format: LineFormat, bytes: Bytes): Promise<void> {
  let line = 0
  const readLine = format.open()
  const take = (item: Item): void => work.addItem(item, line)
  for await (const lines of readLines(bytes)) {
    work.throwIfAborted()
    for (const text of lines) {
      if (work.isFull) return
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
  format: DocumentFormat | NewsFormat,
  bytes: Bytes,
  { format: name, source, isArchive = false }: ImportRequest,
): Promise<void> {
  const text = await readText(bytes, documentBytesMax)
  const document = format.kind === 'news' ? await format.read(text, source.home) : format.read(text)
  if (!document.ok && isArchive) {
    work.read++
    work.refuse('malformed_row', 1)
    return
  }
  if (!document.ok) {
    throw new InputError(
      `this is not a complete ${name} document: it is cut short, or in another format`,
    )
  }
  for (const [index, item] of document.value.entries()) {
    work.addItem(item, index + 1)
    if (work.isBatchDue) await work.flush()
  }
}

/**
 * Returns why the list is considered incomplete, or null. A list of recent entries may be short at any time:
 * its missing entries expire instead.
 */
function findHeldBack(
  { force, source, isArchive }: ImportRequest,
  seen: number,
  heldBefore: number,
): HeldBack | null {
  if (force || isArchive === true) return null
  if (seen === 0) return { kind: 'empty' }
  if (seen * 2 >= heldBefore) return null
  return source.listing === 'recent' ? null : { kind: 'shrank', from: heldBefore, to: seen }
}

/**
 * Imports one feed as a run of its source, and returns what it did.
 *
 * Rejects with an `InputError` when the input cannot be read to its end (the run remains unfinished, and ends
 * no sightings), and with a `StoreError` when the store fails; earlier batches remain.
 */
export async function importFeed(
  parts: ImportParts,
  request: ImportRequest,
): Promise<ImportReport> {
  const { store, now } = parts
  const { source, digest } = request
  // Read before the run adds to it: a list of new names only has not shrunk.
  const heldBefore = store.counters.get('source', source.name)
  const started = await store.write({
    at: now(),
    operations: [{ op: 'startRun', source, digest }],
  })
  const run = started.run ?? 0
  const work = new Import(parts, request, run, started.seq)
  const format = findFormat(request.format)
  for (const open of request.parts) {
    if (format.kind === 'lines') await readByLine(work, format, open())
    else await readAtOnce(work, format, open(), request)
  }
  await work.flush()

  // Old news counts as seen.
  const seen = (store.sources.run(run)?.seen ?? 0) + (work.refused.get('too_old')?.count ?? 0)
  const heldBack = findHeldBack(request, seen, heldBefore)
  if (heldBack === null) await work.end()
  return {
    source: source.name,
    format: request.format,
    read: work.read,
    added: work.added,
    changed: work.changed,
    seenAgain: work.seenAgain,
    delisted: work.delisted,
    refused: Object.fromEntries(work.refused),
    heldBack,
    run,
    seq: work.seq,
  }
}
