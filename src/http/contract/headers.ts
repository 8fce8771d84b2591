/** The headers of answers, and the request headers that change an answer. */

import { Type } from '@sinclair/typebox'
import type { HeaderDescription } from './description.ts'
import { nextPageCursor } from './examples/blacklist.ts'
import { nextExportPath } from './examples/stix-export.ts'
import { nextBundlePath } from './examples/taxii.ts'

/** A request that names the version that the client has is answered by 304 while that version is current. */
export const conditionalHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an answer that the client has; 304 if it is current.',
      examples: ['W/"14jh4q0r9wgaq"'],
    }),
  ),
  'if-modified-since': Type.Optional(
    Type.String({
      description: 'The `Last-Modified` of that answer; counts only without `If-None-Match`.',
      examples: ['Thu, 12 Mar 2026 09:02:00 GMT'],
    }),
  ),
  'accept-encoding': Type.Optional(
    Type.String({
      description: 'Long answers are compressed with the best of `zstd`, `br` and `gzip` it names.',
      examples: ['zstd, br, gzip'],
    }),
  ),
})

/** For answers that are compressed and never cached. */
export const codingHeaders = Type.Pick(conditionalHeaders, ['accept-encoding'])

const always = { isAlways: true } as const
const sometimes = { isAlways: false } as const

