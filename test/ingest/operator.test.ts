import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  decide,
  findDecision,
  type OperatorRefusal,
  type OperatorValue,
  operatorRefusalMessages,
  readOperatorValue,
  toSpellings,
} from '../../src/ingest/operator.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import type { DecisionVerdict } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 200)

const platforms = parsePlatforms('hosting.example tenant\ndocs.example page')

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const domain = (value: string): OperatorValue => ({ type: 'domain', value })
const page = (value: string, host: string): OperatorValue => ({ type: 'url', value, host })

describe('readOperatorValue', () => {
  const rows: readonly [string, string, OperatorValue | OperatorRefusal][] = [
    ['a name', 'evil.example', domain('evil.example')],
    ['a name in capitals, with a dot', ' Evil.EXAMPLE. ', domain('evil.example')],
    ['a name in Unicode', 'bücher.example', domain('xn--bcher-kva.example')],
    ['a defanged name', 'evil[.]example', domain('evil.example')],
    ['a name with a port', 'evil.example:8443', domain('evil.example')],
    ['a root page', 'https://evil.example/', domain('evil.example')],
    ['a root page without its slash', 'hxxps://evil[.]example', domain('evil.example')],
    ['a root page with a port and a fragment', 'http://evil.example:81/#x', domain('evil.example')],
    ['a root page with a bare question mark', 'http://evil.example/?', domain('evil.example')],
    ['a root page after a user name', 'https://good.example@evil.example/', domain('evil.example')],
    [
      'a root page with a query',
      'https://evil.example/?a=1',
      page('https://evil.example/?a=1', 'evil.example'),
    ],
    ['a page', 'HTTPS://Evil.example:443/a/../b#c', page('https://evil.example/b', 'evil.example')],
    [
      'a page on another port',
      'https://evil.example:8443/b',
      page('https://evil.example/b', 'evil.example'),
    ],
    ['a page without a scheme', 'evil.example/b', page('http://evil.example/b', 'evil.example')],
    [
      'a page with an @ in it',
      'evil.example/b?to=a@b.example',
      page('http://evil.example/b?to=a@b.example', 'evil.example'),
    ],
    [
      'a page with a bare question mark',
      'http://evil.example/b?',
      page('http://evil.example/b', 'evil.example'),
    ],
    ['IPv4', '203.0.113.7', { type: 'ip', value: '203.0.113.7' }],
    ['IPv4 as a number', '3405803783', { type: 'ip', value: '203.0.113.7' }],
    ['IPv4 with a port', '203.0.113.7:8080', { type: 'ip', value: '203.0.113.7' }],
    ['the root page of an address', 'http://203.0.113.7/', { type: 'ip', value: '203.0.113.7' }],
    ['a page of an address', '203.0.113.7/x', page('http://203.0.113.7/x', '203.0.113.7')],
    ['IPv6', '2001:DB8::0:1', { type: 'ip', value: '2001:db8::1' }],
    ['IPv6 in brackets', '[2001:db8::1]:443', { type: 'ip', value: '2001:db8::1' }],
    ['a page of IPv6', 'http://[2001:db8::1]/x', page('http://[2001:db8::1]/x', '[2001:db8::1]')],
    ['SHA-256', sha256.toUpperCase(), { type: 'sha256', value: sha256 }],
    ['SHA-1', sha256.slice(0, 40), { type: 'sha1', value: sha256.slice(0, 40) }],
    ['MD5', `"${sha256.slice(0, 32)}"`, { type: 'md5', value: sha256.slice(0, 32) }],
    ['a phone number', '(212) 555-2368', { type: 'phone', value: '+12125552368' }],
    ['one with its country', '+1 212 555 2368', { type: 'phone', value: '+12125552368' }],
    [
      'an e-mail address',
      'Evil@Mail.example',
      { type: 'email', value: 'evil@mail.example', host: 'mail.example' },
    ],
    [
      'a defanged e-mail address',
      '<evil@mail[.]example>',
      { type: 'email', value: 'evil@mail.example', host: 'mail.example' },
    ],
    [
      'an e-mail address on a platform',
      'evil@a.hosting.example',
      {
        type: 'email',
        value: 'evil@a.hosting.example',
        host: 'a.hosting.example',
        platform: 'hosting.example',
      },
    ],
    [
      'a tenant',
      'evil.hosting.example',
      { type: 'domain', value: 'evil.hosting.example', platform: 'hosting.example' },
    ],
    [
      'a platform',
      'https://hosting.example/',
      { type: 'domain', value: 'hosting.example', doNotBlock: true },
    ],
    [
      'a page of a platform',
      'https://docs.example/d/1',
      {
        type: 'url',
        value: 'https://docs.example/d/1',
        host: 'docs.example',
        platform: 'docs.example',
      },
    ],
    ['nothing', ' ', 'missing_host'],
    ['a public suffix', 'com', 'not_public_host'],
    ['a public suffix of two labels', 'http://co.uk/', 'not_public_host'],
    ['localhost', 'http://localhost:8080/', 'not_public_host'],
    ['a local name', 'printer.lan', 'not_public_host'],
    ['a private address', '10.1.2.3', 'not_public_host'],
    ['a page of a private address', 'http://192.168.1.1/x', 'not_public_host'],
    ['loopback as a number', '2130706433', 'not_public_host'],
    ['private IPv6', '[fd00::1]', 'not_public_host'],
    ['an e-mail address at a suffix', 'evil@com', 'not_public_host'],
    ['an e-mail address without a name', '@mail.example', 'not_an_email'],
    ['a number of another country', '+44 20 7946 0958', 'not_a_phone'],
    ['two e-mail addresses', 'a@b.example, c@d.example', 'not_an_email'],
    ['a network', '203.0.113.0/24', 'network'],
    ['an IPv6 network', '2001:db8::/32', 'network'],
    ['another scheme', 'javascript:alert(1)', 'unsupported_scheme'],
    ['two words', 'evil example', 'invalid_host'],
    ['a wrong port', 'evil.example:99999', 'invalid_port'],
    ['a NUL character', 'evil.example/\0', 'invalid_character'],
    ['a digest of the wrong length', sha256.slice(1), 'not_public_host'],
    ['a URL that is too long', `evil.example/${'a'.repeat(9_000)}`, 'too_long'],
  ]

  test.each(rows)('reads %s', (_, text, expected) => {
    const read = readOperatorValue(text, platforms)
    expect<OperatorValue | OperatorRefusal>(read.ok ? read.value : read.reason).toEqual(expected)
  })

  test('has a message for every refusal', () => {
    for (const [, , expected] of rows) {
      if (typeof expected !== 'string') continue
      expect(operatorRefusalMessages[expected]).toMatch(/^[a-z].*[^.]$/)
    }
  })

  test('reads its own values as themselves', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    const path = fc.webPath()
    const text = fc
      .tuple(fc.constantFrom('', 'http://', 'hxxps://'), label, path)
      .map(([scheme, name, tail]) => `${scheme}${name}.example${tail}`)
    fc.assert(
      fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.emailAddress()), (input) => {
        const read = readOperatorValue(input, platforms)
        if (!read.ok) return
        expect(readOperatorValue(read.value.value, platforms)).toEqual(read)
      }),
      { numRuns: runs },
    )
  })

  test('reads or refuses any text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (input) => {
        const read = readOperatorValue(input, platforms)
        expect(read.ok || read.reason in operatorRefusalMessages).toBe(true)
      }),
      { numRuns: runs },
    )
  })
})

