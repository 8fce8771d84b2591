/**
 * Points in time as people and programs write them: RFC 3339, and for `lenient` readers the rest of ISO 8601
 * that is plainly a point in time. Pure.
 */

/** A point in time, and how finely it was written. */
export interface Instant {
  /** Microseconds since the epoch; finer digits are cut off. */
  readonly microseconds: number
  /** How many digits of a second were written. */
  readonly digits: number
}

/** A day, `T`, a time to the second, up to nine more digits, UTC. A `+` that was not escaped is a space. */
const strictForm =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|[+ ]00:00)$/

/** The same with any offset or none, without seconds, or a day alone. */
const lenientForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+ -])(\d{2}):?(\d{2})?)?)?$/

const minuteMs = 60_000

/** Returns the milliseconds of a moment in UTC, or null when the calendar or the clock has none such. */
function toMilliseconds(parts: readonly (string | undefined)[]): number | null {
  const [year, month, day, hour = '00', minute = '00', second = '00'] = parts
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = Date.parse(`${text}Z`)
  // The parser may take the 31st of February for the 3rd of March, and 24:00 for the next day.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? null : time
}

function offsetMs(sign: string | undefined, hours = '0', minutes = '0'): number | null {
  if (sign === undefined) return 0
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (hour > 23 || minute > 59) return null
  return (sign === '-' ? -1 : 1) * (hour * 60 + minute) * minuteMs
}

/** Reads a point in time; null for anything else. */
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
