/** Fact files: facts, comments and empty lines. */

import { describe, expect, test } from 'bun:test'
import { factLines } from '../../src/model/fact-lines.ts'

describe('factLines', () => {
  const rows: readonly [string, readonly string[]][] = [
    ['', []],
    ['a', ['a']],
    ['# about\n\na\n  b c  \n', ['a', 'b c']],
    ['a # why\n#b\n \t \nc', ['a', 'c']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a # b # c', ['a']],
  ]
  test.each(rows)('%j holds %j', (text, facts) => {
    expect(factLines(text)).toEqual([...facts])
  })
})
