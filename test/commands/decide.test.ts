/** `weir block`, `weir allow` and `weir clear`: decisions apply at once and override every feed. */

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

/** Runs a command with `--json` and returns the outcome; fails on any other output. */
async function say(dataDir: DataDir, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await weir([...args, '--json'], { dataDir })
  if (code !== 0 || err !== '') throw new Error(`it ended with ${code}: ${err}`)
  return parseRecord(out)
}

const decision = (verdict: 'block' | 'allow', value: string): readonly string[] => [
  verdict,
  value,
  '--reason',
  `I ${verdict} it`,
  '--by',
  'anna',
]

describe('a decision while a server runs', () => {
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
    await say(dataDir, decision('block', 'mine.example'))
    await answers('https://login.mine.example/x', 'found')
    expect(await check('mine.example')).toMatchObject({
      confidence: 100,
      match: { sources: ['operator'] },
    })
    expect(await blacklist()).toContain('mine.example')
  })

  test('allows within a second what a feed lists, and says so', async () => {
    await answers('good.example', 'found')
    await say(dataDir, decision('allow', 'hxxps://good[.]example/'))
    const answer = await eventually(
      'the decision is reported',
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
    await say(dataDir, decision('allow', 'later.example'))
    await reimport(feed + lines('later.example'))
    const input = lines('good.example', 'later.example', 'third.example')
    await importList(['-', '--source', 'second'], { dataDir, input })
    await answers('third.example', 'found')
    for (const value of ['good.example', 'later.example']) await answers(value, 'not_found')
    await answers('mine.example', 'found')
    const listedNow = ['evil.example', 'mine.example', 'other.example', 'page.example']
    expect(await blacklist()).toEqual([...listedNow, 'third.example'])
  })

  test('survives a feed that drops the value', async () => {
    await say(dataDir, decision('block', 'evil.example'))
    await reimport(lines('good.example', 'other.example', 'page.example', 'later.example'))
    await answers('evil.example', 'found')
  })

  test('survives a restart', async () => {
    await server.stop()
    server = await Server.start(dataDir)
    for (const value of ['mine.example', 'evil.example']) await answers(value, 'found')
    for (const value of ['good.example', 'later.example']) await answers(value, 'not_found')
  })

  test('is removed within a second, and the feeds apply again', async () => {
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

  test('shows the active decision, and when a server follows', async () => {
    using copy = dataDir.copy()
    const args = [...decision('block', 'hxxps://evil[.]example'), '--until', '2999-12-31']
    const { code, out, err } = await weir(args, { dataDir: copy })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(
        /^evil\.example \(domain\) is blocked by anna since \d{4}-\d\d-\d\d \d\d:\d\d until 2999-12-31 00:00 UTC: I block it$/,
      ),
      'A running server follows within a second.',
      '',
    ])
    const changed = await weir(decision('allow', 'evil.example'), { dataDir: copy })
    expect(changed.out).toMatch(/^evil\.example \(domain\) is allowed by anna since /)
    expect(changed.out).toMatch(/^Before, it was blocked by anna since .*: I block it$/m)
    const cleared = await weir(['clear', 'evil.example'], { dataDir: copy })
    expect(cleared.out).toMatch(/^evil\.example \(domain\) is no longer allowed by anna since /)
    expect(cleared.out).toContain('\nIt is listed by feed. A running server follows')
    const again = await weir(['clear', 'evil.example'], { dataDir: copy })
    expect(again).toEqual({
      code: 1,
      out: 'You have no active decision about evil.example (domain).\n',
      err: '',
    })
  })

  test('is one object with --json', async () => {
    using copy = dataDir.copy()
    const args = [...decision('allow', 'evil.example'), '--until', '2999-12-31T18:30+02:00']
    const allowed = await say(copy, args)
    const active = {
      verdict: 'allow',
      reason: 'I allow it',
      by: 'anna',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      until: '2999-12-31T16:30:00.000Z',
    }
    const about = { type: 'domain', value: 'evil.example', values: ['evil.example'] }
    expect(allowed).toEqual({
      ...about,
      decision: active,
      replaced: null,
      isListed: false,
      sources: ['feed'],
      notes: ['names below it that have listings of their own, www too, remain listed'],
      seq: expect.any(Number),
    })
    expect(await say(copy, ['clear', 'evil.example'])).toEqual({
      ...about,
      decision: null,
      replaced: active,
      isListed: true,
      sources: ['feed'],
      notes: [],
      seq: expect.any(Number),
    })
    const { code, out } = await weir(['clear', 'evil.example', '--json'], { dataDir: copy })
    expect(code).toBe(1)
    expect(parseRecord(out)).toMatchObject({ values: [], decision: null, replaced: null })
  })

  test('notes a protected name, a platform, and the other spelling of a page', async () => {
    using copy = dataDir.copy()
    const notesOf = async (verdict: 'block' | 'allow', value: string): Promise<unknown> =>
      (await say(copy, decision(verdict, value)))['notes']
    expect(await notesOf('block', popular)).toEqual([
      `${popular} is protected from feeds; your decision overrides that`,
    ])
    expect(await notesOf('block', platform)).toEqual([
      `${platform} hosts pages of many people; your decision blocks all of them`,
    ])
    const { out } = await weir(decision('allow', 'https://page.example/a'), { dataDir: copy })
    expect(out).toContain('\nNote: this also applies to http://page.example/a\n')
  })

  test('notes that the database was created for this decision', async () => {
    using fresh = new DataDir()
    const { code, out } = await weir(decision('block', 'evil.example'), { dataDir: fresh })
    expect(code).toBe(0)
    expect(out).toContain(`\nNote: ${fresh.path} had no database; a new one was created`)
    expect(listed(fresh)).toEqual(['evil.example'])
  })

  const callers: readonly (readonly [string, Environment, readonly string[], string])[] = [
    ['uses the login name', { USER: 'berta' }, [], 'berta'],
    ['uses the name of --by', { USER: 'berta' }, ['--by', 'carla'], 'carla'],
    ['ignores a login name that is not one line', { USER: 'line\nbreak' }, [], 'operator'],
    ['uses "operator" without a login name', {}, [], 'operator'],
  ]
  test.each(callers)('%s', async (_, env, args, by) => {
    using copy = dataDir.copy()
    const call = ['block', 'evil.example', '--reason', 'why', '--json', ...args]
    const { out } = await weir(call, { dataDir: copy, env })
    expect(parseRecord(out)).toMatchObject({ decision: { by } })
  })

  test.each([
    ['2999-12-31', '2999-12-31T00:00:00.000Z'],
    ['2999-12-31 18:00', '2999-12-31T18:00:00.000Z'],
    ['2999-12-31T18:00:30Z', '2999-12-31T18:00:30.000Z'],
  ])('of --until %s ends at %s', async (until, expected) => {
    using copy = dataDir.copy()
    const answer = await say(copy, [...decision('block', 'evil.example'), '--until', until])
    expect(answer).toMatchObject({ decision: { until: expected } })
  })

  test('of --until 12h ends twelve hours after it was given', async () => {
    using copy = dataDir.copy()
    await say(copy, [...decision('block', 'evil.example'), '--until', '12h'])
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
    [['block', 'a.example'], 'give a reason with --reason TEXT'],
    [['block', 'a.example', '--reason', ' '], '--reason: write 1 to 500 characters'],
    [['block', 'a.example', '--reason', long], '--reason: write 1 to 500 characters'],
    [['allow', 'a.example', '--reason', 'two\nlines'], '--reason: write 1 to 500 characters'],
    [['allow', 'a.example', '--reason', '\u001b[31m'], '--reason: write 1 to 500 characters'],
    [['block', 'a.example', ...because, '--by', ''], '--by: write 1 to 100 characters'],
    [['block', 'a.example', ...because, '--until', '2026-01-01'], 'name a future time'],
    [['block', 'a.example', ...because, '--until', '2020-01-01T10:00Z'], 'name a future time'],
    [['block', 'a.example', ...because, '--until', '2999-02-30'], 'write a day such as'],
    [['block', 'a.example', ...because, '--until', 'tomorrow'], 'write a day such as'],
    [['block', 'a.example', ...because, '--until', '0d'], 'write a day such as'],
    [['block', 'com', ...because], 'com: not public'],
    [['block', 'localhost', ...because], 'localhost: not public'],
    [['block', '10.1.2.3', ...because], '10.1.2.3: not public'],
    [['allow', '192.0.2.0/24', ...because], '192.0.2.0/24: a network'],
    [['block', 'javascript:alert(1)', ...because], 'javascript:alert(1): not http, https or ftp'],
    [['clear', 'a.example', ...because], "'--reason'"],
  ]

  test.each(calls)('as %p gives the reason and creates no database', async (args, hint) => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(args, { dataDir })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toStartWith('weir: ')
    expect(err).toContain(hint)
    expect(err).toContain(`\nRun "weir ${args[0]} --help"`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })

  test('changes nothing', async () => {
    using dataDir = new DataDir()
    await say(dataDir, decision('block', 'evil.example'))
    const before = dataDir.rows('SELECT * FROM meta')
    await weir(['block', 'evil.example', '--reason', 'why', '--until', '2026-01-01'], { dataDir })
    expect(dataDir.rows('SELECT * FROM meta')).toEqual(before)
  })

  test('clears nothing without a database, says where it looked, and creates none', async () => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(['clear', 'a.example'], { dataDir })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${dataDir.path}`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })
})
