/**
 * What a log line tells of an error: its class, its code and where it was thrown.
 *
 * Not its message, unless the caller says that this one may be told: messages quote what they are
 * about (`new URL(x)` does), and what people look up is never logged.
 */

/** An error as it stands in a log line. */
export interface ErrorRecord {
  readonly class: string
  /** A system's or runtime's code, such as `ECONNREFUSED`. */
  readonly code?: string
  readonly message?: string
  /** Where it was thrown, nearest first. */
  readonly stack: readonly string[]
  readonly cause?: ErrorRecord
}

const framesMax = 20
const causesMax = 3

/** A frame, and nothing that is merely indented like one. */
const frame = /^ {4}at [^\n]{1,300}:\d{1,9}:\d{1,9}\)?$/

/** Returns the frames of a stack; they follow the message, which may look like frames itself. */
function framesOf({ message, stack = '' }: Error): string[] {
  const end = message === '' ? stack.indexOf('\n') : stack.indexOf(message) + message.length
  const frames = stack.slice(end)
  // A message that was changed later: where it ends in the stack, nobody can tell.
  if (!frames.startsWith('\n    at ')) return []
  const lines = frames.split('\n').filter((line) => frame.test(line))
  return lines.slice(0, framesMax).map((line) => line.trim())
}

/** Returns the name of the error's class; the property `name` could hold anything. */
function classOf(error: Error): string {
  const { name } = error.constructor
  return /^[A-Za-z]\w{0,60}$/.test(name) ? name : 'Error'
}

function codeOf(error: Error): string | null {
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : null
}

/** Returns what is logged of `error`; the message only where `mayTell` says so. */
export function errorRecord(
  error: unknown,
  mayTell: (error: unknown) => boolean,
  causesLeft = causesMax,
): ErrorRecord {
  const message = error instanceof Error ? error.message : String(error)
  const told = mayTell(error) ? { message } : {}
  if (!(error instanceof Error)) return { class: typeof error, ...told, stack: [] }
  const code = codeOf(error)
  const hasCause = error.cause !== undefined && error.cause !== null && causesLeft > 0
  return {
    class: classOf(error),
    ...(code === null ? {} : { code }),
    ...told,
    stack: framesOf(error),
    ...(hasCause ? { cause: errorRecord(error.cause, mayTell, causesLeft - 1) } : {}),
  }
}
