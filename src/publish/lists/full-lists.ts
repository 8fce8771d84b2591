/**
 * The full lists as files to send, each made when it is requested and kept until it is stale.
 *
 *     plain(name) ──▶ in sync with the store, or stale for under a minute? ──▶ that file
 *                              │ no
 *                              ▼
 *                     a thread writes the next edition, one at a time; all requests wait for it
 *
 *     coded(file, coding) ──▶ the same file compressed, likewise made once
 *
 * A path belongs to one edition forever: a client that was sent a version gets the bytes of that version.
 * A replaced edition is removed once no request can have its path any more.
 */

import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDiskFull } from '../../store/database-copy.ts'
import type { ListedType } from '../../store/listings.ts'
import type { ReadStore } from '../../store/store.ts'
import { connect } from '../../threads/connect.ts'
import { ThreadError } from '../../threads/thread-error.ts'
import {
  codedEndings,
  editionName,
  type ListCoding,
  type ListVersion,
  listsDirectory,
  readListVersion,
  removeHalfMade,
  sweepLists,
} from './list-file.ts'
import { type ListName, listFormats } from './list-formats.ts'
import type { OpenLists } from './list-worker.ts'

/** How long a stale list is sent, so that a busy import causes one edition a minute. */
const behindMsMax = 60_000

/** The pause after a failure. */
const retryMs = 30_000

/** When clients should retry after the thread ended: another starts at once. */
const lostRetrySeconds = 2

/** How long a request waits. Twice this (writing, compressing) is less than the idle time-out of a connection. */
const patienceMs = 12_000

/** A thread that takes longer is stuck: 500,000 names take half a second. */
const jobMsMax = 300_000

/** Why a list is temporarily unavailable. */
export type ListErrorReason = 'slow' | 'disk_full' | 'failed' | 'stopping'

/** A list is temporarily unavailable; clients should retry after `retryAfterSeconds`. */
export class ListError extends Error {
  override readonly name = 'ListError'
  readonly reason: ListErrorReason
  readonly retryAfterSeconds: number

  constructor(reason: ListErrorReason, message: string, retryAfterSeconds: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A file that holds one version of a list. */
export interface ListFile {
  readonly name: ListName
  readonly version: ListVersion
  readonly path: string
  readonly bytes: number
  /** Null for the uncompressed file. */
  readonly coding: ListCoding | null
}

export interface FullListsParts {
  readonly store: ReadStore
  readonly dataDir: string
  /** Is called once for each failure. */
  readonly report: (error: unknown) => void
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number
  /** How long a request waits for a list to be made; for tests. */
  readonly patienceMs?: number
}

/** A file that could not be made, and when to try again. */
interface Failure {
  readonly error: ListError
  readonly retryAt: number
}

/** An edition, and when it was written. */
interface Edition {
  readonly file: ListFile
  readonly writtenAt: number
}

const isSame = (a: ListVersion, b: ListVersion): boolean => Bun.deepEquals(a, b)

/** Makes lists and returns their files. */
export class FullLists {
  readonly #parts: FullListsParts
  readonly #maker
  readonly #editions = new Map<ListName, Edition>()
  /** The versions of lists that the store has, as of its last batch. */
  readonly #versions = new Map<ListedType, ListVersion>()
  #lastBatch = ''
  readonly #writing = new Map<ListName, Promise<ListFile>>()
  /** Compressed files by path: the finished ones, and those being made. */
  readonly #coded = new Map<string, ListFile>()
  readonly #coding = new Map<string, Promise<ListFile>>()
  /** Recent failures, by list or by path. */
  readonly #failures = new Map<string, Failure>()
  /** Resolves when the last file that was ordered is made. */
  #last: Promise<unknown> = Promise.resolve()
  #editionCount = 0
  #isStopping = false

  /** Removes the files that an earlier process left; makes nothing yet. */
  constructor(parts: FullListsParts) {
    this.#parts = parts
    this.#maker = connect<OpenLists>({
      entry: 'publish/lists/list-worker.ts',
      name: 'the thread that makes lists',
      opening: { dataDir: parts.dataDir },
      report: parts.report,
      isBrief: true,
      stuckMs: jobMsMax,
    })
    try {
      sweepLists(parts.dataDir)
    } catch (error) {
      // Files that stay take room on the disk, and are never sent.
      parts.report(error)
    }
  }

  /** Returns the version of a list that `plain` would return now, without making it. */
  version(name: ListName): ListVersion {
    const edition = this.#editions.get(name)
    const current = this.#current(name)
    return edition !== undefined && this.#isGood(edition, current) ? edition.file.version : current
  }

  /** Returns a list uncompressed, naming this weir's public address; rejects with a `ListError`. */
  async plain(name: ListName, homepage: string): Promise<ListFile> {
    const edition = this.#editions.get(name)
    // A person who cleans up the data directory may delete files that weir still knows.
    if (edition !== undefined && !existsSync(edition.file.path)) this.#forget(edition.file)
    else if (edition !== undefined && this.#isGood(edition, this.#current(name))) {
      return edition.file
    }
    try {
      return await this.#inTime(this.#nextEdition(name, homepage))
    } catch (error) {
      // Serve the previous edition: stale, but better than none.
      const old = this.#editions.get(name)
      if (old !== undefined && error instanceof ListError) return old.file
      throw error
    }
  }

