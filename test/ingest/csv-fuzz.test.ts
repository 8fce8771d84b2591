/**
 * Laws of all CSV formats, whatever a publisher, an outage or an enemy makes of a feed: nothing is
 * thrown, every row is an item or more, and no popular name is listed.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type CsvFormatName,
  csvFormats,
  recogniseCsv,
} from '../../src/ingest/formats/csv-formats.ts'
import type { Item } from '../../src/ingest/formats/format.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { lineBytesMax, readLines } from '../../src/ingest/line-reader.ts'
import { csvDocument, csvFormatNames, csvSamples } from './csv-samples.ts'
import { expectSound, fuzzRuns } from './reading.ts'

/** The most a row can come to: where something is, and six digests. */
const itemsOfLineMax = 7

/** What happens to a feed on its way. */
type Mishap = (text: string, at: number) => string

const splice = (text: string, at: number, insert: string, remove = 0): string => {
  const place = at % (text.length + 1)
  return text.slice(0, place) + insert + text.slice(place + remove)
}

/** Changes the cells of each line, as a publisher does who adds or drops a column. */
const eachLine = (text: string, change: (cells: string[]) => string[]): string =>
  text
    .split('\r\n')
    .map((line) => change(line.split(',')).join(','))
    .join('\r\n')

const mishaps: Readonly<Record<string, Mishap>> = {
  'is cut short': (text, at) => text.slice(0, at % (text.length + 1)),
  'loses its beginning': (text, at) => text.slice(at % (text.length + 1)),
  'loses a column': (text, at) => eachLine(text, (cells) => cells.toSpliced(at % cells.length, 1)),
  'gains a column': (text, at) =>
    eachLine(text, (cells) => cells.toSpliced(at % cells.length, 0, 'x')),
  'has a NUL': (text, at) => splice(text, at, '\0'),
  'has a byte order mark': (text, at) => splice(text, at, '\uFEFF'),
  'has a line end': (text, at) => splice(text, at, '\r\n'),
  'has only line feeds': (text) => text.replaceAll('\r\n', '\n'),
  'has a quote': (text, at) => splice(text, at, '"'),
  'loses a character': (text, at) => splice(text, at, '', 1),
  'has a header again': (text, at) => splice(text, at, `\r\n${text.split('\r\n')[0]}\r\n`),
  'names what every object has': (text, at) => splice(text, at, ',__proto__,constructor,'),
  'lists the popular web': (text) =>
    text.replaceAll(/login\.example\.com|c2\.example\.com/g, 'google.com'),
  'is a web page': (_, at) => '<!doctype html>\n<html>\n<p>"Down", for now\n'.repeat(1 + (at % 5)),
}

/** Reads a feed as an import does; each line with its items. */
async function read(name: CsvFormatName, content: Blob): Promise<[string | null, Item[]][]> {
  const readLine = csvFormats[name].open()
  const all: [string | null, Item[]][] = []
  for await (const lines of readLines(content.stream())) {
    for (const line of lines) {
      const items: Item[] = []
      if (line !== null) readLine(line, (item) => items.push(item))
      all.push([line, items])
    }
  }
  return all
}

/** Reports whether a line may go without an item: a blank, a comment or a header. */
function isSilent(name: CsvFormatName, line: string): boolean {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return true
  if (csvSamples[name].head === '') return false
  // Of a table cut short a single word may be left, which makes a header for it alone.
  return recogniseCsv(line) !== null || (name === 'table' && /^[\w ;,]+$/.test(text))
}

describe('csvFormats, damaged', () => {
  const guards = loadGuards()
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.values(mishaps)), fc.nat(4_000)), {
    minLength: 1,
    maxLength: 4,
  })

  for (const name of csvFormatNames) {
    test(`${name} makes of every row an item or a few`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (changes) => {
          const text = changes.reduce((whole, [mishap, at]) => mishap(whole, at), csvDocument(name))
          const lines = await read(name, new Blob([text]))
          for (const [line, items] of lines) {
            expect(items.length).toBeLessThanOrEqual(itemsOfLineMax)
            if (items.length === 0 && !isSilent(name, line ?? '')) expect(line).toBe('(an item)')
          }
          expectSound(
            lines.flatMap(([, items]) => items),
            guards,
          )
        }),
        fuzzRuns,
      )
    })

    test(`${name} reads on after a line of 10 MB`, async () => {
      const { head, rows } = csvSamples[name]
      const endless = '"'.repeat(10_000_000)
      const lines = await read(name, new Blob([`${head}\n${endless}\n${rows[0]}\n`]))
      expect(lines.filter(([line]) => line === null)).toHaveLength(1)
      expect(lines.at(-1)?.[1][0]?.kind).not.toBe('refused')
    })

    test(`${name} refuses the longest line that is no row`, async () => {
      for (const character of ['"', ',', '\t', 'x', '\0', '#x,"']) {
        const line = character.repeat(Math.floor(lineBytesMax / character.length))
        const [[, items] = ['', []]] = await read(name, new Blob([line]))
        for (const item of items) expect(item).toEqual({ kind: 'refused', reason: 'malformed_row' })
      }
    })
  }

  test('recogniseCsv answers for every text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.tuple(fc.constantFrom(...csvFormatNames), steps).map(([name, changes]) => {
        return changes.reduce((text, [mishap, at]) => mishap(text, at), csvDocument(name))
      }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const name = recogniseCsv(text)
        expect(name === null || csvFormatNames.includes(name)).toBe(true)
      }),
      fuzzRuns,
    )
  })
})
