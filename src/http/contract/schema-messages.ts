/**
 * Messages about wrong values. They are kept in the schema that refuses the value, so that a bound and the sentence about
 * it cannot differ.
 */

import type { TSchema } from '@sinclair/typebox'

/** The key under which a schema keeps its own messages. */
export const says = Symbol('says')

/** Turns a text into its value; the key under which a schema of a parameter keeps its own parser. */
export const parse = Symbol('parse')

/** The maximum length of a text in bytes of UTF-8, which no keyword of JSON Schema can state. */
export const bytesMax = Symbol('bytesMax')

/** What to say about a value that is too short, too long, or wrong in another way. */
export interface Messages {
  readonly short?: string
  readonly long?: string
  readonly other?: string
}

/** Returns the number that a schema has for a keyword. */
export function numberIn(schema: TSchema, keyword: string | symbol): number | undefined {
  const value: unknown = Reflect.get(schema, keyword)
  return typeof value === 'number' ? value : undefined
}

/** Returns the words that a schema allows; undefined where it allows more than a list of words. */
export function wordsIn(schema: TSchema): readonly unknown[] | undefined {
  const words: unknown = Reflect.get(schema, 'enum')
  return Array.isArray(words) ? words : undefined
}

/** Returns `text` with `{keyword}` replaced by the schema's own number, and `{length}` by the length of the value. */
const filled = (text: string, schema: TSchema, length: number): string =>
  text.replace(/\{(\w+)\}/g, (_, keyword: string) =>
    String(
      keyword === 'length'
        ? length
        : Reflect.get(schema, keyword === 'bytesMax' ? bytesMax : keyword),
    ),
  )

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0

function ownMessage(schema: TSchema, length: number): string | undefined {
  const own: unknown = Reflect.get(schema, says)
  if (typeof own === 'string') return own
  if (typeof own !== 'object' || own === null) return undefined
  const { short, long, other }: Messages = own
  const lengthMin = numberIn(schema, 'minLength') ?? numberIn(schema, 'minItems') ?? 0
  const lengthMax = numberIn(schema, 'maxLength') ?? numberIn(schema, 'maxItems') ?? Infinity
  if (length < lengthMin) return short ?? other
  return length > lengthMax ? (long ?? other) : other
}

function defaultMessage(schema: TSchema): string {
  const words = wordsIn(schema)
  if (words !== undefined) return `Choose one of ${words.join(', ')}.`
  if (schema['type'] === 'integer') {
    const minimum = numberIn(schema, 'minimum') ?? 0
    const maximum = numberIn(schema, 'maximum')
    return `Give a whole number from ${minimum} ${maximum === undefined ? 'up' : `to ${maximum}`}.`
  }
  if (numberIn(schema, 'maxItems') !== undefined) return 'Send at most {maxItems} items.'
  if (numberIn(schema, 'maxLength') !== undefined) return 'Send at most {maxLength} characters.'
  return 'Invalid value.'
}

/** Returns what to say about a value that `schema` refuses; undefined is a missing value. */
export function wrongValueMessage(schema: TSchema, value: unknown): string {
  if (schema['type'] === 'string' && value !== undefined && typeof value !== 'string') {
    return 'Send a string.'
  }
  const length = lengthOf(value)
  return filled(ownMessage(schema, length) ?? defaultMessage(schema), schema, length)
}
