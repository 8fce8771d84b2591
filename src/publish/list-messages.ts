/** What the serving thread and the thread that makes lists say to each other. */

import type { ListCoding, ListOrder, ListVersion } from './list-file.ts'

export type ListRequest =
  | { readonly kind: 'write'; readonly dataDir: string; readonly order: ListOrder }
  | {
      readonly kind: 'compress'
      readonly from: string
      readonly path: string
      readonly coding: ListCoding
    }

export type ListReply =
  /** The version that was written; null when something was compressed. */
  | { readonly ok: true; readonly version: ListVersion | null }
  | { readonly ok: false; readonly isDiskFull: boolean; readonly message: string }
