/**
 * Unpacks gzip (RFC 1952) and zip, recognised by their first bytes; other data is returned as it is. Memory
 * stays flat, since the inflater waits for the reader, and the unpacked size is limited.
 *
 * The single file of a zip archive is read by its local header (APPNOTE.TXT 4.3.7): in a stream the central
 * directory comes last, and only it shows whether there are more files. `fflate` searches such a stream for
 * signatures, also within the packed data, and does not report encryption.
 */

import { pipeline, Readable, type Transform } from 'node:stream'
import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { exitCodes, OperatorError } from '../model/operator-error.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An input cannot be read to its end: because of its file, its packing or its content. */
export class InputError extends OperatorError {
  override readonly name = 'InputError'
  override readonly exitCode = exitCodes.failed
}

/** The maximum unpacked size. */
const unpackedBytesMax = 4 * 1024 ** 3

/** The size of the inflater's chunks. */
const inflatedChunkBytes = 64 * 1024

/** Maximum number of directories before the first file of an archive. */
const zipDirectoriesMax = 100

/** The maximum length of a file name in an archive, with the extra fields after it. */
const zipNameBytesMax = 4 * 1024

const zipHeaderBytes = 30
const zipFileSignature = 0x04034b50
/** An archive without files begins with its end record; directories alone are followed by their list. */
const zipEndSignatures: readonly number[] = [0x06054b50, 0x02014b50]

/** The size of an entry of the central directory, and how much of an archive's end is searched for them. */
const zipEntryBytes = 46
const zipTailBytes = 64 * 1024

const isEncryptedFlag = 0x01
/** Sizes and checksum follow the data, instead of being in the header. */
const isSizeAfterFlag = 0x08

const storedMethod = 0
const deflatedMethod = 8

/** Marks a size that is in an extra field (zip64). */
const zip64Size = 0xffffffff

/** Reads a stream in pieces of the requested size. */
class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Bytes>
  #held: Bytes = new Uint8Array(0)
  #tail: Bytes = new Uint8Array(0)

  constructor(stream: ReadableStream<Bytes>) {
    this.#reader = stream.getReader()
  }

  /** Returns the next `count` bytes without consuming them; fewer at the end. */
  async peek(count: number): Promise<Bytes> {
    while (this.#held.length < count) {
      const { value } = await this.#reader.read()
      if (value === undefined) break
      this.#tail = Buffer.concat([this.#tail, value]).subarray(-zipTailBytes)
      this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    }
    return this.#held.subarray(0, count)
  }

  /** Returns and consumes the next `count` bytes; throws at the end. */
  async read(count: number): Promise<Bytes> {
    const bytes = await this.peek(count)
    if (bytes.length < count) throw damaged('zip')
    this.#held = this.#held.subarray(count)
    return bytes
  }

  /** Returns and consumes at most `count` bytes; none at the end. */
  async next(count: number): Promise<Bytes> {
    await this.peek(1)
    const bytes = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(bytes.length)
    return bytes
  }

  /** Yields the remaining chunks as they arrive. */
  async *rest(): AsyncGenerator<Bytes> {
    for (;;) {
      const bytes = await this.next(Number.POSITIVE_INFINITY)
      if (bytes.length === 0) return
      yield bytes
    }
  }

  /** Reads to the end, and returns the last bytes of the stream. */
  async tail(): Promise<Bytes> {
    for await (const _ of this.rest());
    return this.#tail
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel()
  }
}

function damaged(packing: 'gzip' | 'zip', cause?: unknown): InputError {
  return new InputError(`the ${packing} data is cut short or damaged; fetch the file again`, {
    cause,
  })
}

/** Yields the chunks of `stream`, unpacked if it is gzip or zip. */
export async function* unpacked(
  stream: ReadableStream<Bytes>,
  bytesMax = unpackedBytesMax,
): AsyncGenerator<Bytes> {
  const source = new ByteReader(stream)
  try {
    const [first, second, third, fourth] = await source.peek(4)
    if (first === 0x1f && second === 0x8b) {
      const inflater = createGunzip({ chunkSize: inflatedChunkBytes })
      yield* limited(inflated(source, inflater, 'gzip'), bytesMax)
    } else if (
      first === 0x50 &&
      second === 0x4b &&
      ((third === 3 && fourth === 4) || (third === 5 && fourth === 6))
    ) {
      yield* limited(unzipped(source), bytesMax)
    } else {
      yield* source.rest()
    }
  } finally {
    // A caller that stops early ends the reading of the file or the network.
    await source.cancel()
  }
}

