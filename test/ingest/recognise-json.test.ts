import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonFormatName } from '../../src/ingest/formats/json-feeds.ts'
import { recogniseJson } from '../../src/ingest/formats/recognise-json.ts'
import { jsonFormatNames, jsonSamples } from './json-samples.ts'
import { fuzzRuns } from './reading.ts'

describe('recogniseJson', () => {
  for (const name of jsonFormatNames) {
    test(`${name}, whole, indented, with a BOM and cut off`, () => {
      const text = JSON.stringify(jsonSamples[name])
      expect(recogniseJson(text)).toBe(name)
      expect(recogniseJson(`\uFEFF ${JSON.stringify(jsonSamples[name], null, '\t')}`)).toBe(name)
      expect(recogniseJson(text.slice(0, -4))).toBe(name)
    })
  }
  const rows: readonly [string, string, JsonFormatName | null][] = [
    ['an empty array', '[]', 'json-array'],
    ['a TAXII envelope', '{"more":true,"objects":[{"type":"ind', 'stix'],
    ['a MISP event as a feed serves it', '{"Event":{"info":"x"', 'misp'],
    ['several MISP events', '[{"Event":{"info":"x"', 'misp'],
    [
      'a warninglist whose list has no end',
      `{"description":"x","list":[${'"a.example",'.repeat(9_000)}`,
      'misp-warninglist',
    ],
    ['a site’s wallets', '{"a.example":["15x"],"Some Attacker":["12y"]}', null],
    ['the manifest of a MISP feed', '{"59dbf0f6-3203-413a-9fbc-7960b592e4cf":{"info":"x"}}', null],
    ['keys only quoted in values', '{"a":"\\"blacklist\\":","b":["deny","objects"]}', null],
    ['keys deeper than they should be', '{"a":{"objects":[]},"b":[[{"ioc_value":1}]]}', null],
    ['an array of numbers', '[1,2]', null],
    ['an array of other rows', '[{"date":"x","url":"y","title":"z"}]', null],
    ['an HTML page', '<html>', null],
    ['a list of names', 'a.example', null],
    ['nothing', '', null],
  ]
  for (const [name, text, expected] of rows) {
    test(name, () => expect(recogniseJson(text)).toBe(expected))
  }
  test('any beginning is answered', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      ' ',
      'objects',
      'Event',
      'list',
      '\0',
      '\uFEFF',
    )
    const text = fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (sample) => {
        recogniseJson(sample)
      }),
      fuzzRuns,
    )
  })
})
