/**
 * The full lists as files to be sent, each made when it is asked for and kept until it is behind.
 *
 *     plain(name) ──▶ as the store is, or behind for under a minute? ──▶ that file
 *                              │ no
 *                              ▼
 *                     one worker thread at a time writes the next edition; all who ask wait for it
 *
 *     coded(file, coding) ──▶ the same file compressed, made once, likewise
 *
 * A path is one edition's for good: whoever was told a version gets the bytes of that version. An
 * edition that was replaced is removed once nobody can have been told of it any more.
 */

import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDiskFull } from '../store/database-copy.ts'
import type { ListedType } from '../store/listings.ts'
import type { ReadStore } from '../store/store.ts'
import { connect } from '../threads/connect.ts'
import { ThreadError } from '../threads/thread-error.ts'
import {
  codedEndings,
  editionName,
  type ListCoding,
  type ListVersion,
  listsDirectory,
  listVersionOf,
  removeHalfMade,
  sweepLists,
} from './list-file.ts'
import { type ListName, listFormats } from './list-formats.ts'
import type { OpenLists } from './list-worker.ts'

/** A list that is behind is sent for so long, so that a busy import has it written once a minute. */
const behindMsMax = 60_000

/** What failed is not tried again before. */
const retryMs = 30_000

/** When to ask again after the thread ended: another starts at once. */
const lostRetrySeconds = 2

/** Twice this, to be written and to be compressed, is short of when a server cuts a silent connection. */
const patienceMs = 12_000

/** A thread that takes longer has gone wrong: 500,000 names take half a second. */
const jobMsMax = 300_000

/** Why a list cannot be had now. */
export type ListErrorReason = 'slow' | 'disk_full' | 'failed' | 'stopping'

/** A list that cannot be had now; `retryAfterSeconds` says when to ask again. */
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
  /** Null: as it is. */
  readonly coding: ListCoding | null
}

export interface FullListsParts {
  readonly store: ReadStore
  readonly dataDir: string
  /** Hears of each failure once. */
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

/** Makes lists and hands them out. */
export class FullLists {
  readonly #parts: FullListsParts
  readonly #maker
  readonly #editions = new Map<ListName, Edition>()
  /** The versions of lists that the store has, as of its last batch. */
  readonly #versions = new Map<ListedType, ListVersion>()
  #lastBatch = ''
  readonly #writing = new Map<ListName, Promise<ListFile>>()
  /** Compressed files by their paths: those that are there, and those in the making. */
  readonly #coded = new Map<string, ListFile>()
  readonly #coding = new Map<string, Promise<ListFile>>()
  /** What failed lately, by list or by path. */
  readonly #failures = new Map<string, Failure>()
  /** Resolves when the thread that was started last has ended. */
  #last: Promise<unknown> = Promise.resolve()
  #editionCount = 0
  #isStopping = false

  /** Removes what an earlier process has left; makes nothing yet. */
  constructor(parts: FullListsParts) {
    this.#parts = parts
    this.#maker = connect<OpenLists>({
      entry: 'publish/list-worker.ts',
      name: 'the thread that makes lists',
      opening: { dataDir: parts.dataDir },
      report: parts.report,
      isBrief: true,
      stuckMs: jobMsMax,
    })
    try {
      sweepLists(parts.dataDir)
    } catch (error) {
      // What stays takes room on the disk, and is sent to nobody.
      parts.report(error)
    }
  }

  /** Returns the version that a list is to be had in now, without making it. */
  version(name: ListName): ListVersion {
    const edition = this.#editions.get(name)
    const current = this.#current(name)
    return edition !== undefined && this.#isGood(edition, current) ? edition.file.version : current
  }

  /** Returns a list as it is, naming this weir's public address; rejects with a `ListError`. */
  async plain(name: ListName, homepage: string): Promise<ListFile> {
    const edition = this.#editions.get(name)
    // Whoever tidies the data directory up takes files that weir still knows.
    if (edition !== undefined && !existsSync(edition.file.path)) this.#forget(edition.file)
    else if (edition !== undefined && this.#isGood(edition, this.#current(name))) {
      return edition.file
    }
    try {
      return await this.#inTime(this.#nextEdition(name, homepage))
    } catch (error) {
      // A list that is behind says so, and blocks nearly all that is to be blocked.
      const old = this.#editions.get(name)
      if (old !== undefined && error instanceof ListError) return old.file
      throw error
    }
  }

  /** Returns the compressed form of a file that was just handed out, or the file when there is none. */
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

  /** Makes nothing more, and resolves when nothing is being made. */
  async close(): Promise<void> {
    this.#isStopping = true
    await this.#last
    await this.#maker.close()
  }

  get isDegraded(): boolean {
    return this.#maker.isDegraded
  }

  /** Returns the version that the store has; it is put together once for each batch. */
  #current(name: ListName): ListVersion {
    const { store } = this.#parts
    const { epoch, batch } = store.meta()
    const lastBatch = `${epoch} ${batch}`
    if (lastBatch !== this.#lastBatch) this.#versions.clear()
    this.#lastBatch = lastBatch
    const { type } = listFormats[name]
    const known = this.#versions.get(type)
    if (known !== undefined) return known
    const version = listVersionOf(store, type)
    this.#versions.set(type, version)
    return version
  }

  /** Knows nothing of an edition any more whose file is gone. */
  #forget({ name, path }: ListFile): void {
    this.#editions.delete(name)
    for (const ending of Object.values(codedEndings)) this.#coded.delete(path + ending)
  }

  #isGood({ file, writtenAt }: Edition, current: ListVersion): boolean {
    return isSame(file.version, current) || this.#parts.monotonicMs() - writtenAt < behindMsMax
  }

  /** Waits for a file as long as a client can; it is made in any case. */
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

  /** Removes an edition that was replaced, with its compressed forms, made or in the making. */
  async #remove({ path }: ListFile): Promise<void> {
    const paths = [path, ...Object.values(codedEndings).map((ending) => path + ending)]
    await Promise.allSettled(paths.flatMap((each) => this.#coding.get(each) ?? []))
    // Whoever was told of one of these files has opened it before the next turn of the event loop.
    await nextTurn()
    for (const each of paths) {
      this.#coded.delete(each)
      this.#failures.delete(each)
      rmSync(each, { force: true })
    }
  }

  /** Has the thread make a file, after those that were asked for before it. */
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
