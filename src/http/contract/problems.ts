/** The refusals: problem documents (RFC 9457), in one format everywhere, and what all endpoints share. */

import { Type } from '@sinclair/typebox'
import type { AnswerDescription, Example, HeaderDescription } from './description.ts'
import { allow, limitHeaders, noStore, retryAfter } from './headers.ts'

const fieldError = Type.Object(
  {
    field: Type.String({ description: 'A parameter, or a place in the body such as `urls[3]`.' }),
    message: Type.String({ description: 'What to send instead.' }),
  },
  { $id: 'FieldError' },
)

export const problemDocument = Type.Object(
  {
    type: Type.String({ format: 'uri', description: '`about:blank`, or the type of the problem.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What is wrong, in a sentence.' }),
    errors: Type.Array(fieldError, { description: 'Every wrong field; often empty.' }),
  },
  { $id: 'Problem', description: 'A problem document (RFC 9457): the format of every refusal.' },
)

const content = { 'application/problem+json': problemDocument } as const

type Examples = Readonly<Record<string, Example>>

/** Returns a refusal that one endpoint has. */
export const refusal = <const Own extends Examples>(
  description: string,
  headers: readonly HeaderDescription[],
  examples: Own,
) => ({ description, headers, content, examples })

/** 400, with the examples of one endpoint. */
export const wrongRequest = <const Own extends Examples>(examples: Own) =>
  refusal(
    'Something in the request is wrong; `errors` names every wrong field.',
    [noStore, ...limitHeaders],
    examples,
  )

/** Returns the answer 304 to a request that names the current version. */
export const unchanged = <const Headers extends readonly HeaderDescription[]>(
  headers: Headers,
  request: Example['request'],
) =>
  ({
    description: 'The client has the current version.',
    headers,
    content: {},
    examples: { unchanged: { summary: 'The client has the current version', request } },
  }) as const

const mebibyte = 1_048_576

const formatBytes = (bytes: number): string =>
  bytes >= mebibyte ? `${bytes / mebibyte} MiB` : `${bytes / 1024} KiB`

/** Returns the refusals of an endpoint that takes a JSON body of at most `bytesMax` bytes, in place of others. */
export const bodyRefusals = (path: string, bytesMax: number) =>
  ({
    405: refusal('The path accepts POST only.', [noStore, allow, ...limitHeaders], {
      other_method: { summary: 'A request with GET', request: { method: 'GET', path } },
    }),
    413: refusal(`The body is longer than ${formatBytes(bytesMax)}.`, [noStore, ...limitHeaders], {
      too_long: {
        summary: `A body over ${formatBytes(bytesMax)}`,
        request: {
          path,
          headers: { 'content-type': 'application/json' },
          blanks: bytesMax + 1,
        },
      },
    }),
    415: refusal(
      'The content type is not `application/json`, or the body has a `Content-Encoding`.',
      [noStore, ...limitHeaders],
      {
        text: {
          summary: 'A body with another content type',
          request: { path, headers: { 'content-type': 'text/plain' }, body: '{}' },
        },
      },
    ),
  }) as const

/** 404, and any other refusal. */
export const unknownPath = {
  id: 'NotFound',
  description: 'Any other refusal has this format too: 404 of an unknown path for one.',
  headers: [noStore, ...limitHeaders],
  content,
  examples: {
    unknown_path: {
      summary: 'An unknown path',
      request: { method: 'GET', path: '/api/v1/nothing' },
    },
  },
} as const satisfies AnswerDescription

/** 405 of a path that accepts GET. */
export const otherMethod = {
  id: 'MethodNotAllowed',
  description: 'The path does not accept this method; `Allow` names the methods that it accepts.',
  headers: [noStore, allow, ...limitHeaders],
  content,
  examples: {
    other_method: {
      summary: 'A method that the path does not accept',
      request: { method: 'PUT', path: '/health' },
    },
  },
} as const satisfies AnswerDescription

/** 429. */
export const limitUsedUp = {
  id: 'TooManyRequests',
  description: 'The limit is used up. A call that gets this answer does not count.',
  headers: [noStore, retryAfter, ...limitHeaders],
  content,
  examples: {
    limit_used_up: {
      summary: 'One call more than the limit',
      when: 'limit_used_up',
      request: { method: 'GET', path: '/api/check-url?url=clean.weir.test' },
    },
  },
} as const satisfies AnswerDescription

/** 500. */
export const failed = {
  id: 'InternalServerError',
  description: 'Something went wrong inside weir; the operator can find it in the log.',
  headers: [noStore, ...limitHeaders],
  content,
  examples: {
    failed: {
      summary: 'An unexpected error',
      when: 'failing',
      request: { method: 'GET', path: '/api/check-url?url=clean.weir.test' },
    },
  },
} as const satisfies AnswerDescription

/** 503. */
export const notNow = {
  id: 'ServiceUnavailable',
  description:
    'Temporarily unavailable: the data is still being loaded, or too many calls are in flight.',
  headers: [noStore, retryAfter, ...limitHeaders],
  content,
  examples: {
    loading: {
      summary: 'Just after a start',
      when: 'loading',
      request: { method: 'GET', path: '/api/check-url?url=clean.weir.test' },
    },
  },
} as const satisfies AnswerDescription

/** The refusals of a limited GET. */
export const refusals = { 405: otherMethod, 429: limitUsedUp, 500: failed, 503: notNow } as const
