/** After a refresh, the listings are those of the publisher's list as read now, whatever happened between. */

import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { toSourceDescription } from '../../src/ingest/sources.ts'
import { switchSource } from '../../src/ingest/switching.ts'
import { FetchedSource, sourceAt } from './fetched-source.ts'

const names = ['a.example', 'b.example', 'c.example', 'd.example']

describe('an unchanged list is read again', () => {
  test('after another one was held back', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    expect(await feed.list('poison.example')).toMatchObject({ kind: 'held_back' })
    expect(feed.db.published()).toContain('poison.example')
    expect(await feed.list(...names)).toMatchObject({ kind: 'imported' })
    expect(feed.db.published().sort()).toEqual(names)
    expect(await feed.list(...names)).toMatchObject({ kind: 'unchanged' })
  })

  test('when it is no longer redistributable', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    feed.sources[0] = { ...feed.source, redistribute: false }
    expect(await feed.refresh()).toMatchObject({ kind: 'imported' })
    expect(feed.db.published()).toEqual([])
    expect(feed.db.store.byValue('a.example', 'domain')?.isActive).toBe(true)
  })

  test('when another list was imported under its name', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    await feed.db.list(toSourceDescription(feed.source), ['e.example', 'f.example', 'g.example'])
    expect(await feed.refresh()).toMatchObject({ kind: 'imported' })
    expect(feed.db.published().sort()).toEqual(names)
  })

  test('when a guard was added or removed', async () => {
    await using feed = new FetchedSource()
    const guard = sourceAt(feed.server.url('/guard.txt'), { name: 'popular', role: 'guard' })
    const guardWith = async (...popular: readonly string[]): Promise<void> => {
      feed.server.serve('/guard.txt', { body: popular.map((name) => `${name}\n`).join('') })
      await feed.refresher().refresh(guard, true)
    }
    await guardWith('a.example', 'x.example')
    await feed.list(...names)
    expect(feed.db.published()).not.toContain('a.example')
    await guardWith('x.example')
    await feed.refresh()
    expect(feed.db.published().sort()).toEqual(names)
    await guardWith('x.example', 'b.example')
    expect(feed.db.published()).not.toContain('b.example')
    expect(await feed.refresh()).toMatchObject({ kind: 'imported' })
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
  })

  test('when it is a guard that was interrupted before it was enforced', async () => {
    await using feed = new FetchedSource({ role: 'guard', confidence: 0 })
    await feed.db.list(toSourceDescription(sourceAt('https://x.example/', { name: 'list' })), names)
    const run = await feed.db.startRun(toSourceDescription(feed.source))
    const entries = [{ kind: 'name', value: 'a.example' }] as const
    await feed.db.store.write({
      at: feed.db.now,
      operations: [{ op: 'guard', source: 'feed', run, entries }],
    })
    await feed.db.endRun(run)
    expect(feed.db.published()).toContain('a.example')
    expect(await feed.list('a.example')).toMatchObject({ kind: 'imported' })
    expect(feed.db.published()).not.toContain('a.example')
  })

  test('when the source is restored, and its listings are kept meanwhile', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    const description = toSourceDescription(feed.source)
    await switchSource(feed.db.store, description, 'withdraw', feed.db.now)
    feed.db.now += 100 * 86_400_000
    await feed.db.inSlices(() => ({ op: 'prune', before: feed.db.now - 86_400_000 }))
    await switchSource(feed.db.store, description, 'enable', feed.db.now)
    expect(feed.db.published().sort()).toEqual(names)
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { seenAgain: 4 } })
  })
})

