/** What a command of the command line is, and how it reports that it was called wrongly. */

import { exitCodes, OperatorError } from '../model/operator-error.ts'

/** A command called in a way it cannot carry out; the message says what to do instead. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
  override readonly exitCode = exitCodes.usage
}

export interface Command {
  /** One line for the overview. */
  readonly summary: string
  /** How it is called, with every option. */
  readonly usage: string
  /** Carries it out and returns the exit code. */
  run(args: readonly string[]): Promise<number>
}
