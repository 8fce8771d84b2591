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
function millisecondsOf(parts: readonly (string | undefined)[]): number | null {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    Number(part ?? 0),
  )
  const time = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(time)
  // Two-digit years would be read as of the last century, and a 31st of February as of March.
  const isReal =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  return isReal ? time : null
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
  const time = millisecondsOf(parts.slice(1, 7))
  const offset = form === 'strict' ? 0 : offsetMs(parts[8], parts[9], parts[10])
  if (time === null || offset === null) return null
  const fraction = parts[7] ?? ''
  const microseconds = Number(fraction.slice(0, 6).padEnd(6, '0'))
  return { microseconds: (time - offset) * 1000 + microseconds, digits: fraction.length }
}
