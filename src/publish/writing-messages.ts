/** What the serving thread and the thread that writes objects say to each other. */

import type { Writing } from './object-writing.ts'

export type WritingRequest =
  /** The first thing that is said: where the database lies. */
  | { readonly kind: 'open'; readonly dataDir: string }
  /** Begins a text; its first piece is the answer. */
  | { readonly kind: 'begin'; readonly id: number; readonly writing: Writing }
  /** Asks for the next piece of a text. */
  | { readonly kind: 'next'; readonly id: number }
  /** Nobody wants the rest of a text. */
  | { readonly kind: 'end'; readonly id: number }
  /** The last thing that is said. */
  | { readonly kind: 'close' }

export type WritingReply =
  /** A piece; null when the text is complete. */
  | { readonly kind: 'piece'; readonly id: number; readonly piece: Uint8Array<ArrayBuffer> | null }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'closed' }
