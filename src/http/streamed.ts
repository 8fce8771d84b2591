/**
 * Long answers that are written while they are sent, so that they take little memory however long they are: a
 * piece is made when the client has read the pieces before it. An answer that fits into one piece is sent at once.
 *
 * A slow client holds a few pieces in memory, and for a limited time: after two minutes the connection is closed.
 */

import { pipeline, Readable } from 'node:stream'
import {
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  type ZlibOptions,
} from 'node:zlib'
import { type Coding, type Content, chooseCoding, compressedAnswer } from './compression.ts'

/** The maximum number of characters of an answer that is sent at once. */
const shortLengthMax = 131_072

/** How long an answer may take to be read. */
const readingMsMaxDefault = 120_000

/** Quick rather than small: the text repeats itself so much that any level does. */
const gzipOptions: ZlibOptions = { level: 1 }
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const compressors = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress(brotliOptions),
  gzip: () => createGzip(gzipOptions),
} as const satisfies Record<Coding, unknown>

type Piece = string | Uint8Array
type Pieces = AsyncIterator<Piece, void>

const ends = new WeakMap<Response, Promise<void>>()

/** Resolves when the body of a streamed answer has been sent or given up; undefined for other answers. */
export function endOfBody(response: Response): Promise<void> | undefined {
  return ends.get(response)
}

/** Reads pieces until they exceed the length of a short answer; reports whether those were all. */
async function firstPieces(pieces: Pieces): Promise<{ first: Piece[]; isAll: boolean }> {
  const first: Piece[] = []
  let length = 0
  while (length <= shortLengthMax) {
    const piece = await pieces.next()
    if (piece.done === true) return { first, isAll: true }
    first.push(piece.value)
    length += piece.value.length
  }
  return { first, isAll: false }
}

const isText = (piece: Piece): piece is string => typeof piece === 'string'

/** Concatenates pieces. */
function joined(pieces: readonly Piece[]): Content {
  return pieces.every(isText)
    ? pieces.join('')
    : new Uint8Array(Buffer.concat(pieces.map((piece) => Buffer.from(piece))))
}

/** Yields `first` and the rest; ends the rest when it is ended itself. */
async function* together(first: readonly Piece[], rest: Pieces): AsyncGenerator<Piece, void> {
  try {
    yield* first
    for (;;) {
      const piece = await rest.next()
      if (piece.done === true) return
      yield piece.value
    }
  } finally {
    await rest.return?.()
  }
}

/** Compresses pieces as they come; ends them when it is ended. */
function coded(pieces: AsyncGenerator<Piece, void>, coding: Coding): Pieces {
  const compressor = compressors[coding]()
  // Reading on from the compressor tells of what goes wrong in either.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor, () => {})
  return compressor[Symbol.asyncIterator]()
}

/** Returns a body that takes a piece whenever the client has room for one. */
function bodyOf(pieces: Pieces, end: () => void, readingMsMax: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  const finish = (): void => {
    clearTimeout(timer)
    end()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(() => {
          controller.error(new Error('the answer was not read in time'))
          void pieces.return?.()
          finish()
        }, readingMsMax)
      },
      async pull(controller) {
        try {
          const piece = await pieces.next()
          if (piece.done === true) {
            controller.close()
            finish()
          } else {
            const { value } = piece
            controller.enqueue(isText(value) ? encoder.encode(value) : value)
          }
        } catch (error) {
          // The client sees that the answer is cut short; who writes it reports why.
          finish()
          controller.error(error)
        }
      },
      async cancel() {
        finish()
        await pieces.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}

/**
 * Answers 200 with pieces of text as they are made, compressed when they are long and the request allows
 * it. That the answer varies by `Accept-Encoding` is for the caller to say. To HEAD no piece is made.
 */
export async function streamedAnswer(
  request: Request,
  pieces: AsyncGenerator<Piece, void>,
  headers: Headers,
  readingMsMax = readingMsMaxDefault,
): Promise<Response> {
  if (request.method === 'HEAD') return new Response(null, { headers })
  const { first, isAll } = await firstPieces(pieces)
  if (isAll) return await compressedAnswer(request, joined(first), headers)
  const all = together(first, pieces)
  const coding = chooseCoding(request.headers.get('accept-encoding'))
  if (coding !== null) headers.set('content-encoding', coding)
  const { promise, resolve } = Promise.withResolvers<void>()
  const body = bodyOf(coding === null ? all : coded(all, coding), resolve, readingMsMax)
  const response = new Response(body, { headers })
  ends.set(response, promise)
  return response
}
