/** What a command of the command line is, and how it reports that it was called wrongly. */

/** Exit codes a script can rely on. */
export const exitCodes = {
  ok: 0,
  /** `check`: something is listed or suspicious. Elsewhere: the work failed. */
  failed: 1,
  /** Called wrongly, or a setting is wrong. */
  usage: 2,
  /** The database is damaged, foreign or newer, or another server holds it. */
  store: 3,
} as const

/** A command called in a way it cannot carry out; the message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Command {
  /** One line for the overview. */
  readonly summary: string
  /** How it is called, with every option. */
  readonly usage: string
  /** Carries it out and returns the exit code. */
  run(args: readonly string[]): Promise<number>
}
