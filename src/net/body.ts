/**
 * The body of an answer as a stream: inflated, limited and read only on demand.
 *
 * The limit applies to the bytes received and to the inflated bytes, so that neither an endless body nor
 * a short one that inflates endlessly is held in memory.
 */

import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Lifetime } from './lifetime.ts'
import { findErrorCode, OutboundError } from './outbound-error.ts'

/** How to read a body. */
export interface BodyOptions {
  readonly host: string
  readonly bytesMax: number
  readonly encoding: 'gzip' | 'identity'
  /** Ends when reading ends: at the end of the body, after an error, or when cancelled. */
  readonly lifetime: Lifetime
}

type Chunks = AsyncIterable<Uint8Array>

async function* limited(
  chunks: Chunks,
  { host, bytesMax }: BodyOptions,
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > bytesMax) {
      throw new OutboundError('too_large', host, `the answer is over ${bytesMax} bytes`)
    }
    yield chunk
  }
}

/** Yields the bytes received; throws when the connection ends before the body does. */
async function* received(
  message: IncomingMessage,
  { host, lifetime }: BodyOptions,
): AsyncGenerator<Uint8Array> {
  try {
    yield* message
  } catch (error) {
    const what = `the answer ended early (${findErrorCode(error)})`
    throw new OutboundError('damaged_body', host, what, error)
  }
  // A body that ends with its connection looks complete when weir itself closed the connection.
  if (!message.complete || lifetime.signal.aborted) {
    throw new OutboundError('damaged_body', host, 'the answer ended early')
  }
}

async function* inflated(chunks: Chunks, host: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  // An error of the chunks destroys the stream, which then throws it below.
  pipeline(chunks, gunzip, () => {})
  try {
    yield* gunzip
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const what = `its gzip encoding is damaged (${findErrorCode(error)})`
    throw new OutboundError('damaged_body', host, what, error)
  }
}

/** Returns the body of `message` as a stream that is read from the connection only on demand. */
export function bodyStream(
  message: IncomingMessage,
  options: BodyOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const plain = limited(received(message, options), options)
  const chunks =
    options.encoding === 'gzip' ? limited(inflated(plain, options.host), options) : plain
  const { lifetime, host } = options
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const next = await chunks.next()
          if (!next.done) {
            controller.enqueue(new Uint8Array(next.value))
            return
          }
          lifetime.end()
          controller.close()
        } catch (error) {
          const failure = lifetime.explain(error, host)
          lifetime.end()
          throw failure
        }
      },
      cancel: () => lifetime.end(),
    },
    { highWaterMark: 0 },
  )
}

/** Returns a body without bytes, such as that of a 304. */
export function emptyBody(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => controller.close() })
}
