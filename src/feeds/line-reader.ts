/**
 * Splits a stream of bytes into lines, inflating gzip on the way, with flat memory.
 *
 * A line over `lineBytesMax` comes as null, so that the caller can count it and go on.
 */

/** The longest line that is read; the longest real URL seen in a feed is under 3 KiB. */
export const lineBytesMax = 64 * 1024

/** What inflating may yield at most: a gzip bomb ends here. */
const inflatedBytesMax = 4 * 1024 ** 3

/** An input that cannot be read to its end; the message says why. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** Returns a stream of `first` and then what `reader` still has. */
function startingWith(
  first: Uint8Array<ArrayBuffer>,
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }> },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      const { value } = await reader.read()
      if (value === undefined) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** Yields the chunks of `stream`, inflated when they begin like gzip (RFC 1952). */
async function* inflated(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  let first: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  while (first.length < 2) {
    const { value } = await reader.read()
    if (value === undefined) break
    first = Buffer.concat([first, value])
  }
  const chunks = startingWith(first, reader)
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* chunks
    return
  }
  let total = 0
  try {
    for await (const chunk of chunks.pipeThrough(new DecompressionStream('gzip'))) {
      total += chunk.length
      if (total > inflatedBytesMax) break
      yield chunk
    }
  } catch (error) {
    throw new InputError('the gzip data is cut short or damaged; fetch the file again', {
      cause: error,
    })
  }
  if (total > inflatedBytesMax) {
    throw new InputError(`the gzip data inflates to more than ${inflatedBytesMax} bytes`)
  }
}

/** Yields the lines of `stream` in groups, without their ends (LF or CRLF) and without a BOM. */
export async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<(string | null)[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let isSkipping = false
  for await (const chunk of inflated(stream)) {
    const pieces: (string | null)[] = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    if (isSkipping && pieces.length > 0) {
      pieces[0] = null
      isSkipping = false
    }
    if (rest.length > lineBytesMax) {
      // What was read of an endless line is dropped now; the line counts once, when it ends.
      rest = ''
      isSkipping = true
    }
    if (pieces.length > 0) yield pieces.map(withinLimit)
  }
  rest += decoder.decode()
  if (isSkipping) yield [null]
  else if (rest !== '') yield [withinLimit(rest)]
}

function withinLimit(line: string | null): string | null {
  if (line === null || line.length > lineBytesMax) return null
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Reads the whole of `stream` as text, inflating gzip; refuses more than `bytesMax` bytes. */
export async function readText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of inflated(stream)) {
    total += chunk.length
    if (total > bytesMax) throw new InputError(`the document is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Returns about the first `bytes` bytes of `stream` as text, inflating gzip. */
export async function readSample(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of inflated(stream)) {
    chunks.push(chunk)
    total += chunk.length
    if (total >= bytes) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytes))
}
