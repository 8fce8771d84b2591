/**
 * How the JSON formats read what publishers write: nothing is believed to be there, and what is not
 * of the expected shape is an absence, never an exception.
 */

/** Parses JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    // Not JSON is an answer of these formats ("malformed"), not a failure of the machine.
    return undefined
  }
}

/** Returns the value under a key of an object of its own keys; undefined when it is none. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.getOwnPropertyDescriptor(value, key)?.value
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
