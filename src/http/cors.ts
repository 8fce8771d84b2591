/**
 * CORS for everything under `/api/v1/`, and for nothing else (specification, preamble).
 *
 * Answers get their headers around the gate, so that refusals have them as well. Preflights are answered by the plugin
 * and count against no limit.
 */

import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { securityHeaders } from './answer.ts'
import type { Answering, Handler } from './endpoint.ts'
import { notFound } from './problem.ts'

/** The prefix of every path that pages of other origins may call. */
export const corsPrefix = '/api/v1/'

const preflightSeconds = 86_400

const options = {
  origin: '*',
  credentials: false,
  methods: ['GET', 'HEAD', 'POST', 'DELETE'],
  allowedHeaders: ['content-type', 'authorization', 'if-none-match', 'idempotency-key'],
  exposeHeaders: [
    'X-Total-Count',
    'X-Last-Updated',
    'X-List-Cursor',
    'ETag',
    'Link',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'Age',
  ],
  maxAge: preflightSeconds,
}

const answerHeaders = Object.entries({
  'access-control-allow-origin': options.origin,
  'access-control-allow-methods': options.methods.join(', '),
  'access-control-allow-headers': options.allowedHeaders.join(', '),
  'access-control-expose-headers': options.exposeHeaders.join(', '),
})

function allowAnyOrigin(response: Response): Response {
  for (const [name, value] of answerHeaders) response.headers.set(name, value)
  return response
}

/** Returns `inner` with the CORS headers on every answer. */
export function withCors(inner: Handler): Handler {
  return (request, path): Answering => {
    const response = inner(request, path)
    return response instanceof Promise ? response.then(allowAnyOrigin) : allowAnyOrigin(response)
  }
}

/** Returns the handler of preflight requests. */
export function createPreflight(): Handler {
  const layer = new Elysia({ name: 'cors', normalize: false })
    .use(cors(options))
    .all('/*', () => notFound(), { parse: 'none' })
    .compile()
  return async (request) => {
    const response = await layer.fetch(request)
    const { headers } = response
    // The plugin's `Vary: *` would keep caches from storing an answer that is the same for every origin.
    if (headers.get('vary') === '*') headers.delete('vary')
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
    return response
  }
}
