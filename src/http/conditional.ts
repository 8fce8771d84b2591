/**
 * Validators of cacheable answers, and conditional requests (RFC 9110, 8.8 and 13).
 */

/** An answer's version: a weak tag, and the time of its last change in whole seconds. */
export interface CacheValidators {
  readonly etag: string
  readonly lastModified: number
}

const secondMs = 1000
const floorToSecond = (time: number): number => Math.floor(time / secondMs) * secondMs

/**
 * Returns the validators of what `version` names and was last changed at `changedAt`.
 *
 * The tag is weak, since entries may be seen again without a new version. Within the second of a
 * change another may follow, so a change of this second is dated one earlier: a client that comes
 * back with that date gets the answer again.
 */
export function createValidators(
  version: readonly unknown[],
  changedAt: number,
  now: number,
): CacheValidators {
  return {
    etag: `W/"${Bun.hash(JSON.stringify(version)).toString(36)}"`,
    lastModified: Math.min(floorToSecond(changedAt), floorToSecond(now) - secondMs),
  }
}

/** Returns the headers of an answer that any cache may store for `seconds`, in addition to those that describe it. */
export function cacheHeaders(
  seconds: number,
  { etag, lastModified }: CacheValidators,
): Readonly<Record<string, string>> {
  return {
    'cache-control': `public, max-age=${seconds}`,
    vary: 'accept-encoding',
    etag,
    'last-modified': new Date(lastModified).toUTCString(),
  }
}

/** The one form of dates that is sent today (RFC 9110, 5.6.7); any other is ignored. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '')

/**
 * Reports whether the client holds this version already and 304 is the answer.
 *
 * `If-Modified-Since` counts only without `If-None-Match`; a date that cannot be read never does.
 */
export function isNotModified(
  requestHeaders: Headers,
  { etag, lastModified }: CacheValidators,
): boolean {
  const noneMatch = requestHeaders.get('if-none-match')
  if (noneMatch !== null) {
    if (noneMatch.trim() === '*') return true
    return noneMatch.split(',').some((tag) => opaqueTag(tag) === opaqueTag(etag))
  }
  const modifiedSince = requestHeaders.get('if-modified-since') ?? ''
  const since = Date.parse(modifiedSince)
  return httpDate.test(modifiedSince) && lastModified <= since
}
