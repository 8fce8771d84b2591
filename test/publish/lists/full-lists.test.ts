/** Full lists over a real store, made by real threads. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { FullLists, ListError, type ListFile } from '../../../src/publish/lists/full-lists.ts'
import { codedEndings, type ListCoding } from '../../../src/publish/lists/list-file.ts'
import { type ListName, listNames } from '../../../src/publish/lists/list-formats.ts'
import { fullDevice, testWith } from '../../needs.ts'
import { sourceNamed, TestStore } from '../../store/fixture.ts'
import { hostileValues, nastyNames } from './list-text.ts'

// Machines are shared, and each list is made by a thread of its own.
setDefaultTimeout(40_000)

const feed = sourceNamed('feed')
const minuteMs = 60_000

let db: TestStore
let clockMs: number
let reported: unknown[]
let lists: FullLists

function open(patienceMs = 10_000): FullLists {
  return new FullLists({
    store: db.store,
    dataDir: db.dataDir,
    report: (error) => reported.push(error),
    monotonicMs: () => clockMs,
    patienceMs,
  })
}

beforeEach(() => {
  db = new TestStore()
  clockMs = 0
  reported = []
  lists = open()
})
afterEach(async () => {
  await lists.close()
  db.remove()
})

/** Asks for a list, of `lists` unless others are named. */
function plain(name: ListName, of = lists): Promise<ListFile> {
  return of.plain(name, 'https://weir.example.org')
}

const directory = (): string => join(db.dataDir, 'lists')
const readText = ({ path }: ListFile): string => readFileSync(path, 'utf8')
const isComment = (line: string): boolean => line.startsWith('# ')

/** The lines of a list after its comments. */
async function readEntries(name: ListName): Promise<string[]> {
  const lines = readText(await plain(name)).split('\n')
  expect(lines.pop()).toBe('')
  return lines.filter((line) => !isComment(line))
}

async function readHeader(name: ListName): Promise<string[]> {
  return readText(await plain(name))
    .split('\n')
    .filter(isComment)
}

async function catchRefusal(file: Promise<ListFile>): Promise<string> {
  try {
    await file
    return 'none'
  } catch (error) {
    return error instanceof ListError ? error.reason : String(error)
  }
}

/** Changes rows by hand, as nothing of weir does. */
function tamper(change: string, ...values: string[]): void {
  const database = new Database(join(db.dataDir, 'weir.db'), { strict: true })
  database.prepare<null, string[]>(change).run(...values)
  database.close()
}

describe('a full list', () => {
  test('holds what is published, in the order of its bytes', async () => {
    const privateFeed = sourceNamed('private', false)
    await db.list(feed, ['b.test', 'a.test', 'a-b.test', 'withdrawn.test', 'xn--bcher-kva.test'])
    await db.list(privateFeed, ['private.test', 'b.test'])
    await db.list(feed, ['b.test', 'a.test', 'a-b.test', 'xn--bcher-kva.test'])
    expect(await readEntries('domains.txt')).toEqual([
      'a-b.test',
      'a.test',
      'b.test',
      'xn--bcher-kva.test',
    ])
  })

  test('leaves out what nobody is to block', async () => {
    await db.list(feed, ['evil.test', 'platform.test', 'allowed.test'])
    const decide = { op: 'decide', type: 'domain', value: 'allowed.test' } as const
    const operations = [{ ...decide, verdict: 'allow', reason: 'r', by: 'b', until: null }] as const
    await db.store.write({ at: db.now, operations })
    tamper(`UPDATE indicator SET do_not_block = 1 WHERE value = 'platform.test'`)
    expect(await readEntries('domains.txt')).toEqual(['evil.test'])
  })

  test('of pages holds pages alone', async () => {
    const run = await db.startRun(feed)
    await db.sight('feed', run, [
      { type: 'url', value: 'https://evil.test/b?c=1', host: 'evil.test' },
      { type: 'url', value: 'http://evil.test/a', host: 'evil.test' },
      { type: 'domain', value: 'evil.test' },
    ])
    expect(await readEntries('urls.txt')).toEqual(['http://evil.test/a', 'https://evil.test/b?c=1'])
    expect(await readEntries('domains.txt')).toEqual(['evil.test'])
  })

  test('says what it is, and of which sources that may be passed on', async () => {
    await db.list(sourceNamed('empty'), ['gone.test'])
    await db.list(sourceNamed('empty'), [])
    await db.list(sourceNamed('private', false), ['private.test'])
    await db.list({ ...sourceNamed('other'), title: 'Other', licence: null }, ['evil.test'])
    await db.list(feed, ['evil.test'])
    const { listSeq: number } = db.store.meta()
    expect(await readHeader('domains.txt')).toEqual([
      '# Title: weir phishing domains',
      expect.stringContaining('# Description: '),
      `# Version: ${number}`,
      expect.stringMatching(/^# Last modified: 2026-03-12T08:\d\d:00\.000Z$/),
      '# Expires: 1 hour',
      '# Number of entries: 1',
      '# Licence: each entry has the licence of its sources',
      '# Source: Other (no licence stated)',
      '# Source: feed (CC0-1.0)',
      '# Homepage: https://weir.example.org',
    ])
  })

  test('of nothing is a header', async () => {
    for (const name of listNames) {
      expect(readText(await plain(name))).toContain(' Number of entries: 0\n')
    }
  })

  test('is the same bytes whenever it is written', async () => {
    await db.list(feed, nastyNames)
    const first = readText(await plain('domains.rpz'))
    await lists.close()
    db.now += 5 * minuteMs
    lists = open()
    expect(readText(await plain('domains.rpz'))).toBe(first)
  })

  test('gets no line from values that somebody put into the database', async () => {
    await db.list(feed, ['a.test', 'b.test'])
    for (const [index, value] of hostileValues.entries()) {
      const columns = tamperedColumns.replace('id,', `${1000 + index},`)
      tamper(`INSERT INTO indicator SELECT ${columns} FROM indicator WHERE value = 'a.test'`, value)
    }
    // Nor does a number that wraps round to that of a good row.
    const wrapped = tamperedColumns.replace('id,', 'id + 4294967296,')
    tamper(
      `INSERT INTO indicator SELECT ${wrapped} FROM indicator WHERE value = 'a.test'`,
      'x\ny.test',
    )
    for (const name of listNames) {
      const text = readText(await plain(name))
      const entries = name === 'urls.txt' ? 0 : 2
      expect(text).toContain(` Number of entries: ${entries}\n`)
      expect(text.match(/(?:a|b)\.test/g) ?? []).toHaveLength(name === 'domains.rpz' ? 4 : entries)
      expect(text).not.toContain('second')
      expect(text).not.toContain('y.test')
    }
  })

  test('is of one moment while others write', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `name${index}.test`)
    for (let count = 100; count <= 300; count += 100) {
      clockMs += minuteMs
      const listed = db.list(feed, names.slice(0, count))
      const text = readText(await plain('domains.txt'))
      await listed
      const stated = Number(/Number of entries: (\d+)/.exec(text)?.[1])
      expect(text.match(/^name/gm) ?? []).toHaveLength(stated)
    }
  })
})

