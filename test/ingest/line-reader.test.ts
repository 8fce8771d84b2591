import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { lineBytesMax, readLines, readSample, readText } from '../../src/ingest/line-reader.ts'
import { InputError } from '../../src/ingest/unpack.ts'
import { fuzzRuns } from './reading.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A stream of `bytes` in pieces of `step`. */
function streamOf(bytes: Bytes, step: number): ReadableStream<Bytes> {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + step))
      at += step
    },
  })
}

async function linesOf(text: string | Bytes, step = 4_096): Promise<(string | null)[]> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const all: (string | null)[] = []
  for await (const lines of readLines(streamOf(bytes, step))) all.push(...lines)
  return all
}

describe('readLines', () => {
  const long = 'x'.repeat(lineBytesMax)
  const rows: readonly (readonly [string, string, readonly (string | null)[]])[] = [
    ['no line of nothing', '', []],
    ['lines with and without an end', 'a\nb', ['a', 'b']],
    ['an end as no line of its own', 'a\nb\n', ['a', 'b']],
    ['CRLF', 'a\r\nb\r\n\r\n', ['a', 'b', '']],
    ['a byte order mark', '\uFEFFa\nb', ['a', 'b']],
    ['NUL and a lone CR as they are', 'a\0b\rc\n', ['a\0b\rc']],
    ['text beyond ASCII', 'é\n日本\n😀', ['é', '日本', '😀']],
    ['a line of the longest length', `a\n${long}\nb`, ['a', long, 'b']],
    ['a longer line as null', `a\n${long}x\nb`, ['a', null, 'b']],
    ['two longer lines as two', `${long}x\n${long}x\n`, [null, null]],
    ['a longer line without an end', `a\n${long}x`, ['a', null]],
  ]
  for (const [name, text, expected] of rows) {
    test(`reads ${name}`, async () => {
      expect(await linesOf(text)).toEqual([...expected])
      expect(await linesOf(text, 3)).toEqual([...expected])
      expect(await linesOf(text, 1_000_000)).toEqual([...expected])
    })
  }

  test('counts a line of 10 MB once, and drops it', async () => {
    const endless = new Uint8Array(10_000_000).fill(0x61)
    const text = Buffer.concat([Buffer.from('before\n'), endless, Buffer.from('\nafter\n')])
    expect(await linesOf(text, 64 * 1024)).toEqual(['before', null, 'after'])
    expect(await linesOf(endless, 1_000)).toEqual([null])
  })

  test('replaces bytes that are not UTF-8, and continues', async () => {
    expect(await linesOf(new Uint8Array([0x61, 0xff, 0x0a, 0x62]))).toEqual(['a\uFFFD', 'b'])
  })

  test('reads the same lines whatever the chunks and the packing', async () => {
    const lines = fc.array(
      fc
        .string({ unit: 'grapheme', maxLength: 20 })
        .map((line) => line.replace(/[\r\n\uFEFF]/g, '')),
    )
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (expected, step) => {
        const bytes = new TextEncoder().encode(expected.map((line) => `${line}\n`).join(''))
        for (const packed of [bytes, gzipSync(bytes), new Uint8Array(zipSync({ x: bytes }))]) {
          expect(await linesOf(packed, step)).toEqual(expected)
        }
      }),
      fuzzRuns,
    )
  })
})

describe('readText', () => {
  test('reads a packed document', async () => {
    expect(await readText(new Blob([gzipSync('{"a":1}')]).stream(), 100)).toBe('{"a":1}')
  })

  test('refuses a document that is too large when unpacked', async () => {
    const reading = readText(new Blob([gzipSync(new Uint8Array(1_000))]).stream(), 999)
    expect(await reading.catch((error: unknown) => error)).toBeInstanceOf(InputError)
  })
})

describe('readSample', () => {
  test('reads the beginning of a packed list and no more', async () => {
    const list = gzipSync('example.com\n'.repeat(100_000))
    expect(await readSample(new Blob([list]).stream(), 15)).toBe('example.com\nexa')
    expect(await readSample(new Blob(['short']).stream(), 15)).toBe('short')
  })
})
