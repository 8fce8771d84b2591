/** The messages between `connect` and `serve`; `id` names a call. The types of calls are checked by `connect`. */

export type ToThread<Opening = unknown> =
  /** Always the first message. */
  | { readonly kind: 'open'; readonly opening: Opening }
  | {
      readonly kind: 'call'
      readonly id: number
      readonly name: string
      readonly inputs: readonly unknown[]
    }
  /** Asks for the next piece. */
  | { readonly kind: 'next'; readonly id: number }
  /** The caller no longer wants the result, or the rest of the pieces. */
  | { readonly kind: 'abort'; readonly id: number }
  /** Always the last message. */
  | { readonly kind: 'close' }

/** A result or a piece. */
export interface ValueMessage<Value = unknown> {
  readonly kind: 'value'
  readonly id: number
  readonly value: Value
}

/** There are no more pieces. */
export interface EndMessage {
  readonly kind: 'end'
  readonly id: number
}

export type FromThread<Event = unknown> =
  | { readonly kind: 'opened' }
  | { readonly kind: 'unopened'; readonly message: string }
  | ValueMessage
  | EndMessage
  /** The handler threw. */
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly message: string
      readonly code: string | null
    }
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'closed' }
