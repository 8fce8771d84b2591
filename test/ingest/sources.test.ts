import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSourceName, knownSources, loadSources, toSourceName } from '../../src/ingest/sources.ts'

const directory = mkdtempSync(join(tmpdir(), 'weir-sources-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function loadWith(toml: string): Promise<string | readonly string[]> {
  await Bun.write(join(directory, 'sources.toml'), toml)
  return loadSources(directory).then((sources) => sources.map(({ name }) => name), String)
}

const entry = (words: string): string => `[[source]]
name = "own"
title = "Our own"
url = "https://lists.example.com/own.txt"
format = "domains"
redistribute = false
${words}
`

describe('the sources that come with weir', () => {
  test('are on by default only where their data may be passed on, or only protects', () => {
    const on = knownSources.filter(({ isEnabled }) => isEnabled)
    expect(on.filter(({ redistribute }) => !redistribute)).toEqual([])
    const lists = on.filter(({ role }) => role === 'list').map(({ name }) => name)
    expect(lists).toEqual([
      'phishing-database',
      'phishing-database-links',
      'phishing-database-ips',
      'polkadot',
      'ftc-calls',
    ])
  })

  test('are asked over https, and say under which licence they may be used', () => {
    for (const { url, licence, home } of knownSources) {
      // AARP has no known feed; an operator who knows one adds it to `sources.toml`.
      if (url !== null) expect(url).toStartWith('https://')
      expect(home).toStartWith('https://')
      expect(licence).not.toBeNull()
    }
  })

  test('say where to read the terms when they have more than a licence', () => {
    const bound = knownSources.filter(({ licence }) => /terms|fair use/i.test(licence ?? ''))
    expect(bound.length).toBeGreaterThan(3)
    expect(bound.filter(({ terms, archive }) => terms === null && archive === null)).toEqual([])
  })
})

describe("the operator's own sources", () => {
  test('are added to those of weir, and replace those of the same name', async () => {
    const own = await loadWith(entry('') + entry('').replace('"own"', '"polkadot"'))
    expect(own).toContain('own')
    expect(own.length).toBe(knownSources.length + 1)
    const polkadot = (await loadSources(directory)).find(({ name }) => name === 'polkadot')
    expect(polkadot).toMatchObject({ title: 'Our own', redistribute: false, isEnabled: true })
  })

  const wrong: readonly [string, string, string][] = [
    ['invalid TOML', '[[source', 'is not valid TOML'],
    ['a field that does not exist', entry('colour = "red"'), 'source "own", colour: unknown field'],
    [
      'a value of the wrong kind',
      entry('confidence = "high"'),
      'source "own", confidence: expected integer',
    ],
    ['a format that does not exist', entry('').replace('domains', 'parchment'), 'format must be'],
    [
      'a name of weir itself',
      entry('').replace('"own"', '"operator"'),
      'weir itself uses this name',
    ],
    [
      'an address of another scheme',
      entry('').replace('https', 'file'),
      'source "own", url: write an address',
    ],
    ['a key without a place', entry('authKeyEnv = "WEIR_KEY_OWN"'), 'put {key} in the url'],
    ['an entry without a title', entry('').replace(/title.*/, ''), '"own", title: is missing'],
    ['a table of another name', '[[sources]]\nname = "x"', 'sources: only [[source]]'],
    ['the same name twice', entry('') + entry(''), 'two sources are named "own"'],
    ['an interval that is no politeness', entry('minIntervalSec = 1'), 'minIntervalSec'],
    ['a daily archive without a place for the day', entry('archive = "daily"'), 'put {date} in'],
    [
      'a place for the day without a daily archive',
      entry('').replace('own.txt', '{date}.txt'),
      'put {date} in',
    ],
  ]
  for (const [name, toml, words] of wrong) {
    test(`${name} is refused, with its place`, async () => {
      const refused = await loadWith(toml)
      expect(refused).toContain(words)
      expect(refused).toContain('sources.toml')
    })
  }
})

describe('toSourceName', () => {
  const rows: readonly [string, string][] = [
    ['/x/Bad Sites.txt.gz', 'bad-sites'],
    ['top-1m.csv.zip', 'top-1m'],
    ['...', 'import'],
    ['', 'import'],
  ]
  for (const [path, name] of rows) {
    test(`${path} becomes ${name}`, () => {
      expect(toSourceName(path)).toBe(name)
      expect(isSourceName(name)).toBe(true)
    })
  }
})
