/**
 * Fetches a source's list to files, through the guarded HTTP client, and reports whether it is new. An empty
 * answer or a web page is not a list, and never starts a run.
 */

import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outbound, OutboundAnswer } from '../net/outbound.ts'
import { OutboundError } from '../net/outbound-error.ts'
import type { FetchState } from '../store/fetches.ts'
import { mispManifest } from './formats/misp.ts'
import { isNewsText } from './formats/news-markup.ts'
import { readSample } from './line-reader.ts'
import { daysAfter } from './schedule.ts'
import { dayPlace, type KnownSource } from './sources.ts'
import { InputError } from './unpack.ts'

/** The time limit of one document. */
const timeoutMs = 5 * 60_000

/** The maximum size of a document. */
const bodyBytesMax = 512 * 1024 ** 2

/** The maximum size of all parts of a source together. */
const sourceBytesMax = 2 * bodyBytesMax

/** The statuses of a document that does not exist. */
const goneStatuses: readonly number[] = [404, 410]

/** The age from which a leftover document is removed: no running process reads it. */
const leftAgeMs = 86_400_000

/** Feeds move now and then; each target is checked like the first address. */
const redirectsMax = 3

/** The maximum size of a manifest, number of parts, and number of MISP events with one time. */
const manifestBytesMax = 16 * 1024 ** 2
const partsMax = 200
const eventsMax = 1_000

/** A daily archive without files for more days has probably moved. */
const quietDaysMax = 10

/** How much of a document is read to tell a list from a web page. */
const sampleBytes = 4 * 1024

export interface FetchParts {
  readonly outbound: Pick<Outbound, 'get'>
  /** Where documents are kept until they have been read. */
  readonly directory: string
  readonly keys: ReadonlyMap<string, string>
  readonly signal: AbortSignal
  readonly now: number
}

/** How a source is to be fetched. */
export interface FetchChoice {
  /** Whether to fetch everything, even what has been read. */
  readonly isForced: boolean
  /** Whether the server may answer that the list has not changed. */
  readonly isConditional: boolean
}

/** The HTTP validators of a list, for a later conditional fetch. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A list that has been fetched; `remove` deletes its files. */
export interface FetchedList {
  readonly files: readonly string[]
  /** SHA-256 of all files. */
  readonly digest: string
  readonly validators: Validators
  /** How far an archive has been read; null for other lists. */
  readonly position: string | null
  remove(): Promise<void>
}

export type Fetched =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'list'; readonly list: FetchedList }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs: number | null }

const noValidators: Validators = { etag: null, lastModified: null }

/** Thrown inside a fetch when the publisher's answer cannot be used. */
class AnswerError extends Error {
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** One document is missing or is not a list; others of the same archive may be fine. */
class DocumentError extends AnswerError {}

/**
 * Returns the source's list, that it is unchanged, or why it cannot be fetched; `state` is the state after the
 * last fetch. Never rejects because of the network or the publisher.
 */
export async function fetchSource(
  parts: FetchParts,
  source: KnownSource,
  state: FetchState | null,
  { isForced, isConditional }: FetchChoice,
): Promise<Fetched> {
  const fetching = new Fetching(parts, source)
  // The state belongs to an address; when that changes in `sources.toml`, the fetch starts from nothing.
  const known = isForced || state?.url !== source.url ? null : state
  try {
    const list = await fetching.list(known, isConditional)
    return list === null ? { kind: 'unchanged' } : { kind: 'list', list }
  } catch (error) {
    await fetching.remove()
    if (error instanceof AnswerError) {
      const { message, retryAfterMs } = error
      return { kind: 'failed', error: fetching.withoutKey(message), retryAfterMs }
    }
    if (error instanceof OutboundError || error instanceof InputError) {
      return { kind: 'failed', error: fetching.withoutKey(error.message), retryAfterMs: null }
    }
    throw error
  }
}

/** One fetch, and the files it has written. */
class Fetching {
  readonly #parts: FetchParts
  readonly #source: KnownSource
  /** The source's key, when it needs one and it is set. */
  readonly #key: string | undefined
  readonly #files: string[] = []
  readonly #hasher = new Bun.CryptoHasher('sha256')
  #bytes = 0

