/**
 * Reads times as publishers write them. A time that cannot be read is treated as absent; one without a zone
 * is UTC, as all of these publishers document.
 */

/** `2026-01-02`, `2026-01-02 03:04:05 UTC`, `2026-01-02T03:04:05.678+00:00` and the forms in between. */
const written =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(?: ?(UTC|GMT|Z|[+-]\d\d:?\d\d))?$/

/** Returns the time in milliseconds since the epoch; undefined when it cannot be read. */
export function parseTime(text: string | undefined): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] = written.exec(text?.trim() ?? '') ?? []
  if (date === undefined) return undefined
  const ms = Date.parse(`${date}T${time}${/^[A-Z]/.test(zone) ? 'Z' : zone}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Returns a time of whole seconds since the epoch in milliseconds; undefined when it cannot be read. */
export function parseUnixSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : undefined
}
