/**
 * What the definition of an endpoint states about requests and answers on the wire. The OpenAPI document (`openapi`) and
 * the types of the client (`api`) follow from it alone.
 */

import type { TObject, TSchema } from '@sinclair/typebox'
import type { PolicyName } from '../../config.ts'

/** The groups of endpoints, and what each group is for. */
export const tags = {
  Checks:
    'Is this listed? Answered from local data; nothing that is asked about is ever contacted.',
  Lists: 'The block list: in pages, by what changed, and whole.',
  'STIX and TAXII':
    'The same data for threat-intelligence platforms, as STIX 2.1. TAXII 2.1 itself describes ' +
    'further paths, from `/taxii2/` on.',
  'News and reports':
    'What people read and write: search, feeds, and reports to the operator of this service.',
  Service: 'The state of the service, and its documents.',
} as const

/** A header of an answer. */
export interface HeaderDescription {
  /** Its name among the components; headers of one name may have different values. */
  readonly id: string
  /** Its name on the wire. */
  readonly name: string
  readonly description: string
  readonly schema: TSchema
  /** Does every answer that names it have it? */
  readonly isAlways: boolean
  readonly example: string
}

/** The state of weir when the request of an example arrives; `ready` if missing. */
export type Circumstance = 'limit_used_up' | 'loading' | 'stopping' | 'failing'

export interface ExampleRequest {
  /** That of the endpoint if missing. */
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown
  /** Sends this number of spaces: for bodies that are too long to be written here. */
  readonly blanks?: number
}

/** A request of the example world; `data/examples.json` has the recorded body of its answer. */
export interface Example {
  readonly summary: string
  readonly when?: Circumstance
  readonly request: ExampleRequest
  /** The first of the answer's media types if missing. */
  readonly mediaType?: string
  /** Members of the body that differ in each answer. */
  readonly newEachTime?: readonly string[]
}

/** The answer with one status. */
export interface AnswerDescription {
  /** Its name among the components, if several endpoints share it. */
  readonly id?: string
  readonly description: string
  readonly headers: readonly HeaderDescription[]
  /** The body's schema by media type; empty where there is no body. */
  readonly content: Readonly<Record<string, TSchema>>
  readonly examples: Readonly<Record<string, Example>>
}

/** One method of one path. HEAD is answered like GET. */
export interface EndpointDescription {
  readonly id: string
  readonly method: 'get' | 'post' | 'delete'
  /** `:name` is a path parameter. */
  readonly path: `/${string}`
  readonly tag: keyof typeof tags
  readonly summary: string
  readonly description: string
  /** The limit that calls count against; null for none. */
  readonly policy: PolicyName | null
  /** The path parameters, each with examples. */
  readonly pathParameters?: TObject
  readonly query?: TObject
  readonly requestHeaders?: TObject
  /** The schema of the JSON body. */
  readonly body?: TSchema
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** The format of any other refusal; a problem document if missing. */
  readonly otherwise?: AnswerDescription
}

/** Returns the name under which the body of an example is recorded; answers that endpoints share have one record. */
export const exampleKey = (
  { id }: Pick<AnswerDescription, 'id'>,
  endpointId: string,
  status: string,
  name: string,
): string => `${id ?? `${endpointId}.${status}`}.${name}`
