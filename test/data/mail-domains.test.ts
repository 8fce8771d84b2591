/** Holds the two lists of mail domains to their own rules, and to each other. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseDomainName, whyNotPublic } from '../../src/model/domain.ts'
import { factLines } from '../../src/model/fact-lines.ts'

const root = join(import.meta.dir, '..', '..')
const freeText = await Bun.file(join(root, 'data/free-mail.txt')).text()
const disposableText = await Bun.file(join(root, 'data/disposable-mail.txt')).text()

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

/** Returns the name and every name above it. */
function* lineage(name: string): Iterable<string> {
  for (let rest = name; ; ) {
    yield rest
    const dot = rest.indexOf('.')
    if (dot === -1) return
    rest = rest.slice(dot + 1)
  }
}

const lists = [
  { file: 'free-mail.txt', text: freeText, least: 250 },
  { file: 'disposable-mail.txt', text: disposableText, least: 300 },
]

describe.each(lists)('data/$file', ({ text, least }) => {
  const names = factLines(text)
  const blocks = text.trimEnd().split('\n\n')

  test('opens with a header that says what it is, and ends with one newline', () => {
    const header = (blocks[0] ?? '').split('\n')
    expect(header.length).toBeGreaterThan(5)
    expect(header.every((line) => line.startsWith('#'))).toBe(true)
    expect(text).toMatch(/[^\n]\n$/)
  })

  test('gives every section a title, and sorts what stands below it', () => {
    for (const block of blocks.slice(1)) {
      const [title = '', ...rows] = block.split('\n')
      expect(title).toMatch(/^# \S/)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows).toEqual(rows.toSorted())
    }
  })

  test('holds enough names', () => {
    expect(names.length).toBeGreaterThanOrEqual(least)
  })

  test('spells every name canonically, and names no public suffix', () => {
    const wrong = names.filter((name) => {
      const parsed = parseDomainName(name)
      return !parsed.ok || parsed.value !== name || whyNotPublic(name) !== null
    })
    expect(wrong).toEqual([])
  })

  test('names nothing twice, and nothing below a name that stands there', () => {
    expect(repeated(names)).toEqual([])
    const all = new Set(names)
    const below = names.filter((name) =>
      [...lineage(name)].slice(1).some((above) => all.has(above)),
    )
    expect(below).toEqual([])
  })
})

describe('the two lists of mail domains together', () => {
  const free = new Set(factLines(freeText))
  const disposable = new Set(factLines(disposableText))

  test('no name is of both, nor below one of the other', () => {
    expect(
      [...disposable].filter((name) => [...lineage(name)].some((above) => free.has(above))),
    ).toEqual([])
    expect(
      [...free].filter((name) => [...lineage(name)].some((above) => disposable.has(above))),
    ).toEqual([])
  })

  test.each([
    'gmail.com',
    'yahoo.co.jp',
    'outlook.com',
    'hotmail.fr',
    'icloud.com',
    'proton.me',
    'gmx.de',
    'web.de',
    'mail.ru',
    'qq.com',
    'comcast.net',
    'uol.com.br',
  ])('%s is free mail', (name) => {
    expect(free.has(name)).toBe(true)
  })

  test.each([
    'mailinator.com',
    'guerrillamail.com',
    'yopmail.com',
    '10minutemail.com',
    'temp-mail.org',
  ])('%s is thrown away', (name) => {
    expect(disposable.has(name)).toBe(true)
  })
})
