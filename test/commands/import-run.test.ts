/** `weir import` as a run of its source: what ends with it, and what never costs a list its entries. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DataDir, type Ended, importList, lines, listed, manyNames, weir } from './process.ts'

const unfinishedRuns = (dataDir: DataDir): number =>
  dataDir.rows('SELECT id FROM run WHERE ended_at IS NULL').length

const reportOf = ({ out }: Ended): unknown => JSON.parse(out)

describe('a run', () => {
  const held = ['old1.example', 'old2.example', 'old3.example', 'old4.example']

  /** In it the source `list` holds four names. */
  const withList = new DataDir()
  beforeAll(() =>
    importList(['-', '--source', 'list'], { dataDir: withList, input: lines(...held) }),
  )
  afterAll(() => withList[Symbol.dispose]())

  test('ends what its source no longer holds', async () => {
    using dataDir = withList.copy()
    const input = lines('old1.example', 'old2.example', 'new.example')
    const report = await importList(['-', '--source', 'list'], { dataDir, input })
    expect(report).toMatchObject({ added: 1, seenAgain: 2, delisted: 2, heldBack: null })
    expect(listed(dataDir)).toEqual(['old1.example', 'old2.example', 'new.example'])
  })

  test('ends nothing of another source', async () => {
    using dataDir = withList.copy()
    const input = lines('new.example')
    expect(await importList(['-'], { dataDir, input })).toMatchObject({ delisted: 0 })
    expect(listed(dataDir)).toEqual([...held, 'new.example'])
  })

  test('that shrank by more than half delists nothing, says so, and does it with --force', async () => {
    using dataDir = withList.copy()
    const options = { dataDir, input: lines('old1.example') }
    const args = ['import', '-', '--source', 'list']
    const { code, out } = await weir(args, options)
    expect(code).toBe(1)
    expect(out).toContain(
      'The list held 4 before and shrank by more than half, so nothing was delisted.',
    )
    expect(out).toContain('--force')
    expect(listed(dataDir)).toEqual(held)
    expect(await weir([...args, '--json'], options).then(reportOf)).toMatchObject({
      heldBack: { kind: 'shrank', from: 4, to: 1 },
    })
    const forced = await weir([...args, '--json', '--force'], options).then(reportOf)
    expect(forced).toMatchObject({ delisted: 3, heldBack: null })
    expect(listed(dataDir)).toEqual(['old1.example'])
  })

  test('of which every name is new has not shrunk for that', async () => {
    using dataDir = withList.copy()
    const input = lines('new1.example', 'new2.example', 'new3.example')
    const report = await importList(['-', '--source', 'list'], { dataDir, input })
    expect(report).toMatchObject({ added: 3, delisted: 4, heldBack: null })
    expect(listed(dataDir)).toEqual(['new1.example', 'new2.example', 'new3.example'])
  })

  test('of an empty file delists nothing', async () => {
    using dataDir = withList.copy()
    const { seq } = dataDir.rows<{ seq: number }>('SELECT seq FROM meta')[0] ?? { seq: 0 }
    const args = ['import', '-', '--source', 'list', '--json']
    const ended = await weir(args, { dataDir, input: '' })
    expect(ended.code).toBe(1)
    const heldBack = { kind: 'empty' }
    expect(reportOf(ended)).toMatchObject({ read: 0, delisted: 0, heldBack, seq })
    expect(listed(dataDir)).toEqual(held)
  })

  const page = lines('<!DOCTYPE html>', '<html><body>', 'new.example', '</body></html>')
  const packed = Bun.gzipSync(manyNames(10_000))
  const unreadable: readonly (readonly [string, string | Uint8Array, readonly string[], string])[] =
    [
      ['an HTML page', page, [], 'not recognised'],
      ['an HTML page as gzip', Bun.gzipSync(page), [], 'not recognised'],
      ['NUL bytes', 'new.example\0\n', [], 'not recognised'],
      ['UTF-16', Buffer.from('\uFEFFnew.example\n', 'utf16le'), [], 'not recognised'],
      ['other JSON', '{"names":["new.example"]}', [], 'not recognised'],
      [
        'JSON cut short',
        '{"deny":["new.example",',
        ['--format', 'polkadot'],
        'not a complete polkadot document',
      ],
      [
        'a list under a document format',
        'new.example\n',
        ['--format', 'polkadot'],
        'not a complete polkadot',
      ],
      ['gzip cut in its head', packed.subarray(0, 5), [], 'cut short or damaged'],
      [
        'gzip cut in the middle',
        packed.subarray(0, packed.length * 0.6),
        [],
        'cut short or damaged',
      ],
      ['gzip without its last byte', packed.subarray(0, -1), [], 'cut short or damaged'],
      [
        'gzip followed by something else',
        Buffer.concat([packed, packed.subarray(9)]),
        [],
        'damaged',
      ],
    ]

  test.each(unreadable)(
    'is an error and ends nothing when it reads %s',
    async (_, input, args, why) => {
      using dataDir = withList.copy()
      const { code, out, err } = await weir(['import', '-', '--source', 'list', ...args], {
        dataDir,
        input,
      })
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(why)])
      expect(err).toStartWith('weir: ')
      expect(listed(dataDir).slice(0, 4)).toEqual(held)
      const live = dataDir.rows(
        'SELECT 1 FROM sighting WHERE live = 1 AND run_id = 1 AND ends_at IS NULL',
      )
      expect(live).toHaveLength(4)
      expect(unfinishedRuns(dataDir)).toBeLessThanOrEqual(1)
    },
  )

  test('that was cut short is finished by the next one', async () => {
    using dataDir = withList.copy()
    const args = ['-', '--source', 'list']
    await weir(['import', ...args], { dataDir, input: packed.subarray(0, packed.length * 0.6) })
    expect(unfinishedRuns(dataDir)).toBe(1)
    const report = await importList(args, { dataDir, input: packed })
    expect(report).toMatchObject({ read: 10_000, delisted: 4, heldBack: null })
    expect(listed(dataDir)).toHaveLength(10_000)
  })
})
