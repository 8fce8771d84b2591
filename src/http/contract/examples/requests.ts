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