describe('a refresh that goes wrong', () => {
  test('with an unexpected error is stored, and does not stop the others', async () => {
    await using feed = new FetchedSource()
    feed.sources.push(sourceAt(feed.server.url('/other.txt'), { name: 'other' }))
    feed.server.serve('/list.txt', { body: 'a.example\n' })
    await Bun.write(join(feed.db.dataDir, 'incoming'), 'in the way')
    const results = await feed.refresher().refreshDue()
    expect(results.map(({ kind }) => kind)).toEqual(['failed', 'failed'])
    expect(feed.overview()).toMatchObject({ state: 'failing', failures: 1 })
    const asked = feed.server.seen.length
    await feed.refresher().refreshDue()
    expect(feed.server.seen.length).toBe(asked)
  })

  test('names a list that became a guard', async () => {
    await using feed = new FetchedSource()
    await feed.list(...names)
    feed.sources[0] = { ...feed.source, role: 'guard' }
    expect(await feed.refresh()).toMatchObject({ kind: 'failed' })
    expect(feed.overview().error).toContain('another role')
    expect(feed.db.published().length).toBe(4)
  })

  test('shows neither the key nor control characters', async () => {
    await using feed = new FetchedSource({ archive: 'manifest', authKeyEnv: 'WEIR_KEY_FEED' })
    feed.keys.set('WEIR_KEY_FEED', 's3cret')
    feed.sources[0] = {
      ...feed.source,
      url: feed.server.url('/x').replace('/x', '/{key}/list.txt'),
    }
    feed.server.serve('/s3cret/list.txt', { body: 'http://s3cret.example/\u001b[2J\n' })
    await feed.refresh()
    const error = feed.overview().error ?? ''
    expect(error).toContain('outside its directory')
    expect(error).not.toContain('s3cret')
    expect(error).not.toContain('\u001b')
  })

  test('keeps leftover documents for at most a day', async () => {
    await using feed = new FetchedSource()
    feed.server.serve('/list.txt', { body: 'a.example\n' })
    const directory = join(feed.db.dataDir, 'incoming')
    mkdirSync(directory)
    for (const [name, age] of [
      ['old', 2 * 86_400],
      ['new', 60],
    ] as const) {
      await Bun.write(join(directory, name), 'x')
      const time = feed.db.now / 1000 - age
      utimesSync(join(directory, name), time, time)
    }
    await feed.refresher().refreshDue()
    expect(readdirSync(directory)).toEqual(['new'])
  })
})

describe('a MISP feed', () => {
  const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const event = (n: number): string =>
    JSON.stringify({
      Event: { Attribute: [{ type: 'domain', value: `e${n}.example`, to_ids: true }] },
    })
  const tag = [{ name: 'tlp:clear' }]

  /** Serves a manifest of events by their number and time, in seconds. */
  function serve(feed: FetchedSource, events: ReadonlyMap<number, number>): void {
    const manifest = Object.fromEntries(
      [...events].map(([n, timestamp]) => [idOf(n), { timestamp: String(timestamp), Tag: tag }]),
    )
    feed.server.serve('/list.txt', { body: JSON.stringify(manifest), hasEtag: false })
    for (const n of events.keys()) feed.server.serve(`/${idOf(n)}.json`, { body: event(n) })
  }

  const misp = { archive: 'misp', format: 'misp', listing: 'recent', expireMs: 1e12 } as const

  test('is read event by event, and continues where it was', async () => {
    await using feed = new FetchedSource(misp)
    serve(
      feed,
      new Map([
        [1, 100],
        [2, 200],
      ]),
    )
    expect(await feed.refresh()).toMatchObject({ report: { added: 2 } })
    const asked = feed.server.seen.length
    serve(
      feed,
      new Map([
        [1, 100],
        [2, 200],
        [3, 300],
      ]),
    )
    expect(await feed.refresh()).toMatchObject({ report: { added: 1 } })
    expect(feed.server.seen.length).toBe(asked + 2)
    expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
    expect(feed.db.published().length).toBe(3)
  })

  test('is not stopped by events that are missing, broken, empty, or in the future', async () => {
    await using feed = new FetchedSource(misp)
    serve(
      feed,
      new Map([
        [1, 100],
        [2, 200],
        [3, 300],
        [4, 99_999_999_999],
      ]),
    )
    feed.server.serve(`/${idOf(1)}.json`, { status: 404 })
    feed.server.serve(`/${idOf(2)}.json`, { body: '{"Event":' })
    feed.server.serve(`/${idOf(3)}.json`, { body: '{"Event":{"Attribute":[]}}' })
    expect(await feed.refresh()).toMatchObject({ kind: 'imported', report: { added: 1 } })
    feed.db.now += 3_600_000
    serve(feed, new Map([[5, Math.floor(feed.db.now / 1000)]]))
    expect(await feed.refresh()).toMatchObject({ kind: 'imported' })
    expect(feed.db.published().sort()).toEqual(['e4.example', 'e5.example'])
  })

  test('loses none of many events of one time', async () => {
    await using feed = new FetchedSource(misp)
    serve(feed, new Map([[0, 1]]))
    await feed.refresh()
    serve(feed, new Map(Array.from({ length: 250 }, (_, n) => [n + 1, 500])))
    await feed.refresh()
    expect(feed.db.published().length).toBe(251)
  })
})
