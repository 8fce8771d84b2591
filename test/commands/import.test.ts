/** `weir import`: what it reads and what it reports. */

import { describe, expect, test } from 'bun:test'
import protectedNames from '../../data/protected-names.txt' with { type: 'text' }
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { testWith } from '../needs.ts'
import { DataDir, importList, lines, listed, manyNames, Server, weir } from './process.ts'

const aProtectedName = protectedNames.split('\n').find((line) => /^[a-z]/.test(line)) ?? ''

const aPlatform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''

const nothing = { changed: 0, seenAgain: 0, delisted: 0, heldBack: null }

describe('the formats', () => {
  const formats = [
    {
      format: 'domains',
      text: lines(
        '# names',
        '',
        'Evil.Example.',
        '2026-11-01\tlogin.example',
        'xn--bcher-kva.example # why',
      ),
      values: ['evil.example', 'login.example', 'xn--bcher-kva.example'],
    },
    {
      format: 'hosts',
      text: lines('# hosts', '0.0.0.0 evil.example ads.example', '0.0.0.0 login.example # why'),
      values: ['evil.example', 'ads.example', 'login.example'],
    },
    {
      format: 'urls',
      text: lines(
        'https://pages.example/a/login?x=1',
        'hxxp://evil[.]example/b',
        'http://203.0.113.9/c',
      ),
      values: [
        'https://pages.example/a/login?x=1',
        'http://evil.example/b',
        'http://203.0.113.9/c',
      ],
    },
    {
      format: 'eth-phishing-detect',
      text: JSON.stringify({
        version: 2,
        tolerance: 2,
        fuzzylist: ['fuzzy.example'],
        whitelist: ['fine.example'],
        blacklist: ['evil.example', 'login.example'],
      }),
      values: ['evil.example', 'login.example'],
    },
    {
      format: 'polkadot',
      text: JSON.stringify({ allow: ['fine.example'], deny: ['evil.example', 'login.example'] }),
      values: ['evil.example', 'login.example'],
    },
  ]

  test.each(formats)(
    '$format is recognised, plain and as gzip, in a file and in a pipe',
    async (one) => {
      const { format, text, values } = one
      const compressed = Bun.gzipSync(text)
      const read = async (
        source: string,
        args: readonly string[],
        content: string | Uint8Array,
      ) => {
        using dataDir = new DataDir()
        const isPiped = args[0] === '-'
        const path = isPiped ? '-' : await dataDir.file(`${source}.txt`, content)
        const input = isPiped ? { input: content } : {}
        const report = await importList([path, ...args.slice(1)], { dataDir, ...input })
        const seq = dataDir.rows<{ seq: number }>('SELECT seq FROM meta')[0]?.seq
        const { length } = values
        expect(report).toEqual({
          ...nothing,
          source,
          format,
          read: length,
          added: length,
          refused: {},
          run: 1,
          seq,
        })
        expect(listed(dataDir)).toEqual(values)
      }
      await Promise.all([
        read('plain', [], text),
        read('named', ['list', '--format', format], text),
        read('packed', [], compressed),
        read('stdin', ['-'], text),
        read('feed', ['-', '--source', 'feed'], compressed),
      ])
    },
  )

  test('CRLF, a byte order mark and a missing last line end are no part of any name', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('list.txt', '\uFEFFa.example\r\n\r\nb.example\r\nc.example')
    expect(await importList([path], { dataDir })).toMatchObject({ read: 3, added: 3, refused: {} })
    expect(listed(dataDir)).toEqual(['a.example', 'b.example', 'c.example'])
  })

  testWith({ what: 'named pipes', isMet: process.platform !== 'win32' })(
    'a named pipe is read whole',
    async () => {
      using dataDir = new DataDir()
      // Longer than what is looked at to recognise the format, which must not be lost.
      const list = await dataDir.file('list', manyNames(10_000))
      const pipe = dataDir.at('pipe')
      Bun.spawnSync(['mkfifo', pipe])
      const feeder = Bun.spawn(['sh', '-c', 'cat "$0" > "$1"', list, pipe])
      try {
        expect(await importList([pipe], { dataDir })).toMatchObject({
          source: 'pipe',
          read: 10_000,
        })
      } finally {
        feeder.kill()
      }
    },
  )
})

