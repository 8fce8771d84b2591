import { describe, expect, test } from 'bun:test'
import { jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import { type Counts, countsOfItems, itemsOf, textsOf } from './reading.ts'

describe('misp-warninglist', () => {
  const list = (entries: unknown, more: object = {}) =>
    JSON.stringify({ type: 'string', list: entries, ...more })
  const digest = 'd41d8cd98f00b204e9800998ecf8427e'
  const rows: readonly [string, string, Counts | 'malformed'][] = [
    [
      'names, with and without the dot of all below',
      list(['a.example', '.b.example', 'domain']),
      { name: 3 },
    ],
    [
      'digests of known and other lengths',
      list([digest, digest + digest.slice(0, 24), digest.repeat(4)]),
      { digest: 1, '(unsupported_type)': 2 },
    ],
    [
      'addresses and networks',
      list(['203.0.113.7', '2001:db8::1', '203.0.113.0/24', '2001:db8::/32']),
      { address: 2, network: 2 },
    ],
    [
      'a fuzzy digest that could be an address',
      list(['3::'], { matching_attributes: ['ssdeep'] }),
      { '(unsupported_type)': 1 },
    ],
    [
      'an address in a list of addresses',
      list(['3::1'], { matching_attributes: ['domain|ip'] }),
      { address: 1 },
    ],
    [
      'pages, sentences and patterns',
      list(['a.example/x', 'two words', '^a.*$', 'a.example/24']),
      { '(unsupported_type)': 4 },
    ],
    [
      'entries that were cut short',
      list(['a.example.te...', 'a.example.te…', '']),
      { '(malformed_row)': 3 },
    ],
    ['elements that are no text', list([null, 7, {}, ['a.example']]), { '(malformed_row)': 4 }],
    [
      'a list of expressions',
      list(['a.example', '/x/'], { type: 'regex' }),
      { '(unsupported_type)': 2 },
    ],
    ['no type', '{"list":["a.example"]}', 'malformed'],
    ['no list', '{"type":"string","list":{}}', 'malformed'],
  ]
  for (const [name, text, expected] of rows) {
    test(name, async () => {
      const items = await itemsOf(jsonFormats['misp-warninglist'], new Blob([text]))
      expect<Counts | 'malformed'>(countsOfItems(items)).toEqual(expected)
    })
  }
  test('the dot of all below is cut', async () => {
    expect(await textsOf(jsonFormats['misp-warninglist'], list(['.b.example']))).toEqual([
      'b.example',
    ])
  })
})
