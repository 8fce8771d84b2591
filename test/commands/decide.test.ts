/** `weir block`, `weir allow` and `weir clear`: the operator's word, at once and above every feed. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import protectedFacts from '../../data/protected-names.txt' with { type: 'text' }
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import {
  checkPath,
  DataDir,
  type Environment,
  eventually,
  importList,
  lines,
  listed,
  parseRecord,
  Server,
  weir,
} from './process.ts'

const platform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''
const popular = /^[a-z0-9]\S*$/m.exec(protectedFacts)?.[0] ?? ''

const feed = lines('evil.example', 'good.example', 'other.example', 'page.example')

/** Gives a word with `--json` and returns the answer; fails when anything else is said. */
async function say(dataDir: DataDir, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await weir([...args, '--json'], { dataDir })
  if (code !== 0 || err !== '') throw new Error(`it ended with ${code}: ${err}`)
  return parseRecord(out)
}

const word = (verdict: 'block' | 'allow', value: string): readonly string[] => [
  verdict,
  value,
  '--reason',
  `I ${verdict} it`,
  '--by',
  'anna',
]

describe('a word beside a running server', () => {
  const dataDir = new DataDir()
  let server: Server

  beforeAll(async () => {
    await importList(['-', '--source', 'feed'], { dataDir, input: feed })
    server = await Server.start(dataDir)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    dataDir[Symbol.dispose]()
  })

  const check = (value: string): Promise<Record<string, unknown>> => server.json(checkPath(value))

  const answers = (value: string, status: string): Promise<true> =>
    eventually(
      `${value} is ${status}`,
      async () => ((await check(value))['status'] === status ? true : null),
      1_000,
    )

  const blacklist = async (): Promise<string[]> =>
    (await server.text('/api/v1/blacklist?format=txt')).trim().split('\n').sort()

  /** Reads a list and waits until the server answers with it. */
  async function reimport(input: string): Promise<void> {
    const { seq } = await importList(['-', '--source', 'feed'], { dataDir, input })
    await eventually('the server has followed', async () =>
      Number((await server.json('/ready'))['seq']) >= Number(seq) ? true : null,
    )
  }

  test('blocks within a second what no feed lists, and names the operator', async () => {
    expect(await check('https://login.mine.example/x')).toMatchObject({ status: 'not_found' })
    await say(dataDir, word('block', 'mine.example'))
    await answers('https://login.mine.example/x', 'found')
    expect(await check('mine.example')).toMatchObject({
      confidence: 100,
      match: { sources: ['operator'] },
    })
    expect(await blacklist()).toContain('mine.example')
  })

  test('allows within a second what a feed lists, and says so', async () => {
    await answers('good.example', 'found')
    await say(dataDir, word('allow', 'hxxps://good[.]example/'))
    const answer = await eventually(
      'the word is told',
      async () => {
        const { reasons, ...rest } = await check('https://www.good.example/x')
        return JSON.stringify(reasons).includes('operator_allowed') ? rest : null
      },
      1_000,
    )
    expect(answer).toMatchObject({ status: 'not_found', match: null })
    expect(await blacklist()).not.toContain('good.example')
  })

  test('survives the next import of the feed, and a feed that comes later', async () => {
    await say(dataDir, word('allow', 'later.example'))
    await reimport(feed + lines('later.example'))
    const input = lines('good.example', 'later.example', 'third.example')
    await importList(['-', '--source', 'second'], { dataDir, input })
    await answers('third.example', 'found')
    for (const value of ['good.example', 'later.example']) await answers(value, 'not_found')
    await answers('mine.example', 'found')
    const standing = ['evil.example', 'mine.example', 'other.example', 'page.example']
    expect(await blacklist()).toEqual([...standing, 'third.example'])
  })

  test('survives a feed that drops the value', async () => {
    await say(dataDir, word('block', 'evil.example'))
    await reimport(lines('good.example', 'other.example', 'page.example', 'later.example'))
    await answers('evil.example', 'found')
  })

  test('survives a restart', async () => {
    await server.stop()
    server = await Server.start(dataDir)
    for (const value of ['mine.example', 'evil.example']) await answers(value, 'found')
    for (const value of ['good.example', 'later.example']) await answers(value, 'not_found')
  })

  test('is taken back within a second, and what feeds say holds again', async () => {
    for (const value of ['mine.example', 'good.example']) await say(dataDir, ['clear', value])
    await answers('mine.example', 'not_found')
    await answers('good.example', 'found')
    expect(await blacklist()).toEqual([
      'evil.example',
      'good.example',
      'other.example',
      'page.example',
      'third.example',
    ])
  })
})