const tamperedColumns = `id, type, ?1, host, platform, active, published, do_not_block, decision,
  threat_type, threat_level, confidence, target_brand, target_brand_origin, malware_family, sources,
  reference, first_seen, last_seen, listed_at, abs(random()), listed_seq, date_added, exported,
  generation, created_at, stated_confidence, in_campaigns, audiences, audience_words`

describe('editions', () => {
  test('are kept while nothing has changed', async () => {
    await db.list(feed, ['evil.test'])
    const file = await plain('domains.txt')
    clockMs += 100 * minuteMs
    expect(await plain('domains.txt')).toBe(file)
    expect(lists.version('domains.txt')).toEqual(file.version)
  })

  test('are sent for a minute when something has', async () => {
    await db.list(feed, ['evil.test'])
    const first = await plain('domains.txt')
    await db.list(feed, ['evil.test', 'second.test'])
    clockMs += minuteMs - 1
    expect(await plain('domains.txt')).toBe(first)
    expect(lists.version('domains.txt')).toEqual(first.version)

    clockMs += 1
    expect(lists.version('domains.txt').number).toBe(db.store.meta().listSeq)
    expect(await readEntries('domains.txt')).toEqual(['evil.test', 'second.test'])
  })

  test('are made once, however many ask', async () => {
    await db.list(feed, ['evil.test'])
    const files = await Promise.all(Array.from({ length: 20 }, () => plain('domains.hosts')))
    expect(new Set(files).size).toBe(1)
    expect(readdirSync(directory())).toHaveLength(1)
  })

  test('are removed when the next is there, compressed forms and all', async () => {
    await db.list(feed, ['evil.test'])
    const first = await plain('domains.txt')
    const coded = await lists.coded(first, 'gzip')
    await db.list(feed, ['second.test'])
    clockMs += minuteMs
    const second = await plain('domains.txt')
    expect(second.path).not.toBe(first.path)
    await lists.close()
    expect([first, coded, second].map(({ path }) => existsSync(path))).toEqual([false, false, true])
  })

  test('are removed although they were asked for while the next was written', async () => {
    const hasty = open(0)
    const settled = async (): Promise<ListFile> => {
      while ((await catchRefusal(plain('domains.txt', hasty))) === 'slow');
      return plain('domains.txt', hasty)
    }
    const first = await settled()
    await db.list(feed, ['evil.test'])
    clockMs += minuteMs
    expect(await plain('domains.txt', hasty)).toBe(first)
    expect(await hasty.coded(first, 'zstd')).toBe(first)
    let next = first
    while (next === first) next = await plain('domains.txt', hasty)
    await hasty.close()
    expect(readdirSync(directory())).toEqual([basename(next.path)])
    expect(reported).toEqual([])
  })

  test.each<[ListCoding, (bytes: Uint8Array) => Uint8Array]>([
    ['zstd', zstdDecompressSync],
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are compressed once as %s, when that is asked for', async (coding, decompress) => {
    const names = Array.from({ length: 2_000 }, (_, index) => `name${index}.test`)
    await db.list(feed, names)
    const file = await plain('domains.unbound')
    expect(readdirSync(directory())).toHaveLength(1)
    const [coded, again] = await Promise.all([lists.coded(file, coding), lists.coded(file, coding)])
    expect(again).toBe(coded)
    const path = file.path + codedEndings[coding]
    expect(coded).toEqual({ ...file, coding, path, bytes: readFileSync(path).length })
    expect(Buffer.from(decompress(readFileSync(coded.path))).toString()).toBe(readText(file))
    expect(readdirSync(directory())).toHaveLength(2)
  })

  test('of an earlier process are removed at the start, and nothing else is', () => {
    mkdirSync(directory())
    const own = ['domains-7.hosts', 'domains-7.hosts.zst', 'urls-12.txt.partial']
    const others = ['README', 'domains.hosts', 'domains-7.hosts.bak', 'other-1.txt']
    for (const name of [...own, ...others]) symlinkSync('/nowhere', join(directory(), name))
    open()
    expect(readdirSync(directory()).toSorted()).toEqual(others.toSorted())
  })

  test('are nobody else’s to read', async () => {
    const { path } = await plain('domains.txt')
    expect((await Bun.file(path).stat()).mode & 0o777).toBe(0o600)
    expect((await Bun.file(directory()).stat()).mode & 0o777).toBe(0o700)
  })
})

