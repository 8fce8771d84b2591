import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { FetchedSource, sourceAt } from './fetched-source.ts'

const names = ['a.example', 'b.example', 'c.example', 'd.example']
const hourMs = 3_600_000

/** Returns the leftover files of fetched documents. */
function left({ db }: FetchedSource): string[] {
  try {
    return readdirSync(join(db.dataDir, 'incoming'))
  } catch {
    // Nothing was ever fetched.
    return []
  }
}

describe('refreshing a source', () => {
  test('reads a list, and later its changes', async () => {
    await using feed = new FetchedSource()
    expect(await feed.list(...names)).toMatchObject({ kind: 'imported', report: { added: 4 } })
    expect(await feed.list('b.example', 'c.example', 'e.example')).toMatchObject({
      kind: 'imported',
      report: { added: 1, delisted: 2 },
    })
    expect(feed.db.published().sort()).toEqual(['b.example', 'c.example', 'e.example'])
    expect(left(feed)).toEqual([])
  })

  test('sends a conditional request, and writes nothing when the list is unchanged', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    const before = feed.db.store.meta()
    expect(await feed.refresh()).toEqual({ source: 'feed', kind: 'unchanged' })
    expect(feed.server.seen.map(({ status }) => status)).toEqual([200, 304])
    expect(feed.db.store.meta()).toEqual(before)
    expect(feed.overview()).toMatchObject({ state: 'ok', lastSuccess: feed.db.now })
  })

  test('recognises an unchanged list from a publisher without validators', async () => {
    await using feed = new FetchedSource()
    feed.server.serve('/list.txt', { body: 'a.example\n', hasEtag: false })
    await feed.refresh()
    const before = feed.db.store.meta()
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    expect(feed.db.store.meta()).toEqual(before)
  })

  test('inflates gzip and zip files', async () => {
    await using feed = new FetchedSource()
    const text = new TextEncoder().encode('a.example\nb.example\n')
    feed.server.serve('/list.txt', { body: Bun.gzipSync(text) })
    expect(await feed.refresh()).toMatchObject({ report: { added: 2 } })
    const zipped = new Uint8Array(zipSync({ 'list.txt': new TextEncoder().encode('c.example\n') }))
    feed.server.serve('/list.txt', { body: zipped })
    expect(await feed.refresh()).toMatchObject({ report: { added: 1, delisted: 2 } })
  })

  const useless = [
    ['an empty list', '', 'empty'],
    ['a web page', '\uFEFF\n <!doctype html><html>Sorry</html>', 'web page'],
    ['text without entries', 'we are closed today\n', 'no readable entry'],
    ['a list of less than half', 'a.example\n', 'shrank from 4 to 1'],
  ] as const
  for (const [name, body, words] of useless) {
    test(`${name} keeps the last good list, and is reported`, async () => {
      await using feed = new FetchedSource()
      await feed.list(...names)
      const goodAt = feed.db.now
      feed.server.serve('/list.txt', { body })
      const { kind } = await feed.refresh()
      expect(['failed', 'held_back']).toContain(kind)
      expect(feed.db.published().sort()).toEqual(names)
      const { state, error, lastSuccess, failures } = feed.overview()
      expect({ state, lastSuccess, failures }).toEqual({
        state: 'failing',
        lastSuccess: goodAt,
        failures: 1,
      })
      expect(error).toContain(words)
      expect(left(feed)).toEqual([])
      expect(await feed.list(...names, 'e.example')).toMatchObject({ report: { added: 1 } })
      expect(feed.overview()).toMatchObject({ state: 'ok', error: null, failures: 0 })
    })
  }

  test('a list of less than half is imported only when forced', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    feed.server.serve('/list.txt', { body: 'a.example\n' })
    await feed.refresh()
    expect(await feed.refresh()).toMatchObject({ kind: 'held_back' })
    expect(await feed.refresh(true)).toMatchObject({ kind: 'imported', report: { delisted: 3 } })
    expect(feed.db.published()).toEqual(['a.example'])
  })

  test('another status fails, and Retry-After delays the next fetch', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    feed.server.serve('/list.txt', { status: 509, headers: { 'retry-after': '7200' } })
    expect(await feed.refresh()).toMatchObject({ error: 'feed answers with status 509' })
    expect(feed.overview().nextAt).toBe(feed.db.now + 2 * hourMs)
    expect(feed.db.published().length).toBe(4)
  })

  test('a list that is cut short ends no listings', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    const zipped = Bun.gzipSync(new TextEncoder().encode(names.join('\n')))
    feed.server.serve('/list.txt', { body: zipped.slice(0, zipped.length - 12) })
    expect(await feed.refresh()).toMatchObject({ kind: 'failed' })
    expect(feed.db.published().length).toBe(4)
  })

  test('sends the key to its place, and fails without it', async () => {
    const words = { authKeyEnv: 'WEIR_KEY_FEED', authHeader: 'Auth-Key' }
    await using feed = new FetchedSource(words)
    expect(await feed.refresh()).toMatchObject({
      kind: 'failed',
      error: 'set WEIR_KEY_FEED to your key for feed',
    })
    expect(feed.server.seen).toEqual([])
    feed.keys.set('WEIR_KEY_FEED', 's3cret')
    await feed.list('a.example')
    expect(feed.server.seen.map(({ headers }) => headers.get('auth-key'))).toEqual(['s3cret'])

    feed.sources[0] = sourceAt(feed.server.url('/list/{key}').replace('%7Bkey%7D', '{key}'), {
      authKeyEnv: 'WEIR_KEY_FEED',
    })
    feed.server.serve('/list/s3cret', { body: 'a.example\nb.example\n' })
    expect(await feed.refresh()).toMatchObject({ report: { added: 1 } })
    const stored = JSON.stringify(feed.db.store.fetches.find('feed'))
    expect(stored).not.toContain('s3cret')
  })

  test('a listing that is missing from a recent list remains until it expires', async () => {
    const expireMs = 30 * 24 * hourMs
    await using feed = new FetchedSource({ listing: 'recent', expireMs })
    await feed.list('a.example', 'b.example', 'c.example')
    await feed.list('c.example')
    await feed.list('d.example')
    const expiry = async (): Promise<void> => {
      await feed.db.inSlices(() => ({ op: 'expire' }))
    }
    feed.db.now += expireMs - 2 * 60_000
    await expiry()
    expect(feed.db.published().length).toBe(4)
    feed.db.now += 60_000
    await expiry()
    expect(feed.db.published().sort()).toEqual(['c.example', 'd.example'])
    const row = feed.db.store.byValue('a.example', 'domain')
    const [event] = feed.db.store.events.of(row?.id ?? 0, 1)
    expect(event).toMatchObject({ toState: 'delisted', reason: 'expired', by: 'feed' })
    await feed.list('a.example')
    expect(feed.db.published()).toContain('a.example')
  })

  test('reads at most the maximum number of rows of a source', async () => {
    await using feed = new FetchedSource({ rowsMax: 2 })
    expect(await feed.list(...names)).toMatchObject({ report: { read: 2, added: 2 } })
  })

  test('reads every part that a manifest names, and none outside its directory', async () => {
    await using feed = new FetchedSource({ archive: 'manifest' })
    feed.server.serve('/list.txt', { body: 'part1.txt\npart1.txt\n\npart2.txt\n' })
    feed.server.serve('/part1.txt', { body: 'a.example\n' })
    feed.server.serve('/part2.txt', { body: 'b.example\n' })
    expect(await feed.refresh()).toMatchObject({ report: { added: 2 } })
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    feed.server.serve('/list.txt', { body: 'http://127.0.0.2/part1.txt\n' })
    expect(await feed.refresh()).toMatchObject({ kind: 'failed' })
    expect(feed.db.published().length).toBe(2)
  })

  test('stopping is not a failure of the source', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    const before = feed.db.store.fetches.find('feed')
    feed.stopping.abort()
    expect(await feed.list('e.example')).toMatchObject({ kind: 'failed' })
    expect(feed.db.store.fetches.find('feed')).toEqual(before)
  })
})

