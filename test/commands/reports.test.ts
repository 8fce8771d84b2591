/** `weir reports`: reports sent by strangers, and the operator's decisions about them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import protectedFacts from '../../data/protected-names.txt' with { type: 'text' }
import { loadGuards } from '../../src/ingest/guards.ts'
import type { ReportFields } from '../../src/model/report.ts'
import { ReportIntake } from '../../src/reports/intake.ts'
import type { Operation } from '../../src/store/batch.ts'
import { WriteStore } from '../../src/store/store.ts'
import { DataDir, type Ended, importList, lines, parseRecord, weir } from './process.ts'

const popular = /^[a-z0-9]\S*$/m.exec(protectedFacts)?.[0] ?? ''
const { platforms } = loadGuards()
const feed = lines('listed.example', 'other.example')

async function withStore<Value>(dataDir: DataDir, use: (store: WriteStore) => Promise<Value>) {
  const store = WriteStore.open({ dataDir: dataDir.path, role: 'background', now: Date.now })
  return await use(store).finally(() => store.close())
}

const write = (store: WriteStore, operation: Operation) =>
  store.write({ at: Date.now(), operations: [operation] })

/** Takes reports in as a server does, and returns the number of the last. */
function report(dataDir: DataDir, ...reports: readonly Partial<ReportFields>[]): Promise<string> {
  return withStore(dataDir, async (store) => {
    const intake = new ReportIntake({
      store,
      platforms,
      key: new Uint8Array(32),
      write: async (proposed) => (await write(store, { op: 'report', report: proposed })).report,
    })
    const nothing = { value: null, description: null, targetBrand: null, contact: null }
    let name = ''
    for (const fields of reports) {
      const submitted = await intake.submit({ type: 'other', ...nothing, ...fields })
      if (!submitted.ok) throw new Error(JSON.stringify(submitted.reason))
      name = submitted.value.id
    }
    return String(store.reports.byName(name)?.id)
  })
}

const run = (dataDir: DataDir, ...args: readonly string[]): Promise<Ended> =>
  weir(['reports', ...args], { dataDir, env: { USER: 'anna' } })

