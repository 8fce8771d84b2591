/** Long answers, and clients that read them slowly, not at all, or not to the end. */

import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { endOfBody, streamedAnswer } from '../../src/http/streamed.ts'
import { eventually } from '../commands/process.ts'
import { RawConnection } from '../commands/raw-connection.ts'

const pieceLength = 50_000

/** Text in pieces, and what has become of it. */
class Source {
  made = 0
  hasEnded = false
  readonly #pieces: number
  readonly #fails: boolean

  constructor(pieces: number, fails = false) {
    this.#pieces = pieces
    this.#fails = fails
  }

  async *pieces(): AsyncGenerator<string, void> {
    try {
      while (this.made < this.#pieces) {
        yield pieceOf(this.made++)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (this.#fails) throw new Error('the disk cannot be read')
    } finally {
      this.hasEnded = true
    }
  }

  get text(): string {
    return Array.from({ length: this.#pieces }, (_, index) => pieceOf(index)).join('')
  }
}

/** Does not compress to nothing, and has characters of several bytes. */
const pieceOf = (index: number): string =>
  Array.from({ length: pieceLength / 50 }, (_, line) =>
    `ü ${Bun.hash(`${index} ${line}`)}`.padEnd(50, '.'),
  ).join('')

/** Serves a source under `/`, and tells when each answer was through. */
function serve(source: Source, readingMsMax?: number) {
  const ends: Promise<void>[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 30,
    fetch: async (request) => {
      const headers = new Headers({ 'content-type': 'text/plain' })
      const response = await streamedAnswer(request, source.pieces(), headers, readingMsMax)
      const end = endOfBody(response)
      if (end !== undefined) ends.push(end)
      return response
    },
  })
  return { server, ends, url: server.url.origin, [Symbol.dispose]: () => void server.stop(true) }
}

const decoders = {
  identity: (bytes: Uint8Array) => Buffer.from(bytes),
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const

describe('a streamed answer', () => {
  for (const [coding, decode] of Object.entries(decoders)) {
    test.each([1, 3, 60])(`of %i pieces comes whole as ${coding}`, async (pieces) => {
      const source = new Source(pieces)
      using world = serve(source)
      const headers = { 'accept-encoding': coding }
      const response = await fetch(world.url, { headers, decompress: false })
      expect(response.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
      const text = decode(new Uint8Array(await response.arrayBuffer())).toString()
      expect(text === source.text).toBe(true)
      await Promise.all(world.ends)
      expect(source.hasEnded).toBe(true)
      // What is short has its length, and is sent at once.
      expect(response.headers.has('content-length')).toBe(pieces <= 2)
    })
  }

  test('to HEAD is never made', async () => {
    const source = new Source(60)
    using world = serve(source)
    expect((await fetch(world.url, { method: 'HEAD' })).status).toBe(200)
    expect(source.made).toBe(0)
  })

  test('is made no faster than it is read', async () => {
    const source = new Source(4_000)
    using world = serve(source)
    const reader = await RawConnection.open(world.url)
    reader.readNoMore()
    reader.send('GET / HTTP/1.1\r\nHost: weir.test\r\nAccept-Encoding: identity\r\n\r\n')
    // While another client reads as much from its beginning to its end, this one gets no further.
    using other = serve(new Source(1_000))
    expect((await (await fetch(other.url)).text()).length).toBe(1_000 * pieceLength)
    expect(source.made).toBeGreaterThan(0)
    expect(source.made).toBeLessThan(500)
    reader.end()
    await Promise.all(world.ends)
    await eventually('the source to end', () => (source.hasEnded ? true : null))
  })

  test('that nobody reads to its end ends, compressed or not', async () => {
    for (const coding of ['identity', 'gzip']) {
      const source = new Source(4_000)
      using world = serve(source)
      const response = await fetch(world.url, { headers: { 'accept-encoding': coding } })
      const reader = response.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      await eventually('the source to end', () => (source.hasEnded ? true : null))
      await Promise.all(world.ends)
      expect(source.made).toBeLessThan(4_000)
    }
  })

  test('that takes too long to be read is cut off', async () => {
    const source = new Source(4_000)
    using world = serve(source, 300)
    const reader = await RawConnection.open(world.url)
    reader.readNoMore()
    reader.send('GET / HTTP/1.1\r\nHost: weir.test\r\nAccept-Encoding: identity\r\n\r\n')
    await eventually('the answer to begin', () => (world.ends.length > 0 ? true : null))
    await Promise.all(world.ends)
    await eventually('the source to end', () => (source.hasEnded ? true : null))
    reader.end()
  })

  test('that fails under way is cut short, and never looks whole', async () => {
    for (const coding of ['identity', 'gzip']) {
      using world = serve(new Source(10, true))
      const read = fetch(world.url, { headers: { 'accept-encoding': coding } }).then((response) =>
        response.text(),
      )
      expect(
        await read.then(
          () => 'whole',
          () => 'cut short',
        ),
      ).toBe('cut short')
      await Promise.all(world.ends)
    }
  })
})