describe('the answer', () => {
  const dataDir = new DataDir()
  beforeAll(() => importList(['-', '--source', 'feed'], { dataDir, input: feed }))
  afterAll(() => dataDir[Symbol.dispose]())

  test('tells what holds now, and when a server answers so', async () => {
    using copy = dataDir.copy()
    const args = [...word('block', 'hxxps://evil[.]example'), '--until', '2999-12-31']
    const { code, out, err } = await weir(args, { dataDir: copy })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(
        /^evil\.example \(domain\) is blocked by anna since \d{4}-\d\d-\d\d \d\d:\d\d until 2999-12-31 00:00 UTC: I block it$/,
      ),
      'A running server follows within a second.',
      '',
    ])
    const changed = await weir(word('allow', 'evil.example'), { dataDir: copy })
    expect(changed.out).toMatch(/^evil\.example \(domain\) is allowed by anna since /)
    expect(changed.out).toMatch(/^Before it was blocked by anna since .*: I block it$/m)
    const cleared = await weir(['clear', 'evil.example'], { dataDir: copy })
    expect(cleared.out).toMatch(/^evil\.example \(domain\) is no longer allowed by anna since /)
    expect(cleared.out).toContain('\nIt is listed by feed. A running server follows')
    const again = await weir(['clear', 'evil.example'], { dataDir: copy })
    expect(again).toEqual({
      code: 1,
      out: 'evil.example (domain): no word of yours stands about it.\n',
      err: '',
    })
  })

  test('is one object with --json', async () => {
    using copy = dataDir.copy()
    const args = [...word('allow', 'evil.example'), '--until', '2999-12-31T18:30+02:00']
    const allowed = await say(copy, args)
    const standing = {
      verdict: 'allow',
      reason: 'I allow it',
      by: 'anna',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      until: '2999-12-31T16:30:00.000Z',
    }
    const about = { type: 'domain', value: 'evil.example', values: ['evil.example'] }
    expect(allowed).toEqual({
      ...about,
      word: standing,
      replaced: null,
      isListed: false,
      sources: ['feed'],
      notes: ['names below it that are listed by themselves, www too, stay listed'],
      seq: expect.any(Number),
    })
    expect(await say(copy, ['clear', 'evil.example'])).toEqual({
      ...about,
      word: null,
      replaced: standing,
      isListed: true,
      sources: ['feed'],
      notes: [],
      seq: expect.any(Number),
    })
    const { code, out } = await weir(['clear', 'evil.example', '--json'], { dataDir: copy })
    expect(code).toBe(1)
    expect(parseRecord(out)).toMatchObject({ values: [], word: null, replaced: null })
  })

  test('tells of a protected name, a platform, and a page in its other spelling', async () => {
    using copy = dataDir.copy()
    const notesOf = async (verdict: 'block' | 'allow', value: string): Promise<unknown> =>
      (await say(copy, word(verdict, value)))['notes']
    expect(await notesOf('block', popular)).toEqual([
      `${popular} is protected from feeds; your word stands above that`,
    ])
    expect(await notesOf('block', platform)).toEqual([
      `${platform} hosts pages of many people; your word blocks all of them`,
    ])
    const { out } = await weir(word('allow', 'https://page.example/a'), { dataDir: copy })
    expect(out).toContain('\nNote: it is also about http://page.example/a\n')
  })

  test('says that the database is new when it begins with this word', async () => {
    using fresh = new DataDir()
    const { code, out } = await weir(word('block', 'evil.example'), { dataDir: fresh })
    expect(code).toBe(0)
    expect(out).toContain(`\nNote: there was no database in ${fresh.path}; it begins with this`)
    expect(listed(fresh)).toEqual(['evil.example'])
  })

  const callers: readonly (readonly [string, Environment, readonly string[], string])[] = [
    ['names who is logged in', { USER: 'berta' }, [], 'berta'],
    ['names whom --by names', { USER: 'berta' }, ['--by', 'carla'], 'carla'],
    ['names no login that is no name', { USER: 'line\nbreak' }, [], 'operator'],
    ['names the operator when nobody is logged in', {}, [], 'operator'],
  ]
  test.each(callers)('%s', async (_, env, args, by) => {
    using copy = dataDir.copy()
    const call = ['block', 'evil.example', '--reason', 'why', '--json', ...args]
    const { out } = await weir(call, { dataDir: copy, env })
    expect(parseRecord(out)).toMatchObject({ word: { by } })
  })

  test.each([
    ['2999-12-31', '2999-12-31T00:00:00.000Z'],
    ['2999-12-31 18:00', '2999-12-31T18:00:00.000Z'],
    ['2999-12-31T18:00:30Z', '2999-12-31T18:00:30.000Z'],
  ])('of --until %s ends at %s', async (until, expected) => {
    using copy = dataDir.copy()
    const answer = await say(copy, [...word('block', 'evil.example'), '--until', until])
    expect(answer).toMatchObject({ word: { until: expected } })
  })

  test('of --until 12h ends twelve hours after it was given', async () => {
    using copy = dataDir.copy()
    await say(copy, [...word('block', 'evil.example'), '--until', '12h'])
    expect(copy.rows('SELECT until - at AS ms FROM decision')).toEqual([{ ms: 43_200_000 }])
  })
})

