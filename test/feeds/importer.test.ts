import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { loadGuards } from '../../src/feeds/guards.ts'
import { type ImportReport, importFeed } from '../../src/feeds/importer.ts'
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

describe('an import under way', () => {
  test('lets others speak, hears that it is to stop, and then ends nothing', async () => {
    const stopping = new AbortController()
    // What is to be heard comes as any message does: when the thread is free for a moment.
    setTimeout(() => stopping.abort(), 0)
    const failure = await importNames(40_000, stopping.signal).catch(String)
    expect(failure).toContain('the import was stopped')
    expect(db.published().length).toBeLessThan(40_000)
    expect(db.store.sources.run(1)?.endedAt).toBeNull()
  })
})
