/** Failures of the store that a caller or an operator has to act on. */

import { exitCodes, OperatorError } from '../model/operator-error.ts'

interface StoreErrorDetails {
  readonly cause?: unknown
  /** What to do next, as the end of a sentence. */
  readonly hint: string
}

/** An operation of the store that failed, with what to do next. */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError'
  override readonly exitCode = exitCodes.store
  readonly op: string
  readonly hint: string

  constructor(op: string, message: string, details: StoreErrorDetails) {
    super(`${message}; ${details.hint}`, { cause: details.cause })
    this.op = op
    this.hint = details.hint
  }
}
