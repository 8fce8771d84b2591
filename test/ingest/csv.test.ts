/** Reading tables line by line: what is a row, what is a header, and what is broken. */

import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { openSplitter, placesFormat, tableFormat } from '../../src/ingest/formats/csv.ts'
import { fuzzRuns, textsOf } from './reading.ts'

describe('openSplitter', () => {
  const rows: readonly (readonly [string, string, readonly string[] | null])[] = [
    ['cells', 'a,b,c', ['a', 'b', 'c']],
    ['empty cells', ',a,,', ['', 'a', '', '']],
    ['quoted cells', '"a","b"', ['a', 'b']],
    ['a separator in quotes', 'a,"b,c"', ['a', 'b,c']],
    ['a doubled quote', '"a ""b""",c', ['a "b"', 'c']],
    ['a space before and after quotes', '"a", "b" ,c', ['a', 'b', 'c']],
    ['an empty quoted cell', '"",""', ['', '']],
    ['one empty quoted cell', '""', ['']],
    ['an empty cell opened again', '"" "\t" ,a', ['', 'a']],
    ['an empty cell opened again for more', '"" "a"', null],
    ['a tab as white space', '"a"\t,\t"b"', ['a', 'b']],
    ['white space beyond ASCII before quotes', '\u00a0"a",\u2003"b"', ['a', 'b']],
    ['doubled quotes before broken ones', '"a""b","c', null],
    ['a doubled quote that closes nothing', '"a""', null],
    ['a carriage return at the end', '"a","b"\r', ['a', 'b']],
    ['NUL and text beyond ASCII', '"a\0",é,"日本"', ['a\0', 'é', '日本']],
    ['a quote that is not closed', 'a,"b', null],
    ['a quote in a cell without quotes', 'a"b,c', null],
    ['text after a quote', '"a"b,c', null],
    ['a lone quote', '"', null],
    ['more columns than a table may have', ','.repeat(256), null],
    ['more quoted columns than a table may have', `""${',""'.repeat(256)}`, null],
  ]
  for (const [name, line, expected] of rows) {
    test(`reads ${name}, whatever came before`, () => {
      const split = openSplitter(',')
      for (const before of ['x,y', '"x","y"', 'x,"y', '"x"y', line]) {
        split(before)
        expect(split(line)).toEqual(expected === null ? null : [...expected])
      }
    })
  }

  test('reads on after hundreds of thousands of broken lines', () => {
    const split = openSplitter(',')
    for (let count = 0; count < 100_000; count++) {
      for (const line of ['"', '"""', '1,"http://x/a"b', '"a""b"c']) {
        if (split(line) !== null) expect(line).toBe('(broken)')
      }
    }
    expect(split('"a ""b""",c')).toEqual(['a "b"', 'c'])
  })

  test('reads each line as the parser reads it on its own', () => {
    const split = openSplitter(',')
    const character = fc.constantFrom(
      '"',
      '"',
      ',',
      ',',
      ' ',
      'a',
      '\\',
      "'",
      '\t',
      '\r',
      '\0',
      'é',
      '\u2028',
    )
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 24 }), (text) => {
        const line = `"${text}`
        expect(split(line)).toEqual(parsedAlone(line))
      }),
      { numRuns: fuzzRuns.numRuns * 5 },
    )
  })
})

function parsedAlone(line: string): readonly string[] | null {
  try {
    return parse(line, { record_delimiter: '\n', relax_column_count: true, trim: true })[0] ?? null
  } catch {
    return null
  }
}

/** A table of names, with a column that some editions lack. */
const names = tableFormat({
  delimiters: [',', '\t'],
  isHeader: (header) => header.has('name') && header.has('since'),
  readRow: (fieldOf, take) =>
    take({ kind: 'name', text: `${fieldOf('name')} ${fieldOf('since')} ${fieldOf('Brand_Name')}` }),
})

