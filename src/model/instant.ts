/**
 * Points in time in text: RFC 3339, and in the `lenient` form everything in ISO 8601 that is clearly a point in
 * time. Pure.
 */

/** A point in time, and the precision of its text. */
export interface Instant {
  /** Microseconds since the epoch; further digits are cut off. */
  readonly microseconds: number
  /** The number of fractional digits of the second. */
  readonly digits: number
}

/** A day, `T`, a time to the second, up to nine more digits, UTC. An unescaped `+` arrives as a space. */
const strictForm =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|[+ ]00:00)$/

/** The same with any offset or none, without seconds, or a day only. */
const lenientForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+ -])(\d{2}):?(\d{2})?)?)?$/

const minuteMs = 60_000

/** Returns a time in UTC in milliseconds, or null when the date or the time does not exist. */
function toMilliseconds(parts: readonly (string | undefined)[]): number | null {
  const [year, month, day, hour = '00', minute = '00', second = '00'] = parts
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = Date.parse(`${text}Z`)
  // `Date.parse` may return the 3rd of March for the 31st of February, and the next day for 24:00.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? null : time
}

function offsetMs(sign: string | undefined, hours = '0', minutes = '0'): number | null {
  if (sign === undefined) return 0
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (hour > 23 || minute > 59) return null
  return (sign === '-' ? -1 : 1) * (hour * 60 + minute) * minuteMs
}

/** Parses a point in time; null when the text is not one. */
export function parseInstant(text: string, form: 'strict' | 'lenient'): Instant | null {
  const parts = (form === 'strict' ? strictForm : lenientForm).exec(text)
  if (parts === null) return null
  const time = toMilliseconds(parts.slice(1, 7))
  const offset = form === 'strict' ? 0 : offsetMs(parts[8], parts[9], parts[10])
  if (time === null || offset === null) return null
  const fraction = parts[7] ?? ''
  const microseconds = Number(fraction.slice(0, 6).padEnd(6, '0'))
  return { microseconds: (time - offset) * 1000 + microseconds, digits: fraction.length }
}
