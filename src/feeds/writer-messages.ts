/** What the serving thread and the writer's thread say to each other. */

import type { ProposedReport, SourceDescription } from '../store/batch.ts'
import type { FormatName } from './formats/formats.ts'
import type { ImportReport } from './importer.ts'
import type { FetchSettings, Refreshed } from './refresh.ts'

/** To the writer; `id` comes back with the answer. */
export type WriterRequest =
  | {
      readonly kind: 'open'
      readonly id: number
      readonly dataDir: string
      readonly fetching: FetchSettings
      /** The score from which a brand counts as imitated. */
      readonly suspiciousAt: number
    }
  | {
      readonly kind: 'import'
      readonly id: number
      readonly path: string
      readonly source: SourceDescription
      readonly format: FormatName
      readonly digest: string | null
    }
  /** Takes down what a stranger reports. */
  | { readonly kind: 'report'; readonly id: number; readonly report: ProposedReport }
  /** Refreshes every source that is due. */
  | { readonly kind: 'refresh'; readonly id: number }
  /** Names brands on what stands, if these rules have not yet. */
  | { readonly kind: 'fillBrands'; readonly id: number }
  /** Ends what has run out, forgets what was delisted so long ago. */
  | { readonly kind: 'tidy'; readonly id: number; readonly keepDelistedMs: number }
  /** Copies the database when the last copy is older than `everyMs`, and keeps so many copies. */
  | {
      readonly kind: 'backUp'
      readonly id: number
      readonly everyMs: number
      readonly keep: number
    }
  | { readonly kind: 'checkIntegrity'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number }

/** From the writer. `committed` comes after every batch, `failed` in place of an answer. */
export type WriterReply =
  | { readonly kind: 'committed'; readonly seq: number }
  | { readonly kind: 'imported'; readonly id: number; readonly report: ImportReport }
  | { readonly kind: 'refreshed'; readonly id: number; readonly results: readonly Refreshed[] }
  /** The name of the report, or of the one it repeats; null: too many wait. */
  | { readonly kind: 'reported'; readonly id: number; readonly name: string | null }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
