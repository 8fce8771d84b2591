import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { loadGuards } from '../../src/ingest/guards.ts'
import { type ImportReport, importFeed } from '../../src/ingest/importer.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { noNaming } from './no-naming.ts'

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

function importNames(count: number, signal: AbortSignal): Promise<ImportReport> {
  const names = Array.from({ length: count }, (_, n) => `n${n}.example\n`).join('')
  return importFeed(
    {
      store: db.store,
      guards: loadGuards(),
      naming: noNaming,
      now: () => db.now,
      onCommit: () => {},
      signal,
    },
    {
      source: sourceNamed('list'),
      format: 'domains',
      parts: [() => new Blob([names]).stream()],
      digest: null,
      force: false,
    },
  )
}

describe('a running import', () => {
  test('yields to the event loop, observes an abort, and then ends no listings', async () => {
    const stopping = new AbortController()
    // The abort arrives like any message, when the event loop is free.
    setTimeout(() => stopping.abort(), 0)
    const failure = await importNames(40_000, stopping.signal).catch(String)
    expect(failure).toContain('the import was stopped')
    expect(db.published().length).toBeLessThan(40_000)
    expect(db.store.sources.run(1)?.endedAt).toBeNull()
  })
})
