/** Calls of an endpoint from inside the process, for pages and commands: the same answers, under the same limits. */

import type { Static, TSchema } from '@sinclair/typebox'
import type { problemDocument } from './contract/problems.ts'
import type { Handler } from './endpoint.ts'

/** An endpoint whose answer is JSON. */
interface JsonEndpoint {
  readonly method: string
  readonly path: string
  readonly pathParameters?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly answers: {
    readonly [status: number]: { readonly content: Readonly<Record<string, TSchema>> }
  }
}

type StaticOf<Schema> = Static<Extract<Schema, TSchema>>

/** What a call sends, as it is written on the wire. */
export interface CallInput<Called extends JsonEndpoint> {
  readonly path?: StaticOf<Called['pathParameters']>
  readonly query?: StaticOf<Called['query']>
  readonly body?: StaticOf<Called['body']>
}

type SuccessOf<Answers> = Answers extends { readonly 200: infer Answer }
  ? Answer
  : Answers extends { readonly 202: infer Answer }
    ? Answer
    : never

/** The value that a call returns: the JSON of the answer. */
export type CallValue<Called extends JsonEndpoint> =
  SuccessOf<Called['answers']> extends {
    readonly content: { readonly 'application/json': infer Schema extends TSchema }
  }
    ? Static<Schema>
    : never

/** A refusal, and after how many seconds the call is worth repeating; null if it is not. */
export interface CallProblem extends Static<typeof problemDocument> {
  readonly retryAfterSeconds: number | null
}

/** What a call returns. */
export type CallResult<Called extends JsonEndpoint> =
  | { readonly ok: true; readonly value: CallValue<Called> }
  | { readonly ok: false; readonly problem: CallProblem }

const localOrigin = 'http://weir.invalid'

/**
 * The requests that no socket has received as they are: calls in process, and copies of requests without a usable
 * host. The server knows no address of them, so that it is kept here.
 */
export class LocalRequests {
  readonly #addresses = new WeakMap<Request, string | null>()

  /** Returns a request to `target` (path and query) on behalf of the client at `address`. */
  create(target: string, init: RequestInit | Request, address: string | null): Request {
    const request = new Request(`${localOrigin}${target}`, init)
    this.#addresses.set(request, address)
    return request
  }

  /** Returns the address that a request was created with; undefined for all others. */
  find(request: Request): string | null | undefined {
    return request.url.startsWith(localOrigin) ? this.#addresses.get(request) : undefined
  }
}

/** Writes the path and query of a call. */
function targetOf(template: string, path: object, query: object): string {
  const filled = Object.entries(path).reduce(
    (text, [name, value]) => text.replace(`:${name}`, encodeURIComponent(String(value))),
    template,
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** Calls `handler`, the compiled `called`, for the client at `client`. */
export async function callEndpoint<Called extends JsonEndpoint>(
  called: Called,
  handler: Handler,
  requests: LocalRequests,
  { path = {}, query = {}, body }: { path?: object; query?: object; body?: unknown },
  client: string,
): Promise<CallResult<Called>> {
  const init =
    body === undefined
      ? { method: called.method.toUpperCase() }
      : {
          method: called.method.toUpperCase(),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }
  const texts = Object.fromEntries(
    Object.entries(path).map(([name, value]) => [name, String(value)]),
  )
  const request = requests.create(targetOf(called.path, path, query), init, client)
  const response = await handler(request, texts)
  const answer: unknown = await response.json()
  // The suite checks every answer against the declared schemas, which these two predicates rely on.
  const isValue = (_: unknown): _ is CallValue<Called> => response.ok
  if (isValue(answer)) return { ok: true, value: answer }
  if (!isProblem(answer))
    throw new Error(`${called.path} refused a call without a problem document`)
  const retryAfter = response.headers.get('retry-after')
  const retryAfterSeconds = retryAfter === null ? null : Number(retryAfter)
  return { ok: false, problem: { ...answer, retryAfterSeconds } }
}

const isProblem = (answer: unknown): answer is Static<typeof problemDocument> =>
  typeof answer === 'object' && answer !== null && 'detail' in answer && 'errors' in answer