describe('the report', () => {
  const list = lines(
    '# counted from here',
    'evil.example',
    'login.example',
    'localhost',
    'evil.example',
    'not a name',
    ...['one', 'two', 'three', 'four', 'five', 'six'].map((label) => label),
    aProtectedName,
    `www.${aProtectedName}`,
    '203.0.113.7',
    '10.0.0.1',
  )

  test('counts every entry once and names the first lines of each reason', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('My List.txt', list)
    const report = await importList([path], { dataDir })
    expect(report).toMatchObject({
      source: 'my-list',
      format: 'domains',
      read: 15,
      added: 3,
      changed: 0,
      seenAgain: 1,
      delisted: 0,
      refused: {
        not_public_host: { count: 8, lines: [4, 7, 8, 9, 10] },
        invalid_character: { count: 1, lines: [6] },
        protected_name: { count: 2, lines: [13, 14] },
      },
      heldBack: null,
    })
  })

  test('counts a platform that is listed along with its tenant as no entry', async () => {
    using dataDir = new DataDir()
    const input = `tenant.${aPlatform}\n`
    const report = await importList(['-'], { dataDir, input })
    expect(report).toMatchObject({ read: 1, added: 1 })
  })

  test('is a few plain lines without --json', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('My List.txt', list)
    const { code, out, err } = await weir(['import', path], { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [head = '', ...rest] = out.trimEnd().split('\n')
    expect(head).toBe('my-list (domains): 15 read')
    expect(rest).toEqual([
      '  added        3',
      '  changed      0',
      '  seen again   1',
      '  delisted     0',
      '  refused      11',
      '            1  invalid_character: characters that no name or URL may contain (line 6)',
      '            8  not_public_host: no public name or address (line 4, 7, 8, 9, 10 …)',
      '            2  protected_name: a popular site, which no feed may block (line 13, 14)',
    ])
  })

  test('a pipe gets no byte of a progress bar', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('list.txt', manyNames(5_000))
    const { out, err } = await weir(['import', path], { dataDir })
    expect(err).toBe('')
    for (const mark of ['\r', '\u001b', '\b', '█', '░']) expect(out).not.toContain(mark)
  })

  test('a second import of one file changes nothing and moves no number', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('list.txt', manyNames(3_000))
    const first = await importList([path], { dataDir })
    await using server = await Server.start(dataDir)
    const before = await server.json('/ready')
    const list = await fetch(`${server.url}/api/v1/blacklist`)
    const again = await importList([path], { dataDir })
    expect(again).toEqual({ ...first, added: 0, seenAgain: 3_000, run: 2 })
    const after = await server.json('/ready')
    expect(after).toMatchObject({ seq: first['seq'], indicators: 3_000 })
    expect(after['seq']).toBe(before['seq'])
    const same = await fetch(`${server.url}/api/v1/blacklist`)
    expect(same.headers.get('etag')).toBe(list.headers.get('etag'))
  })
})

describe('bytes that are no entry', () => {
  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['as gzip', (text: string) => Bun.gzipSync(text)],
  ])('a line of ten million bytes is one refused entry, %s', async (_, pack) => {
    using dataDir = new DataDir()
    const input = pack(lines('a.example', 'x'.repeat(10_000_000), 'b.example'))
    const report = await importList(['-'], { dataDir, input })
    const refused = { line_too_long: { count: 1, lines: [2] } }
    expect(report).toMatchObject({ read: 3, added: 2, refused })
    expect(listed(dataDir)).toEqual(['a.example', 'b.example'])
  })

  test('NUL bytes and markup in a list of a named format are refused entry by entry', async () => {
    using dataDir = new DataDir()
    const input = lines('a.example\0', '<b>b.example</b>', 'c.example', '\u0001')
    const report = await importList(['-', '--format', 'domains'], { dataDir, input })
    const refused = { invalid_character: { count: 3, lines: [1, 2, 4] } }
    expect(report).toMatchObject({ read: 4, added: 1, refused })
  })

  test('an element of a document that is not a string is refused, with its position', async () => {
    using dataDir = new DataDir()
    const input = JSON.stringify({ deny: ['a.example', 3, null, ['b.example'], 'c.example'] })
    const report = await importList(['-'], { dataDir, input })
    expect(report).toMatchObject({
      read: 5,
      added: 2,
      refused: { empty: { count: 3, lines: [2, 3, 4] } },
    })
  })
})
