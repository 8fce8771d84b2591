/**
 * How the JSON formats read what publishers write: nothing is believed to be there, and what is not
 * of the expected shape is an absence, never an exception.
 */

import type { DocumentFormat, Item } from './format.ts'

/** Parses JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    // Not JSON is an answer of these formats ("malformed"), not a failure of the machine.
    return undefined
  }
}

/** The most items of a document, and the most elements of an array that holds them. */
export const documentItemsMax = 2_000_000

/**
 * Returns a format whose items `findItems` finds in the parsed document, or null when it is another or
 * has too many. Items come one by one, so that those of a document too large are never all made.
 */
export function jsonFormat(
  findItems: (document: unknown) => Iterable<Item> | null,
): DocumentFormat {
  return {
    kind: 'document',
    read(text) {
      const found = findItems(parseJson(text))
      if (found === null) return { ok: false, reason: 'malformed' }
      const items: Item[] = []
      for (const item of found) {
        if (items.length === documentItemsMax) return { ok: false, reason: 'malformed' }
        items.push(item)
      }
      return { ok: true, value: items }
    },
  }
}

/** Makes an item of each element when it is asked for; null when they are too many, or no array. */
export function eachItem(
  elements: unknown,
  toItem: (element: unknown) => Item,
): Iterable<Item> | null {
  if (!Array.isArray(elements) || elements.length > documentItemsMax) return null
  return elements.values().map((element: unknown) => toItem(element))
}

/** Reports whether a value is an object with keys: neither null nor an array. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value under a key of an object of its own keys; undefined when it is none. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}

/** Returns the array under a key, or null when there is none. */
export function arrayUnder(value: unknown, key: string): readonly unknown[] | null {
  const found = member(value, key)
  return Array.isArray(found) ? found : null
}

/** Returns the text under a key; undefined when it is empty or no text. */
export function textUnder(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Returns the text or number under a key as text, since publishers write numbers as either. */
export function plainUnder(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'number' ? String(found) : textUnder(value, key)
}

/** Reports whether what is under a key means yes, in one of the ways publishers write it. */
export function isTrueUnder(value: unknown, key: string): boolean {
  const found = member(value, key)
  return found === true || found === 1 || found === '1' || found === 'true'
}