describe('toSpellings', () => {
  test('names a page under every scheme, the one that was named first', () => {
    expect(toSpellings(page('http://evil.example/a', 'evil.example'))).toEqual([
      'http://evil.example/a',
      'https://evil.example/a',
      'ftp://evil.example/a',
    ])
  })

  test('names everything else once', () => {
    expect(toSpellings(domain('evil.example'))).toEqual(['evil.example'])
  })
})

describe('decide', () => {
  let world: TestStore
  beforeEach(() => {
    world = new TestStore()
  })
  afterEach(() => world.remove())

  const write = (named: OperatorValue, verdict: DecisionVerdict, reason = 'why') => {
    const request = { verdict, reason, by: 'anna', until: null }
    return decide(world.store, named, request, world.now)
  }

  const listDecisions = (named: OperatorValue): string[] =>
    toSpellings(named).flatMap((value) => {
      const decision = findDecision(world.store, named.type, value)
      return decision === null ? [] : [`${decision.verdict} ${value}`]
    })

  const isListed = (named: OperatorValue): boolean =>
    toSpellings(named).some((value) => world.store.byValue(value, named.type)?.isActive)

  test('blocks an unknown value', async () => {
    const decided = await write(domain('new.example'), 'block')
    expect(decided).toEqual({
      values: ['new.example'],
      replaced: null,
      seq: world.store.meta().seq,
    })
    expect(world.published()).toEqual(['new.example'])
  })

  test('allows an unknown value, and keeps a later list from listing it', async () => {
    await write(domain('good.example'), 'allow')
    await world.list(sourceNamed('feed'), ['good.example', 'evil.example'])
    expect(world.published()).toEqual(['evil.example'])
  })

  test('returns the decision that it replaces', async () => {
    await write(domain('evil.example'), 'block', 'first')
    const { replaced } = await write(domain('evil.example'), 'allow', 'second')
    expect(replaced).toMatchObject({ verdict: 'block', reason: 'first', by: 'anna' })
    expect(listDecisions(domain('evil.example'))).toEqual(['allow evil.example'])
  })

  test('lets feeds apply again when the decision is cleared', async () => {
    await world.list(sourceNamed('feed'), ['evil.example'])
    await write(domain('evil.example'), 'allow')
    expect(world.published()).toEqual([])
    expect(await write(domain('evil.example'), 'clear')).toMatchObject({ values: ['evil.example'] })
    expect(world.published()).toEqual(['evil.example'])
  })

  test('writes nothing when there is nothing to clear', async () => {
    await world.list(sourceNamed('feed'), ['evil.example'])
    const { batch, seq } = world.store.meta()
    for (const named of [domain('evil.example'), domain('new.example')]) {
      expect(await write(named, 'clear')).toEqual({ values: [], replaced: null, seq })
    }
    expect(world.store.meta().batch).toBe(batch)
  })

  const named = page('https://evil.example/a', 'evil.example')

  async function listPage(value: string): Promise<void> {
    const run = await world.startRun(sourceNamed('feed'))
    await world.sight('feed', run, [{ type: 'url', value, host: 'evil.example' }])
  }

  test('blocks a page under the scheme that a feed has listed it with', async () => {
    await listPage('http://evil.example/a')
    expect(await write(named, 'block')).toMatchObject({ values: ['http://evil.example/a'] })
    expect(listDecisions(named)).toEqual(['block http://evil.example/a'])
  })

  test.each(['https', 'http'])('allows a page that a feed lists under %s', async (scheme) => {
    await write(named, 'allow')
    await listPage(`${scheme}://evil.example/a`)
    expect(isListed(named)).toBe(false)
  })

  test('clears the decision about a page under every scheme', async () => {
    await listPage('ftp://evil.example/a')
    await write(named, 'allow')
    expect(listDecisions(named)).toHaveLength(3)
    await write(page('http://evil.example/a', 'evil.example'), 'clear')
    expect(listDecisions(named)).toEqual([])
    expect(isListed(named)).toBe(true)
  })

  test('blocks a whole platform, and restores its flag afterwards', async () => {
    const apex: OperatorValue = { type: 'domain', value: 'hosting.example', doNotBlock: true }
    await write(apex, 'block')
    expect(world.store.byValue('hosting.example', 'domain')?.doNotBlock).toBe(false)
    await write(apex, 'clear')
    expect(world.store.byValue('hosting.example', 'domain')?.doNotBlock).toBe(true)
  })
})
