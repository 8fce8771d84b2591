/** `weir check` of e-mail addresses, saved mails and phone numbers. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DnsServer } from '../net/dns-server.ts'
import { DataDir, importList, parseRecord, weir } from './process.ts'

const dataDir = new DataDir()
let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start({
    'friend.example': { mx: ['10 mail.friend.example'] },
    'evil.example': { mx: ['10 mail.evil.example'] },
    'no-mail.example': { mx: ['0 .'] },
  })
  await importList(['-', '--source', 'names'], { dataDir, input: 'evil.example\n' })
})
afterAll(async () => {
  await dns[Symbol.asyncDispose]()
  dataDir[Symbol.dispose]()
})

const check = (values: readonly string[], input?: string) => {
  const env = { WEIR_DNS: dns.address }
  return weir(['check', ...values], { dataDir, env, ...(input === undefined ? {} : { input }) })
}

/** Writes a mail as mail programs save it. */
const saved = (name: string, lines: readonly string[]): Promise<string> =>
  dataDir.file(name, lines.join('\r\n'))

const phishing = [
  'From: =?utf-8?Q?Help?= <help@evil.example>',
  'Reply-To: <someone@friend.example>',
  'To: <ann@friend.example>',
  'Subject: =?utf-8?B?VXJnZW50?=: act now',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary=part',
  '',
  '--part',
  'Content-Type: text/plain',
  '',
  'See the other part.',
  '--part',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Verify your account: <a href=3D"https://evil.example/login">here</a>.</p>',
  '--part--',
  '',
]