describe('refreshing what is due', () => {
  test('fetches each source once per interval, and a failing one less and less often', async () => {
    await using feed = new FetchedSource()
    feed.server.serve('/list.txt', { body: 'a.example\n' })
    const asked = async (afterMs: number): Promise<number> => {
      feed.db.now += afterMs
      await feed.refresher().refreshDue()
      return feed.server.seen.length
    }
    expect(await asked(0)).toBe(1)
    expect(await asked(2 * hourMs - 1)).toBe(1)
    expect(await asked(1)).toBe(2)
    feed.server.serve('/list.txt', { status: 500 })
    expect(await asked(2 * hourMs)).toBe(3)
    expect(await asked(5 * 60_000 - 1)).toBe(3)
    expect(await asked(1)).toBe(4)
    expect(await asked(10 * 60_000 - 1)).toBe(4)
    expect(await asked(1)).toBe(5)
    for (let i = 0; i < 12; i++) await asked(48 * hourMs)
    expect(await asked(24 * hourMs - 1)).toBe(17)
    expect(await asked(1)).toBe(18)
  })

  test('a failing source does not affect others, and a disabled one is not fetched', async () => {
    await using feed = new FetchedSource()
    feed.sources.push(
      sourceAt(feed.server.url('/other.txt'), { name: 'other' }),
      sourceAt(feed.server.url('/off.txt'), { name: 'off', isEnabled: false }),
    )
    feed.server.serve('/list.txt', { status: 500 })
    feed.server.serve('/other.txt', { body: 'a.example\n' })
    const results = await feed.refresher().refreshDue()
    expect(results.map(({ source, kind }) => [source, kind])).toEqual([
      ['feed', 'failed'],
      ['other', 'imported'],
    ])
  })

  test('guards are read before lists, and apply to them', async () => {
    await using feed = new FetchedSource()
    feed.sources.push(
      sourceAt(feed.server.url('/guard.txt'), { name: 'popular', role: 'guard', confidence: 0 }),
    )
    feed.server.serve('/list.txt', { body: 'popular.example\nevil.example\n' })
    feed.server.serve('/guard.txt', { body: 'popular.example\n' })
    await feed.refresher().refreshDue()
    expect(feed.db.published()).toEqual(['evil.example'])
  })
})