  /** Returns the compressed form of a file that was just returned, or the file itself when there is none. */
  async coded(file: ListFile, coding: ListCoding): Promise<ListFile> {
    const path = file.path + codedEndings[coding]
    const known = this.#coded.get(path)
    if (known !== undefined && existsSync(path)) return known
    try {
      return await this.#inTime(this.#coding.get(path) ?? this.#compress(file, path, coding))
    } catch (error) {
      if (error instanceof ListError) return file
      throw error
    }
  }

  /** Starts no more files, and resolves when none is being made. */
  async close(): Promise<void> {
    this.#isStopping = true
    await this.#last
    await this.#maker.close()
  }

  get isDegraded(): boolean {
    return this.#maker.isDegraded
  }

  /** Returns the version that the store has, which is computed once for each batch. */
  #current(name: ListName): ListVersion {
    const { store } = this.#parts
    const { epoch, batch } = store.meta()
    const lastBatch = `${epoch} ${batch}`
    if (lastBatch !== this.#lastBatch) this.#versions.clear()
    this.#lastBatch = lastBatch
    const { type } = listFormats[name]
    const known = this.#versions.get(type)
    if (known !== undefined) return known
    const version = readListVersion(store, type)
    this.#versions.set(type, version)
    return version
  }

  /** Forgets an edition whose file is gone. */
  #forget({ name, path }: ListFile): void {
    this.#editions.delete(name)
    for (const ending of Object.values(codedEndings)) this.#coded.delete(path + ending)
  }

  #isGood({ file, writtenAt }: Edition, current: ListVersion): boolean {
    return isSame(file.version, current) || this.#parts.monotonicMs() - writtenAt < behindMsMax
  }

  /** Waits for a file as long as a client can; the file is made in any case. */
  async #inTime(file: Promise<ListFile>): Promise<ListFile> {
    const patience = this.#parts.patienceMs ?? patienceMs
    const { promise: late, reject } = Promise.withResolvers<never>()
    const giveUp = (): void =>
      reject(new ListError('slow', 'the list is still being written; ask again shortly', 10))
    const timer = setTimeout(giveUp, patience)
    try {
      return await Promise.race([file, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #nextEdition(name: ListName, homepage: string): Promise<ListFile> {
    const known = this.#writing.get(name)
    if (known !== undefined) return known
    const writing = this.#write(name, homepage).finally(() => this.#writing.delete(name))
    this.#writing.set(name, writing)
    return writing
  }

  async #write(name: ListName, homepage: string): Promise<ListFile> {
    const path = join(listsDirectory(this.#parts.dataDir), editionName(name, ++this.#editionCount))
    const make = () => this.#maker.call('write', { name, homepage, path })
    const version = await this.#make(name, path, make)
    const file = { name, version, path, bytes: statSync(path).size, coding: null }
    const old = this.#editions.get(name)
    this.#editions.set(name, { file, writtenAt: this.#parts.monotonicMs() })
    if (old !== undefined) this.#removeOnce(old.file)
    return file
  }

  #compress(file: ListFile, path: string, coding: ListCoding): Promise<ListFile> {
    const make = () => this.#maker.call('compress', file.path, path, coding)
    const made = this.#make(path, path, make).then(() => {
      const coded = { ...file, path, bytes: statSync(path).size, coding }
      this.#coded.set(path, coded)
      return coded
    })
    const compressing = made.finally(() => this.#coding.delete(path))
    this.#coding.set(path, compressing)
    return compressing
  }

  #removeOnce(file: ListFile): void {
    const removed = this.#remove(file).catch(this.#parts.report)
    this.#last = Promise.all([this.#last, removed])
  }

  /** Removes a replaced edition and its compressed forms, also those being made. */
  async #remove({ path }: ListFile): Promise<void> {
    const paths = [path, ...Object.values(codedEndings).map((ending) => path + ending)]
    await Promise.allSettled(paths.flatMap((each) => this.#coding.get(each) ?? []))
    // A request that was given one of these paths opens it before the next turn of the event loop.
    await nextTurn()
    for (const each of paths) {
      this.#coded.delete(each)
      this.#failures.delete(each)
      rmSync(each, { force: true })
    }
  }

  /** Has the thread make a file, after those that were ordered before it. */
  async #make<Made>(key: string, path: string, make: () => Promise<Made>): Promise<Made> {
    const failure = this.#failures.get(key)
    if (failure !== undefined && this.#parts.monotonicMs() < failure.retryAt) throw failure.error
    const made = this.#last.then(() => {
      if (!this.#isStopping) return make()
      throw new ListError('stopping', 'weir is stopping; ask again when it is back', 5)
    })
    this.#last = made.catch(() => {})
    try {
      const value = await made
      this.#failures.delete(key)
      return value
    } catch (error) {
      throw error instanceof ThreadError ? this.#failed(key, path, error) : error
    }
  }

  /** Returns the error to answer with; a failure is reported and remembered, the end of the thread is not. */
  #failed(key: string, path: string, cause: ThreadError): ListError {
    const isFull = isDiskFull(cause)
    const message = isFull
      ? `the list ${key} cannot be written: the disk is full; free some space`
      : `the list ${key} cannot be made (${cause.message}); look at the disk and at the data directory`
    if (cause.reason === 'lost') {
      removeHalfMade(path)
      return new ListError('failed', message, lostRetrySeconds)
    }
    const error = new ListError(isFull ? 'disk_full' : 'failed', message, retryMs / 1000)
    this.#failures.set(key, { error, retryAt: this.#parts.monotonicMs() + retryMs })
    this.#parts.report(error)
    return error
  }
}
