/**
 * The current platforms: those that ship with weir, and those of guard sources.
 *
 * A table is never changed while in use. When the guards have changed, the next one is built next to
 * it, in slices with requests in between, and replaces it when it is complete.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Platform,
  type PlatformRow,
  type Platforms,
  PlatformTable,
} from '../model/platform.ts'
import type { ReadStore } from '../store/store.ts'

/** The number of names in a slice: under half a millisecond, including reading. */
const sliceRows = 200

/** The part of a store that is followed. */
interface GuardedStore {
  readonly guards: Pick<ReadStore['guards'], 'ofKind' | 'version'>
}

/** Follows the guards of a store; where both name an apex, the base takes precedence. */
export class FollowedPlatforms implements Platforms {
  readonly #guards: GuardedStore['guards']
  readonly #base: Platforms
  #current: Platforms
  /** The version of the guards in the table. */
  #version: string | null = null
  #refreshing: Promise<void> | null = null

  constructor({ guards }: GuardedStore, base: Platforms) {
    this.#guards = guards
    this.#base = base
    this.#current = base
  }

  get named(): readonly Platform[] {
    return this.#current.named
  }

  rows(): Iterable<PlatformRow> {
    return this.#current.rows()
  }

  findPlatform(host: string): Platform | null {
    return this.#current.findPlatform(host)
  }

  /**
   * Reads the guards again if they have changed; concurrent callers wait for the same read, which ends
   * in sync with the store. Rejects when the store cannot be read: the old table remains, and the next
   * call tries again.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#follow().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #follow(): Promise<void> {
    for (;;) {
      const version = this.#guards.version()
      if (version === this.#version) return
      this.#current = await this.#build()
      this.#version = version
    }
  }

  async #build(): Promise<Platforms> {
    let rows = this.#guards.ofKind('platform', 0, sliceRows)
    if (rows.length === 0) return this.#base
    const table = new PlatformTable()
    let copied = 0
    for (const row of this.#base.rows()) {
      table.add(row)
      if (++copied % sliceRows === 0) await nextTurn()
    }
    while (rows.length > 0) {
      for (const { value, mode } of rows) if (mode !== null) table.extend({ apex: value, mode })
      await nextTurn()
      rows = this.#guards.ofKind('platform', rows.at(-1)?.id ?? 0, sliceRows)
    }
    return table
  }
}
