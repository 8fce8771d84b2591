/** GET /health, /ready, /metrics, /openapi.json and the pages: the state of the service, and its documents. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { jsonText } from '../../publish/wire.ts'
import { headersWith, uncachedAnswer } from '../answer.ts'
import type { HeaderDescription } from '../contract/description.ts'
import { healthExamples, readyExamples, unreadyExamples } from '../contract/examples/service.ts'
import {
  cachedHeaders,
  conditionalHeaders,
  contentEncoding,
  contentSecurityPolicy,
  noStore,
} from '../contract/headers.ts'
import { failed, otherMethod, unchanged } from '../contract/problems.ts'
import { count, oneOf, orNull } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { notFound } from '../problem.ts'
import { StaticAnswer, staticSeconds } from '../static-answer.ts'

const healthAnswer = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health' })

export const readiness = Type.Object(
  {
    status: oneOf(['ready', 'loading', 'degraded', 'stopping'], {
      description:
        '`loading`: nothing is answered yet. `degraded`: lookups are answered, but writes fail, ' +
        'data is old, or a thread of weir ended and is starting again. ' +
        '`stopping`: only calls in flight are answered.',
    }),
    seq: count('The sequence number up to which answers are current.'),
    indicators: count('Active indicators, published or not.'),
    viewLag: Type.Object({
      rows: count('Changes of the database that answers do not show yet.'),
      seconds: Type.Number({ minimum: 0, description: 'Since they were in sync.' }),
    }),
    searchLag: Type.Object({
      rows: count('Changes that search does not show yet, counted to a few thousand.'),
      seconds: Type.Number({ minimum: 0, description: 'Since it was in sync.' }),
    }),
    sources: Type.Array(
      Type.Object({
        name: Type.String(),
        ageSeconds: orNull(Type.Integer(), {
          description: 'Since its last success; null: there was none.',
        }),
        overdue: Type.Boolean(),
      }),
      { description: 'How fresh each source is; private sources are not named.' },
    ),
    walBytes: count('Bytes of the database’s write-ahead log.'),
    version: Type.String({ description: 'The version of weir.' }),
  },
  { $id: 'Readiness' },
)

/** The state of the service. */
export type Readiness = Static<typeof readiness>

const base = { method: 'get', tag: 'Service', policy: null } as const

/** The refusals of an endpoint without a limit. */
const refusals = { 405: otherMethod, 500: failed } as const

export const health = endpoint({
  ...base,
  id: 'readHealth',
  path: '/health',
  summary: 'Is the process running?',
  description: 'Answers 200 while the process runs; `/ready` reports whether it answers lookups.',
  answers: {
    200: {
      description: 'It is running.',
      headers: [noStore],
      content: { 'application/json': healthAnswer },
      examples: healthExamples,
    },
    405: otherMethod,
  },
  handler: () => () => uncachedAnswer({ status: 'ok' }),
})

export const ready = endpoint({
  ...base,
  id: 'readReadiness',
  path: '/ready',
  summary: 'Does it answer lookups, and how fresh is its data?',
  description:
    'For load balancers and monitors: 200 while it answers lookups, 503 while it does not.',
  answers: {
    200: {
      description: 'It answers lookups: `ready` or `degraded`.',
      headers: [noStore],
      content: { 'application/json': readiness },
      examples: readyExamples,
    },
    503: {
      description: 'It answers no lookups: `loading` or `stopping`.',
      headers: [noStore],
      content: { 'application/json': readiness },
      examples: unreadyExamples,
    },
    ...refusals,
  },
  handler: (services: { readiness(): Readiness }) => () => {
    const answer = services.readiness()
    const isOpen = answer.status === 'ready' || answer.status === 'degraded'
    return uncachedAnswer(answer, isOpen ? 200 : 503)
  },
})

/** The text format of Prometheus. */
const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

