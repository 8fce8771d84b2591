/** The contract of /health, /ready, /metrics, /openapi.json, /docs and /docs/reference. */

import { Type } from '@sinclair/typebox'
import { healthExamples, readyExamples, unreadyExamples } from './examples/service.ts'
import {
  conditionalHeaders,
  contentEncoding,
  contentSecurityPolicy,
  etag,
  keptFor,
  lastModified,
  noStore,
  varyByCoding,
} from './headers.ts'
import type { Header, Operation } from './operation.ts'
import { failed, otherMethod } from './problems.ts'
import { count, oneOf, orNull } from './records.ts'

export const healthAnswer = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health' })

export const readiness = Type.Object(
  {
    status: oneOf(['ready', 'loading', 'degraded', 'stopping'], {
      description:
        '`loading`: nothing is answered yet. `degraded`: all is answered, but writes fail or data is old. ' +
        '`stopping`: what has begun is answered.',
    }),
    seq: count('The number of the last change that answers know of.'),
    indicators: count('How many are active, published or not.'),
    viewLag: Type.Object({
      rows: count('Changes by which answers are behind the database.'),
      seconds: Type.Number({ minimum: 0, description: 'Since they were level.' }),
    }),
    searchLag: Type.Object({
      rows: count('Changes by which search is behind the database, in thousands at most.'),
      seconds: Type.Number({ minimum: 0, description: 'Since it was level.' }),
    }),
    sources: Type.Array(
      Type.Object({
        name: Type.String(),
        ageSeconds: orNull(Type.Integer(), {
          description: 'Since its last success; null: there was none.',
        }),
        overdue: Type.Boolean(),
      }),
      { description: 'How fresh each source is; private ones are named nowhere.' },
    ),
    walBytes: count('Bytes of the database’s write-ahead log.'),
    version: Type.String({ description: 'The version of weir.' }),
  },
  { $id: 'Readiness' },
)

const base = { method: 'get', tag: 'Service', policy: null } as const

/** What an answer without a limit may be instead. */
const refusals = { 405: otherMethod, 500: failed } as const

export const health = {
  ...base,
  id: 'readHealth',
  path: '/health',
  summary: 'Does the process run?',
  description: 'Answers 200 as long as the process runs; see `/ready` for whether it can be asked.',
  answers: {
    200: {
      description: 'It runs.',
      headers: [noStore],
      content: { 'application/json': healthAnswer },
      examples: healthExamples,
    },
    405: otherMethod,
  },
} as const satisfies Operation

export const ready = {
  ...base,
  id: 'readReadiness',
  path: '/ready',
  summary: 'Can it be asked, and how fresh is it?',
  description: 'For load balancers and monitors: 200 while it answers, 503 while it does not.',
  answers: {
    200: {
      description: 'It answers: `ready` or `degraded`.',
      headers: [noStore],
      content: { 'application/json': readiness },
      examples: readyExamples,
    },
    503: {
      description: 'It does not: `loading` or `stopping`.',
      headers: [noStore],
      content: { 'application/json': readiness },
      examples: unreadyExamples,
    },
    ...refusals,
  },
} as const satisfies Operation

export const metrics = {
  ...base,
  id: 'readMetrics',
  path: '/metrics',
  summary: 'What it measures of itself',
  description:
    'For Prometheus. All names begin with `weir_`; what people look up is in none of them.',
  answers: {
    200: {
      description: 'The measures, in the text format of Prometheus.',
      headers: [noStore],
      content: { 'text/plain; version=0.0.4; charset=utf-8': Type.String() },
      examples: {},
    },
    ...refusals,
  },
} as const satisfies Operation

const fixedHeaders = [keptFor(300), varyByCoding, etag, lastModified] as const

const pageHeaders = [...fixedHeaders, contentSecurityPolicy] as const

const unchanged = (path: string, headers: readonly Header[]) =>
  ({
    description: 'What the client holds is still good.',
    headers,
    content: {},
    examples: {
      unchanged: {
        summary: 'What the client holds is still good',
        request: { path, headers: { 'if-none-match': '*' } },
      },
    },
  }) as const

export const openApi = {
  ...base,
  id: 'readOpenApi',
  path: '/openapi.json',
  summary: 'This document',
  description: 'The API as OpenAPI 3.1, with the limits of this instance.',
  requestHeaders: conditionalHeaders,
  answers: {
    200: {
      description: 'An OpenAPI document.',
      headers: [...fixedHeaders, contentEncoding],
      content: {
        'application/json': Type.Object(
          { openapi: Type.Literal('3.1.1') },
          { $id: 'OpenApiDocument', additionalProperties: true },
        ),
      },
      examples: {},
    },
    304: unchanged('/openapi.json', fixedHeaders),
    ...refusals,
  },
} as const satisfies Operation

/** A page of the documentation. */
interface DocsPage {
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
}

const docsPage = <const Page extends DocsPage>({ id, path, summary, description }: Page) =>
  ({
    ...base,
    id,
    path: path as Page['path'],
    summary,
    description,
    requestHeaders: conditionalHeaders,
    answers: {
      200: {
        description: 'A page of HTML that loads nothing from elsewhere.',
        headers: [...pageHeaders, contentEncoding],
        content: { 'text/html; charset=utf-8': Type.String() },
        examples: {},
      },
      304: unchanged(path, pageHeaders),
      ...refusals,
    },
  }) as const satisfies Operation

export const docs = docsPage({
  id: 'readDocs',
  path: '/docs',
  summary: 'The documentation, to be read',
  description: 'A page for people: quick start, limits, verdicts, the delta feed, samples of code.',
})

export const docsReference = docsPage({
  id: 'readDocsReference',
  path: '/docs/reference',
  summary: 'This document, to be read',
  description:
    'A page for people: every operation with its parameters, answers, records and headers.',
})
