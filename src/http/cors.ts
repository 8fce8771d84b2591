/**
 * CORS for everything under `/api/v1/`, and for nothing else (specification, preamble).
 *
 * It is a layer around the gate: refusals get the same headers as answers, preflights are answered
 * here and count against no limit, and calls elsewhere pay nothing.
 */

import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { securityHeaders } from './answer.ts'
import type { Handler } from './gate.ts'

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

/** Returns `inner` with CORS headers on every answer, for callers from any origin. */
export function withCors(inner: Handler): Handler {
  const layer = new Elysia({ name: 'cors', normalize: false })
    .use(cors(options))
    .all('/*', ({ request }) => inner(request), { parse: 'none' })
    .compile()
  return async (request) => {
    const response = await layer.fetch(request)
    const { headers } = response
    // The plugin's `Vary: *` would keep caches from holding an answer that is the same for all.
    if (headers.get('vary') === '*') headers.delete('vary')
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
    return response
  }
}
