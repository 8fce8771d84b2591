/** `weir decisions`: every active block and allow. */

import { afterAll, describe, expect, test } from 'bun:test'
import { DataDir, type Ended, eventually, importList, weir } from './process.ts'

describe('weir decisions', () => {
  const dataDir = new DataDir()
  afterAll(() => dataDir[Symbol.dispose]())

  const decisions = (args: readonly string[] = []): Promise<Ended> =>
    weir(['decisions', ...args], { dataDir })

  async function say(args: readonly string[]): Promise<void> {
    const { code, err } = await weir(args, { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
  }

  const because = (reason: string): readonly string[] => ['--reason', reason, '--by', 'anna']

  test('without a database says where it was looked for, and makes none', async () => {
    const { code, out, err } = await decisions()
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${dataDir.path}`)
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })

  test('takes no value', async () => {
    const { code, err } = await decisions(['evil.example'])
    expect(code).toBe(2)
    expect(err).toContain("'evil.example'")
  })

  test('says so when there are no decisions', async () => {
    await importList(['-', '--source', 'feed'], { dataDir, input: 'evil.example\n' })
    const { code, out } = await decisions()
    expect({ code, out }).toEqual({ code: 0, out: 'You have no active decisions.\n' })
    expect((await decisions(['--json'])).out).toBe('[]\n')
  })

  test('lists the active decisions, newest first, without those that were cleared', async () => {
    await say(['allow', 'evil.example', ...because('a false alarm')])
    await say(['block', 'gone.example', ...because('a mistake')])
    await say(['block', '203.0.113.7', '--until', '2999-12-31', ...because('a drop zone')])
    await say(['clear', 'gone.example'])
    const { code, out } = await decisions()
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^decision {2}type {4}since \(UTC\) {7}until {13}by {4}value$/),
      expect.stringMatching(
        /^block {5}ip {6}\S+ \S+ {2}2999-12-31 00:00 {2}anna {2}203\.0\.113\.7$/,
      ),
      '    a drop zone',
      expect.stringMatching(/^allow {5}domain {2}\S+ \S+ {20}anna {2}evil\.example$/),
      '    a false alarm',
    ])
    const records: unknown = JSON.parse((await decisions(['--json'])).out)
    const made = { by: 'anna', since: expect.any(String) }
    expect(records).toEqual([
      {
        type: 'ip',
        value: '203.0.113.7',
        verdict: 'block',
        reason: 'a drop zone',
        until: '2999-12-31T00:00:00.000Z',
        ...made,
      },
      {
        type: 'domain',
        value: 'evil.example',
        verdict: 'allow',
        reason: 'a false alarm',
        until: null,
        ...made,
      },
    ])
  })

  test('marks a decision that has expired, until a server removes it', async () => {
    await say(['block', 'short.example', '--until', '1s', ...because('for now')])
    const isDue = async (): Promise<true | null> =>
      (await decisions()).out.includes(' (due)  anna  short.example') ? true : null
    expect(await eventually('the decision is due', isDue)).toBe(true)
  })

  test('wraps a long reason', async () => {
    const reason = 'word '.repeat(99).trim()
    await say(['block', 'wordy.example', ...because(reason)])
    const { out } = await decisions()
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(out.replaceAll(/\s+/g, ' ')).toContain(reason)
  })
})
