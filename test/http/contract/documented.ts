/** The OpenAPI document as a client has it, and what it says against an answer. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { EndpointDescription } from '../../../src/http/contract/description.ts'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { type OpenApiSettings, openApiDocument } from '../../../src/http/openapi.ts'
import { toTemplate } from '../../../src/http/openapi-parts.ts'
import { jsonText } from '../../../src/publish/wire.ts'
import { everywhere } from '../scenario.ts'

interface JsonObject {
  readonly [name: string]: unknown
}

/** Reports whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns what stands in a document at a path, or undefined. */
export function at(document: unknown, ...path: readonly string[]): unknown {
  return path.reduce((value, name) => (isObject(value) ? value[name] : undefined), document)
}

/** Returns what stands in a document at a path as an object; empty when there is none. */
export function objectAt(document: unknown, ...path: readonly string[]): JsonObject {
  const value = at(document, ...path)
  return isObject(value) ? value : {}
}

/** On every answer, or made by the server: no operation names them. */
const commonHeaders = new Set([
  ...Object.keys(everywhere),
  'content-type',
  'content-length',
  'date',
  'transfer-encoding',
])

/** Objects hold what their schema names and nothing else, unless it says so. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  return isObject(schema['properties']) && schema['additionalProperties'] === undefined
    ? { ...inner, additionalProperties: false }
    : inner
}

/** An answer that has been read. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The document of one instance. */
export class Documented {
  readonly document: JsonObject
  readonly #ajv = new Ajv2020({ strict: true, allErrors: true })
  readonly #definitions: unknown
  readonly #checks = new Map<string, ReturnType<Ajv2020['compile']>>()

  constructor(
    settings: OpenApiSettings,
    endpoints: readonly EndpointDescription[] = documentedEndpoints,
  ) {
    addFormats(this.#ajv)
    const parsed: unknown = JSON.parse(jsonText(openApiDocument(endpoints, settings)))
    this.document = isObject(parsed) ? parsed : {}
    this.#definitions = closed(this.#local(at(this.document, 'components', 'schemas')))
  }

  /** References between components, as a schema of its own has them. */
  #local(schema: unknown): unknown {
    return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'))
  }

  /** Returns what a reference stands for, or the object itself. */
  resolve(value: unknown): JsonObject {
    const reference = at(value, '$ref')
    if (typeof reference !== 'string') return isObject(value) ? value : {}
    return objectAt(this.document, ...reference.split('/').slice(1))
  }

  /** Returns the operation of a method, or undefined when the path, as the contract has it, has none. */
  operation(method: string, path: string): JsonObject | undefined {
    const operation = at(this.document, 'paths', toTemplate(path), method.toLowerCase())
    return isObject(operation) ? operation : undefined
  }

  /** Returns what is wrong with a value by its schema. */
  violations(schema: unknown, value: unknown): string[] {
    const key = JSON.stringify(schema)
    const known = this.#checks.get(key)
    const check =
      known ??
      this.#ajv.compile({ ...objectAt(closed(this.#local(schema))), $defs: this.#definitions })
    this.#checks.set(key, check)
    if (check(value)) return []
    return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }

  /** Returns everything in an answer that the document does not say of an operation and status. */
  complaints(
    method: string,
    path: string,
    answer: ReadAnswer,
    isHead = method === 'HEAD',
    status = String(answer.status),
  ): string[] {
    const responses = objectAt(this.operation(method, path), 'responses')
    const said = responses[status]
    if (said === undefined) return [`${status} is not documented`]
    const response = this.resolve(said)
    return [
      ...this.#headerComplaints(objectAt(response, 'headers'), answer.headers),
      ...this.#bodyComplaints(objectAt(response, 'content'), answer, isHead),
    ]
  }

  #headerComplaints(said: JsonObject, headers: Headers): string[] {
    const names = new Set(Object.keys(said).map((name) => name.toLowerCase()))
    const unnamed = [...headers.keys()].filter(
      (name) => !names.has(name) && !commonHeaders.has(name) && !name.startsWith('access-control-'),
    )
    const wrong = Object.entries(said).flatMap(([name, reference]) => {
      const { required, schema } = this.resolve(reference)
      const value = headers.get(name)
      if (value === null) return required === true ? [`${name} is missing`] : []
      return this.violations(schema, value).map((problem) => `${name}: ${value} ${problem}`)
    })
    return [...unnamed.map((name) => `${name} is not documented`), ...wrong]
  }

  #bodyComplaints(said: JsonObject, { headers, text }: ReadAnswer, isHead: boolean): string[] {
    if (isHead) return text === '' ? [] : ['HEAD has a body']
    const mediaType = headers.get('content-type')
    if (Object.keys(said).length === 0) {
      return text === '' && mediaType === null ? [] : ['a body is not documented']
    }
    const content = at(said, mediaType ?? '')
    if (content === undefined) return [`${mediaType} is not documented`]
    return this.violations(at(content, 'schema'), bodyOf(mediaType ?? '', text))
  }
}

/** Returns a body as its media type has it: JSON, or the text. */
export function bodyOf(mediaType: string, text: string): unknown {
  return /^application\/(?:[a-z]+\+)?json(?:;|$)/.test(mediaType) ? JSON.parse(text) : text
}
