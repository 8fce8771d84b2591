/** Packed feeds: gzip and zip as publishers make them, damaged ones, and bombs. */

import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate'
import { InputError, unpacked } from '../../src/ingest/unpack.ts'
import { fuzzRuns } from './reading.ts'

type Bytes = Uint8Array<ArrayBuffer>

const text = Array.from({ length: 5_000 }, (_, index) => `host-${index * 7919}.example.com`).join(
  '\n',
)
const content: Bytes = Buffer.from(text)

/** A stream of `bytes` in pieces of `step`. */
function streamOf(bytes: Uint8Array, step = 4_096): ReadableStream<Bytes> {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(new Uint8Array(bytes.slice(at, at + step)))
      at += step
    },
  })
}

async function unpack(bytes: Uint8Array, step?: number, bytesMax?: number): Promise<string> {
  const chunks: Bytes[] = []
  for await (const chunk of unpacked(streamOf(bytes, step), bytesMax)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Returns the error that a promise rejects with; null when it resolves. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}

/** An archive as a stream writes it: sizes and checksum follow the data. */
function streamedZip(entry: ZipDeflate | ZipPassThrough): Uint8Array {
  const chunks: Uint8Array[] = []
  const zip = new Zip((_, chunk) => chunks.push(chunk))
  zip.add(entry)
  entry.push(content, true)
  zip.end()
  return Buffer.concat(chunks)
}

/** `bytes` with some of them changed. */
function patched(bytes: Uint8Array, changes: Readonly<Record<number, number>>): Uint8Array {
  const copy = new Uint8Array(bytes)
  for (const [at, value] of Object.entries(changes)) copy[Number(at)] = value
  return copy
}

const zipped = zipSync({ 'full.csv': content })
const several = zipSync({ 'full.csv': content, 'other.csv': Buffer.from('other') })
const stored = zipSync({ 'full.csv': [content, { level: 0 }] })

describe('unpacked', () => {
  const packings: readonly (readonly [string, Uint8Array])[] = [
    ['what is not packed', content],
    ['gzip', gzipSync(content)],
    ['gzip in two members', Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))])],
    ['the file of a zip archive', zipped],
    ['a zip archive that begins with directories', zipSync({ a: { b: { 'x.csv': content } } })],
    ['a file that is stored in a zip archive', stored],
    ['a zip archive written as a stream', streamedZip(new ZipDeflate('full.csv'))],
    [
      'a zip archive that mentions another',
      zipSync({ x: [content, { extra: { 9: stored.slice(0, 99) } }] }),
    ],
  ]
  for (const [name, bytes] of packings) {
    test(`reads ${name}, whole or byte by byte`, async () => {
      expect(await unpack(bytes, bytes.length)).toBe(text)
      expect(await unpack(bytes, 1)).toBe(text)
      expect(await unpack(bytes, 8_191)).toBe(text)
    })
  }

  test('reads data that is shorter than a signature', async () => {
    for (const short of ['', 'a', 'PK', 'PK\u0003'])
      expect(await unpack(Buffer.from(short))).toBe(short)
  })

  const gzipped = gzipSync(content)
  const refusals: readonly (readonly [string, Uint8Array, RegExp])[] = [
    [
      'gzip that is cut short',
      gzipped.subarray(0, -20),
      /gzip data is cut short or damaged; fetch/,
    ],
    ['gzip that is damaged', patched(gzipped, { 500: 0xff, 501: 0xff }), /gzip data is cut short/],
    ['gzip with nothing behind its mark', gzipped.subarray(0, 5), /gzip data is cut short/],
    ['a zip header that is cut short', zipped.subarray(0, 20), /zip data is cut short or damaged/],
    ['a zip archive of several files', several, /it holds 2 files; unpack it and import/],
    ['a zip archive that is cut short', zipped.subarray(0, 9_000), /zip data is cut short/],
    ['a stored file that is cut short', stored.subarray(0, 9_000), /zip data is cut short/],
    ['a zip archive with a wrong checksum', patched(zipped, { 14: 0, 15: 0 }), /damaged/],
    ['a stored file that is damaged', patched(stored, { 5000: 0 }), /damaged/],
    ['an encrypted zip archive', patched(zipped, { 6: 1 }), /is encrypted; unpack it and import/],
    ['a packing nobody expects', patched(zipped, { 8: 14 }), /packed by method 14; unpack it/],
    [
      'a stored file of unknown size',
      streamedZip(new ZipPassThrough('x')),
      /has no size; unpack it/,
    ],
    ['a very long name', patched(zipped, { 27: 0xff }), /too long; unpack it/],
    ['an empty zip archive', zipSync({}), /holds no file; check/],
    ['a zip archive of directories', zipSync({ 'a/': new Uint8Array(0) }), /holds no file/],
    [
      'a zip archive of too many directories',
      zipSync(
        Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}/`, new Uint8Array(0)])),
      ),
      /too many directories; unpack it/,
    ],
  ]
  for (const [name, bytes, message] of refusals) {
    test(`refuses ${name} and says what to do`, async () => {
      const error = await failureOf(unpack(bytes))
      expect(error).toBeInstanceOf(InputError)
      expect(String(error)).toMatch(message)
    })
  }

  for (const [name, bomb] of [
    ['gzip', gzipSync(new Uint8Array(64 * 1024 ** 2))],
    ['zip', zipSync({ x: new Uint8Array(64 * 1024 ** 2) })],
  ] as const) {
    test(`ends a ${name} bomb at the limit, without reading it all`, async () => {
      let largest = 0
      const read = async (): Promise<void> => {
        for await (const chunk of unpacked(streamOf(bomb), 1024 ** 2)) {
          largest = Math.max(largest, chunk.length)
        }
      }
      expect(String(await failureOf(read()))).toMatch(
        /larger than 1048576 bytes; import it in parts/,
      )
      expect(largest).toBeLessThanOrEqual(64 * 1024)
    })
  }

  for (const [name, bytes] of [
    ['a plain stream', content],
    ['gzip', gzipped],
    ['zip', zipped],
  ] as const) {
    test(`closes ${name} when the reader stops, although more may come`, async () => {
      let isCancelled = false
      let isSent = false
      const stream = new ReadableStream<Bytes>({
        pull: (controller) => {
          // After the first chunk there is neither more data nor an end.
          if (isSent) return new Promise(() => {})
          isSent = true
          controller.enqueue(new Uint8Array(bytes.slice(0, 20_000)))
          return undefined
        },
        cancel: () => {
          isCancelled = true
        },
      })
      for await (const _ of unpacked(stream)) break
      expect(isCancelled).toBe(true)
    })

    test(`throws the error that ${name} failed with`, async () => {
      const gone = new TypeError('the network is gone')
      let isSent = false
      const stream = new ReadableStream<Bytes>({
        pull: (controller) => {
          if (isSent) controller.error(gone)
          else controller.enqueue(new Uint8Array(bytes.slice(0, 5_000)))
          isSent = true
        },
      })
      const read = async (): Promise<void> => {
        for await (const _ of unpacked(stream));
      }
      expect(await failureOf(read())).toBe(gone)
    })
  }

  test('reads changed data, or refuses it with an InputError', async () => {
    const archives = fc.constantFrom<Uint8Array>(gzipped, zipped, stored)
    const changes = fc.dictionary(fc.nat(200).map(String), fc.nat(255))
    const cut = fc.integer({ min: 1, max: content.length })
    await fc.assert(
      fc.asyncProperty(archives, changes, cut, async (archive, changed, length) => {
        const bytes = patched(archive, changed).subarray(0, length)
        const failure = await failureOf(unpack(bytes, 4_096, 1024 ** 2))
        expect(failure === null || failure instanceof InputError).toBe(true)
      }),
      fuzzRuns,
    )
  })
})
