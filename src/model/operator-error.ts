/**
 * Failures that the operator can act on, with the exit code of the command they end.
 *
 * Every room throws its own kind; the command line prints the message of any of them without knowing
 * which it is.
 */

/** Exit codes that a script can rely on. */
export const exitCodes = {
  ok: 0,
  /** `check`: something is listed or suspicious. Elsewhere: the work failed. */
  failed: 1,
  /** The call or a setting is wrong. */
  usage: 2,
  /** The database is damaged, foreign or newer, or another server holds it. */
  store: 3,
} as const

/** A failure whose message is one line for the operator's terminal: what is wrong, and what to do. */
export abstract class OperatorError extends Error {
  abstract readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes]
}
