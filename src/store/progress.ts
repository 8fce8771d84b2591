/** The counters of a batch while it is applied, and the sequence numbers that it assigns. */

import type { SetHash } from '../model/set-hash.ts'
import { batchRowsMax } from './batch.ts'
import type { Dating } from './exports.ts'
import { StoreError } from './store-error.ts'

export interface Progress extends Dating {
  readonly at: number
  readonly firstSeq: number
  /** How many numbers have been given. */
  ordinal: number
  /** The last number of an indicator, and of an article or a report. */
  seq: number
  textSeq: number
  nextId: number
  listedChangedAt: number
  listSeq: number
  readonly setHash: SetHash
  oldestSeq: number
  added: number
  changed: number
  seenAgain: number
  delisted: number
  run: number | null
  next: number | null
  /** The name of the report that the `report` of the batch was saved as, or merged into. */
  report: string | null
}

function nextSeq(progress: Progress): number {
  if (progress.ordinal === batchRowsMax) {
    throw new StoreError('write', `a batch changed more than ${batchRowsMax} rows`, {
      hint: 'propose smaller batches',
    })
  }
  return progress.firstSeq + progress.ordinal++
}

/** Returns the number of an indicator whose meaning changes; throws a `StoreError` when there is none left. */
export function nextIndicatorSeq(progress: Progress): number {
  progress.seq = nextSeq(progress)
  return progress.seq
}

/**
 * Returns the number of an article or a report that changes. Numbers are unique and ascend whatever they
 * are given to, but the list's own number (`meta.seq`) is that of indicators alone: an article does not
 * make clients pull lists again.
 */
export function nextTextSeq(progress: Progress): number {
  progress.textSeq = nextSeq(progress)
  return progress.textSeq
}
