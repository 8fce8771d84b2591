/** Ends what has run out and forgets what was delisted long ago. */

import type { Store } from './store.ts'

/**
 * Tidies the store as of `now`; what was delisted more than `keepDelistedMs` ago is forgotten. Stops
 * between two slices when `signal` fires.
 */
export async function tidy(
  store: Store,
  now: number,
  keepDelistedMs: number,
  signal: AbortSignal,
): Promise<void> {
  const before = now - keepDelistedMs
  // Most of the time there is nothing to do, and then nothing is written.
  if (!store.hasRunOut(now, before)) return
  for (const operation of [{ op: 'expire' }, { op: 'prune', before }] as const) {
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      const committed = await store.write({ at: now, operations: [operation] })
      next = committed.next
      // Whoever wants this to stop must be heard meanwhile.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
