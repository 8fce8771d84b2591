/** Parts of the contract as OpenAPI writes them. What has a name is kept, and referred to by it. */

import type { TSchema } from '@sinclair/typebox'
import recordedExamples from '../../data/examples.json' with { type: 'json' }
import {
  type AnswerDescription,
  type EndpointDescription,
  type Example,
  exampleKey,
  type HeaderDescription,
} from './contract/description.ts'

/** Any object of an OpenAPI document. */
export interface OpenApiObject {
  readonly [name: string]: unknown
}

type Method = EndpointDescription['method'] | 'head'

const isObject = (value: unknown): value is OpenApiObject =>
  typeof value === 'object' && value !== null

const circumstances = {
  limit_used_up: 'when the limit is used up',
  loading: 'while the data is being loaded',
  stopping: 'while the service stops',
  failing: 'when something inside fails',
} as const

/** Longer bodies of wrong requests are not written out. */
const shownBodyLengthMax = 200

/** Says which request an example answers. */
function requestText({ when, request }: Example, method: Method): string {
  const { path, headers = {}, body } = request
  const named = Object.entries(headers).map(([name, value]) => ` with \`${name}: ${value}\``)
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const isShown = text !== '' && text.length <= shownBodyLengthMax
  const circumstance = when === undefined ? '' : `, ${circumstances[when]}`
  const sent = isShown ? `, sending \`${text}\`` : ''
  return `\`${request.method ?? method.toUpperCase()} ${path}\`${named.join(' and')}${sent}${circumstance}`
}

/** Returns a path as OpenAPI writes it: `:name` becomes `{name}`. */
export const toTemplate = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/** Returns a name as it may stand among the components: `match[id]` becomes `match.id`. */
const keyOf = (name: string): string => name.replace(/\[(\w+)\]/g, '.$1')

/** Writes the parts of one document. */
export class OpenApiParts {
  readonly #schemas = new Map<string, unknown>()
  readonly #parameters = new Map<string, OpenApiObject>()
  readonly #headers = new Map<string, OpenApiObject>()
  readonly #responses = new Map<string, OpenApiObject>()

  /** Returns a schema, named ones as references. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.schema(item))
    if (!isObject(schema)) return schema
    const { $id: name, ...rest } = schema
    if (typeof name !== 'string') return this.#inline(rest)
    if (!this.#schemas.has(name)) {
      // Its place among the others is where it is met first.
      this.#schemas.set(name, null)
      this.#schemas.set(name, this.#inline(rest))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #inline(schema: OpenApiObject): OpenApiObject {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.schema(value)]),
    )
  }

  /** Returns references to the parameters of an operation. */
  parameters({ id, pathParameters, query, requestHeaders }: EndpointDescription): OpenApiObject[] {
    const refer = (
      key: string,
      name: string,
      place: string,
      schema: TSchema,
      isNeeded: boolean,
    ) => {
      const { description, ...rest } = schema
      const parameter = { name, in: place, description, required: isNeeded }
      this.#parameters.set(key, { ...parameter, schema: this.schema(rest) })
      return { $ref: `#/components/parameters/${key}` }
    }
    const { properties: named = {} } = pathParameters ?? {}
    const { properties: asked = {}, required = [] } = query ?? {}
    const { properties: sent = {} } = requestHeaders ?? {}
    return [
      ...Object.entries(named).map(([name, schema]) =>
        refer(`${id}.${name}`, name, 'path', schema, true),
      ),
      ...Object.entries(asked).map(([name, schema]) =>
        refer(`${id}.${keyOf(name)}`, name, 'query', schema, required.includes(name)),
      ),
      ...Object.entries(sent).map(([name, schema]) => refer(name, name, 'header', schema, false)),
    ]
  }

  /** Returns the body that an operation takes; its examples are those that are answered well. */
  requestBody({ answers }: EndpointDescription, body: TSchema): OpenApiObject {
    const examples = Object.entries(answers[200]?.examples ?? {}).map(
      ([name, { summary, request }]) => [name, { summary, value: request.body }] as const,
    )
    const content = { schema: this.schema(body), examples: Object.fromEntries(examples) }
    return { required: true, content: { 'application/json': content } }
  }

  /** Returns an answer to a method, or a reference to it when several operations share it. */
  answer(
    endpointId: string,
    status: string,
    answer: AnswerDescription,
    method: Method,
  ): OpenApiObject {
    const { id } = answer
    const bodies = recordedBodies(endpointId, status, answer)
    if (id === undefined) return this.#response(answer, bodies, method)
    if (!this.#responses.has(id)) this.#responses.set(id, this.#response(answer, bodies, 'get'))
    return { $ref: `#/components/responses/${id}` }
  }

  #response(
    { description, headers, content, examples }: AnswerDescription,
    recorded: ReadonlyMap<string, unknown>,
    method: Method,
  ): OpenApiObject {
    const bodies = Object.entries(content).map(([mediaType, schema], index) => {
      const own = Object.entries(examples).filter(([, example]) =>
        example.mediaType === undefined ? index === 0 : example.mediaType === mediaType,
      )
      return [
        mediaType,
        { schema: this.schema(schema), ...examplesObject(own, recorded, method) },
      ] as const
    })
    return {
      description,
      headers: Object.fromEntries(headers.map((header) => [header.name, this.#header(header)])),
      ...(method !== 'head' && bodies.length > 0 ? { content: Object.fromEntries(bodies) } : {}),
    }
  }

  #header({ id, description, schema, isAlways, example }: HeaderDescription): OpenApiObject {
    this.#headers.set(id, {
      description,
      required: isAlways,
      schema: this.schema(schema),
      example,
    })
    return { $ref: `#/components/headers/${id}` }
  }

  /** Returns everything that was referred to. */
  components(): OpenApiObject {
    return {
      schemas: Object.fromEntries(this.#schemas),
      parameters: Object.fromEntries(this.#parameters),
      headers: Object.fromEntries(this.#headers),
      responses: Object.fromEntries(this.#responses),
    }
  }
}

/** Returns the recorded bodies of an answer by the name of the example. */
function recordedBodies(
  endpointId: string,
  status: string,
  answer: AnswerDescription,
): ReadonlyMap<string, unknown> {
  const bodies: Readonly<Record<string, unknown>> = recordedExamples
  return new Map(
    Object.keys(answer.examples).map((name) => [
      name,
      bodies[exampleKey(answer, endpointId, status, name)],
    ]),
  )
}

function examplesObject(
  examples: readonly (readonly [string, Example])[],
  recorded: ReadonlyMap<string, unknown>,
  method: Method,
): OpenApiObject {
  if (examples.length === 0) return {}
  const written = examples.map(([name, example]) => {
    const description = requestText(example, method)
    return [name, { summary: example.summary, description, value: recorded.get(name) }] as const
  })
  return { examples: Object.fromEntries(written) }
}