describe('a wrong call', () => {
  const long = 'x'.repeat(501)
  const because = ['--reason', 'why']
  const calls: readonly (readonly [readonly string[], string])[] = [
    [['block', ...because], 'name exactly one value'],
    [['allow', 'a.example', 'b.example', ...because], 'name exactly one value'],
    [['clear'], 'name exactly one value'],
    [['block', 'a.example'], 'say why with --reason TEXT'],
    [['block', 'a.example', '--reason', ' '], '--reason: write 1 to 500 characters'],
    [['block', 'a.example', '--reason', long], '--reason: write 1 to 500 characters'],
    [['allow', 'a.example', '--reason', 'two\nlines'], '--reason: write 1 to 500 characters'],
    [['allow', 'a.example', '--reason', '\u001b[31m'], '--reason: write 1 to 500 characters'],
    [['block', 'a.example', ...because, '--by', ''], '--by: write 1 to 100 characters'],
    [['block', 'a.example', ...because, '--until', '2026-01-01'], 'name a time to come'],
    [['block', 'a.example', ...because, '--until', '2020-01-01T10:00Z'], 'name a time to come'],
    [['block', 'a.example', ...because, '--until', '2999-02-30'], 'write a day such as'],
    [['block', 'a.example', ...because, '--until', 'tomorrow'], 'write a day such as'],
    [['block', 'a.example', ...because, '--until', '0d'], 'write a day such as'],
    [['block', 'com', ...because], 'com: not public'],
    [['block', 'localhost', ...because], 'localhost: not public'],
    [['block', '10.1.2.3', ...because], '10.1.2.3: not public'],
    [['allow', '192.0.2.0/24', ...because], '192.0.2.0/24: a whole network'],
    [['block', 'javascript:alert(1)', ...because], 'javascript:alert(1): not http, https or ftp'],
    [['clear', 'a.example', ...because], "'--reason'"],
  ]

  test.each(calls)('as %p says what was wrong and makes no database', async (args, hint) => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(args, { dataDir })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toStartWith('weir: ')
    expect(err).toContain(hint)
    expect(err).toContain(`\n"weir ${args[0]} --help"`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })

  test('leaves what stands as it is', async () => {
    using dataDir = new DataDir()
    await say(dataDir, word('block', 'evil.example'))
    const before = dataDir.rows('SELECT * FROM meta')
    await weir(['block', 'evil.example', '--reason', 'why', '--until', '2026-01-01'], { dataDir })
    expect(dataDir.rows('SELECT * FROM meta')).toEqual(before)
  })

  test('clears nothing without a database, says where it was looked for, and makes none', async () => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(['clear', 'a.example'], { dataDir })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${dataDir.path}`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })
})
