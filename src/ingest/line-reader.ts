/**
 * Unpacks a stream of bytes and splits it into lines, with flat memory.
 *
 * A line longer than `lineBytesMax` is yielded as null, so that the caller can count it and continue.
 */

import { InputError, unpacked } from './unpack.ts'

/** The maximum length of a line; the longest URL seen in a feed is under 3 KiB. */
export const lineBytesMax = 64 * 1024

/** Yields the lines of `stream` in groups, without their ends (LF or CRLF) and without a BOM. */
export async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<(string | null)[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let isSkipping = false
  for await (const chunk of unpacked(stream)) {
    // Only the new chunk is searched for line ends, so that a long line costs its length once.
    const lines: (string | null)[] = decoder.decode(chunk, { stream: true }).split('\n')
    const tail = lines.pop() ?? ''
    if (lines.length === 0) {
      rest = isSkipping ? '' : rest + tail
    } else {
      lines[0] = isSkipping ? null : rest + (lines[0] ?? '')
      rest = tail
      isSkipping = false
    }
    if (rest.length > lineBytesMax) {
      // The start of a too long line is dropped now; the line counts once, when it ends.
      rest = ''
      isSkipping = true
    }
    if (lines.length > 0) yield lines.map(withinLimit)
  }
  rest += decoder.decode()
  if (isSkipping) yield [null]
  else if (rest !== '') yield [withinLimit(rest)]
}

function withinLimit(line: string | null): string | null {
  if (line === null || line.length > lineBytesMax) return null
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Returns all of `stream` as text, unpacked; throws an `InputError` when it has more than `bytesMax` bytes. */
export async function readText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of unpacked(stream)) {
    total += chunk.length
    if (total > bytesMax) throw new InputError(`the document is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Returns about the first `bytes` bytes of `stream` as text, unpacked. */
export async function readSample(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of unpacked(stream)) {
    chunks.push(chunk)
    total += chunk.length
    if (total >= bytes) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytes))
}
