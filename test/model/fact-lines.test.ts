/** Fact files: facts, comments and empty lines. */

import { describe, expect, test } from 'bun:test'
import { FactError, factLines, readFacts } from '../../src/model/fact-lines.ts'

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
    expect([...readFacts('file', text)].map((fact) => fact.text)).toEqual([...facts])
  })
})

describe('readFacts', () => {
  test('names the file and the line in errors', () => {
    const [, second] = readFacts('names', 'a\n# about\nb # why\n')
    const error = new FactError('names, line 3, "b": write c')
    expect(() => second?.fail('write c')).toThrow(error)
  })
})
