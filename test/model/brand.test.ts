/** The table of brands: its lines, and the errors that name an invalid one. */

import { describe, expect, test } from 'bun:test'
import { parseBrands } from '../../src/model/brand.ts'
import { FactError } from '../../src/model/fact-lines.ts'

describe('parseBrands', () => {
  test('parses one brand per line, without comments and empty lines', () => {
    const text = [
      '# Brands.',
      '',
      'Acme Bank | bank | acme.example acme-bank.example | Acme, The Acme |',
      '  Zèbre|shop|xn--zbre-5oa.example   # as people write it',
      'River | other | river.example | | word',
    ].join('\n')
    expect(parseBrands(text)).toEqual([
      {
        name: 'Acme Bank',
        sector: 'bank',
        domains: ['acme.example', 'acme-bank.example'],
        aliases: ['Acme', 'The Acme'],
        isWord: false,
      },
      {
        name: 'Zèbre',
        sector: 'shop',
        domains: ['xn--zbre-5oa.example'],
        aliases: [],
        isWord: false,
      },
      { name: 'River', sector: 'other', domains: ['river.example'], aliases: [], isWord: true },
    ])
    expect(parseBrands('')).toEqual([])
  })

  test('accepts the line ends of other systems', () => {
    expect(parseBrands('A | bank | a.example | | word\r\nB | bank | b.example | |\r\n')).toEqual([
      { name: 'A', sector: 'bank', domains: ['a.example'], aliases: [], isWord: true },
      { name: 'B', sector: 'bank', domains: ['b.example'], aliases: [], isWord: false },
    ])
  })

  const first = 'Acme | bank | acme.example | |'
  const refused: readonly [string, RegExp][] = [
    ['Only a name', /line 2, "Only a name": the sector must be one of bank, /],
    ['| bank | b.example | |', /line 2, .*write name \| sector/],
    ['B | bank | b.example | | | more', /line 2, .*write name \| sector/],
    ['B | banks | b.example | |', /line 2, .*the sector must be one of/],
    ['B | toString | b.example | |', /line 2, .*the sector must be one of/],
    ['B | bank | b.example | | words', /line 2, .*the mark must be "word"/],
    ['B | bank | | |', /line 2, .*name at least one domain/],
    ['B | bank', /line 2, .*name at least one domain/],
    ['B | bank | B.example | |', /line 2, .*write B\.example in lower case/],
    ['B | bank | bücher.example | |', /line 2, .*A-labels/],
    ['B | bank | 192.0.2.1 | |', /line 2, .*write 192\.0\.2\.1/],
    ['B | bank | b.example, c.example | |', /line 2, .*write b\.example,/],
    ['acme | bank | b.example | |', /line 2, .*: acme also belongs to Acme/],
    ['B | bank | b.example acme.example | |', /line 2, .*: acme\.example also belongs to Acme/],
  ]
  test.each(refused)('%p is refused with its line', (line, message) => {
    expect(() => parseBrands(`${first}\n${line}`)).toThrow(FactError)
    expect(() => parseBrands(`${first}\n${line}`)).toThrow(message)
  })
})
