/** `weir show`: all that is known of a value, for people and for scripts. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import protectedFacts from '../../data/protected-names.txt' with { type: 'text' }
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { DataDir, type Ended, importList, lines, parseRecord, weir } from './process.ts'

const platform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''
const popular = /^[a-z0-9]\S*$/m.exec(protectedFacts)?.[0] ?? ''
const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const dataDir = new DataDir()
afterAll(() => dataDir[Symbol.dispose]())

beforeAll(async () => {
  const first = lines('evil.example', 'gone.example', 'also.example', digest)
  await importList(['-', '--source', 'open-list'], { dataDir, input: first })
  const second = lines('evil.example', 'also.example', digest, `tenant.${platform}`)
  await importList(['-', '--source', 'open-list'], { dataDir, input: second })
  const secrets = lines('evil.example', 'secret.example')
  await importList(['-', '--source', 'my-list', '--private'], { dataDir, input: secrets })
  const pages = lines(
    'https://pages.example/a/login',
    'https://pages.example/dir/sub/',
    'https://root.example/',
  )
  await importList(['-', '--source', 'pages'], { dataDir, input: pages })
  const names = lines('bank.example', 'shop.example')
  await importList(['-', '--source', 'popular', '--guard', 'names'], { dataDir, input: names })
})

const show = (value: string, from = dataDir): Promise<Ended> =>
  weir(['show', value], { dataDir: from })

/** Returns what `--json` prints. */
async function dossier(value: string, from = dataDir): Promise<Record<string, unknown>> {
  const { out, err } = await weir(['show', value, '--json'], { dataDir: from })
  expect(err).toBe('')
  return parseRecord(out)
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('--json', () => {
  test('shows the verdict, the row, every source, private ones too, and the events in order', async () => {
    expect(await dossier('hxxps://Evil[.]example/')).toEqual({
      query: 'hxxps://Evil[.]example/',
      type: 'domain',
      value: 'evil.example',
      isKnown: true,
      verdict: {
        status: 'found',
        confidence: 80,
        score: 0,
        reasons: [{ code: 'listed_host', message: expect.stringContaining('by open-list.') }],
        note: null,
      },
      decision: null,
      listing: {
        isActive: true,
        isPublished: true,
        doNotBlock: false,
        threatType: 'phishing',
        threatLevel: 'high',
        confidence: 80,
        targetBrand: null,
        audiences: { professional: ['high'] },
        targetBrandOrigin: null,
        malwareFamily: null,
        firstSeen: time,
        lastSeen: time,
        listedAt: time,
        seq: expect.any(Number),
      },
      platform: null,
      protections: [],
      related: [],
      listedPage: null,
      sightings: [
        sighting({ source: 'open-list' }),
        sighting({ source: 'my-list', isRedistributable: false }),
      ],
      events: [{ at: time, from: 'absent', to: 'listed', reason: 'sighted', by: 'open-list' }],
    })
  })

  const sighting = (differing: Record<string, unknown>): Record<string, unknown> => ({
    source: '',
    state: 'live',
    endsAt: null,
    isRedistributable: true,
    threatType: 'phishing',
    confidence: 80,
    targetBrand: null,
    targetBrandOrigin: null,
    malwareFamily: null,
    firstSeen: time,
    lastSeen: time,
    reference: null,
    ...differing,
  })

  test('shows what a source has dropped, and why', async () => {
    expect(await dossier('gone.example')).toMatchObject({
      isKnown: true,
      verdict: { status: 'not_found' },
      listing: { isActive: false },
      sightings: [{ source: 'open-list', state: 'ended' }],
      events: [
        { from: 'absent', to: 'listed', reason: 'sighted' },
        { from: 'listed', to: 'delisted', reason: 'withdrawn', by: 'open-list' },
      ],
    })
  })

  test('shows what a withdrawn source holds back', async () => {
    using copy = dataDir.copy()
    await weir(['sources', 'disable', 'open-list', '--withdraw'], { dataDir: copy })
    expect(await dossier('also.example', copy)).toMatchObject({
      listing: { isActive: false },
      sightings: [{ source: 'open-list', state: 'withheld' }],
    })
  })

  test('shows when the grace period of a dropped value ends', async () => {
    using copy = dataDir.copy()
    const input = lines('evil.example', 'also.example', `tenant.${platform}`)
    const env = { WEIR_GRACE: '6h' }
    await importList(['-', '--source', 'open-list'], { dataDir: copy, env, input })
    expect(await dossier(digest, copy)).toMatchObject({
      type: 'sha256',
      verdict: { status: 'found' },
      sightings: [{ state: 'live', endsAt: time }],
    })
  })

  const related: readonly (readonly [string, string, Record<string, unknown>])[] = [
    [
      'the listed parent of a name',
      'a.b.evil.example',
      { related: [{ type: 'domain', value: 'evil.example', isListed: true, decision: null }] },
    ],
    [
      'the listed host of a page',
      'https://login.evil.example/x?y=1',
      { related: [{ type: 'domain', value: 'evil.example', isListed: true, decision: null }] },
    ],
    [
      'the listed directory above a page',
      'http://pages.example/dir/sub/deeper',
      {
        verdict: { status: 'found' },
        related: [{ type: 'url', value: 'https://pages.example/dir/sub/', isListed: true }],
        listedPage: 'https://pages.example/a/login',
      },
    ],
    [
      'the listed page without its query',
      'https://pages.example/a/login?utm=1',
      { related: [{ value: 'https://pages.example/a/login' }] },
    ],
    [
      'the listing of a page under another scheme',
      'http://pages.example/a/login',
      { value: 'https://pages.example/a/login', listing: { isActive: true }, related: [] },
    ],
    [
      'the listed root page of a host',
      'root.example',
      { listing: null, related: [{ type: 'url', value: 'https://root.example/', isListed: true }] },
    ],
    [
      'that other pages of the host are listed',
      'https://pages.example/other',
      { listing: null, related: [], listedPage: 'https://pages.example/a/login' },
    ],
    [
      'the listed domain of an e-mail address',
      'boss@evil.example',
      { type: 'email', verdict: null, related: [{ type: 'domain', value: 'evil.example' }] },
    ],
    [
      'the platform of a tenant',
      `tenant.${platform}`,
      {
        platform: { apex: platform, mode: 'tenant', note: expect.stringContaining('subdomain') },
      },
    ],
    [
      'the guard that protects a name',
      'www.bank.example',
      { listing: null, protections: [{ kind: 'name', source: 'popular' }] },
    ],
    [
      'what weir protects itself',
      `https://${popular}/search`,
      { protections: [{ kind: 'name', source: 'weir' }] },
    ],
  ]

  test.each(related)('shows %s', async (_, value, expected) => {
    expect(await dossier(value)).toMatchObject({ isKnown: true, ...expected })
  })

  test('shows the state before and after a decision', async () => {
    using copy = dataDir.copy()
    const args = ['--reason', 'false alarm', '--by', 'anna', '--until', '2999-12-31']
    await weir(['allow', 'evil.example', ...args], { dataDir: copy })
    const decision = {
      verdict: 'allow',
      reason: 'false alarm',
      by: 'anna',
      since: time,
      until: '2999-12-31T00:00:00.000Z',
    }
    const allowed = await dossier('evil.example', copy)
    expect(allowed).toMatchObject({
      verdict: { status: 'not_found', reasons: [{ code: 'operator_allowed' }] },
      decision,
      listing: { isActive: false, isPublished: false },
      sightings: [{ state: 'live' }, { state: 'live' }],
      events: [{}, { from: 'listed', to: 'delisted', reason: 'operator', by: 'anna' }],
    })
    expect(await dossier('www.evil.example', copy)).toMatchObject({
      isKnown: true,
      related: [{ value: 'evil.example', isListed: false, decision: 'allow' }],
    })
    await weir(['clear', 'evil.example', '--by', 'berta'], { dataDir: copy })
    expect(await dossier('evil.example', copy)).toMatchObject({
      verdict: { status: 'found' },
      decision: null,
      events: [{}, {}, { from: 'delisted', to: 'listed', reason: 'operator', by: 'berta' }],
    })
  })

  test('shows the last twenty events', async () => {
    using copy = dataDir.copy()
    for (let i = 0; i < 11; i++) {
      await weir(['allow', 'evil.example', '--reason', `${i}`, '--by', `a${i}`], { dataDir: copy })
      await weir(['clear', 'evil.example', '--by', `c${i}`], { dataDir: copy })
    }
    const { events } = await dossier('evil.example', copy)
    const between = Array.from({ length: 18 }, () => expect.anything())
    const [first, last] = [{ by: 'a1' }, { by: 'c10' }].map((event) =>
      expect.objectContaining(event),
    )
    expect(events).toEqual([first, ...between, last])
  })
})

describe('the text', () => {
  const blockOf = (out: string): string[] => out.trimEnd().split('\n')

  test('shows the same on 100 columns', async () => {
    using copy = dataDir.copy()
    const reason = 'seen in our mail '.repeat(12).trim()
    await weir(['block', 'evil.example', '--reason', reason, '--by', 'anna'], { dataDir: copy })
    const { code, out, err } = await show('evil.example', copy)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const text = blockOf(out)
    expect(Math.max(...text.map((line) => line.length))).toBeLessThanOrEqual(100)
    const expected = [
      /^evil\.example \(domain\); times are UTC$/,
      /^verdict {7}found$/,
      /^ {14}The host is listed as phishing since \d{4}-\d\d-\d\d by open-list, operator\.$/,
      /^your decision blocked by anna since \d{4}-\d\d-\d\d \d\d:\d\d UTC: seen in our mail/,
      /^listed {8}since \d{4}-\d\d-\d\d \d\d:\d\d, published$/,
      /^threat {8}phishing, high, confidence 100$/,
      /^source {5}state {2}confidence {2}first seen {8}last seen {9}published$/,
      /^open-list {2}live {11}80 {2}\S+ \S+ {2}\S+ \S+ {2}yes$/,
      /^my-list {4}live {11}80 {2}\S+ \S+ {2}\S+ \S+ {2}no, private$/,
      /^when +from +to +why +by$/,
      /^\d{4}-\d\d-\d\d \d\d:\d\d +absent +listed +sighted +open-list$/,
      /^\d{4}-\d\d-\d\d \d\d:\d\d +listed +listed +operator +anna$/,
    ]
    for (const line of expected) expect(text.filter((said) => line.test(said))).toHaveLength(1)
    expect(out.replaceAll(/\s+/g, ' ')).toContain(reason)
  })

  test('marks what only a private source lists', async () => {
    const { out } = await show('secret.example')
    expect(out).toMatch(/^listed {8}since .*, private: it answers checks only$/m)
    expect(out).toContain('The host is listed by a source that is not published.')
    expect(out).toContain('no, private')
  })

  test('names related listings and guards', async () => {
    const { out: name } = await show('www.evil.example')
    expect(name).toMatch(/^listed {8}no$/m)
    expect(name).toMatch(/^see also {6}evil\.example \(domain\): listed$/m)
    const { out: page } = await show('https://pages.example/other')
    expect(page).toMatch(/^listed pages {2}some on this host, such as https:\/\/pages\.example\//m)
    const { out: tenant } = await show(`new.${platform}`)
    expect(tenant).toContain(
      `\nplatform      ${platform} hosts pages of many people; judge the exact`,
    )
    const { out: guarded } = await show('bank.example')
    expect(guarded).toMatch(/^guarded by {4}popular \(name\)$/m)
  })

  test('of what was dropped says when it was last listed', async () => {
    const { out } = await show('gone.example')
    expect(out).toMatch(/^listed {8}no; last listed \d{4}-\d\d-\d\d \d\d:\d\d$/m)
    expect(out).toMatch(/^open-list {2}ended /m)
  })
})

describe('the exit code', () => {
  test.each([
    ['evil.example', 0],
    ['gone.example', 0],
    ['www.evil.example', 0],
    ['bank.example', 0],
    ['unknown.example', 1],
    ['https://unknown.example/x', 1],
    ['203.0.113.99', 1],
    ['d41d8cd98f00b204e9800998ecf8427e', 1],
    ['nobody@unknown.example', 1],
  ])('of %s is %i', async (value, expected) => {
    const { code, out, err } = await show(value)
    expect({ code, err }).toEqual({ code: expected, err: '' })
    if (expected === 1) expect(out).toMatch(/^Nothing is known of \S+ \(\w+\): it is on none/)
  })

  test('of what is unknown is 1 with --json too, which says so', async () => {
    const { code, out } = await weir(['show', 'unknown.example', '--json'], { dataDir })
    expect(code).toBe(1)
    expect(parseRecord(out)).toMatchObject({ isKnown: false, listing: null, sightings: [] })
  })

  test.each([
    [['show'], 'name exactly one value'],
    [['show', 'a.example', 'b.example'], 'name exactly one value'],
    [['show', 'localhost'], 'localhost: not public'],
    [['show', 'a.example', '--jsno'], "'--jsno'"],
  ])('of the call %p is 2', async (args, hint) => {
    const { code, out, err } = await weir(args, { dataDir })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')[0]).toContain(hint)
    expect(err).toContain('"weir show --help"')
  })

  test('without a database is 3, and none is made', async () => {
    using empty = new DataDir()
    const { code, out, err } = await show('evil.example', empty)
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${empty.path}`)
    expect(await Bun.file(empty.at('weir.db')).exists()).toBe(false)
  })
})
