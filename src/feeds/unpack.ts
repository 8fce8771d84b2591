/**
 * Unpacks what publishers pack: gzip (RFC 1952) and zip, told by their first bytes; everything else
 * passes as it is. Memory stays flat, since the inflater waits for whoever reads, and a bomb ends.
 *
 * Of a zip archive the one file is read, going by its local header (APPNOTE.TXT 4.3.7): a stream has
 * its central directory at the end, and only then tells whether there are more. `fflate` looks for
 * signatures in such a stream, also within the packed data, and does not say what is encrypted.
 */

import { pipeline, Readable, type Transform } from 'node:stream'
import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { exitCodes, OperatorError } from '../model/operator-error.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An input that cannot be read to its end, by its file, its packing or its content. */
export class InputError extends OperatorError {
  override readonly name = 'InputError'
  override readonly exitCode = exitCodes.failed
}

/** What unpacking may yield at most. */
const unpackedBytesMax = 4 * 1024 ** 3

/** How much the inflater hands over at once. */
const inflatedChunkBytes = 64 * 1024

/** How many directories may stand before the first file of an archive. */
const zipDirectoriesMax = 100

/** The longest name of a file in an archive, with the extra fields behind it. */
const zipNameBytesMax = 4 * 1024

const zipHeaderBytes = 30
const zipFileSignature = 0x04034b50
/** An archive without files begins with its end; after directories alone their list follows. */
const zipEndSignatures: readonly number[] = [0x06054b50, 0x02014b50]

/** An entry of the central directory, and how much of an archive's end is looked at for them. */
const zipEntryBytes = 46
const zipTailBytes = 64 * 1024

const isEncryptedFlag = 0x01
/** Sizes and checksum come behind the data, not in the header. */
const isSizeBehindFlag = 0x08

const storedMethod = 0
const deflatedMethod = 8

/** A size that stands in an extra field (zip64). */
const zip64Size = 0xffffffff

/** Hands out a stream in pieces of the size that is asked for. */
class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Bytes>
  #held: Bytes = new Uint8Array(0)
  #tail: Bytes = new Uint8Array(0)

  constructor(stream: ReadableStream<Bytes>) {
    this.#reader = stream.getReader()
  }

  /** Returns the next bytes without taking them; fewer than `count` at the end. */
  async peek(count: number): Promise<Bytes> {
    while (this.#held.length < count) {
      const { value } = await this.#reader.read()
      if (value === undefined) break
      this.#tail = Buffer.concat([this.#tail, value]).subarray(-zipTailBytes)
      this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    }
    return this.#held.subarray(0, count)
  }

  async take(count: number): Promise<Bytes> {
    const bytes = await this.peek(count)
    if (bytes.length < count) throw damaged('zip')
    this.#held = this.#held.subarray(count)
    return bytes
  }

  /** Returns what comes next, at most `count` bytes of it; nothing at the end. */
  async next(count: number): Promise<Bytes> {
    await this.peek(1)
    const bytes = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(bytes.length)
    return bytes
  }

  /** Yields all that is left, in the chunks in which it comes. */
  async *rest(): AsyncGenerator<Bytes> {
    for (;;) {
      const bytes = await this.next(Number.POSITIVE_INFINITY)
      if (bytes.length === 0) return
      yield bytes
    }
  }

  /** Reads to the end and returns the last bytes, taken or not. */
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

/** Yields the chunks of `stream`, unpacked when they begin like gzip or zip. */
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
    // Whoever stops early wants no more of the file or of the network.
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

/** Yields what `inflater` makes of the source, up to the end that the packed data itself marks. */
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
    // What the source itself failed with is the caller's to explain.
    throw isInflaterError(error) ? damaged(packing, error) : error
  } finally {
    inflater.destroy()
  }
}

function isInflaterError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** The local header of a file in a zip archive; null is what is not known before the data. */
interface ZipFile {
  readonly method: number
  readonly packedBytes: number | null
  readonly checksum: number | null
}

/** Yields the one file of an archive; throws at its end when there are more. */
async function* unzipped(source: ByteReader): AsyncGenerator<Bytes> {
  const { method, packedBytes, checksum } = await firstFile(source)
  let sum = 0
  for await (const chunk of method === storedMethod && packedBytes !== null
    ? stored(source, packedBytes)
    : inflated(source, createInflateRaw({ chunkSize: inflatedChunkBytes }), 'zip')) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (checksum !== null && checksum !== sum) throw damaged('zip')
  const files = filesIn(Buffer.from(await source.tail()))
  if (files > 1) throw unreadable(`it holds ${files} files`)
}

/** Counts the files that the end of an archive's central directory names. */
function filesIn(tail: Buffer): number {
  let files = 0
  const find = (from: number): number => tail.indexOf('PK\u0001\u0002', from, 'latin1')
  for (let at = find(0); at !== -1 && at + zipEntryBytes <= tail.length; ) {
    const nameEnd = at + zipEntryBytes + tail.readUInt16LE(at + 28)
    if (tail[nameEnd - 1] !== 0x2f) files++
    at = find(at + zipEntryBytes)
  }
  return files
}

/** Reads up to the data of the first entry that is no directory. */
async function firstFile(source: ByteReader): Promise<ZipFile> {
  for (let skipped = 0; skipped <= zipDirectoriesMax; skipped++) {
    const { isDirectory, ...file } = await zipHeader(source)
    if (!isDirectory) return file
    if (file.packedBytes === null) throw unreadable('its directories have no size')
    for await (const _ of stored(source, file.packedBytes));
  }
  throw unreadable('it begins with too many directories')
}

async function zipHeader(source: ByteReader): Promise<ZipFile & { isDirectory: boolean }> {
  const start = Buffer.from(await source.peek(4))
  if (start.length === 4 && zipEndSignatures.includes(start.readUInt32LE())) {
    throw new InputError('the zip archive holds no file; check where it comes from')
  }
  const header = Buffer.from(await source.take(zipHeaderBytes))
  if (header.readUInt32LE(0) !== zipFileSignature) throw damaged('zip')
  const flags = header.readUInt16LE(6)
  const method = header.readUInt16LE(8)
  const packedBytes = header.readUInt32LE(18)
  const nameBytes = header.readUInt16LE(26)
  const extraBytes = header.readUInt16LE(28)
  if (nameBytes + extraBytes > zipNameBytesMax) throw unreadable('a name in it is too long')
  const name = Buffer.from(await source.take(nameBytes + extraBytes)).subarray(0, nameBytes)
  const isSizeBehind = (flags & isSizeBehindFlag) !== 0
  const isSizeKnown = !isSizeBehind && packedBytes !== zip64Size
  if ((flags & isEncryptedFlag) !== 0) throw unreadable('it is encrypted')
  if (method !== deflatedMethod && method !== storedMethod) {
    throw unreadable(`it is packed by method ${method}`)
  }
  if (method === storedMethod && !isSizeKnown) throw unreadable('its file has no size')
  return {
    isDirectory: name.at(-1) === 0x2f,
    method,
    packedBytes: isSizeKnown ? packedBytes : null,
    checksum: isSizeBehind ? null : header.readUInt32LE(14),
  }
}

function unreadable(why: string): InputError {
  return new InputError(`weir cannot read this zip archive: ${why}; unpack it and import the file`)
}

/** Yields the next `count` bytes as they are. */
async function* stored(source: ByteReader, count: number): AsyncGenerator<Bytes> {
  for (let left = count; left > 0; ) {
    const bytes = await source.next(left)
    if (bytes.length === 0) throw damaged('zip')
    left -= bytes.length
    yield bytes
  }
}
