/** File digests, distinguished by length. */

import { describe, expect, test } from 'bun:test'
import { digestRefusalMessages, parseDigest } from '../../src/model/digest.ts'

describe('parseDigest', () => {
  test.each([
    ['sha256', 64],
    ['sha1', 40],
    ['md5', 32],
  ] as const)('reads %s from %d hex digits of any case', (type, length) => {
    const hex = 'aBcDeF01'.repeat(length / 8)
    expect<unknown>(parseDigest(` ${hex}\n`)).toEqual({
      ok: true,
      value: { type, value: hex.toLowerCase() },
    })
  })

  test.each([
    ['', 'wrong_length'],
    ['ab', 'wrong_length'],
    ['a'.repeat(63), 'wrong_length'],
    ['a'.repeat(65), 'wrong_length'],
    ['a'.repeat(100_000), 'wrong_length'],
    ['g'.repeat(64), 'not_hex'],
    [`${'a'.repeat(31)} ${'a'.repeat(32)}`, 'not_hex'],
    ['\uFF10'.repeat(32), 'not_hex'],
    [`0x${'a'.repeat(30)}`, 'not_hex'],
  ] as const)('refuses %j as %s', (text, reason) => {
    expect(parseDigest(text)).toEqual({ ok: false, reason })
    expect(digestRefusalMessages[reason]).toMatch(/^Send .+\.$/)
  })
})
