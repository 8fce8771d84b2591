/**
 * Problem documents (RFC 9457): the one shape of every refusal.
 *
 * `detail` and `errors` are written for the caller; nothing of the machine (messages of unexpected
 * errors, paths, SQL) gets into one.
 */

import { jsonText } from '../publish/wire.ts'
import { headersWith } from './answer.ts'

/** What is wrong with one parameter or body field. */
export interface FieldError {
  /** The parameter's name, or the place in the body, such as `urls[3]`. */
  readonly field: string
  readonly message: string
}

const titles = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const

type ProblemStatus = keyof typeof titles

const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded'

interface ProblemParts {
  readonly type?: string
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a problem document of any status that weir answers with. */
export function problem(
  status: ProblemStatus,
  detail: string,
  { type = 'about:blank', errors = [], headers = {} }: ProblemParts = {},
): Response {
  return new Response(jsonText({ type, title: titles[status], status, detail, errors }), {
    status,
    headers: headersWith({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headers,
    }),
  })
}

/** 400: names every wrong field. */
export function badRequest(errors: readonly FieldError[]): Response {
  const [first] = errors
  const detail =
    first !== undefined && errors.length === 1
      ? `${first.field}: ${first.message}`
      : `${errors.length} fields are wrong; errors names each.`
  return problem(400, detail, { errors })
}

/** 400: the body as a whole cannot be read. */
export function unreadableBody(detail: string): Response {
  return problem(400, detail, { errors: [{ field: 'body', message: detail }] })
}

/** 404: by default, the path is unknown. */
export function notFound(detail = 'Not found. See /docs for the available endpoints.'): Response {
  return problem(404, detail)
}

/** 405: the path exists, but does not accept this method. */
export function methodNotAllowed(allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  return problem(405, `This path answers ${allow} only.`, { headers: { allow } })
}

/** 413: the body is longer than this path accepts. */
export function bodyTooLarge(bytesMax: number): Response {
  return problem(413, `The body may have at most ${bytesMax} bytes.`)
}

/** 415: the body is not plain JSON. */
export function unsupportedMediaType(detail: string): Response {
  return problem(415, detail)
}

/** 429, with the number of seconds after which a call is admitted. */
export function tooManyRequests(retryAfterSeconds: number): Response {
  const detail = `The limit of this endpoint is used up; try again in ${retryAfterSeconds} s.`
  return problem(429, detail, {
    type: quotaExceeded,
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

/** 500: contains nothing about the cause, which is reported to the operator. */
export function internalError(): Response {
  return problem(500, 'Something went wrong inside weir. The operator can find it in the log.')
}

/** 503: try again shortly. */
export function unavailable(detail: string, retryAfterSeconds: number): Response {
  return problem(503, detail, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
