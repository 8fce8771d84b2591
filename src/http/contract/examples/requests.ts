/** Requests that several examples send. */

import type { Example } from '../description.ts'

/** Returns how examples send JSON to a path. */
export const postTo =
  (path: string) =>
  (body: unknown): Example['request'] => ({
    path,
    headers: { 'content-type': 'application/json' },
    body,
  })

/** Returns a request whose body is one byte over its limit. */
export const overLimit = (path: string, bytesMax: number): Example['request'] => ({
  path,
  headers: { 'content-type': 'application/json' },
  blanks: bytesMax + 1,
})
