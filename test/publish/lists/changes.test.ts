import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SetHash } from '../../../src/model/set-hash.ts'
import { createChangesReader } from '../../../src/publish/lists/changes.ts'
import { sourceNamed, TestStore } from '../../store/fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 60)

const feed = sourceNamed('feed')
const other = sourceNamed('other')
const secret = sourceNamed('secret', false)

let db: TestStore

beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

interface Answer {
  readonly cursor: string
  readonly more: boolean
  readonly resync: boolean
  readonly added: readonly { readonly domain: string; readonly confidence: number }[]
  readonly removed: readonly {
    readonly domain: string
    readonly reason: string
    readonly removed_at: string
  }[]
  readonly total: number
  readonly set_hash: string | null
  readonly min_wait_seconds: number
}

/** Nothing but the limit ends an answer. */
const atLeisure = { lengthMax: 1e9, signal: new AbortController().signal }

async function read(cursor: string | null, limit = 1_000): Promise<Answer> {
  const answer = await createChangesReader(db.store, 30).read({ cursor, limit, ...atLeisure })
  if (!answer.ok) throw new Error(answer.reason)
  return JSON.parse(answer.value.json)
}

const listDomains = (entries: readonly { readonly domain: string }[]): string[] =>
  entries.map(({ domain }) => domain)

/** A copy of the list as the feed's documentation says to keep it. */
class Copy {
  readonly names = new Set<string>()
  cursor = 'begin'
  hash = new SetHash()

  toggle(name: string, isListed: boolean): void {
    if (this.names.has(name) === isListed) return
    this.hash.toggle(name)
    if (isListed) this.names.add(name)
    else this.names.delete(name)
  }

  /** Reads one answer; reports whether the copy is level with the list afterwards. */
  async step(limit: number): Promise<boolean> {
    const answer = await read(this.cursor, limit)
    if (answer.resync) {
      this.names.clear()
      this.hash = new SetHash()
      this.cursor = 'begin'
      return false
    }
    for (const { domain } of answer.removed) this.toggle(domain, false)
    for (const { domain } of answer.added) this.toggle(domain, true)
    this.cursor = answer.cursor
    if (answer.more) return false
    expect(answer.set_hash).toBe(this.hash.hex)
    expect(answer.total).toBe(this.names.size)
    return true
  }
}

