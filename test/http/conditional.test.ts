/** CacheValidators and conditional requests (RFC 9110, 13). */

import { describe, expect, test } from 'bun:test'
import { createValidators, isNotModified } from '../../src/http/conditional.ts'

const changedAt = Date.UTC(2026, 10, 20, 8, 15, 30, 200)
const later = changedAt + 60_000
const validators = createValidators(['epoch', 4096], changedAt, later)
const ask = (headers: Record<string, string>) => isNotModified(new Headers(headers), validators)
const dated = (time: number) => ({ 'if-modified-since': new Date(time).toUTCString() })

describe('createValidators', () => {
  test('the tag changes with every part of the version', () => {
    const tags = [
      ['epoch', 4096],
      ['epoch', 4097],
      ['other', 4096],
      ['epoch', 4096, null],
      ['epoch4096'],
    ].map((version) => createValidators(version, changedAt, later).etag)
    expect(new Set(tags).size).toBe(tags.length)
    for (const tag of tags) expect(tag).toMatch(/^W\/"[0-9a-z]+"$/)
  })

  test('the date is the second of the change', () => {
    expect(validators.lastModified).toBe(Date.UTC(2026, 10, 20, 8, 15, 30))
  })

  test('a second change within one second is not missed by date', () => {
    const first = createValidators([1], changedAt, changedAt + 100)
    const second = createValidators([2], changedAt + 500, later)
    expect(isNotModified(new Headers(dated(first.lastModified)), second)).toBe(false)
  })
})

describe('isNotModified', () => {
  const { etag } = validators
  test.each([
    ['nothing asked', {}, false],
    ['the tag', { 'if-none-match': etag }, true],
    ['the tag without W/', { 'if-none-match': etag.slice(2) }, true],
    ['one of several tags', { 'if-none-match': `"a", ${etag} , W/"b"` }, true],
    ['a star', { 'if-none-match': ' * ' }, true],
    ['another tag', { 'if-none-match': '"a"' }, false],
    ['the tag without quotes', { 'if-none-match': etag.slice(3, -1) }, false],
    ['an empty tag list', { 'if-none-match': '' }, false],
    ['the date', dated(validators.lastModified), true],
    ['a later date', dated(later), true],
    ['an earlier date', dated(validators.lastModified - 1000), false],
    ['no date', { 'if-modified-since': 'soon' }, false],
    ['a year alone', { 'if-modified-since': '2999' }, false],
    ['another tag and the date', { 'if-none-match': '"a"', ...dated(later) }, false],
  ] as const)('%s', (_name, headers, expected) => {
    expect(ask(headers)).toBe(expected)
  })
})