export const rateLimitPolicy: HeaderDescription = {
  ...sometimes,
  id: 'RateLimit-Policy',
  name: 'RateLimit-Policy',
  description:
    'The limits that this call counted against: name, quota `q`, window `w` in seconds ' +
    '(draft-ietf-httpapi-ratelimit-headers). Missing where no limit applies.',
  schema: Type.String({ pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+(, "[a-z-]+";q=[0-9]+;w=[0-9]+)*$' }),
  example: '"blacklist";q=100;w=3600',
}

export const rateLimit: HeaderDescription = {
  ...sometimes,
  id: 'RateLimit',
  name: 'RateLimit',
  description:
    'For each of these limits the number of calls left, `r`; in `t` seconds there is one more.',
  schema: Type.String({ pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+(, "[a-z-]+";r=[0-9]+;t=[0-9]+)*$' }),
  example: '"blacklist";r=99;t=3600',
}

/** On every answer to a call that was counted, or refused by the limit. */
export const limitHeaders = [rateLimitPolicy, rateLimit] as const

export const retryAfter: HeaderDescription = {
  ...always,
  id: 'Retry-After',
  name: 'Retry-After',
  description: 'The number of seconds after which a call is admitted.',
  schema: Type.String({ pattern: '^[1-9][0-9]*$' }),
  example: '60',
}

export const noStore: HeaderDescription = {
  ...always,
  id: 'Cache-Control-no-store',
  name: 'Cache-Control',
  description: 'The answer is true at this moment only and must not be cached.',
  schema: Type.Literal('no-store'),
  example: 'no-store',
}

/** Returns the header that lets any cache store an answer for a number of seconds. */
function keptFor(seconds: number): HeaderDescription {
  const value = `public, max-age=${seconds}`
  return {
    ...always,
    id: `Cache-Control-${seconds}`,
    name: 'Cache-Control',
    description: `Any cache may store it for ${seconds} seconds and must then revalidate it.`,
    schema: Type.Literal(value),
    example: value,
  }
}

export const etag: HeaderDescription = {
  ...always,
  id: 'ETag',
  name: 'ETag',
  description: 'The version of this answer, for `If-None-Match`. Weak: the same for every coding.',
  schema: Type.String({ pattern: '^W/"[0-9a-z]+"$' }),
  example: 'W/"14jh4q0r9wgaq"',
}

export const lastModified: HeaderDescription = {
  ...always,
  id: 'Last-Modified',
  name: 'Last-Modified',
  description: 'The time of the last change, for `If-Modified-Since`.',
  schema: Type.String({
    pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$',
  }),
  example: 'Thu, 12 Mar 2026 09:02:00 GMT',
}

export const varyByCoding: HeaderDescription = {
  ...always,
  id: 'Vary',
  name: 'Vary',
  description: 'The answer is compressed by what `Accept-Encoding` allows.',
  schema: Type.Literal('accept-encoding'),
  example: 'accept-encoding',
}

export const varyByAccept: HeaderDescription = {
  ...always,
  id: 'Vary-Accept',
  name: 'Vary',
  description:
    'The answer depends on `Accept`, and is compressed by what `Accept-Encoding` allows.',
  schema: Type.Literal('accept, accept-encoding'),
  example: 'accept, accept-encoding',
}

/** The headers of an answer that any cache may store for a number of seconds, and may revalidate. */
export const cachedHeaders = (seconds: number) =>
  [keptFor(seconds), varyByCoding, etag, lastModified] as const

export const contentEncoding: HeaderDescription = {
  ...sometimes,
  id: 'Content-Encoding',
  name: 'Content-Encoding',
  description: 'The coding of a long answer; missing if it is not compressed.',
  schema: Type.Union([Type.Literal('zstd'), Type.Literal('br'), Type.Literal('gzip')]),
  example: 'zstd',
}

export const contentRange: HeaderDescription = {
  ...sometimes,
  id: 'Content-Range',
  name: 'Content-Range',
  description:
    'States that the whole list is sent to a client that asked for a part: parts of two versions would mix.',
  schema: Type.String({ pattern: '^bytes 0-[0-9]+/[0-9]+$' }),
  example: 'bytes 0-490/491',
}

export const totalCount: HeaderDescription = {
  ...always,
  id: 'X-Total-Count',
  name: 'X-Total-Count',
  description: 'The number of listed domains, regardless of the filter.',
  schema: Type.String({ pattern: '^[0-9]+$' }),
  example: '5',
}

export const lastUpdated: HeaderDescription = {
  ...always,
  id: 'X-Last-Updated',
  name: 'X-Last-Updated',
  description:
    'The time of the last change of the list, RFC 3339; for an empty list the creation of the database.',
  schema: Type.String({ format: 'date-time' }),
  example: '2026-03-12T09:02:00.000Z',
}

export const listCursor: HeaderDescription = {
  ...always,
  id: 'X-List-Cursor',
  name: 'X-List-Cursor',
  description:
    'The cursor with which `/api/v1/blacklist/changes` continues from this state of the list.',
  schema: Type.String({ minLength: 1 }),
  example: 'NWVlZDAxMjMgMzY4NjQ',
}

export const nextLink: HeaderDescription = {
  ...sometimes,
  id: 'Link',
  name: 'Link',
  description: 'The next page, as `<address>; rel="next"` (RFC 8288); missing on the last page.',
  schema: Type.String({ pattern: '^<https?://[^>]+>; rel="next"$' }),
  example: `<https://weir.example.org/api/v1/blacklist?limit=2&cursor=${nextPageCursor}>; rel="next"`,
}

export const nextBundleLink: HeaderDescription = {
  ...sometimes,
  id: 'Link-bundle',
  name: 'Link',
  description:
    'Of a bundle: what comes after it, as `<address>; rel="next"` (RFC 8288). An envelope has `next` instead.',
  schema: Type.String({ pattern: '^<https?://[^>]+>; rel="next"$' }),
  example: `<https://weir.example.org${nextBundlePath}>; rel="next"`,
}

export const nextExportLink: HeaderDescription = {
  ...sometimes,
  id: 'Link-export',
  name: 'Link',
  description:
    'The indicators that did not fit, as `<address>; rel="next"` (RFC 8288); missing if all did.',
  schema: Type.String({ pattern: '^<https?://[^>]+>; rel="next"$' }),
  example: `<https://weir.example.org${nextExportPath}>; rel="next"`,
}

const addedTime = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$',
})

export const addedFirst: HeaderDescription = {
  ...always,
  id: 'X-TAXII-Date-Added-First',
  name: 'X-TAXII-Date-Added-First',
  description: 'When the first object of the page was added to the collection.',
  schema: addedTime,
  example: '2026-03-12T08:00:00.000001Z',
}

export const addedLast: HeaderDescription = {
  ...always,
  id: 'X-TAXII-Date-Added-Last',
  name: 'X-TAXII-Date-Added-Last',
  description: 'When the last one was added: the `added_after` of the next request.',
  schema: addedTime,
  example: '2026-03-12T08:01:01.000017Z',
}

export const contentSecurityPolicy: HeaderDescription = {
  ...always,
  id: 'Content-Security-Policy',
  name: 'Content-Security-Policy',
  description: 'What the page may load and do: nothing but its own contents.',
  schema: Type.String({ pattern: "^default-src 'none'" }),
  example: "default-src 'none'",
}

export const allow: HeaderDescription = {
  ...always,
  id: 'Allow',
  name: 'Allow',
  description: 'The methods that the path accepts.',
  schema: Type.String({ pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  example: 'GET, HEAD',
}
