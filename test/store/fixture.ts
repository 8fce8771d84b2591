/** What the store's tests share: a fresh store in a directory of its own, and short ways to write. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Committed, Operation, Sighting, SourceDescription } from '../../src/store/batch.ts'
import { WriteStore } from '../../src/store/store.ts'

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
  store: WriteStore
  now = startOfTest

  constructor(pagesMax?: number) {
    this.dataDir = mkdtempSync(join(tmpdir(), 'weir-store-'))
    this.store = this.#open(pagesMax)
  }

  #open(pagesMax?: number): WriteStore {
    const options = { dataDir: this.dataDir, role: 'background', now: () => this.now } as const
    return WriteStore.open(pagesMax === undefined ? options : { ...options, pagesMax })
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

  endRun(run: number, graceMs = 0): Promise<number> {
    return this.inSlices((after) => ({
      op: 'endRun',
      run,
      after,
      graceMs,
      read: 0,
      refused: {},
    }))
  }

  /** Carries out an operation slice by slice; returns how many it delisted. */
  async inSlices(operationAt: (after: number) => Operation): Promise<number> {
    let delisted = 0
    for (let after: number | null = 0; after !== null; ) {
      const operations = [operationAt(after)]
      const committed: Committed = await this.store.write({ at: this.now, operations })
      delisted += committed.delisted
      after = committed.next
    }
    return delisted
  }

  /** Reads a guard's whole list of names as one run, and enforces it. */
  async guard(source: SourceDescription, names: readonly string[]): Promise<void> {
    const run = await this.startRun(source)
    const entries = names.map((value) => ({ kind: 'name', value }) as const)
    const operations = [{ op: 'guard', source: source.name, run, entries }] as const
    await this.store.write({ at: this.now, operations })
    await this.endRun(run)
    await this.inSlices((after) => ({ op: 'enforce', source: source.name, after }))
  }

  /** Takes back all that a source lists, or gives it back. */
  async withdraw(source: SourceDescription, isWithdrawn: boolean): Promise<void> {
    const operations = [{ op: 'switchSource', source, enabled: !isWithdrawn, isWithdrawn }] as const
    await this.store.write({ at: this.now, operations })
    const op = isWithdrawn ? 'withhold' : 'reinstate'
    await this.inSlices((after) => ({ op, source: source.name, after }))
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
