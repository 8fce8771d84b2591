/** The kinds of schema that parameters and bodies are written with, in addition to those of TypeBox. */

import { FormatRegistry, Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { parseDay } from '../query.ts'
import { bytesMax, type Messages, numberIn, parse, says, wordsIn } from './schema-messages.ts'

interface Annotations {
  readonly $id?: string
  readonly description?: string
  readonly examples?: readonly string[]
}

const oneOfKind = 'weir:OneOf'
const boundedTextKind = 'weir:BoundedText'

TypeRegistry.Set<TSchema>(oneOfKind, (schema, value) => wordsIn(schema)?.includes(value) ?? false)
TypeRegistry.Set<TSchema>(
  boundedTextKind,
  (schema, value) =>
    typeof value === 'string' &&
    Buffer.byteLength(value) <= (numberIn(schema, bytesMax) ?? Infinity),
)
FormatRegistry.Set('date', (text) => parseDay(text) !== null)

/** The pattern of a text that holds more than blanks. */
export const notBlank = '\\S'

/** A text that is one of these words. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  annotations: Annotations = {},
) =>
  Type.Unsafe<Words[number]>({
    ...annotations,
    type: 'string',
    enum: [...words],
    [Kind]: oneOfKind,
  })

/** A text of at most `bytes` bytes of UTF-8. */
export const textOfBytes = (bytes: number, annotations: Annotations) =>
  Type.Unsafe<string>({
    ...annotations,
    type: 'string',
    [bytesMax]: bytes,
    [Kind]: boundedTextKind,
  })

/** What `schema` takes, or null. */
export const orNull = <Schema extends TSchema>(schema: Schema, annotations: Annotations = {}) =>
  Type.Union([schema, Type.Null()], annotations)

/** A whole number from 0 up. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A parameter that has this value when it is missing. */
export const withDefault = <Schema extends TSchema, const Value extends string | number>(
  value: Value,
  schema: Schema,
) => Type.Optional(Object.assign(schema, { default: value }))

/** A schema with its own messages about wrong values. */
export const saying = <Schema extends TSchema>(messages: string | Messages, schema: Schema) =>
  Object.assign(schema, { [says]: messages })

/** A parameter that `parseText` turns into its value; null is a wrong text. */
export const parsedBy = <Schema extends TSchema, Value>(
  parseText: (text: string) => Value,
  schema: Schema,
) => Object.assign(schema, { [parse]: parseText })

/** The largest number of entries in an answer; a greater one counts as the maximum. */
export const pageSize = (standard: number, maximum: number, description: string) =>
  withDefault(
    standard,
    Type.Integer({
      description: `${description} A greater number counts as ${maximum}.`,
      minimum: 1,
      maximum,
    }),
  )
