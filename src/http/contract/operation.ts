/**
 * The words in which the contract is written: what one operation of the API takes and answers on the
 * wire. The OpenAPI document (`openapi`) and the types of the client (`api`) follow from nothing else.
 *
 * Data alone: no request is answered by any of it, and `test/http/contract` holds it to the app.
 */

import type { TObject, TSchema } from '@sinclair/typebox'
import type { PolicyName } from '../../config.ts'

/** What operations are grouped by, and what each group is for. */
export const tags = {
  Checks:
    'Is this listed? Answered from local data; nothing that is asked about is ever contacted.',
  Lists: 'The block list: in pages, by what changed, and whole.',
  'STIX and TAXII':
    'The same data for threat-intelligence platforms, as STIX 2.1. Beside these paths there are those that TAXII ' +
    '2.1 itself describes, from `/taxii2/` on.',
  'News and reports':
    'What people read and write: search, feeds, and what they report to the operator of this service.',
  Service: 'How the service is, and what it says of itself.',
} as const

/** A header of an answer. */
export interface Header {
  /** Its name among the components; headers of one name may promise different values. */
  readonly id: string
  /** Its name on the wire. */
  readonly name: string
  readonly description: string
  readonly schema: TSchema
  /** Is it on every answer that names it? */
  readonly isAlways: boolean
  readonly example: string
}

/** How weir is when the request of an example comes in; as usual where nothing is said. */
export type Circumstance = 'limit_used_up' | 'loading' | 'stopping' | 'failing'

export interface ExampleRequest {
  /** The operation's own when left out. */
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  /** Sent are so many blanks: for bodies that are too long to be written down. */
  readonly blanks?: number
}

/** A request, and the body that answers it. */
export interface Example {
  readonly summary: string
  readonly when?: Circumstance
  readonly request: ExampleRequest
  /** The first of the answer's media types when left out. */
  readonly mediaType?: string
  /** JSON, or a text where the media type is another; nothing for an answer without a body. */
  readonly body?: unknown
  /** Members of the body that are new with each answer: theirs are values as they may be. */
  readonly newEachTime?: readonly string[]
}

/** What comes back with one status. */
export interface Answer {
  /** Its name among the components, when several operations share it. */
  readonly id?: string
  readonly description: string
  readonly headers: readonly Header[]
  /** The body's schema by media type; empty where there is no body. */
  readonly content: Readonly<Record<string, TSchema>>
  readonly examples: Readonly<Record<string, Example>>
}

/** One method of one path. GET is answered to HEAD as well. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post'
  /** `:name` stands for a path parameter. */
  readonly path: `/${string}`
  readonly tag: keyof typeof tags
  readonly summary: string
  readonly description: string
  /** The limit that it counts against; null for none. */
  readonly policy: PolicyName | null
  /** The path parameters, each with examples of what there is. */
  readonly pathParameters?: TObject
  readonly query?: TObject
  readonly requestHeaders?: TObject
  /** The JSON body that it takes. */
  readonly body?: TSchema
  readonly answers: Readonly<Record<number, Answer>>
  /** The shape of any other refusal; where nothing is said, a problem document. */
  readonly otherwise?: Answer
}
