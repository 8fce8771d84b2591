/** Which coding is chosen, and that what is compressed reads back. */

import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chooseCoding, compressedAnswer } from '../../src/http/compression.ts'

describe('chooseCoding', () => {
  test.each([
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0.1', 'br'],
    ['zstd;q=0, gzip;q=1.0', 'gzip'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'br'],
    ['*;q=0', null],
    ['deflate, x-gzip', null],
    ['gzip ; q=0', null],
    [',;,', null],
  ] as const)('%s chooses %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding)
  })
})

describe('compressedAnswer', () => {
  const text = 'evil.test\n'.repeat(1000)
  const answer = (coding: string, body: string) => {
    const request = new Request('http://weir.test/', { headers: { 'accept-encoding': coding } })
    return compressedAnswer(request, body, new Headers({ etag: 'W/"a"' }))
  }

  test.each([
    ['zstd', zstdDecompressSync],
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('%s reads back', async (coding, read) => {
    const response = await answer(coding, text)
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('etag')).toBe('W/"a"')
    const bytes = await response.bytes()
    expect(bytes.length).toBeLessThan(text.length / 10)
    expect(read(bytes).toString()).toBe(text)
  })

  test('short answers and clients that accept nothing get the text', async () => {
    for (const response of [await answer('zstd', 'short'), await answer('identity', text)]) {
      expect(response.headers.get('content-encoding')).toBeNull()
    }
  })
})
