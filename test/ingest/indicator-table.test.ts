import { describe, expect, test } from 'bun:test'
import { csvFormats } from '../../src/ingest/formats/csv-formats.ts'
import { itemsOf, textsOf } from './reading.ts'

const sha256 = 'ab'.repeat(32)
const sha1 = 'cd'.repeat(20)
const md5 = 'ef'.repeat(16)

describe('indicatorTable', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a page, and not its host and address',
      'url,host,ip\nhttp://a.example/x,a.example,203.0.113.7',
      ['http://a.example/x'],
    ],
    [
      'a name, and not its parent and address',
      'domain,hostname,ip\na.example,x.a.example,203.0.113.7',
      ['x.a.example'],
    ],
    ['an address alone', 'domain,ip\n,203.0.113.7\n-,203.0.113.8', ['203.0.113.7', '203.0.113.8']],
    ['every digest of a row', `md5,sha1,sha256\n${md5},${sha1},${sha256}`, [sha256, sha1, md5]],
    [
      'a digest and where it was',
      `URL,SHA-256\nhttp://a.example/x,${sha256}`,
      ['http://a.example/x', sha256],
    ],
    ['mail addresses', 'Email;Target\na@b.example;Bank', ['a@b.example']],
    ['an index without a name', ',indicator,family\n0,a.example,x', ['a.example']],
    [
      'types for values, not for headers',
      'type,url,domain\nurl,http://a.example/,\ndomain,,b.example',
      ['http://a.example/', 'b.example'],
    ],
    [
      'rows without an indicator as refused',
      'domain,family\n,x\nn/a,x\na.example,x',
      ['(malformed_row)', '(malformed_row)', 'a.example'],
    ],
    [
      'no table without a column it knows',
      'name,family\na.example,x',
      ['(malformed_row)', '(malformed_row)'],
    ],
    [
      'weir’s own list',
      'domain,domain_unicode,do_not_block,threat_type,confidence\na.example,,0,scam,70',
      ['a.example'],
    ],
  ]
  for (const [name, text, expected] of rows) {
    test(`reads ${name}`, async () => {
      expect(await textsOf(csvFormats.table, text)).toEqual([...expected])
    })
  }

  test('keeps what common columns say, and leaves out what says nothing', async () => {
    const text =
      'domain,threat_type,brand,family,confidence\na.example,scam,Bank,n/a,101x\nb.example,-,None,x,70'
    expect(await itemsOf(csvFormats.table, new Blob([text]))).toEqual([
      { kind: 'name', text: 'a.example', threatType: 'scam', targetBrand: 'Bank' },
      {
        kind: 'name',
        text: 'b.example',
        threatType: 'malware',
        malwareFamily: 'x',
        confidence: 70,
      },
    ])
  })
})
