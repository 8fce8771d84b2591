/**
 * Fetches a source's list to files, through the guarded way out, and says whether there is anything
 * new to read. What is no list (an empty answer, a web page) never gets as far as a run.
 */

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outbound, OutboundAnswer } from '../net/outbound.ts'
import { OutboundError } from '../net/outbound-error.ts'
import type { FetchState } from '../store/fetches.ts'
import { mispManifest } from './formats/misp.ts'
import { InputError } from './input-error.ts'
import { readSample } from './line-reader.ts'
import type { KnownSource } from './sources.ts'

/** The longest one document may take. */
const timeoutMs = 5 * 60_000

/** The largest document. */
const bodyBytesMax = 512 * 1024 ** 2

/** Feeds move now and then; each place they lead to is judged anew. */
const redirectsMax = 3

/** The largest list of parts, and how many parts are fetched. */
const manifestBytesMax = 16 * 1024 ** 2
const partsMax = 200

/** How much of a document tells a list from a web page. */
const sampleBytes = 4 * 1024

export interface FetchParts {
  readonly outbound: Pick<Outbound, 'get'>
  /** Where documents are kept until they have been read. */
  readonly directory: string
  readonly keys: ReadonlyMap<string, string>
  readonly signal: AbortSignal
}

/** What a later fetch can ask about. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A list that has been fetched; `remove` deletes its files. */
export interface FetchedList {
  readonly files: readonly string[]
  /** SHA-256 of all of it. */
  readonly digest: string
  readonly validators: Validators
  /** How far an archive has been read; null for everything else. */
  readonly position: string | null
  remove(): Promise<void>
}

export type Fetched =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'list'; readonly list: FetchedList }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs: number | null }

const noValidators: Validators = { etag: null, lastModified: null }

/** Thrown inside a fetch when the publisher's answer is of no use. */
class AnswerError extends Error {
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Fetches the source's list; `state` is how the last fetch went, and spares an unchanged list unless
 * `isForced`. Never rejects for what the network or the publisher does.
 */
export async function fetchSource(
  parts: FetchParts,
  source: KnownSource,
  state: FetchState | null,
  isForced: boolean,
): Promise<Fetched> {
  const fetching = new Fetching(parts, source)
  try {
    const list = await fetching.list(isForced ? null : state)
    return list === null ? { kind: 'unchanged' } : { kind: 'list', list }
  } catch (error) {
    await fetching.remove()
    if (error instanceof AnswerError) {
      return { kind: 'failed', error: error.message, retryAfterMs: error.retryAfterMs }
    }
    if (error instanceof OutboundError || error instanceof InputError) {
      return { kind: 'failed', error: error.message, retryAfterMs: null }
    }
    throw error
  }
}

/** One fetch: the files it has written and what they hold. */
class Fetching {
  readonly #parts: FetchParts
  readonly #source: KnownSource
  readonly #files: string[] = []
  readonly #hasher = new Bun.CryptoHasher('sha256')

  constructor(parts: FetchParts, source: KnownSource) {
    this.#parts = parts
    this.#source = source
  }

