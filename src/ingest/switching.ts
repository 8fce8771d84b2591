/**
 * Enables, disables or withdraws a source. Withdrawing delists everything the source lists; enabling it
 * again restores those listings.
 */

import type { Operation, SourceDescription } from '../store/batch.ts'
import type { WriteStore } from '../store/store.ts'
import { toSourceDescription } from './sources.ts'

/** `withdraw` disables a source and delists everything it lists. */
export type SourceAction = 'enable' | 'disable' | 'withdraw'

/** What switching a source changed. */
export interface Switched {
  /** Indicators that were delisted because no other source lists them. */
  readonly delisted: number
  /** Indicators whose answer changed, including those listed again. */
  readonly changed: number
  /** The sequence number from which views answer accordingly. */
  readonly seq: number
}

/** Switches a source, and returns what changed. Run again after an interruption, it completes the work. */
export async function switchSource(
  store: WriteStore,
  source: SourceDescription,
  action: SourceAction,
  at: number,
): Promise<Switched> {
  const wasWithdrawn = store.sources.byName(source.name)?.withdrawn === 1
  const isWithdrawn = action === 'withdraw' || (action === 'disable' && wasWithdrawn)
  const before = store.sources.byName(source.name)?.enabled ?? null
  const enabled = findEnabled(action, wasWithdrawn, before === null ? null : before === 1)
  const done = { delisted: 0, changed: 0, seq: 0 }
  const write = async (operation: Operation): Promise<number | null> => {
    const committed = await store.write({ at, operations: [operation] })
    done.delisted += committed.delisted
    done.changed += committed.changed
    done.seq = committed.seq
    return committed.next
  }
  const writeSlices = async (op: 'withhold' | 'reinstate' | 'enforce'): Promise<void> => {
    for (let after: number | null = 0; after !== null; ) {
      after = await write({ op, source: source.name, after })
    }
  }
  // The state afterwards does not match the last list read, so an unchanged list is read again.
  const state = store.fetches.find(source.name)
  if (state !== null) await store.noteFetch({ ...state, reading: null })
  // The switch is written before the slices, so that nothing is added in between.
  await write({ op: 'switchSource', source, enabled, isWithdrawn })
  await writeSlices(isWithdrawn ? 'withhold' : 'reinstate')
  // A restored guard is applied to what has been listed meanwhile.
  if (source.role === 'guard' && !isWithdrawn) await writeSlices('enforce')
  return done
}

/** Returns whether the source is fetched afterwards; withdrawing and restoring do not change that. */
function findEnabled(
  action: SourceAction,
  wasWithdrawn: boolean,
  before: boolean | null,
): boolean | null {
  if (action === 'disable') return false
  if (action === 'withdraw' || (wasWithdrawn && before === null)) return before
  return true
}

/** Returns the stored description of a source, or null. */
export function storedDescription(store: WriteStore, name: string): SourceDescription | null {
  const row = store.sources.byName(name)
  return row === null ? null : toSourceDescription({ ...row, redistribute: row.redistribute === 1 })
}
