/**
 * Compiles the schemas of parameters into readers: bounds, words, defaults and messages are those of the schema, and
 * written in no other place. A number above its maximum counts as the maximum.
 */

import {
  FormatRegistry,
  type OptionalKind,
  type Static,
  type TObject,
  type TSchema,
} from '@sinclair/typebox'
import { numberIn, parse, wordsIn, wrongValueMessage } from './contract/schema-messages.ts'
import type { FieldError } from './problem.ts'
import { parseDigits, readQuery } from './query.ts'

type ValueOf<Parameter> = Parameter extends { readonly [parse]: (text: string) => infer Value }
  ? Exclude<Value, null>
  : Parameter extends TSchema
    ? Static<Parameter>
    : never

/** `null` for a parameter that may be missing and has no default. */
type MissingValue<Parameter> = Parameter extends { readonly [OptionalKind]: 'Optional' }
  ? Parameter extends { readonly default: string | number }
    ? never
    : null
  : never

/** The values of parameters as a handler gets them: parsed, with defaults; null for a missing one without a default. */
export type ParameterValues<Schema extends TObject> = {
  readonly [Name in keyof Schema['properties']]:
    | ValueOf<Schema['properties'][Name]>
    | MissingValue<Schema['properties'][Name]>
}

/** Values, or what is wrong with the texts they were read from. */
export type ReadParameters<Schema extends TObject> =
  | { readonly ok: true; readonly value: ParameterValues<Schema> }
  | { readonly ok: false; readonly errors: readonly FieldError[] }

interface Parameter {
  readonly name: string
  readonly schema: TSchema
  readonly isRequired: boolean
  /** The value of a missing parameter. */
  readonly missing: unknown
  /** Returns the value; undefined for a wrong text. */
  readonly read: (text: string) => unknown
}

function integerReader(schema: TSchema): Parameter['read'] {
  const minimum = numberIn(schema, 'minimum') ?? 0
  const maximum = numberIn(schema, 'maximum') ?? Number.MAX_SAFE_INTEGER
  return (text) => {
    const value = parseDigits(text)
    return value === null || value < minimum ? undefined : Math.min(value, maximum)
  }
}

/** Returns the checks of `pattern` and `format`; no text has a format that is not registered. */
function shapeChecks({ pattern, format }: TSchema): ((text: string) => boolean)[] {
  const matches = (source: string): ((text: string) => boolean) => {
    const expression = new RegExp(source, 'u')
    return (text) => expression.test(text)
  }
  return [
    ...(typeof pattern === 'string' ? [matches(pattern)] : []),
    ...(typeof format === 'string' ? [FormatRegistry.Get(format) ?? (() => false)] : []),
  ]
}

function textReader(schema: TSchema): Parameter['read'] {
  const own: unknown = Reflect.get(schema, parse)
  const words = wordsIn(schema)
  if (words !== undefined) return (text) => (words.includes(text) ? text : undefined)
  const lengthMin = numberIn(schema, 'minLength') ?? 0
  const lengthMax = numberIn(schema, 'maxLength') ?? Infinity
  const checks = shapeChecks(schema)
  return (text) => {
    if (text.length < lengthMin || text.length > lengthMax) return undefined
    for (const check of checks) if (!check(text)) return undefined
    return typeof own === 'function' ? (own(text) ?? undefined) : text
  }
}

function parametersOf(schema: TObject | undefined): Parameter[] {
  const properties: [string, TSchema][] = Object.entries(schema?.properties ?? {})
  const required: readonly string[] = schema?.required ?? []
  return properties.map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
    missing: property['default'] ?? null,
    read: property['type'] === 'integer' ? integerReader(property) : textReader(property),
  }))
}

/** Returns a function from the texts of parameters, in the order of the schema, to their values. */
function valuesReader<Schema extends TObject>(schema: Schema | undefined) {
  const parameters = parametersOf(schema)
  // The one place where what was read gets the type that the schema gives it.
  const isRead = (_: object, errors: readonly FieldError[]): _ is ParameterValues<Schema> =>
    errors.length === 0
  const read = (
    texts: readonly (string | undefined)[],
    found: readonly FieldError[],
  ): ReadParameters<Schema> => {
    const errors = [...found]
    const values: Record<string, unknown> = {}
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      if (parameter === undefined) continue
      const { name, isRequired } = parameter
      const text = texts[index]
      const value = text === undefined ? parameter.missing : parameter.read(text)
      values[name] = value
      // A required parameter without a text is missing, unless its text was refused already.
      const isWrong =
        text === undefined && isRequired
          ? found.every(({ field }) => field !== name)
          : value === undefined
      if (isWrong) errors.push({ field: name, message: wrongValueMessage(parameter.schema, text) })
    }
    return isRead(values, errors) ? { ok: true, value: values } : { ok: false, errors }
  }
  return { names: parameters.map(({ name }) => name), read }
}

/** Returns a function from a URL to the values of its query; every wrong parameter is named. */
export function createQueryReader<Schema extends TObject>(
  schema: Schema | undefined,
): (url: string) => ReadParameters<Schema> {
  const { names, read } = valuesReader(schema)
  return (url) => {
    const { values, errors } = readQuery(url, names)
    return read(values, errors)
  }
}

/** The parameters of a path as the router gives them; null where an escape cannot be decoded. */
export type PathTexts = Readonly<Record<string, string | null | undefined>>

/** Returns a function from the texts in a path to their values. */
export function createPathReader<Schema extends TObject>(
  schema: Schema | undefined,
): (texts: PathTexts) => ReadParameters<Schema> {
  const { names, read } = valuesReader(schema)
  return (texts) =>
    read(
      names.map((name) => texts[name] ?? ''),
      [],
    )
}
