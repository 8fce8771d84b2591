/**
 * Reads untrusted JSON for the JSON formats: a value that does not have the expected shape is treated as
 * absent and never throws.
 */

import type { DocumentFormat, Item } from './format.ts'

/** Returns the parsed JSON; undefined when the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    // Invalid JSON is an expected result of these formats ("malformed").
    return undefined
  }
}

/** The most items of a document, and the most elements of an array that holds them. */
export const documentItemsMax = 2_000_000

/**
 * Returns a format whose items `findItems` finds in the parsed document, or null when the document is of
 * another format or has too many. Items are made one by one, so that a document with too many stops early.
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

/** Returns an iterator that makes an item of each element; null when there are too many, or no array. */
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

/** Returns the value of an own key of an object; undefined when there is none. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}

/** Returns the array under a key, or null. */
export function arrayUnder(value: unknown, key: string): readonly unknown[] | null {
  const found = member(value, key)
  return Array.isArray(found) ? found : null
}

/** Returns the string under a key; undefined when it is empty or not a string. */
export function textUnder(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Returns the string or number under a key as a string, since publishers write numbers as either. */
export function plainUnder(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'number' ? String(found) : textUnder(value, key)
}

/** Reports whether what is under a key means yes, in one of the ways publishers write it. */
export function isTrueUnder(value: unknown, key: string): boolean {
  const found = member(value, key)
  return found === true || found === 1 || found === '1' || found === 'true'
}
