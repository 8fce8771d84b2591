/** Ends what has run out and forgets what was delisted long ago. */

import type { Operation } from './batch.ts'
import type { Store } from './store.ts'

/** Tidies the store as of `now`; what was delisted more than `keepDelistedMs` ago is forgotten. */
export async function tidy(store: Store, now: number, keepDelistedMs: number): Promise<void> {
  const before = now - keepDelistedMs
  // Most of the time there is nothing to do, and then nothing is written.
  if (!store.hasRunOut(now, before)) return
  await inSlices(store, now, { op: 'expire' })
  await inSlices(store, now, { op: 'prune', before })
}

async function inSlices(store: Store, at: number, operation: Operation): Promise<void> {
  for (let next: number | null = 0; next !== null; ) {
    const committed = await store.write({ at, operations: [operation] })
    next = committed.next
  }
}
