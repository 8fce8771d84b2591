/**
 * An expected outcome as a value: either what was asked for, or the reason why not.
 *
 * Reasons are literal unions, or unions told apart by `kind`, so that a `switch` over them is checked for
 * completeness. Failures of
 * the machine (disk, network) are not reasons; they are typed errors and are thrown.
 */
export type Result<Value, Reason> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Reason }