  constructor(parts: FetchParts, source: KnownSource) {
    this.#parts = parts
    this.#source = source
    const { authKeyEnv } = source
    this.#key = authKeyEnv === null ? undefined : parts.keys.get(authKeyEnv)
  }

  async remove(): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true })
  }

  /** Returns the fetched list, or null when nothing is new. */
  async list(known: FetchState | null, isConditional: boolean): Promise<FetchedList | null> {
    const url = this.#url()
    switch (this.#source.archive) {
      case 'manifest':
        return await this.#manifest(url)
      case 'misp':
        return await this.#misp(url, known?.position ?? null)
      case 'daily':
        return await this.#daily(url, known?.position ?? null)
      case null:
        return await this.#document(url, isConditional ? known : null)
    }
  }

  #url(): string {
    const { name, url, authKeyEnv } = this.#source
    if (url === null) throw new AnswerError(`${name} has no address to be fetched from`)
    if (authKeyEnv !== null && this.#key === undefined) {
      throw new AnswerError(`set ${authKeyEnv} to your key for ${name}`)
    }
    return url.replaceAll('{key}', encodeURIComponent(this.#key ?? ''))
  }

  async #document(url: string, known: FetchState | null): Promise<FetchedList | null> {
    const answer = await this.#get(url, {
      ...(known?.etag ? { 'if-none-match': known.etag } : {}),
      ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
    })
    if (answer.status === 304) return null
    await this.#save(answer)
    return this.#finish({
      etag: answer.headers.get('etag'),
      lastModified: answer.headers.get('last-modified'),
    })
  }

  /** Fetches every part that a manifest names, one per line, from the directory of the manifest. */
  async #manifest(url: string): Promise<FetchedList> {
    const text = await this.#text(await this.#get(url, {}))
    const names = new Set(text.split(/\r?\n/).map((line) => line.trim()))
    const parts = [...names].filter((name) => name !== '' && !name.startsWith('#'))
    if (parts.length === 0 || parts.length > partsMax) {
      throw new AnswerError(`the manifest names ${parts.length} parts, not 1 to ${partsMax}`)
    }
    for (const name of parts) await this.#save(await this.#get(resolvePart(url, name), {}))
    return this.#finish(noValidators)
  }

  /** Fetches the events of a MISP feed that are newer than `position`, a number of milliseconds. */
  async #misp(url: string, position: string | null): Promise<FetchedList | null> {
    const manifest = mispManifest(await this.#text(await this.#get(url, {})))
    if (!manifest.ok) throw new AnswerError('the manifest is not one of a MISP feed')
    const after = Number(position ?? 0)
    // A future time would hide the events until then.
    const newer = manifest.value
      .map((event) => ({ ...event, at: Math.min(event.timestampMs, this.#parts.now) }))
      .filter(({ isShareable, at }) => isShareable && at > after)
      .sort((a, b) => a.at - b.at)
    // The first fetch reads the newest events, a later one the next; events of one time stay together.
    const first = position === null ? Math.max(0, newer.length - partsMax) : 0
    const cut = newer[first + partsMax - 1]?.at ?? Number.POSITIVE_INFINITY
    const events = newer.slice(first).filter(({ at }) => at <= cut)
    const last = events.at(-1)
    if (last === undefined) return null
    if (events.length > eventsMax) throw new AnswerError('too many events have the same time')
    for (const { uuid } of events) await this.#saveIfPresent(resolvePart(url, `${uuid}.json`))
    return this.#finish(noValidators, String(last.at))
  }

  /**
   * Fetches the files of the days after `position`, the last day that was read. A day without a file
   * (a weekend, or today's before it is out) is asked for again until a later one has come.
   */
  async #daily(url: string, position: string | null): Promise<FetchedList | null> {
    const days = daysAfter(position, this.#parts.now)
    let last: string | null = null
    for (const day of days) {
      if (await this.#saveIfPresent(url.replaceAll(dayPlace, day))) last = day
    }
    if (last !== null) return this.#finish(noValidators, last)
    if (days.length <= quietDaysMax) return null
    throw new AnswerError(`${this.#source.name} has had no file for ${days.length} days`)
  }

  /** Saves one document of an archive; reports whether it exists, so that the others can be read anyway. */
  async #saveIfPresent(url: string): Promise<boolean> {
    try {
      await this.#save(await this.#get(url, {}))
      return true
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      return false
    }
  }

  /** Returns a text without the key: a publisher may repeat it in an answer. */
  withoutKey(text: string): string {
    const key = this.#key
    if (key === undefined) return text
    return text.replaceAll(key, '(key)').replaceAll(encodeURIComponent(key), '(key)')
  }

  async #get(url: string, conditions: Readonly<Record<string, string>>): Promise<OutboundAnswer> {
    const { authHeader } = this.#source
    const key = this.#key
    const secret = authHeader === null || key === undefined ? {} : { [authHeader]: key }
    const answer = await this.#parts.outbound.get({
      url,
      headers: { ...conditions, ...secret },
      timeoutMs,
      bodyBytesMax,
      redirectsMax,
      signal: this.#parts.signal,
    })
    const isUnmodified = answer.status === 304 && Object.keys(conditions).length > 0
    if (answer.status === 200 || isUnmodified) return answer
    await answer.body.cancel()
    const message = `${this.#source.name} answers with status ${answer.status}`
    if (goneStatuses.includes(answer.status)) throw new DocumentError(message)
    throw new AnswerError(message, parseRetryAfter(answer.headers.get('retry-after')))
  }

  async #text({ body }: OutboundAnswer): Promise<string> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > manifestBytesMax) throw new AnswerError('the manifest is too large')
      chunks.push(chunk)
    }
    return new TextDecoder().decode(Buffer.concat(chunks))
  }

  /** Writes an answer to a file, and throws when it cannot be a list. */
  async #save({ body }: OutboundAnswer): Promise<void> {
    await mkdir(this.#parts.directory, { recursive: true })
    const path = join(this.#parts.directory, crypto.randomUUID())
    this.#files.push(path)
    const writer = Bun.file(path).writer()
    let bytes = 0
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        this.#bytes += chunk.length
        if (this.#bytes > sourceBytesMax) throw new AnswerError('all its parts are too large')
        this.#hasher.update(chunk)
        await writer.write(chunk)
        await writer.flush()
      }
    } finally {
      await writer.end()
    }
    const problem = bytes === 0 ? 'the list is empty' : await this.#findProblem(path)
    if (problem === null) return
    this.#files.pop()
    await rm(path, { force: true })
    throw new DocumentError(`${problem}; its earlier entries remain`)
  }

  async #findProblem(path: string): Promise<string | null> {
    const sample = await readSample(Bun.file(path).stream(), sampleBytes)
    if (this.#source.role === 'news') {
      return isNewsText(sample) ? null : 'the answer is not a feed of news'
    }
    const isPage = sample
      .trimStart()
      .replace(/^\uFEFF/, '')
      .startsWith('<')
    return isPage ? 'the answer is a web page, not a list' : null
  }

  #finish(validators: Validators, position: string | null = null): FetchedList {
    const digest = this.#hasher.digest('hex')
    const files = [...this.#files]
    return { files, digest, validators, position, remove: () => this.remove() }
  }
}

/** Removes the documents of processes that were killed. */
export async function removeAbandoned(directory: string, now: number): Promise<void> {
  const files = await readdir(directory).catch(() => [])
  for (const file of files) {
    const path = join(directory, file)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > leftAgeMs) await rm(path, { force: true })
  }
}

/** Returns the address of a part; throws unless it is in or below the directory of its manifest. */
function resolvePart(manifestUrl: string, name: string): string {
  const directory = new URL('.', manifestUrl)
  const part = URL.parse(name, manifestUrl)
  if (part === null || !part.href.startsWith(directory.href)) {
    throw new AnswerError(`the manifest names a part outside its directory: ${name.slice(0, 80)}`)
  }
  return part.href
}

/** Returns the Retry-After header in milliseconds, or null; a date is rare, and the back-off covers it. */
function parseRetryAfter(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null
}
