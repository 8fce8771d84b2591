/**
 * An expected outcome as a value: the result, or the reason why there is none.
 *
 * Reasons are literal unions, or unions discriminated by `kind`, so that a `switch` over them is checked for
 * completeness. Failures of the machine (disk, network) are typed errors and are thrown.
 */
export type Result<Value, Reason> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Reason }
