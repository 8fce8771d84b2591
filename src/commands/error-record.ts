/**
 * An error as a log line has it: its class, its code and where it was thrown.
 *
 * Its message is left out unless the caller allows it: messages quote their subject (`new URL(x)`
 * does), and what people look up is never logged.
 */

/** An error in a log line. */
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

/** A frame; text that is merely indented like one does not match. */
const frame = /^ {4}at [^\n]{1,300}:\d{1,9}:\d{1,9}\)?$/

/** Returns the frames of a stack; they follow the message, which may look like frames itself. */
function findFrames({ message, stack = '' }: Error): string[] {
  const end = message === '' ? stack.indexOf('\n') : stack.indexOf(message) + message.length
  const frames = stack.slice(end)
  // The message was changed later: its end in the stack is unknown.
  if (!frames.startsWith('\n    at ')) return []
  const lines = frames.split('\n').filter((line) => frame.test(line))
  return lines.slice(0, framesMax).map((line) => line.trim())
}

/** Returns the name of the error's class; the property `name` could hold anything. */
function findClass(error: Error): string {
  const { name } = error.constructor
  return /^[A-Za-z]\w{0,60}$/.test(name) ? name : 'Error'
}

function findCode(error: Error): string | null {
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : null
}

/** Returns the record of `error`, with its message only if `mayQuote` allows it. */
export function errorRecord(
  error: unknown,
  mayQuote: (error: unknown) => boolean,
  causesLeft = causesMax,
): ErrorRecord {
  const message = error instanceof Error ? error.message : String(error)
  const quoted = mayQuote(error) ? { message } : {}
  if (!(error instanceof Error)) return { class: typeof error, ...quoted, stack: [] }
  const code = findCode(error)
  const hasCause = error.cause !== undefined && error.cause !== null && causesLeft > 0
  return {
    class: findClass(error),
    ...(code === null ? {} : { code }),
    ...quoted,
    stack: findFrames(error),
    ...(hasCause ? { cause: errorRecord(error.cause, mayQuote, causesLeft - 1) } : {}),
  }
}