/** Runs with `--json`; fails when anything else is said. */
async function json(dataDir: DataDir, ...args: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run(dataDir, ...args, '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

/** What a check says of an address. */
async function statusOf(dataDir: DataDir, value: string): Promise<unknown> {
  return parseRecord((await weir(['check', value, '--json'], { dataDir })).out)['status']
}

async function dossier(dataDir: DataDir, value: string): Promise<Record<string, unknown>> {
  return parseRecord((await weir(['show', value, '--json'], { dataDir })).out)
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A feed's list and no report. */
const template = new DataDir()
beforeAll(() => importList(['-', '--source', 'feed'], { dataDir: template, input: feed }))
afterAll(() => template[Symbol.dispose]())

describe('list', () => {
  test('without a database says where it was looked for, and makes none', async () => {
    using dataDir = new DataDir()
    const { code, out, err } = await run(dataDir, 'list')
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${dataDir.path}`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })

  test('says so when there are no open reports', async () => {
    expect(await run(template)).toEqual({ code: 0, out: 'There are no open reports.\n', err: '' })
    expect(await run(template, 'list', '--status', 'accepted')).toMatchObject({ out: 'None.\n' })
    expect(await json(template, 'list')).toEqual([])
  })

  test('lists the open reports, oldest first, and others by their status', async () => {
    using dataDir = template.copy()
    const again = { type: 'url', value: 'https://fresh.example/pay' } as const
    const long = `It asked for my card. ${'x'.repeat(100)}`
    await report(dataDir, again, { description: long }, { value: 'gone' }, again)
    await run(dataDir, 'show', '2')
    await run(dataDir, 'reject', '3', '--reason', 'It is nothing.')
    const { out } = await run(dataDir, 'list')
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^id {2}type {3}status {5}last sent \(UTC\) {3}times {2}what$/),
      expect.stringMatching(
        /^1 {3}url {4}received {3}\S+ \S+ {2}2 {6}https:\/\/fresh\.example\/pay$/,
      ),
      expect.stringMatching(
        /^2 {3}other {2}in_review {2}\S+ \S+ {2}1 {6}It asked for my card\. x{37}…$/,
      ),
      '"weir reports show ID" shows one in full.',
    ])
    expect(await json(dataDir, 'list')).toMatchObject([{ id: 1, count: 2 }, { id: 2 }])
    expect(await json(dataDir, 'list', '--status', 'rejected')).toMatchObject([
      { id: 3, value: 'gone', status: 'rejected', reason: 'It is nothing.' },
    ])
  })
})

describe('show', () => {
  test('shows a report in full, with others of the same value; from then on it is in review', async () => {
    using dataDir = template.copy()
    const said = { type: 'url', value: 'fresh.example', targetBrand: 'My Bank' } as const
    const description = 'It asked for my card.\n\nWrite to jo.doe@mail.example.'
    await report(dataDir, said, { ...said, description, contact: 'me@mail.example' })
    const { code, out, err } = await run(dataDir, 'show', '2')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.trimEnd().split('\n')).toEqual([
      'report        2, url, in_review',
      expect.stringMatching(/^sent as {7}[0-9a-f-]{36}$/),
      'value         fresh.example',
      'listed        no; "weir check" shows the answer to it',
      'imitates      My Bank',
      'contact       me@mail.example',
      expect.stringMatching(/^sent {10}once, last \S+ \S+ UTC$/),
      'same value    reports 1 (received)',
      '',
      '    It asked for my card.',
      '    ',
      '    Write to [e-mail].',
      '',
      expect.stringMatching(/^\S+ \S+ {2}received by reporter$/),
      expect.stringMatching(/^\S+ \S+ {2}in_review by anna$/),
    ])
  })

  test('is one object with --json, and steps stay who took them', async () => {
    using dataDir = template.copy()
    const id = await report(dataDir, { type: 'phone', value: '(212) 555-2368', contact: 'me' })
    await run(dataDir, 'show', id, '--by', 'berta')
    await run(dataDir, 'reject', id, '--reason', 'It is ours.')
    const events = [
      { at: time, status: 'received', reason: null, by: 'reporter' },
      { at: time, status: 'in_review', reason: null, by: 'berta' },
      { at: time, status: 'rejected', reason: 'It is ours.', by: 'anna' },
    ]
    expect(await json(dataDir, 'show', id)).toEqual({
      id: 1,
      name: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'phone',
      value: '+12125552368',
      valueType: 'phone',
      description: null,
      targetBrand: null,
      contact: 'me',
      status: 'rejected',
      reason: 'It is ours.',
      count: 1,
      createdAt: time,
      updatedAt: time,
      toldAt: time,
      events,
      sameValue: [],
    })
  })

  test('writes nothing to the terminal that is no text, and no line that is not indented', async () => {
    using dataDir = template.copy()
    const hostile =
      '\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202eback\u2066\u0008\r2 accepted\n3 x'
    const said = { description: hostile, targetBrand: hostile, contact: hostile }
    const id = await report(dataDir, { value: hostile, ...said })
    for (const args of [['list'], ['show', id], ['accept', id], ['reject', id, '--reason', 'r']]) {
      const { code, out, err } = await run(dataDir, ...args)
      expect([args, code, err]).toEqual([args, 0, ''])
      expect(out).not.toMatch(/[^\P{C}\n]/u)
      expect(out).not.toMatch(/^[23] /m)
      const asJson = await run(dataDir, ...args, '--json')
      expect(asJson.out).not.toMatch(/[^\P{C}\n]/u)
    }
  })
})

describe('accept', () => {
  test('lists what a report names, by its own source, with the brand by weir’s name', async () => {
    using dataDir = template.copy()
    const said = { value: 'hxxps://fresh[.]example/pay', targetBrand: 'PAYPAL' }
    const id = await report(dataDir, { type: 'url', ...said })
    expect(await statusOf(dataDir, 'https://fresh.example/pay')).toBe('not_found')
    expect(await run(dataDir, 'accept', id, '--reason', 'Thank you.')).toEqual({
      code: 0,
      out: lines(
        `report ${id} is accepted`,
        '  its text is published in search and feeds',
        '  https://fresh.example/pay is listed',
        '  A running server follows within a second.',
      ),
      err: '',
    })
    expect(await statusOf(dataDir, 'http://fresh.example/pay')).toBe('found')
    const known = await dossier(dataDir, 'https://fresh.example/pay')
    expect(known).toMatchObject({
      listing: { targetBrand: 'PayPal', targetBrandOrigin: 'source', threatType: 'phishing' },
      sightings: [{ source: 'reports', state: 'live', isRedistributable: true }],
    })
    expect(await run(dataDir, 'list')).toMatchObject({ out: 'There are no open reports.\n' })
  })

  test('lists numbers as those of scams, without a brand that the report does not name', async () => {
    using dataDir = template.copy()
    const id = await report(dataDir, { value: '2125552368' })
    expect(await json(dataDir, 'accept', id)).toMatchObject({
      id: 1,
      status: 'accepted',
      reason: null,
      changed: '+12125552368',
    })
    const known = await dossier(dataDir, '+12125552368')
    expect(known['listing']).toMatchObject({ threatType: 'scam', targetBrand: null })
  })

  test('lists nothing that is protected, and says what can be done', async () => {
    using dataDir = template.copy()
    const id = await report(dataDir, { type: 'url', value: popular, description: 'It is slow.' })
    const { code, out, err } = await run(dataDir, 'accept', id)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(
      `weir: report ${id} names a popular site, which no feed may block; "--unlisted" accepts its text alone, "weir block" overrides every guard\n`,
    )
    expect(await json(dataDir, 'show', id)).toMatchObject({ status: 'in_review' })
    expect(await json(dataDir, 'accept', id, '--unlisted')).toMatchObject({
      status: 'accepted',
      changed: null,
    })
    expect(await statusOf(dataDir, popular)).toBe('not_found')
    expect(await run(dataDir, 'reject', id, '--reason', 'no')).toMatchObject({
      out: `report ${id} is rejected\n`,
    })
  })

  test('of an appeal ends a listing, and no feed brings it back', async () => {
    using dataDir = template.copy()
    const shop = { type: 'false_positive', value: 'listed.example', description: 'my' } as const
    const id = await report(dataDir, shop)
    expect(await statusOf(dataDir, 'listed.example')).toBe('found')
    const { out } = await run(dataDir, 'accept', id, '--reason', 'It is a shop.')
    expect(out).toStartWith(
      `report ${id} is accepted\n  listed.example is allowed from now on, whatever lists it\n`,
    )
    expect(await statusOf(dataDir, 'listed.example')).toBe('not_found')
    await importList(['-', '--source', 'feed'], { dataDir, input: `${feed}third.example\n` })
    await importList(['-', '--source', 'second'], { dataDir, input: feed })
    expect(await statusOf(dataDir, 'listed.example')).toBe('not_found')
    expect(await statusOf(dataDir, 'third.example')).toBe('found')
    const { decision, events } = await dossier(dataDir, 'listed.example')
    expect(decision).toMatchObject({ verdict: 'allow', reason: 'report 1: It is a shop.' })
    expect(decision).toMatchObject({ by: 'anna' })
    expect(events).toEqual([
      expect.objectContaining({ reason: 'sighted', by: 'feed' }),
      expect.objectContaining({ reason: 'appeal', by: 'anna' }),
    ])
    const shown = await weir(['show', 'listed.example'], { dataDir })
    expect(shown.out).toMatch(/ appeal {2,}anna$/m)
    // The same name may be listed by mistake once more: that is another report.
    expect(await report(dataDir, shop)).toBe('2')
  })
})

describe('reject', () => {
  test('undoes the listing that accepting has made', async () => {
    using dataDir = template.copy()
    const id = await report(dataDir, { type: 'url', value: 'fresh.example' })
    await run(dataDir, 'accept', id)
    expect(await statusOf(dataDir, 'fresh.example')).toBe('found')
    expect((await run(dataDir, 'reject', id, '--reason', 'a mistake')).out).toStartWith(
      `report ${id} is rejected\n  fresh.example is no longer listed by it\n`,
    )
    expect(await statusOf(dataDir, 'fresh.example')).toBe('not_found')
    expect(await json(dataDir, 'accept', id)).toMatchObject({ changed: 'fresh.example' })
    expect(await statusOf(dataDir, 'fresh.example')).toBe('found')
  })

  test('undoes the decision of an appeal, and keeps the listings of others', async () => {
    using dataDir = template.copy()
    const appeal = { type: 'false_positive', value: 'listed.example' } as const
    const id = await report(dataDir, { type: 'url', value: 'other.example' }, appeal)
    await run(dataDir, 'accept', id)
    const { out } = await run(dataDir, 'reject', id, '--reason', 'a mistake')
    expect(out).toContain('\n  listed.example may be listed again\n')
    expect(await statusOf(dataDir, 'listed.example')).toBe('found')
    await run(dataDir, 'accept', '1')
    await run(dataDir, 'reject', '1', '--reason', 'a mistake')
    expect(await statusOf(dataDir, 'other.example')).toBe('found')
  })
})

describe('an appeal', () => {
  const appeal = (value: string) => ({ type: 'false_positive', value }) as const

  test('keeps a decision that the operator made separately', async () => {
    using dataDir = template.copy()
    await weir(['allow', 'ours.example', '--reason', 'our partner'], { dataDir })
    await weir(['block', 'theirs.example', '--reason', 'known'], { dataDir })
    await report(dataDir, appeal('ours.example'), appeal('theirs.example'))
    await run(dataDir, 'accept', '1')
    await run(dataDir, 'reject', '1', '--reason', 'a mistake')
    expect(await dossier(dataDir, 'ours.example')).toMatchObject({ decision: { verdict: 'allow' } })
    expect((await run(dataDir, 'accept', '2')).err).toContain('report 2 appeals against your own')
    expect(await statusOf(dataDir, 'theirs.example')).toBe('found')
  })

  test('remains accepted while another one of the same value is rejected', async () => {
    using dataDir = template.copy()
    const second = { ...appeal('listed.example'), description: 'It is ours.' }
    await report(dataDir, appeal('listed.example'), second)
    await run(dataDir, 'accept', '1')
    await run(dataDir, 'accept', '2')
    await run(dataDir, 'reject', '1', '--reason', 'a mistake')
    expect(await statusOf(dataDir, 'listed.example')).toBe('not_found')
  })
})

describe('a call that cannot be carried out', () => {
  const dataDir = new DataDir()
  beforeAll(async () => {
    await report(dataDir, { value: 'one' }, { value: 'two' }, { value: 'three' })
    await run(dataDir, 'accept', '2')
    await run(dataDir, 'reject', '3', '--reason', 'no')
    await withStore(dataDir, (store) =>
      write(store, { op: 'forgetTexts', newsBefore: 0, reportsBefore: Date.now() + 60_000 }),
    )
  })
  afterAll(() => dataDir[Symbol.dispose]())

  const because = ['--reason', 'why']
  const none = 'there is no report 9; "weir reports list" lists the open ones'
  const wrong: readonly (readonly [args: readonly string[], hint: string])[] = [
    [['look'], 'look: choose one of list, show, accept, reject'],
    [['list', '1'], '"list" takes no report; "show" does'],
    [
      ['list', '--status', 'new'],
      '--status new: choose one of received, in_review, accepted, rejected',
    ],
    [['show'], 'name a report by its number'],
    [['show', '1', '2'], 'name one report'],
    [['show', '9'], none],
    [['show', '1e3'], '1e3: name a report by its number'],
    [['show', 'one'], 'one: name a report by its number'],
    [['show', '1', '--by', '\u001b[31m'], '--by: write 1 to 100 characters'],
    [['accept'], 'name a report by its number'],
    [['accept', '9'], none],
    [
      ['accept', '1', '--reason', 'x'.repeat(501)],
      '--reason: write 1 to 500 characters on one line',
    ],
    [['reject', '1'], 'give a reason with --reason TEXT'],
    [['reject', '1', '--reason', ' '], '--reason: write 1 to 500 characters'],
    [['accept', '1', '--reason', 'a\u001b[31m'], '--reason: write 1 to 500 characters'],
    [['accept', '1', '--reason', 'a\nb'], '--reason: write 1 to 500 characters'],
    [['reject', '9', ...because], none],
  ]

  test.each(wrong)('as %p gives the reason', async (args, hint) => {
    const { code, out, err } = await run(dataDir, ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toStartWith('weir: ')
    expect(err).toContain(hint)
    expect(err).toContain('\nRun "weir reports --help"')
  })

  const late: readonly (readonly [args: readonly string[], hint: string])[] = [
    [['accept', '2'], 'report 2 already has this status; "weir reports show 2" shows since when'],
    [['reject', '3', ...because], 'report 3 already has this status'],
    [['accept', '3'], 'the text of report 3 was erased 30 days after it was rejected'],
  ]

  test.each(late)('as %p comes too late', async (args, hint) => {
    const { code, out, err } = await run(dataDir, ...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(hint)
  })

  test('leaves all as it was', async () => {
    const rows = dataDir.rows('SELECT id, status, contact, value FROM report ORDER BY id')
    expect(rows).toEqual([
      { id: 1, status: 'received', contact: null, value: 'one' },
      { id: 2, status: 'accepted', contact: null, value: 'two' },
      { id: 3, status: 'rejected', contact: null, value: null },
    ])
    const { out } = await run(dataDir, 'list', '--status', 'rejected')
    expect(out).toContain('(erased)')
  })
})