  async remove(): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true })
  }

  /** Returns what was fetched, or null when nothing is new. */
  async list(state: FetchState | null): Promise<FetchedList | null> {
    const url = this.#url()
    switch (this.#source.archive) {
      case 'manifest':
        return await this.#manifest(url)
      case 'misp':
        return await this.#misp(url, state?.position ?? null)
      case null:
        return await this.#document(url, state)
    }
  }

  #url(): string {
    const { name, url, authKeyEnv } = this.#source
    if (url === null) throw new AnswerError(`${name} has no address to be fetched from`)
    const key = authKeyEnv === null ? '' : this.#parts.keys.get(authKeyEnv)
    if (key === undefined) throw new AnswerError(`set ${authKeyEnv} to your key for ${name}`)
    return url.replaceAll('{key}', encodeURIComponent(key))
  }

  async #document(url: string, state: FetchState | null): Promise<FetchedList | null> {
    // Validators belong to an address; one that was changed in the file of sources starts anew.
    const known = state !== null && state.url === this.#source.url ? state : null
    const answer = await this.#get(url, {
      ...(known?.etag ? { 'if-none-match': known.etag } : {}),
      ...(known?.last_modified ? { 'if-modified-since': known.last_modified } : {}),
    })
    if (answer.status === 304) return null
    await this.#keep(answer)
    return this.#fetched({
      etag: answer.headers.get('etag'),
      lastModified: answer.headers.get('last-modified'),
    })
  }

  /** Fetches every part that a manifest names, one a line, each beside the manifest. */
  async #manifest(url: string): Promise<FetchedList> {
    const text = await this.#text(await this.#get(url, {}))
    const names = new Set(text.split(/\r?\n/).map((line) => line.trim()))
    const parts = [...names].filter((name) => name !== '' && !name.startsWith('#'))
    if (parts.length === 0 || parts.length > partsMax) {
      throw new AnswerError(`the manifest names ${parts.length} parts, not 1 to ${partsMax}`)
    }
    for (const name of parts) await this.#keep(await this.#get(besideOf(url, name), {}))
    return this.#fetched(noValidators)
  }

  /** Fetches the events of a MISP feed that are newer than `position`, a number of milliseconds. */
  async #misp(url: string, position: string | null): Promise<FetchedList | null> {
    const manifest = mispManifest(await this.#text(await this.#get(url, {})))
    if (!manifest.ok) throw new AnswerError('the manifest is not one of a MISP feed')
    const after = Number(position ?? 0)
    const newer = manifest.value
      .filter((event) => event.isShareable && event.timestampMs > after)
      .sort((a, b) => a.timestampMs - b.timestampMs)
    // At first the newest are read, and from then on whatever comes.
    const events = position === null ? newer.slice(-partsMax) : newer.slice(0, partsMax)
    const last = events.at(-1)
    if (last === undefined) return null
    for (const { uuid } of events)
      await this.#keep(await this.#get(besideOf(url, `${uuid}.json`), {}))
    return this.#fetched(noValidators, String(last.timestampMs))
  }

  async #get(url: string, conditions: Readonly<Record<string, string>>): Promise<OutboundAnswer> {
    const { authHeader, authKeyEnv } = this.#source
    const key = authKeyEnv === null ? undefined : this.#parts.keys.get(authKeyEnv)
    const secret = authHeader === null || key === undefined ? {} : { [authHeader]: key }
    const answer = await this.#parts.outbound.get({
      url,
      headers: { ...conditions, ...secret },
      timeoutMs,
      bodyBytesMax,
      redirectsMax,
      signal: this.#parts.signal,
    })
    const isAwaited =
      answer.status === 200 || (answer.status === 304 && 'if-none-match' in conditions)
    const isUnmodified = answer.status === 304 && 'if-modified-since' in conditions
    if (isAwaited || isUnmodified) return answer
    await answer.body.cancel()
    throw new AnswerError(
      `${this.#source.name} answers with status ${answer.status}`,
      retryAfterOf(answer.headers.get('retry-after')),
    )
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

  /** Writes an answer to a file and looks whether it may be a list at all. */
  async #keep({ body }: OutboundAnswer): Promise<void> {
    await mkdir(this.#parts.directory, { recursive: true })
    const path = join(this.#parts.directory, crypto.randomUUID())
    this.#files.push(path)
    const writer = Bun.file(path).writer()
    let bytes = 0
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        this.#hasher.update(chunk)
        await writer.write(chunk)
        await writer.flush()
      }
    } finally {
      await writer.end()
    }
    if (bytes === 0) throw new AnswerError('the list is empty; what it held stands')
    const sample = (await readSample(Bun.file(path).stream(), sampleBytes)).trimStart()
    if (sample.replace(/^\uFEFF/, '').startsWith('<')) {
      throw new AnswerError('a web page came instead of the list; what it held stands')
    }
  }

  #fetched(validators: Validators, position: string | null = null): FetchedList {
    const digest = this.#hasher.digest('hex')
    const files = [...this.#files]
    return { files, digest, validators, position, remove: () => this.remove() }
  }
}

/** Returns the address of a part that lies beside or below its manifest, and nowhere else. */
function besideOf(manifestUrl: string, name: string): string {
  const directory = new URL('.', manifestUrl)
  const part = URL.parse(name, manifestUrl)
  if (part === null || !part.href.startsWith(directory.href)) {
    throw new AnswerError(
      `the manifest names a part that does not lie beside it: ${name.slice(0, 80)}`,
    )
  }
  return part.href
}

/** Reads Retry-After in seconds; a date there is rare, and the back-off does as well. */
function retryAfterOf(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null
}
