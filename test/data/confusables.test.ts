/** Holds the table of look-alike letters to its own rules. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readConfusables } from '../../src/checks/looks/name-facts.ts'
import { factLines } from '../../src/model/fact-lines.ts'
import { readAsAscii } from '../../src/model/skeleton.ts'

const root = join(import.meta.dir, '..', '..')
const text = await Bun.file(join(root, 'data/confusables.txt')).text()
const rows = factLines(text).map((line) => line.split(' '))
const letters = rows.flatMap(([, ...lookalikes]) => lookalikes)

describe('data/confusables.txt', () => {
  test('opens with a header that says what it is, and ends with one newline', () => {
    expect(text.split('\n').findIndex((line) => !line.startsWith('#'))).toBeGreaterThan(5)
    expect(text).toMatch(/[^\n]\n$/)
  })

  test('reads letters as one or two ASCII letters, a digit or the hyphen, each target once', () => {
    const targets = rows.map(([target = '']) => target)
    expect(targets.filter((target) => !/^([a-z]{1,2}|[0-9-])$/.test(target))).toEqual([])
    expect(new Set(targets).size).toBe(targets.length)
  })

  test('names every look-alike once, as one character', () => {
    expect(letters.length).toBeGreaterThan(150)
    expect(new Set(letters).size).toBe(letters.length)
    expect(letters.filter((letter) => [...letter].length !== 1)).toEqual([])
    expect(readConfusables(text).size).toBe(letters.length)
  })

  test('sorts the look-alikes of one letter by code point', () => {
    for (const [, ...lookalikes] of rows) {
      const codes = lookalikes.map((letter) => letter.codePointAt(0) ?? 0)
      expect(codes).toEqual(codes.toSorted((one, other) => one - other))
    }
  })

  test('holds nothing that decomposition and small letters bring elsewhere', () => {
    const spelt = (letter: string): string =>
      letter.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
    expect(letters.filter((letter) => spelt(letter) !== letter)).toEqual([])
    expect(letters.filter((letter) => /^[\0-\x7f]$/.test(letter))).toEqual([])
  })

  test.each([
    ['раураӏ', 'paypal'],
    ['аррӏе', 'apple'],
    ['lеdgеr', 'ledger'],
    ['ġoogle', 'google'],
    ['ｍｅｔａｍａｓｋ', 'metamask'],
    ['bіnаnсе', 'binance'],
    ['νisa', 'visa'],
    ['ıcloud', 'icloud'],
    ['łedger', 'ledger'],
    ['coınbase', 'coinbase'],
    ['münchen', 'munchen'],
    ['日本', null],
    ['почта', null],
  ])('%s is read as %p', (label, read) => {
    expect(readAsAscii(label, readConfusables(text))).toBe(read)
  })
})
