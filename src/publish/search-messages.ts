/** What the serving thread and the thread that searches say to each other. */

import type { SearchQuery } from './search-query.ts'

export type SearchRequest =
  /** The first thing that is said: where the database lies. */
  | { readonly kind: 'open'; readonly dataDir: string }
  | { readonly kind: 'ask'; readonly id: number; readonly query: SearchQuery }
  /** The last thing that is said. */
  | { readonly kind: 'close' }

export type SearchReply =
  /** The answer as JSON. */
  | { readonly kind: 'answer'; readonly id: number; readonly json: string }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** The indexes are level with these numbers of the store. */
  | {
      readonly kind: 'level'
      readonly seq: number
      readonly textSeq: number
    }
  | { readonly kind: 'closed' }