describe('weir check of an e-mail address', () => {
  test.each([
    ['ann@friend.example', 0, 'low (0 of 100)'],
    ['"Ann" <ann@friend.example>', 0, 'low (0 of 100)'],
    ['ann@no-mail.example', 0, 'low (30 of 100)'],
    ['ann@evil.example', 1, 'critical (100 of 100)'],
    ['ann@suspicious.weir.test', 1, 'medium (40 of 100)'],
    ['a@b@c', 2, 'invalid'],
  ])('says of %s with %i: %s', async (value, code, head) => {
    const ended = await check([value])
    expect(ended.err).toBe('')
    expect(ended.out).toStartWith(`${head}  ${value}\n`)
    expect(ended.code).toBe(code)
  })

  test('gives the reasons, with points, and what to do', async () => {
    const { out } = await check(['ann@evil.example'])
    const lines = out.trimEnd().split('\n').slice(1)
    expect(lines[0]).toMatch(/^ {2}The sender's domain evil\.example .* \(\+100\)$/)
    expect(lines.some((line) => line.startsWith('  What to do: '))).toBe(true)
  })

  test('answers with --json as the API does', async () => {
    const { out } = await check(['--json', 'ann@friend.example', 'a@b@c'])
    const [read, unread] = out.trimEnd().split('\n').map(parseRecord)
    expect(read).toMatchObject({
      query: 'ann@friend.example',
      riskLevel: 'low',
      riskScore: 0,
      sender: {
        address: 'ann@friend.example',
        domain: 'friend.example',
        status: 'not_found',
        mx: { status: 'ok', records: [{ priority: 10, exchange: 'mail.friend.example' }] },
      },
      company: null,
      urls: [],
      body: { flags: [] },
    })
    expect(unread).toEqual({ query: 'a@b@c', status: 'invalid', error: expect.any(String) })
  })

  test('a URL with an @ stays a URL', async () => {
    const { out } = await check(['https://ann@friend.example/'])
    expect(out).toStartWith('not_found  https://ann@friend.example/\n')
  })
})

describe('weir check of a saved mail', () => {
  test('reads sender, subject and links', async () => {
    const path = await saved('phishing.eml', phishing)
    const { out, code } = await check(['--json', path])
    expect(code).toBe(1)
    expect(parseRecord(out)).toMatchObject({
      query: path,
      riskLevel: 'critical',
      sender: { address: 'help@evil.example', status: 'found' },
      urls: [{ value: 'https://evil.example/login', status: 'found' }],
      body: { flags: expect.arrayContaining([expect.objectContaining({ category: 'urgency' })]) },
    })
  })

  test('of nothing bad ends with 0', async () => {
    const lines = ['From: Ann <ann@friend.example>', 'Subject: Hello', '', 'How are you?', '']
    const { out, code } = await check([await saved('honest.EML', lines)])
    expect(out).toStartWith('low (0 of 100)')
    expect(code).toBe(0)
  })

  test('without a sender is judged by the rest', async () => {
    const lines = ['Subject: Hello', 'To: x@friend.example', '', 'https://evil.example/', '']
    const { out, code } = await check(['--json', await saved('anonymous.eml', lines)])
    expect(parseRecord(out)).toMatchObject({ sender: null, riskLevel: 'critical' })
    expect(code).toBe(1)
  })

  test.each([
    ['empty', ['']],
    ['of no mail', ['just a text', '']],
    ['nested too deep', nested(60)],
  ])('%s is invalid', async (name, lines) => {
    const { out, code } = await check([await saved(`${name}.eml`, lines)])
    expect(out).toStartWith('invalid  ')
    expect(code).toBe(2)
  })

  test('does not let the mail steer the terminal', async () => {
    const lines = ['From: \u001b[31mAnn <ann@friend.example>', 'Subject: \u001b]0;x', '', 'Hi', '']
    expect((await check([await saved('steering.eml', lines)])).out).not.toContain('\u001b')
  })

  test.each([
    ['a comma without quotes', ['From: Examplebank, Inc. <x@evil.example>']],
    ['a semicolon', ['From: Examplebank; Support <x@evil.example>']],
    ['a route', ['From: <@friend.example:x@evil.example>']],
    ['several addresses', ['From: ann@friend.example, x@evil.example']],
    ['two in brackets', ['From: <x@evil.example> <ann@friend.example>']],
    ['two headers', ['From: Ann <ann@friend.example>', 'From: x@evil.example']],
    ['a quote left open', ['From: "Ann <ann@friend.example>', 'From: x@evil.example']],
    ['a long name', [`From: "${'Ann, '.repeat(900)}" <x@evil.example>`]],
    ['a long remark', [`From: x@evil.example (${'remark '.repeat(900)})`]],
    ['long headers', [`Subject: ${'x'.repeat(200_000)}`, 'From: x@evil.example']],
  ])('finds a listed sender with %s', async (name, from) => {
    const path = await saved(`${name}.eml`, [...from, 'To: ann@friend.example', '', 'Hi', ''])
    expect(parseRecord((await check(['--json', path])).out)).toMatchObject({
      sender: { address: 'x@evil.example', status: 'found' },
    })
  })

  const bad = 'https://evil.example/login'
  const page = `<p><a href="${bad}">here</a>`
  const multipart = (...parts: readonly (readonly string[])[]): string[] => [
    'Content-Type: multipart/mixed; boundary=part',
    '',
    ...parts.flatMap((part) => ['--part', ...part]),
    '--part--',
  ]
  const plain = (text: string): string[] => ['Content-Type: text/plain', '', text]
  const html = ['Content-Type: text/html', '', '<p>Hello']

  test.each([
    ['in the plain part next to HTML', multipart(plain(`See ${bad}`), html)],
    ['behind much filler', ['', 'word '.repeat(100_000), bad]],
    [
      'in a mail that is forwarded',
      multipart(plain('See below'), [
        'Content-Type: message/rfc822',
        'Content-Disposition: attachment',
        '',
        'From: ann@friend.example',
        'Subject: x',
        '',
        bad,
      ]),
    ],
    [
      'in a page that comes with it',
      multipart(plain('See the file'), [
        'Content-Type: application/octet-stream',
        'Content-Disposition: attachment; filename="Invoice.HTM"',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(page).toString('base64'),
      ]),
    ],
    [
      'next to a broken mail inside',
      multipart(plain(bad), ['Content-Type: message/rfc822', '', ...nested(60)]),
    ],
  ])('finds a listed link %s', async (name, lines) => {
    const path = await saved(`${name}.eml`, [
      'From: ann@friend.example',
      'Subject: x',
      ...lines,
      '',
    ])
    const { urls } = parseRecord((await check(['--json', path])).out)
    expect(urls).toContainEqual(expect.objectContaining({ value: bad, status: 'found' }))
  })

  test('finds the sender of a forwarded mail', async () => {
    const inner = [
      'Content-Type: message/rfc822',
      '',
      'From: x@evil.example',
      'To: a@b.test',
      '',
      'Hi',
    ]
    const lines = [
      'From: ann@friend.example',
      'Subject: Fwd',
      ...multipart(plain('See'), inner),
      '',
    ]
    const { out } = await check(['--json', await saved('forwarded.eml', lines)])
    expect(parseRecord(out)).toMatchObject({ sender: { address: 'x@evil.example' } })
  })

  test('says when it was cut', async () => {
    const lines = ['From: ann@friend.example', 'Subject: x', '', 'word '.repeat(500_000), '']
    const { out } = await check([await saved('long.eml', lines)])
    expect(out).toContain('The mail is longer than weir reads')
  })

  test('names in other charsets are read', async () => {
    const from = 'From: =?koi8-r?B?4sHOyw==?= <x@evil.example>'
    const { out } = await check([await saved('koi8.eml', [from, 'Subject: x', '', 'Hi', ''])])
    expect(out).toStartWith('critical')
  })

  test('is opened only when it is named as an argument', async () => {
    const path = await saved('piped.eml', phishing)
    const { out, code } = await check([], `${path}\n`)
    expect(out).not.toContain('Verify')
    expect(out).toStartWith('invalid  ')
    expect(code).toBe(2)
  })

  test('does not turn the text of the terminal around', async () => {
    const link = '<p><a href="https://evil.example/">https://friend.com/&#x202e;&#133;&#x2028;x</a>'
    const lines = ['From: ann@friend.example', 'Content-Type: text/html', '', link, '']
    const path = await saved('turned.eml', lines)
    for (const args of [[path], ['--json', path], ['--json', 'x\u202e\u0085y']]) {
      const { out } = await check(args)
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
    const { query } = parseRecord((await check(['--json', 'x\u202e\u0085y'])).out)
    expect(query).toBe('x\u202e\u0085y')
  })

  test('that is not there is said to be missing', async () => {
    const { out, code } = await check(['missing.eml'])
    expect(out).toBe('invalid  missing.eml\n  There is no such file.\n')
    expect(code).toBe(2)
  })
})

describe('weir check of a phone number', () => {
  test.each([
    ['(202) 555-0987', 'not_found', 0],
    ['+1 202.555.0987', 'not_found', 0],
    ['2025550987', 'not_found', 0],
    ['(202) 555-0143', 'suspicious', 1],
    ['555-0143', 'invalid', 2],
    ['+44 20 7946 0000', 'invalid', 2],
  ])('answers %s with %s', async (value, status, code) => {
    const ended = await check([value])
    expect(ended.out).toStartWith(`${status}  ${value}\n`)
    expect(ended.code).toBe(code)
  })

  test('answers with --json as the API does', async () => {
    const { out } = await check(['--json', '(202) 555-0987'])
    expect(parseRecord(out)).toMatchObject({
      query: '(202) 555-0987',
      phone: '+12025550987',
      status: 'not_found',
    })
  })

  test('an IPv4 address is none', async () => {
    expect((await check(['203.0.113.7'])).out).toStartWith('not_found  203.0.113.7\n')
  })
})

describe('standard input', () => {
  test('may mix every kind', async () => {
    const input = 'ann@friend.example\n2025550987\nfriend.example\n'
    const { out, code } = await check([], input)
    const heads = out.split('\n').filter((line) => /^\S/.test(line))
    expect(heads).toEqual([
      'low (0 of 100)  ann@friend.example',
      'not_found  2025550987',
      'not_found  friend.example',
    ])
    expect(code).toBe(0)
  })
})

/** A mail of parts inside parts. */
function nested(depth: number): string[] {
  const lines = ['From: Ann <ann@friend.example>', 'Subject: x']
  for (let n = 0; n < depth; n++) {
    lines.push(`Content-Type: multipart/mixed; boundary=b${n}`, '', `--b${n}`)
  }
  return [...lines, 'Content-Type: text/plain', '', 'x', '']
}