describe('files that somebody took away', () => {
  test('are made anew', async () => {
    await db.list(feed, ['a.example'])
    await lists.coded(await plain('domains.txt'), 'gzip')
    rmSync(directory(), { recursive: true })
    const anew = await plain('domains.txt')
    expect(readText(anew)).toContain('a.example')
    const { path } = await lists.coded(anew, 'gzip')
    expect(gunzipSync(readFileSync(path)).toString()).toBe(readText(anew))
    rmSync(path)
    expect((await lists.coded(anew, 'gzip')).path).toBe(path)
    expect(existsSync(path)).toBe(true)
    expect(reported).toEqual([])
  })
})

describe('failures', () => {
  /** Makes the directory of lists one that cannot be written. */
  const block = (): void => {
    rmSync(directory(), { recursive: true, force: true })
    symlinkSync('/dev/null', directory())
  }

  test('are reported once, and not tried again at once', async () => {
    block()
    const asked = [plain('domains.txt'), plain('domains.txt')]
    expect(await Promise.all(asked.map(catchRefusal))).toEqual(['failed', 'failed'])
    clockMs += 29_999
    expect(await catchRefusal(plain('domains.txt'))).toBe('failed')
    expect(reported).toEqual([expect.any(ListError)])
    rmSync(directory())
    clockMs += 1
    expect(await catchRefusal(plain('domains.txt'))).toBe('none')
  })

  test('leave the list that is behind', async () => {
    await db.list(feed, ['evil.test'])
    const file = await plain('domains.txt')
    await db.list(feed, ['second.test'])
    clockMs += minuteMs
    // The next edition cannot be written over a directory.
    mkdirSync(join(directory(), 'domains-2.txt.partial'))
    expect(await plain('domains.txt')).toBe(file)
    expect(readText(file)).toContain('evil.test')
    expect(reported).toHaveLength(1)
  })

  testWith(fullDevice)('tell a full disk apart, and leave no half file', async () => {
    mkdirSync(directory())
    symlinkSync('/dev/full', join(directory(), 'domains-1.txt.partial'))
    expect(await catchRefusal(plain('domains.txt'))).toBe('disk_full')
    expect(readdirSync(directory())).toEqual([])
    expect(String(reported[0])).toContain('free some space')
  })

  testWith(fullDevice)('to compress leave the list as it is', async () => {
    await db.list(feed, ['evil.test'])
    const file = await plain('domains.txt')
    symlinkSync('/dev/full', `${file.path}.zst.partial`)
    expect(await lists.coded(file, 'zstd')).toBe(file)
    expect(reported).toEqual([expect.any(ListError)])
    clockMs += 30_000
    expect((await lists.coded(file, 'zstd')).coding).toBe('zstd')
  })

  test('to be in time leave the list to those who ask later', async () => {
    const hasty = open(0)
    expect(await catchRefusal(plain('domains.txt', hasty))).toBe('slow')
    await hasty.close()
    expect(await catchRefusal(plain('domains.txt', hasty))).toBe('none')
    expect(reported).toEqual([])
  })

  test('are what stopping begins with', async () => {
    await lists.close()
    expect(await catchRefusal(plain('domains.txt'))).toBe('stopping')
    expect(reported).toEqual([])
  })
})