describe('the delta feed', () => {
  test('begins from now: nothing but where the caller stands', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    const answer = await read(null)
    const { setHash: hash } = db.store.meta()
    const nothing = { more: false, resync: false, added: [], removed: [], total: 2 }
    expect(answer).toMatchObject({ ...nothing, set_hash: hash, min_wait_seconds: 30 })
    expect(await read(answer.cursor)).toEqual(answer)
  })

  test('tells what came, what changed and what left, and why', async () => {
    await db.list(feed, ['stays.example', 'goes.example'])
    const { cursor } = await read(null)
    await db.list(feed, ['stays.example', 'comes.example'])
    await db.list({ ...other, confidence: 95 }, ['stays.example'])
    const answer = await read(cursor)
    expect(listDomains(answer.added)).toEqual(['comes.example', 'stays.example'])
    expect(answer.added[1]).toMatchObject({ confidence: 100 })
    expect(answer.removed).toEqual([
      {
        domain: 'goes.example',
        reason: 'withdrawn',
        removed_at: new Date(db.now - 60_000).toISOString(),
      },
    ])
    expect(await read(answer.cursor)).toMatchObject({ added: [], removed: [], more: false })
  })

  test.each([
    ['allow', 'operator'],
    ['block', null],
  ] as const)('an operator’s %s is the reason %s', async (verdict, reason) => {
    await db.list(feed, ['a.example'])
    const { cursor } = await read(null)
    const words = { value: 'a.example', reason: 'r', by: 'ann', until: null }
    const operations = [{ op: 'decide', type: 'domain', verdict, ...words }] as const
    await db.store.write({ at: db.now, operations })
    const { added, removed } = await read(cursor)
    expect(removed.map((removal) => removal.reason)).toEqual(reason === null ? [] : [reason])
    expect(added.length).toBe(reason === null ? 1 : 0)
  })

  test('what only a private list holds any more is unpublished, also once that drops it', async () => {
    await db.list(feed, ['a.example'])
    await db.list(secret, ['a.example'])
    const { cursor } = await read(null)
    await db.list(feed, [])
    const { removed } = await read(cursor)
    expect(removed).toMatchObject([{ domain: 'a.example', reason: 'unpublished' }])
    await db.list(secret, [])
    expect((await read(cursor)).removed).toEqual(removed)
  })

  test('never names what was never published', async () => {
    const { cursor } = await read(null)
    await db.list(secret, ['private.example'])
    await db.list(secret, [])
    expect(await read(cursor)).toMatchObject({ added: [], removed: [], more: false })
    expect(await read('begin')).toMatchObject({ added: [], removed: [], more: false })
  })

  test('from the beginning it is the list, without what has left it', async () => {
    await db.list(feed, ['a.example', 'b.example', 'c.example'])
    await db.list(feed, ['a.example', 'c.example'])
    const answer = await read('begin')
    expect(listDomains(answer.added).sort()).toEqual(['a.example', 'c.example'])
    expect(answer.removed).toEqual([])
  })

  test('a removal between two answers of one reading is in the second', async () => {
    const names = ['a.example', 'b.example', 'c.example', 'd.example']
    await db.list(feed, names)
    const first = await read('begin', 2)
    expect(first).toMatchObject({ more: true, set_hash: null, min_wait_seconds: 0 })
    expect(listDomains(first.added)).toEqual(['a.example', 'b.example'])
    await db.list(feed, ['b.example', 'c.example', 'd.example'])
    const second = await read(first.cursor, 10)
    expect(listDomains(second.added)).toEqual(['c.example', 'd.example'])
    expect(listDomains(second.removed)).toEqual(['a.example'])
  })

  test('a removal that changes again after the answer is still reported', async () => {
    await db.list(feed, ['a.example'])
    const { cursor } = await read(null)
    await db.list(other, ['b.example'])
    await db.list(secret, ['a.example'])
    await db.list(feed, [])
    await db.list(other, ['b.example', 'c.example'])
    await db.list(secret, [])
    const first = await read(cursor, 2)
    expect(first).toMatchObject({ more: true, removed: [] })
    const second = await read(first.cursor, 2)
    expect(second.removed).toMatchObject([{ domain: 'a.example', reason: 'unpublished' }])
  })

  test('an answer may hold nothing and go on, when other things than domains changed', async () => {
    const { cursor } = await read(null)
    const run = await db.startRun(feed)
    const urls = Array.from({ length: 600 }, (_, i) => ({
      type: 'url' as const,
      value: `https://host.example/${i}`,
      host: 'host.example',
    }))
    await db.sight(feed.name, run, urls)
    await db.sight(feed.name, run, [{ type: 'domain', value: 'last.example' }])
    const copy = new Copy()
    copy.cursor = cursor
    for (let turn = 0; !(await copy.step(1)) && turn < 10; turn++);
    expect([...copy.names]).toEqual(['last.example'])
  })

  test('a long answer goes on in the next one, and one that nobody waits for ends', async () => {
    const names = Array.from({ length: 700 }, (_, i) => `name${i}.example`)
    await db.list(feed, names)
    const reader = createChangesReader(db.store, 30)
    const parts: Answer[] = []
    for (let cursor = 'begin', more = true; more; ) {
      const query = { cursor, limit: 1_000, lengthMax: 20_000, signal: atLeisure.signal }
      const answer = await reader.read(query)
      if (!answer.ok) throw new Error(answer.reason)
      expect(answer.value.json.length).toBeLessThan(21_000)
      const part: Answer = JSON.parse(answer.value.json)
      parts.push(part)
      ;({ cursor, more } = part)
    }
    expect(parts.flatMap(({ added }) => listDomains(added))).toEqual(names)
    const signal = AbortSignal.abort()
    const left = await reader.read({ cursor: 'begin', limit: 1_000, lengthMax: 1e9, signal })
    if (!left.ok) throw new Error(left.reason)
    expect(JSON.parse(left.value.json).added.length).toBe(1)
  })

  test('a caller who is too far behind, or of another history, must resync', async () => {
    await db.list(feed, ['a.example', 'b.example'])
    const { cursor } = await read(null)
    await db.list(feed, ['a.example'])
    const foreign = Buffer.from('ffffffff 12').toString('base64url')
    const ahead = Buffer.from(`${db.store.meta().epoch.slice(0, 8)} 99999999`).toString('base64url')
    for (const stale of [foreign, ahead]) {
      const answer = await read(stale)
      expect(answer).toMatchObject({ resync: true, more: false, added: [], removed: [], total: 1 })
      expect(await read(answer.cursor)).toMatchObject({ resync: false, added: [], removed: [] })
    }
    db.now += 1_000
    await db.inSlices(() => ({ op: 'prune', before: db.now }))
    expect(await read(cursor)).toMatchObject({ resync: true })
  })

  test('whoever begins after something was forgotten is not sent back', async () => {
    await db.list(feed, ['a.example', 'b.example', 'c.example'])
    await db.list(feed, ['b.example', 'c.example'])
    db.now += 1_000
    await db.inSlices(() => ({ op: 'prune', before: db.now }))
    const first = await read('begin', 1)
    expect(first.more).toBe(true)
    expect(await read(first.cursor, 1)).toMatchObject({ resync: false })
  })

  test.each([
    '',
    'x',
    '!!',
    Buffer.from('ffffffff').toString('base64url'),
    'BEGIN',
    'a'.repeat(500),
  ])('refuses what is no cursor: %p', async (cursor) => {
    const answer = await createChangesReader(db.store, 30).read({ cursor, limit: 1, ...atLeisure })
    expect(answer).toEqual({ ok: false, reason: 'bad_cursor' })
  })

  test(
    'keeps copies in sync that read answers of any length, at any time',
    async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`)
      const sources = [feed, other, secret]
      const step = fc.record({
        kind: fc.constantFrom('list', 'list', 'list', 'allow', 'block', 'clear', 'prune'),
        source: fc.nat(sources.length - 1),
        names: fc.subarray(names),
        reads: fc.array(fc.record({ copy: fc.nat(2), limit: fc.integer({ min: 1, max: 4 }) })),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          db.remove()
          db = new TestStore()
          const copies = [new Copy(), new Copy(), new Copy()]
          for (const { kind, source, names: some, reads } of steps) {
            db.now += 60_000
            if (kind === 'list') await db.list(sources[source] ?? feed, some)
            else if (kind === 'prune') {
              await db.inSlices(() => ({ op: 'prune', before: db.now - 120_000 }))
            } else {
              const words = { type: 'domain', reason: 'r', by: 'ann', until: null } as const
              const operations = some.map(
                (value) => ({ op: 'decide', verdict: kind, value, ...words }) as const,
              )
              await db.store.write({ at: db.now, operations })
            }
            for (const { copy, limit } of reads) {
              if (await copies[copy]?.step(limit)) {
                expect([...(copies[copy]?.names ?? [])].sort()).toEqual(db.published().sort())
              }
            }
          }
          for (const copy of copies) {
            for (let turn = 0; !(await copy.step(2)); turn++) expect(turn).toBeLessThan(100)
            expect([...copy.names].sort()).toEqual(db.published().sort())
          }
        }),
        { numRuns: runs },
      )
    },
    120_000 + runs * 2_000,
  )
})