describe('tableFormat', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['columns by name', 'since,name\n1,a', ['a 1 undefined']],
    ['names in any case and spelling', 'NAME, Since ,brand-name\na,1,B', ['a 1 B']],
    ['cells without the space around them', 'name,since\n a , 1 ', ['a 1 undefined']],
    ['a quoted header', '"name","since"\n"a","1"', ['a 1 undefined']],
    ['a byte order mark before a quote', '\uFEFF\uFEFF"name","since"\na,1', ['a 1 undefined']],
    ['a header in a comment', '## x\n# name,since\na,1', ['a 1 undefined']],
    ['a quoted header in a comment', '# "name","since"\na,1', ['a 1 undefined']],
    ['a labelled header in a comment', '# CSV: name,since\na,1', ['a 1 undefined']],
    ['the last header before the rows', '# name,since\nsince,name\n1,a', ['a 1 undefined']],
    ['another separator', 'name\tsince\na,b\t1', ['a,b 1 undefined']],
    ['an empty cell at the end of tabs', 'name\tsince\tbrand_name\na\t1\t', ['a 1 undefined']],
    [
      'a header that comes again',
      'name,since\na,1\nname,since\nb,2',
      ['a 1 undefined', 'b 2 undefined'],
    ],
    [
      'other columns from there on',
      'name,since\na,1\nname,x,since\nb,0,2',
      ['a 1 undefined', 'b 2 undefined'],
    ],
    [
      'a header that comes again in a comment',
      'name,since\na,1\n# since,name\n2,b',
      ['a 1 undefined', 'b 2 undefined'],
    ],
    ['the first of two columns of one name', 'name,since,name\na,1,b', ['a 1 undefined']],
    [
      'names of what every object has',
      '__proto__,constructor,name,since\nx,y,a,1',
      ['a 1 undefined'],
    ],
    [
      'blank lines and comments',
      'name,since\n\n  \n#x\na,1\n# Number of entries: 1',
      ['a 1 undefined'],
    ],
    ['CRLF', 'name,since\r\n"a","1"\r\n\r\n', ['a 1 undefined']],
  ]
  for (const [name, text, expected] of rows) {
    test(`reads ${name}`, async () => expect(await textsOf(names, text)).toEqual([...expected]))
  }

  const refused: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'rows before any header',
      'a,1\nb,2\nname,since\nc,3',
      ['(malformed_row)', '(malformed_row)', 'c 3 undefined'],
    ],
    ['too few columns', 'name,since\na\nb,2', ['(malformed_row)', 'b 2 undefined']],
    ['too many columns', 'name,since\na,1,\nb,2', ['(malformed_row)', 'b 2 undefined']],
    [
      'an open quote, and not the next row',
      'name,since\n"a,1\nb,"2"',
      ['(malformed_row)', 'b 2 undefined'],
    ],
    ['text after a quote', 'name,since\n"a"x,1\n"b",2', ['(malformed_row)', 'b 2 undefined']],
    ['a page instead of a table', '<html>\n<p>x</p>\n', ['(malformed_row)', '(malformed_row)']],
  ]
  for (const [name, text, expected] of refused) {
    test(`refuses ${name}`, async () => expect(await textsOf(names, text)).toEqual([...expected]))
  }

  test('keeps what it learns of a header to one reading', async () => {
    expect(await textsOf(names, 'name,since\na,1')).toEqual(['a 1 undefined'])
    expect(await textsOf(names, 'a,1')).toEqual(['(malformed_row)'])
  })
})

describe('placesFormat', () => {
  const pairs = placesFormat(
    () => openSplitter(','),
    (cells, take) => take({ kind: 'name', text: cells.join('+') }),
  )

  test('reads cells by their place, without the space around them', async () => {
    expect(await textsOf(pairs, '\uFEFF# x\r\na , "b,c"\r\n\r\n')).toEqual(['a+b,c'])
  })

  test('refuses broken quotes', async () => {
    expect(await textsOf(pairs, '"a\nb')).toEqual(['(malformed_row)', 'b'])
  })
})
