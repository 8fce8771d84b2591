import { describe, expect, test } from 'bun:test'
import type { FeedEntry } from '../../src/ingest/formats/format.ts'
import { isPost, tweetfeed } from '../../src/ingest/formats/tweetfeed.ts'
import { itemsOf, textsOf } from './reading.ts'

const md5 = 'ef'.repeat(16)

const post = (type: string, value: string, tags = ''): string =>
  `2026-01-02 03:04:05,someone,${type},${value},${tags},https://x.example/7`

describe('tweetfeed', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a name', post('domain', 'a.example'), 'a.example'],
    ['a host beyond ASCII', post('url', 'http://exämple.example'), 'http://exämple.example'],
    ['an address', post('ip', '203.0.113.7'), '203.0.113.7'],
    ['a digest', post('md5', md5), md5],
    ['a row cut short', post('url', 'http://a.example').slice(0, 40), '(malformed_row)'],
    ['a row with a comma too many', post('url', 'http://a.example/x,y'), '(malformed_row)'],
    ['a row without a value', post('url', ''), '(malformed_row)'],
    ['a row without a date', post('url', 'http://a.example').slice(5), '(malformed_row)'],
    ['a type it has not had so far', post('email', 'a@b.example'), '(unsupported_type)'],
    ['a type that every object has', post('constructor', 'a.example'), '(unsupported_type)'],
    ['an attachment for a name', post('domain', 'Officers.PDF.zip'), '(not_an_indicator)'],
    ['a program for a name', post('domain', 'setup.exe'), '(not_an_indicator)'],
    ['an attachment for a page', post('url', 'http://invoice.pdf.zip'), '(not_an_indicator)'],
    ['a name that may be a file', post('url', 'http://documents.zip'), 'http://documents.zip'],
    ['a name with an ending inside', post('domain', 'pdf.example.com'), 'pdf.example.com'],
    ['an ending in a path', post('url', 'http://a.example/x.pdf'), 'http://a.example/x.pdf'],
    ['an ending in a query', post('url', 'http://a.example?x.pdf'), 'http://a.example?x.pdf'],
  ]
  for (const [name, row, expected] of rows) {
    test(`reads ${name}`, async () => expect(await textsOf(tweetfeed, row)).toEqual([expected]))
  }

  const tags: readonly (readonly [string, string, FeedEntry['threatType']])[] = [
    ['domain', '#Phishing', 'phishing'],
    ['domain', '#scam', 'scam'],
    ['domain', '#scam #phishing', 'phishing'],
    ['domain', '#Remcos #opendir', 'malware'],
    ['domain', '#opendir #APT', undefined],
    ['domain', '', undefined],
    ['md5', '#phishing', 'malware'],
  ]
  for (const [type, tag, threatType] of tags) {
    test(`takes a ${type} tagged "${tag}" for ${threatType ?? 'what the source is'}`, async () => {
      const row = post(type, type === 'md5' ? md5 : 'a.example', tag)
      const [item] = await itemsOf(tweetfeed, new Blob([row]))
      expect(Object(item).threatType).toBe(threatType)
    })
  }
})

describe('isPost', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    [post('domain', 'a.example'), true],
    [post('ip', '203.0.113.7', '#x'), true],
    [post('email', 'a@b.example'), false],
    ['2026-01-02,someone,ip,203.0.113.7,,x', false],
    ['2026-01-02 03:04:05,a.example', false],
    ['', false],
  ]
  for (const [row, expected] of rows) {
    test(`takes "${row}" for ${expected ? 'a post' : 'no post'}`, () => {
      expect(isPost(row)).toBe(expected)
    })
  }
})