export const metrics = endpoint({
  ...base,
  id: 'readMetrics',
  path: '/metrics',
  summary: 'Metrics of the service',
  description:
    'For Prometheus. All names begin with `weir_`; what people look up appears in none of them.',
  answers: {
    200: {
      description: 'The metrics, in the text format of Prometheus.',
      headers: [noStore],
      content: { [metricsMediaType]: Type.String() },
      examples: {},
    },
    ...refusals,
  },
  handler: (services: { readonly metrics: { render(): Promise<string> } }) => {
    const headers = headersWith({ 'content-type': metricsMediaType, 'cache-control': 'no-store' })
    return async () => new Response(await services.metrics.render(), { headers })
  },
})

const fixedHeaders = cachedHeaders(staticSeconds)

const pageHeaders = [...fixedHeaders, contentSecurityPolicy] as const

/** Returns the answers of a document that is the same for every client. */
const fixedAnswers = <const MediaType extends string, Schema extends TSchema>(
  path: string,
  description: string,
  headers: readonly HeaderDescription[],
  content: Readonly<Record<MediaType, Schema>>,
) =>
  ({
    200: { description, headers: [...headers, contentEncoding], content, examples: {} },
    304: unchanged(headers, { path, headers: { 'if-none-match': '*' } }),
    ...refusals,
  }) as const

/** A document that is rendered at the first request, and compressed once in each coding. */
interface Rendered {
  readonly headers: Readonly<Record<string, string>>
  render(): string | Promise<string>
}

/** Returns the handler of a document. */
function answerFixed({ headers, render }: Rendered, now: () => number) {
  let rendered: Promise<StaticAnswer> | null = null
  const write = async (): Promise<StaticAnswer> => new StaticAnswer(await render(), headers, now)
  return async ({ request }: { readonly request: Request }): Promise<Response> => {
    rendered ??= write()
    return (await rendered).to(request)
  }
}

interface OpenApiServices {
  /** Returns the OpenAPI document of this instance. */
  openApi(): Promise<object>
  now(): number
}

export const openApi = endpoint({
  ...base,
  id: 'readOpenApi',
  path: '/openapi.json',
  summary: 'This document',
  description: 'The API as OpenAPI 3.1, with the limits of this instance.',
  requestHeaders: conditionalHeaders,
  answers: fixedAnswers('/openapi.json', 'An OpenAPI document.', fixedHeaders, {
    'application/json': Type.Object(
      { openapi: Type.Literal('3.1.1') },
      { $id: 'OpenApiDocument', additionalProperties: true },
    ),
  }),
  handler: ({ openApi: document, now }: OpenApiServices) =>
    answerFixed(
      {
        headers: { 'content-type': 'application/json' },
        render: async () => jsonText(await document()),
      },
      now,
    ),
})

/** A page that is the same for every client. */
export interface Page {
  readonly path: `/${string}`
  /** Everything that the page may load and do. */
  readonly contentSecurityPolicy: string
  /** Returns the page as HTML; called once, for the first request. */
  render(): string | Promise<string>
}

/** What pages need. */
export interface PagesServices {
  readonly pages: readonly Page[]
  now(): number
}

interface PageFacts {
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
}

/** Returns the endpoint of a page; the page itself is one of the services. */
export const pageEndpoint = <const Facts extends PageFacts>({
  id,
  path,
  summary,
  description,
}: Facts) =>
  endpoint({
    ...base,
    id,
    path: path as Facts['path'],
    summary,
    description,
    requestHeaders: conditionalHeaders,
    answers: fixedAnswers(path, 'A page of HTML that loads nothing from elsewhere.', pageHeaders, {
      'text/html; charset=utf-8': Type.String(),
    }),
    handler: ({ pages, now }: PagesServices) => {
      const page = pages.find((candidate) => candidate.path === path)
      if (page === undefined) return () => notFound()
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': page.contentSecurityPolicy,
      }
      return answerFixed({ headers, render: () => page.render() }, now)
    },
  })

export const docs = pageEndpoint({
  id: 'readDocs',
  path: '/docs',
  summary: 'The documentation as a page',
  description:
    'A page for people. It links to one page for each subject, such as `/docs/checking`.',
})

export const docsReference = pageEndpoint({
  id: 'readDocsReference',
  path: '/docs/reference',
  summary: 'This document as a page',
  description:
    'A page for people: every endpoint with its parameters, answers, records and headers.',
})
