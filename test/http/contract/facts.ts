/** The facts of a definition, and how each is changed in place and restored. */

import type { TSchema } from '@sinclair/typebox'
import { policyNames } from '../../../src/config.ts'
import { wordsIn } from '../../../src/http/contract/schema-messages.ts'
import { isObject } from './documented.ts'
import { type Defined, otherWord } from './probes.ts'

/** One fact, changed. */
export interface ChangedFact {
  readonly name: string
  /** Changes it; returns the function that restores it. */
  change(): () => void
}

type Entries = readonly (readonly [PropertyKey, unknown])[]

/** Makes an object hold these entries, in their order. */
function refill(object: object, entries: Entries): void {
  for (const key of Reflect.ownKeys(object)) Reflect.deleteProperty(object, key)
  for (const [key, value] of entries) Reflect.set(object, key, value)
}

/** Returns the change of some objects to the entries that `edit` makes of theirs. */
export function changing(
  name: string,
  objects: readonly object[],
  edit: (entries: Entries) => Entries,
): ChangedFact {
  return {
    name,
    change: () => {
      const undo = objects.map((object) => {
        const before = Reflect.ownKeys(object).map(
          (key) => [key, Reflect.get(object, key)] as const,
        )
        refill(object, edit(before))
        return () => refill(object, before)
      })
      return () => undo.forEach((restore) => void restore())
    },
  }
}

const textOf = (value: unknown): string => String(JSON.stringify(value)).slice(0, 60)

/** Returns the change of one member to a value; undefined removes it. */
export const setting = (
  name: string,
  object: object,
  key: PropertyKey,
  value: unknown,
): ChangedFact =>
  changing(`${name}.${String(key)} = ${textOf(value)}`, [object], (entries) => {
    const others = entries.filter(([other]) => other !== key)
    return value === undefined ? others : [...others, [key, value]]
  })

/** Returns the change of the name of one member. */
export const renaming = (name: string, object: object, key: string): ChangedFact =>
  changing(`${name}: another name for ${key}`, [object], (entries) =>
    entries.map(([other, value]) => [other === key ? `${key}-x` : other, value]),
  )

/** Returns the change of the name of one property of an object's schema, and of its place in `required`. */
export const renamingProperty = (name: string, schema: object, property: string): ChangedFact =>
  changing(`${name}: another name for ${property}`, [schema], (entries) => {
    const rename = (text: unknown): unknown => (text === property ? `${property}-x` : text)
    return entries.map(([key, value]) => {
      if (key === 'required' && Array.isArray(value)) return [key, value.map(rename)]
      if (key !== 'properties' || !isObject(value)) return [key, value]
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([each, own]) => [rename(each), own])),
      ]
    })
  })

const neighbours = (bound: number): number[] => (bound > 0 ? [bound + 1, bound - 1] : [bound + 1])

function* wordFacts(name: string, schema: TSchema, words: readonly unknown[]) {
  yield setting(name, schema, 'enum', [...words, otherWord])
  for (const word of words) {
    yield setting(
      name,
      schema,
      'enum',
      words.filter((other) => other !== word),
    )
  }
}

function otherDefault(schema: TSchema, value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  return wordsIn(schema)?.find((word) => word !== value) ?? otherWord
}

/** Every name, bound, word, default, format and requirement of a schema. */
function* schemaFacts(name: string, schema: TSchema): Generator<ChangedFact> {
  for (const key of Reflect.ownKeys(schema)) {
    const value: unknown = Reflect.get(schema, key)
    if (key === 'default') yield setting(name, schema, key, otherDefault(schema, value))
    else if (typeof value === 'number')
      for (const bound of neighbours(value)) yield setting(name, schema, key, bound)
    if (key === 'pattern' || key === 'format') yield setting(name, schema, key, '^never$')
    if (key === 'additionalProperties') yield setting(name, schema, key, value === false)
  }
  const words = wordsIn(schema)
  if (words !== undefined) yield* wordFacts(name, schema, words)
  const { properties, required = [], items } = schema
  if (isObject(items)) yield* schemaFacts(`${name}[]`, schema['items'])
  if (isObject(properties)) yield* memberFacts(name, schema, required)
}

function* memberFacts(
  name: string,
  schema: TSchema,
  required: readonly string[],
): Generator<ChangedFact> {
  for (const [member, inner] of Object.entries<TSchema>(schema['properties'])) {
    const others = required.filter((other) => other !== member)
    const isRequired = others.length < required.length
    yield renamingProperty(name, schema, member)
    // A path without one of its parameters is another path.
    if (name !== 'path') {
      yield setting(name, schema, 'required', isRequired ? others : [...required, member])
    }
    yield* schemaFacts(`${name}.${member}`, inner)
  }
}

/** The size of a class is one fact of all its endpoints. */
function* costlyFacts({ costly }: Defined, all: readonly Defined[]): Generator<ChangedFact> {
  if (costly === undefined) return
  const classes = all.flatMap((other) => (other.costly?.class === costly.class ? other.costly : []))
  for (const key of ['inFlightMax', 'clientInFlightMax'] as const) {
    const size = costly[key]
    if (size === undefined) continue
    for (const other of neighbours(size)) {
      yield changing(`${key} = ${other}`, [...new Set(classes)], (entries) =>
        entries.map(([name, value]) => [name, name === key ? other : value]),
      )
    }
  }
}

/** Returns every fact of an endpoint, changed in each way. */
export function* factsOf(endpoint: Defined, all: readonly Defined[]): Generator<ChangedFact> {
  const { path, method, policy, bodyBytesMax, limitsBelow, pathParameters, query, body } = endpoint
  const own = (key: string, value: unknown): ChangedFact => setting('own', endpoint, key, value)
  yield own('path', `/${otherWord}${path}`)
  for (const other of ['get', 'post', 'delete']) if (other !== method) yield own('method', other)
  for (const other of [...policyNames, null]) if (other !== policy) yield own('policy', other)
  if (bodyBytesMax !== undefined)
    for (const bound of neighbours(bodyBytesMax)) yield own('bodyBytesMax', bound)
  if (limitsBelow !== undefined)
    for (const other of [undefined, `${limitsBelow}-x`]) yield own('limitsBelow', other)
  for (const key of ['refusals', 'rules']) if (key in endpoint) yield own(key, undefined)
  yield* costlyFacts(endpoint, all)
  if (pathParameters !== undefined) yield* schemaFacts('path', pathParameters)
  if (query !== undefined) yield* schemaFacts('query', query)
  if (body !== undefined) yield* schemaFacts('body', body)
}

/** Returns every request header of an endpoint under another name: requests have to be made from it then. */
export const headerFactsOf = ({ requestHeaders }: Defined): ChangedFact[] => {
  const { properties = {} } = requestHeaders ?? {}
  return Object.keys(properties).map((name) => renaming('headers', properties, name))
}
