/** Reads feeds by a format as an import does, and counts the results. */

import { expect } from 'bun:test'
import { join } from 'node:path'
import type { DocumentFormat, Item, LineFormat } from '../../src/ingest/formats/format.ts'
import type { Guards } from '../../src/ingest/guards.ts'
import { judge } from '../../src/ingest/judge.ts'
import { readLines, readText } from '../../src/ingest/line-reader.ts'
import { dataFolder } from '../needs.ts'

/** The number of texts that each property is tested with. */
export const fuzzRuns = { numRuns: Number(process.env['FUZZ_RUNS'] ?? '200') }

const documentBytesMax = 64 * 1024 ** 2

/** Reads bytes, as a file or a fetch has them, by a format. */
export async function itemsOf(
  format: LineFormat | DocumentFormat,
  content: Blob,
): Promise<readonly Item[] | 'malformed'> {
  if (format.kind === 'document') {
    const document = format.read(await readText(content.stream(), documentBytesMax))
    return document.ok ? document.value : document.reason
  }
  const items: Item[] = []
  const readLine = format.open()
  for await (const lines of readLines(content.stream())) {
    for (const line of lines) readLine(line ?? '', (item) => items.push(item))
  }
  return items
}

/** Returns each item of a text as its text or, in brackets, the reason of its refusal. */
export async function textsOf(
  format: LineFormat | DocumentFormat,
  text: string,
): Promise<readonly string[]> {
  const items = await itemsOf(format, new Blob([text]))
  if (items === 'malformed') return ['(malformed)']
  return items.map((item) => (item.kind === 'refused' ? `(${item.reason})` : item.text))
}

/** Counts of each kind of entry and, in brackets, of each reason for a refusal. */
export type Counts = Readonly<Record<string, number>>

function countsOf(labels: readonly string[]): Counts {
  const counts = new Map<string, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** Counts what a format makes of a file of the real data: entries by kind, refusals by reason. */
export function countsOfItems(items: readonly Item[] | 'malformed'): Counts | 'malformed' {
  if (items === 'malformed') return items
  return countsOf(items.map((item) => (item.kind === 'refused' ? `(${item.reason})` : item.kind)))
}

/** Counts what is listed in the end, by type, and what is refused by format or judge, by reason. */
export function countsOfListed(items: readonly Item[] | 'malformed', guards: Guards): Counts {
  if (items === 'malformed') return {}
  const labels = items.map((item) => {
    if (item.kind === 'refused') return `(${item.reason})`
    const judged = judge(item, guards)
    return judged.ok ? judged.value.type : `(${judged.reason})`
  })
  return countsOf(labels)
}

/** Reads a file of the real data. */
export function itemsOfFile(
  format: LineFormat | DocumentFormat,
  path: string,
): Promise<readonly Item[] | 'malformed'> {
  return itemsOf(format, Bun.file(join(dataFolder, path)))
}

/**
 * Asserts what holds for any input of a publisher: items can be judged, no protected name is listed, and no
 * prototype is polluted.
 */
export function expectSound(items: readonly Item[] | 'malformed', guards: Guards): void {
  if (items !== 'malformed') {
    for (const item of items) {
      if (item.kind === 'refused') continue
      expect(typeof item.text).toBe('string')
      const judged = judge(item, guards)
      if (!judged.ok || judged.value.type !== 'domain' || judged.value.doNotBlock) continue
      expect(guards.isProtected(judged.value.value)).toBe(false)
    }
  }
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
}