async function* limited(chunks: AsyncIterable<Bytes>, bytesMax: number): AsyncGenerator<Bytes> {
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > bytesMax) {
      throw new InputError(`the packed data is larger than ${bytesMax} bytes; import it in parts`)
    }
    yield chunk
  }
}

/** Yields the inflated source, up to the end that the packed data marks. */
async function* inflated(
  source: ByteReader,
  inflater: Transform,
  packing: 'gzip' | 'zip',
): AsyncGenerator<Bytes> {
  // A failure of the source ends the inflater too, so both are thrown where it is read.
  pipeline(Readable.from(source.rest()), inflater, () => {})
  try {
    for await (const chunk of inflater) yield chunk
  } catch (error) {
    // An error of the source itself is thrown as it is.
    throw isInflaterError(error) ? damaged(packing, error) : error
  } finally {
    inflater.destroy()
  }
}

function isInflaterError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** The local header of a file in a zip archive; null for what follows the data. */
interface ZipFile {
  readonly method: number
  readonly packedBytes: number | null
  readonly checksum: number | null
}

/** Yields the single file of an archive; throws at the end when there are more. */
async function* unzipped(source: ByteReader): AsyncGenerator<Bytes> {
  const { method, packedBytes, checksum } = await readFirstHeader(source)
  let sum = 0
  for await (const chunk of method === storedMethod && packedBytes !== null
    ? stored(source, packedBytes)
    : inflated(source, createInflateRaw({ chunkSize: inflatedChunkBytes }), 'zip')) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (checksum !== null && checksum !== sum) throw damaged('zip')
  const files = countFiles(Buffer.from(await source.tail()))
  if (files > 1) throw unreadable(`it holds ${files} files`)
}

/** Returns the number of files in the end of a central directory. */
function countFiles(tail: Buffer): number {
  let files = 0
  const find = (from: number): number => tail.indexOf('PK\u0001\u0002', from, 'latin1')
  for (let at = find(0); at !== -1 && at + zipEntryBytes <= tail.length; ) {
    const nameEnd = at + zipEntryBytes + tail.readUInt16LE(at + 28)
    if (tail[nameEnd - 1] !== 0x2f) files++
    at = find(at + zipEntryBytes)
  }
  return files
}

/** Reads to the data of the first file, and returns its header. */
async function readFirstHeader(source: ByteReader): Promise<ZipFile> {
  for (let skipped = 0; skipped <= zipDirectoriesMax; skipped++) {
    const { isDirectory, ...file } = await readZipHeader(source)
    if (!isDirectory) return file
    if (file.packedBytes === null) throw unreadable('its directories have no size')
    for await (const _ of stored(source, file.packedBytes));
  }
  throw unreadable('it begins with too many directories')
}

async function readZipHeader(source: ByteReader): Promise<ZipFile & { isDirectory: boolean }> {
  const start = Buffer.from(await source.peek(4))
  if (start.length === 4 && zipEndSignatures.includes(start.readUInt32LE())) {
    throw new InputError('the zip archive holds no file; check where it comes from')
  }
  const header = Buffer.from(await source.read(zipHeaderBytes))
  if (header.readUInt32LE(0) !== zipFileSignature) throw damaged('zip')
  const flags = header.readUInt16LE(6)
  const method = header.readUInt16LE(8)
  const packedBytes = header.readUInt32LE(18)
  const nameBytes = header.readUInt16LE(26)
  const extraBytes = header.readUInt16LE(28)
  if (nameBytes + extraBytes > zipNameBytesMax) throw unreadable('a name in it is too long')
  const name = Buffer.from(await source.read(nameBytes + extraBytes)).subarray(0, nameBytes)
  const isSizeAfter = (flags & isSizeAfterFlag) !== 0
  const isSizeKnown = !isSizeAfter && packedBytes !== zip64Size
  if ((flags & isEncryptedFlag) !== 0) throw unreadable('it is encrypted')
  if (method !== deflatedMethod && method !== storedMethod) {
    throw unreadable(`it is packed by method ${method}`)
  }
  if (method === storedMethod && !isSizeKnown) throw unreadable('its file has no size')
  return {
    isDirectory: name.at(-1) === 0x2f,
    method,
    packedBytes: isSizeKnown ? packedBytes : null,
    checksum: isSizeAfter ? null : header.readUInt32LE(14),
  }
}

function unreadable(why: string): InputError {
  return new InputError(`weir cannot read this zip archive: ${why}; unpack it and import the file`)
}

/** Yields the next `count` bytes unchanged. */
async function* stored(source: ByteReader, count: number): AsyncGenerator<Bytes> {
  for (let left = count; left > 0; ) {
    const bytes = await source.next(left)
    if (bytes.length === 0) throw damaged('zip')
    left -= bytes.length
    yield bytes
  }
}
