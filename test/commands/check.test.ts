/** `weir check`: the same answers as the API's, for people and for scripts. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { checkPath, DataDir, importList, parseRecord, Server, spawnWeir, weir } from './process.ts'

const platform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''

const dataDir = new DataDir()
afterAll(() => dataDir[Symbol.dispose]())

beforeAll(async () => {
  const names = ['evil.example', 'xn--bcher-kva.example', '203.0.113.7', `tenant.${platform}`]
  await importList(['-', '--source', 'names'], { dataDir, input: `${names.join('\n')}\n` })
  const pages = ['https://pages.example/a/login', 'https://pages.example/dir/sub/']
  await importList(['-', '--source', 'pages'], { dataDir, input: `${pages.join('\n')}\n` })
})

const check = (values: readonly string[], input?: string) =>
  weir(['check', ...values], input === undefined ? { dataDir } : { dataDir, input })

describe('the text', () => {
  const selfTest = (label: string, status: string) => ({
    value: `https://${label}.weir.test/login`,
    status,
    reasons: [`This name always answers ${status}, for testing a client.`],
  })

  const texts = [
    {
      value: 'evil.example',
      status: 'found',
      reasons: [/^ {2}The host is listed as phishing since \d{4}-\d\d-\d\d by names\.$/],
    },
    {
      value: 'hxxps://Login.EVIL[.]example:8443/x',
      status: 'found',
      reasons: ['The parent domain evil.example is listed'],
    },
    { value: 'https://bücher.example/', status: 'found', reasons: ['The host is listed'] },
    { value: 'http://203.0.113.7/', status: 'found', reasons: ['The address is listed'] },
    { value: 'pages.example/a/login', status: 'found', reasons: ['This exact page is listed'] },
    {
      value: 'https://pages.example/dir/sub/deeper',
      status: 'found',
      reasons: ['A directory above this page is listed'],
    },
    {
      value: 'https://pages.example/other',
      status: 'suspicious',
      reasons: ['This page is not listed, but other pages of pages.example are.'],
    },
    { value: platform, status: 'shared_infrastructure', reasons: [`${platform} hosts pages of`] },
    {
      value: `https://other.${platform}/`,
      status: 'shared_infrastructure',
      reasons: ['judge the exact subdomain'],
    },
    { value: 'clean.example', status: 'not_found', reasons: ['is on none of the lists'] },
    {
      value: 'https://evil.example@clean.example/',
      status: 'not_found',
      reasons: ['clean.example is on none of the lists', 'it leads to clean.example'],
    },
    { value: 'd41d8cd98f00b204e9800998ecf8427e', status: 'not_found', reasons: [''] },
    { value: 'localhost', status: 'invalid', reasons: [''] },
    { value: 'javascript:alert(1)', status: 'invalid', reasons: [''] },
    { value: 'two words.example', status: 'invalid', reasons: [''] },
    selfTest('found', 'found'),
    selfTest('suspicious', 'suspicious'),
    selfTest('shared', 'shared_infrastructure'),
    selfTest('clean', 'not_found'),
  ]

  const told = new Map<string, readonly string[]>()
  beforeAll(async () => {
    const { out, err } = await check(texts.map(({ value }) => value))
    expect(err).toBe('')
    const blocks = out.trimEnd().split(/\n(?=\S)/)
    expect(blocks).toHaveLength(texts.length)
    for (const [index, { value }] of texts.entries())
      told.set(value, blocks[index]?.split('\n') ?? [])
  })

  test.each(texts)('of $value is $status and why', ({ value, status, reasons }) => {
    const [head, ...lines] = told.get(value) ?? []
    expect(head).toBe(`${status}  ${value}`)
    expect(lines).toHaveLength(reasons.length)
    for (const [index, reason] of reasons.entries()) {
      expect(lines[index]).toMatch(/^ {2}\S/)
      expect(lines[index]).toMatch(reason)
    }
  })

  test('calls nothing safe', () => {
    const lines = [...told.values()].flatMap(([, ...reasons]) => reasons).join('\n')
    expect(lines).not.toMatch(/\b(safe|clean|harmless|ok)\b(?!\.example)/i)
  })

  test('says suspicious of a listing under WEIR_FOUND_AT', async () => {
    const { code, out } = await weir(['check', 'evil.example'], {
      dataDir,
      env: { WEIR_FOUND_AT: '81' },
    })
    expect(code).toBe(1)
    expect(out).toStartWith('suspicious  evil.example\n')
    expect(out).toContain("The listing's confidence is 80, under 81.")
  })
})

describe('the exit code', () => {
  test.each([
    [['clean.example', platform, 'shared.weir.test', 'clean.weir.test'], 0],
    [['suspicious.weir.test'], 1],
    [['found.weir.test'], 1],
    [['clean.example', 'evil.example', 'clean.example'], 1],
    [['evil.example', 'localhost', 'clean.example'], 2],
  ])('of %p is %i, the worst of all', async (values, exitCode) => {
    expect((await check(values)).code).toBe(exitCode)
  })

  test('without a database is 3, says where it was looked for, and makes none', async () => {
    using empty = new DataDir()
    const { code, out, err } = await weir(['check', 'evil.example'], { dataDir: empty })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(`there is no database in ${empty.path}`)
    expect(await Bun.file(empty.at('weir.db')).exists()).toBe(false)
  })
})

describe('standard input', () => {
  test('is shown without what would steer the terminal', async () => {
    const { out } = await weir(['check'], { dataDir, input: 'x\u001b[31mred.example\n' })
    expect(out).not.toContain('\u001b')
    expect(out).toContain('x?[31mred.example')
  })

  test.each([[[]], [['-']]])('is read one value a line with the arguments %p', async (args) => {
    const { code, out } = await check(args, '\r\n evil.example \r\n\nclean.example\nlocalhost')
    const heads = out.split('\n').filter((line) => /^\S/.test(line))
    expect(heads).toEqual(['found  evil.example', 'not_found  clean.example', 'invalid  localhost'])
    expect(code).toBe(2)
  })

  test('of nothing is nothing', async () => {
    expect(await check([], '\n\n')).toEqual({ code: 0, out: '', err: '' })
  })

  test('of thousands of lines is answered to the last', async () => {
    const values = Array.from({ length: 20_000 }, (_, n) => `${n}.clean.example`)
    const { out } = await check(['--json'], `${values.join('\n')}\n`)
    const answers = out.trimEnd().split('\n').map(parseRecord)
    expect(answers.map(({ query }) => query)).toEqual(values)
  })

  test('may be left by a reader that has seen enough', async () => {
    const child = spawnWeir(['check'], { dataDir, input: 'clean.example\n'.repeat(20_000) })
    const head = Bun.spawn(['head', '-n', '1'], { stdin: child.stdout, stdout: 'pipe' })
    expect(await head.stdout.text()).toBe('not_found  clean.example\n')
    expect(await child.stderr.text()).toBe('')
  })
})

describe('--json', () => {
  const values = [
    'evil.example',
    'hxxps://Login.EVIL[.]example:8443/x',
    'https://bücher.example/',
    'http://203.0.113.7/',
    'http://0xCB.0.0x7107/',
    'pages.example/a/login?utm=1',
    'https://pages.example/dir/sub/deeper',
    'https://pages.example/other',
    platform,
    `https://tenant.${platform}/x`,
    `https://other.${platform}/`,
    'clean.example',
    'https://evil.example@clean.example/',
    'https://clean.example/?next=https://evil.example/',
    'found.weir.test',
    'suspicious.weir.test',
    'shared.weir.test',
    'clean.weir.test',
    '  evil.example  ',
    '<script>.example',
    'localhost',
    'javascript:alert(1)',
    `https://long.example/${'a'.repeat(9_000)}`,
  ]

  test.each([{}, { WEIR_FOUND_AT: '81' }])(
    'agrees with GET /api/check-url under %p',
    async (env) => {
      const { out, err } = await weir(['check', '--json', ...values], { dataDir, env })
      expect(err).toBe('')
      const told = out.trimEnd().split('\n').map(parseRecord)
      await using server = await Server.start(dataDir, env)
      for (const [index, value] of values.entries()) {
        const answer = await fetch(`${server.url}${checkPath(value)}`)
        const body = parseRecord(await answer.text())
        if (answer.status === 200) {
          const { updated, ...shared } = body
          expect(updated).toBeString()
          expect(told[index]).toEqual(shared)
        } else {
          const [error] = parseErrors(body)
          expect(told[index]).toEqual({ query: value, status: 'invalid', error: error?.message })
        }
      }
    },
  )

  test('answers digests as a bulk check does, whatever their case', async () => {
    const hashes = [32, 40, 64].flatMap((length) => ['a'.repeat(length), 'A'.repeat(length)])
    const { code, out } = await check(['--json', ...hashes])
    expect(code).toBe(0)
    const told = out.trimEnd().split('\n').map(parseRecord)
    await using server = await Server.start(dataDir)
    const bulk = await server.json('/api/v1/check/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ hashes }),
    })
    const shared = told.map(({ value, status, confidence, match }) => ({
      value,
      status,
      confidence,
      match,
    }))
    expect(bulk['hashes']).toEqual(shared)
  })
})

function parseErrors(body: Record<string, unknown>): { message: unknown }[] {
  const { errors } = body
  if (!Array.isArray(errors)) throw new Error('no errors')
  return errors.map((error: unknown) => ({
    message: parseRecord(JSON.stringify(error))['message'],
  }))
}
