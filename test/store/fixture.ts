/** What the store's tests share: a fresh store in a directory of its own, and short ways to write. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Committed, Sighting, SourceDescription } from '../../src/store/batch.ts'
import { Store } from '../../src/store/store.ts'

/** 2026-03-12T08:00:00Z, the time at which every test begins. */
export const startOfTest = Date.UTC(2026, 2, 12, 8)

export function sourceNamed(name: string, redistribute = true): SourceDescription {
  return {
    name,
    title: name,
    home: null,
    licence: 'CC0-1.0',
    redistribute,
    role: 'list',
    confidence: 80,
    threatType: 'phishing',
  }
}

/** A store with a clock that only moves when told. */
export class TestStore {
  readonly dataDir: string
  store: Store
  now = startOfTest

  constructor(pagesMax?: number) {
    this.dataDir = mkdtempSync(join(tmpdir(), 'weir-store-'))
    this.store = this.#open(pagesMax)
  }

  #open(pagesMax?: number): Store {
    const options = { dataDir: this.dataDir, role: 'background', now: () => this.now } as const
    return Store.open(pagesMax === undefined ? options : { ...options, pagesMax })
  }

  reopen(): void {
    this.store.close()
    this.store = this.#open()
  }

  remove(): void {
    this.store.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  async startRun(source: SourceDescription): Promise<number> {
    const operations = [{ op: 'startRun', source, digest: null }] as const
    const { run } = await this.store.write({ at: this.now, operations })
    return run ?? 0
  }

  sight(source: string, run: number, sightings: readonly Sighting[]): Promise<Committed> {
    return this.store.write({
      at: this.now,
      operations: [{ op: 'sight', source, run, sightings }],
    })
  }

  async endRun(run: number, graceMs = 0): Promise<number> {
    let delisted = 0
    for (let after: number | null = 0; after !== null; ) {
      const committed = await this.store.write({
        at: this.now,
        operations: [{ op: 'endRun', run, after, graceMs, read: 0, refused: {} }],
      })
      delisted += committed.delisted
      after = committed.next
    }
    return delisted
  }

  /** Reads a whole list of names as one run, a minute after what came before. */
  async list(source: SourceDescription, names: readonly string[], graceMs = 0): Promise<Committed> {
    this.now += 60_000
    const run = await this.startRun(source)
    const sightings = names.map((value) => ({ type: 'domain', value }) as const)
    const committed = await this.sight(source.name, run, sightings)
    await this.endRun(run, graceMs)
    return committed
  }

  /** The published domains, newest first. */
  published(): string[] {
    return this.store.indicators.blacklist(0, 100_000, 0).map((row) => row.value)
  }
}
