/** Ends what has run out, and forgets what was delisted or published long ago. */

import { newsKeptMs } from '../model/news.ts'
import { personalKeptMs } from '../model/report.ts'
import type { Operation } from './batch.ts'
import type { WriteStore } from './store.ts'

/** Returns the operations that are due at `now`; usually none, so that nothing is written. */
function dueOperations(
  store: WriteStore,
  now: number,
  keepDelistedMs: number,
): readonly Operation[] {
  const before = now - keepDelistedMs
  const [newsBefore, reportsBefore] = [now - newsKeptMs, now - personalKeptMs]
  return [
    ...(store.hasRunOut(now, before)
      ? [{ op: 'expire' } as const, { op: 'prune', before } as const]
      : []),
    ...(store.hasOldTexts(newsBefore, reportsBefore)
      ? [{ op: 'forgetTexts', newsBefore, reportsBefore } as const]
      : []),
  ]
}

/** Reports whether there is anything to tidy. */
export function isUntidy(store: WriteStore, now: number, keepDelistedMs: number): boolean {
  return dueOperations(store, now, keepDelistedMs).length > 0
}

/**
 * Tidies the store as of `now`; what was delisted more than `keepDelistedMs` ago is forgotten. Stops
 * between two slices when `signal` fires.
 */
export async function tidy(
  store: WriteStore,
  now: number,
  keepDelistedMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (const operation of dueOperations(store, now, keepDelistedMs)) {
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      const committed = await store.write({ at: now, operations: [operation] })
      next = committed.next
      // Yield to the event loop so that an abort can be observed.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
