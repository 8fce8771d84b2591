import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Refresher } from '../../src/ingest/refresh.ts'
import { loadSources } from '../../src/ingest/sources.ts'
import { WriteStore } from '../../src/store/store.ts'
import { FeedServer } from '../ingest/feed-server.ts'
import { noNaming } from '../ingest/no-naming.ts'
import {
  checkPath,
  DataDir,
  eventually,
  importList,
  lines,
  listed,
  manyNames,
  parseRecord,
  Server,
  weir,
} from './process.ts'

const own = (url: string): string => `
[[source]]
name = "own"
title = "Our own"
url = "${url}"
format = "domains"
licence = "MIT"
terms = "https://lists.example.com/terms"
redistribute = true
`

/** Fetches the source "own" of a data directory once, as a server would. */
async function fetchOwn(dataDir: DataDir, publisher: FeedServer): Promise<void> {
  const store = WriteStore.open({ dataDir: dataDir.path, role: 'background', now: Date.now })
  const sources = (await loadSources(dataDir.path)).filter(({ name }) => name === 'own')
  const refresher = new Refresher({
    store,
    dataDir: dataDir.path,
    outbound: publisher.outbound,
    sources,
    keys: new Map(),
    naming: noNaming,
    graceMs: 0,
    expireMs: 1,
    now: Date.now,
    random: () => 0,
    onCommit: () => {},
    signal: new AbortController().signal,
  })
  await refresher.refreshAll(sources, false)
  store.close()
}

async function overview(dataDir: DataDir, name: string): Promise<Record<string, unknown>> {
  const { code, out } = await weir(['sources', name, '--json'], { dataDir })
  expect(code).toBe(0)
  return parseRecord(out)
}

describe('weir sources', () => {
  test('lists every source with its state, entries and licence', async () => {
    using dataDir = new DataDir()
    expect((await weir(['sources'], { dataDir })).code).toBe(3)
    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    const { code, out } = await weir(['sources'], { dataDir })
    expect(code).toBe(0)
    expect(out).toMatch(/^source +role +state +entries +last success +every +licence$/m)
    expect(out).toMatch(/^phishing-database +list +waiting +0 +never +2h +MIT$/m)
    expect(out).toMatch(/^urlhaus +list +off /m)
  })

  test('tells when a source last came, and what went wrong since', async () => {
    using dataDir = new DataDir()
    await using publisher = new FeedServer()
    await Bun.write(join(dataDir.path, 'sources.toml'), own(publisher.url('/list.txt')))
    publisher.serve('/list.txt', { body: manyNames(10) })
    await fetchOwn(dataDir, publisher)
    expect(await overview(dataDir, 'own')).toMatchObject({
      state: 'ok',
      entries: 10,
      error: null,
      licence: 'MIT',
      terms: 'https://lists.example.com/terms',
      lastRun: { read: 10 },
    })
    for (const [body, words] of [
      ['', 'the list is empty'],
      ['<html>', 'the answer is a web page'],
      [manyNames(4), 'shrank from 10 to 4'],
    ] as const) {
      publisher.serve('/list.txt', { body })
      await fetchOwn(dataDir, publisher)
      const { state, error, entries, lastSuccess } = await overview(dataDir, 'own')
      expect({ state, entries }).toEqual({ state: 'failing', entries: 10 })
      expect(lastSuccess).toMatch(/^\d{4}-.*Z$/)
      expect(error).toContain(words)
      const { out } = await weir(['sources'], { dataDir })
      expect(out).toMatch(new RegExp(`^own: .*${words}`, 'm'))
    }
    expect(listed(dataDir).length).toBe(10)
  })

  test('never reaches inside, whatever address an entry has', async () => {
    using dataDir = new DataDir()
    await using publisher = new FeedServer()
    publisher.serve('/list.txt', { body: 'a.example\n' })
    await Bun.write(join(dataDir.path, 'sources.toml'), own(publisher.url('/list.txt')))
    const { code, out } = await weir(['sources', 'run', 'own'], { dataDir })
    expect(code).toBe(1)
    expect(out).toContain('own: ')
    expect(publisher.seen).toEqual([])
    expect(listed(dataDir)).toEqual([])
  })

  test('says what is wrong with the file of own sources', async () => {
    using dataDir = new DataDir()
    await Bun.write(
      join(dataDir.path, 'sources.toml'),
      own('https://x.example/').replace('MIT', '"'),
    )
    const { code, err } = await weir(['sources'], { dataDir })
    expect(code).toBe(2)
    expect(err).toContain('sources.toml is not valid TOML')
  })

  const wrong: readonly [string, readonly string[], string][] = [
    ['a source that does not exist', ['run', 'nobody'], 'there is no source nobody'],
    ['a source without an address', ['run', 'list'], 'there is no source list'],
    ['nothing to run', ['run'], 'name the sources to run, or use --all'],
    ['a name to enable', ['enable'], 'name exactly one source'],
  ]
  for (const [name, args, words] of wrong) {
    test(`asks for ${name}`, async () => {
      using dataDir = new DataDir()
      const { code, err } = await weir(['sources', ...args], { dataDir })
      expect(code).toBe(2)
      expect(err).toContain(words)
    })
  }
})

describe('weir sources disable --withdraw', () => {
  test('takes back all that a source lists, and enabling gives it back', async () => {
    using dataDir = new DataDir()
    const poisoned = await dataDir.file('poisoned.txt', lines('a.example', 'b.example'))
    const other = await dataDir.file('other.txt', lines('b.example', 'c.example'))
    await importList([poisoned], { dataDir })
    await importList([other], { dataDir })
    await using server = await Server.start(dataDir)
    const isListed = async (name: string): Promise<boolean> =>
      (await server.json(checkPath(name)))['status'] === 'found'

    const withdrawn = await weir(['sources', 'disable', 'poisoned', '--withdraw'], { dataDir })
    expect(withdrawn).toMatchObject({ code: 0, err: '' })
    await eventually('the withdrawal', async () => ((await isListed('a.example')) ? null : true))
    expect(await isListed('b.example')).toBe(true)
    expect(await isListed('c.example')).toBe(true)
    expect(await overview(dataDir, 'poisoned')).toMatchObject({ state: 'withdrawn', entries: 0 })

    const again = await weir(['import', poisoned], { dataDir })
    expect(again.code).toBe(3)
    expect(again.err).toContain('"weir sources enable poisoned" gives back what it lists')

    expect((await weir(['sources', 'enable', 'poisoned'], { dataDir })).code).toBe(0)
    await eventually('the return', async () => ((await isListed('a.example')) ? true : null))
    expect(await overview(dataDir, 'poisoned')).toMatchObject({ state: 'import', entries: 2 })
  })
})
