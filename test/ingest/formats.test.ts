import { describe, expect, test } from 'bun:test'
import type { Item } from '../../src/ingest/formats/format.ts'
import { type FormatName, findFormat } from '../../src/ingest/formats/formats.ts'
import { recogniseFormat } from '../../src/ingest/formats/recognise.ts'

function entriesOf(name: FormatName, text: string): string[] {
  const format = findFormat(name)
  const items: Item[] = []
  if (format.kind === 'document') {
    const read = format.read(text)
    if (!read.ok) return ['(malformed)']
    items.push(...read.value)
  } else if (format.kind === 'lines') {
    const readLine = format.open()
    for (const line of text.split('\n')) readLine(line, (item) => items.push(item))
  }
  return items.map((item) => (item.kind === 'refused' ? `(${item.reason})` : item.text))
}

describe('reading', () => {
  const rows: readonly [FormatName, string, string, string[]][] = [
    ['domains', 'a name a line', 'a.example\nb.example', ['a.example', 'b.example']],
    ['domains', 'blanks and comments', '\n# x\n! y\n; z\n  \na.example  # why', ['a.example']],
    [
      'hosts',
      'names after an address',
      '0.0.0.0 a.example b.example # c',
      ['a.example', 'b.example'],
    ],
    ['domains', 'a date before the name', '2026-01-02\ta.example', ['a.example']],
    ['polkadot', 'the deny list', '{"allow":["w"],"deny":["a.example"]}', ['a.example']],
    ['hosts', 'tabs', '127.0.0.1\ta.example', ['a.example']],
    ['hosts', 'an address alone, to be counted', '0.0.0.0', ['0.0.0.0']],
    ['urls', 'a fragment is no comment', 'http://a.example/#x', ['http://a.example/#x']],
    ['urls', 'a banner', '# URLs\nhttp://a.example/', ['http://a.example/']],
    [
      'eth-phishing-detect',
      'the blacklist alone',
      '{"fuzzylist":["f"],"whitelist":["w"],"blacklist":["b.example"]}',
      ['b.example'],
    ],
    [
      'eth-phishing-detect',
      'something that is no name',
      '{"blacklist":["b.example",7]}',
      ['b.example', ''],
    ],
    ['eth-phishing-detect', 'no blacklist', '{"a":1}', ['(malformed)']],
    ['eth-phishing-detect', 'no JSON', '<html>', ['(malformed)']],
  ]
  for (const [format, name, text, expected] of rows) {
    test(`${format}: ${name}`, () => expect(entriesOf(format, text)).toEqual(expected))
  }
})

describe('recognising', () => {
  const rows: readonly [string, string, FormatName | null][] = [
    ['a domain list', '# list\na.example\nb.example', 'domains'],
    ['a hosts file', '# x\n0.0.0.0 a.example\n::1 localhost', 'hosts'],
    ['a URL list', 'http://a.example/x\nhttps://b.example/', 'urls'],
    ['URLs without a scheme', 'a.example/login\nb.example/x', 'urls'],
    ['the configuration', '\uFEFF{ "version": 2, "blacklist": [] }', 'eth-phishing-detect'],
    ['the deny list', '{\n\t"allow": [', 'polkadot'],
    ['other JSON', '{"a":1}', null],
    ['an HTML page', '  <!doctype html><html>', null],
    ['binary data', 'PK\u0003\u0004\0\0', null],
    ['an empty file', '', 'domains'],
  ]
  for (const [name, sample, expected] of rows) {
    test(name, () => expect(recogniseFormat(sample)).toBe(expected))
  }
})
