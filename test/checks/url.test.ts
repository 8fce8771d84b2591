/** Verdicts from a real store: rows of what is listed, what is asked, and what must be answered. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createBulkChecker, createDigestChecker } from '../../src/checks/bulk.ts'
import type { UrlChecker, UrlFinder } from '../../src/checks/url.ts'
import { Catalog } from '../../src/index/catalog.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import type { ReasonCode, VerdictStatus } from '../../src/model/verdict.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { urlCheckerOver } from './url-checker.ts'

const platforms = parsePlatforms(
  'hosting.example tenant\ndocs.example page\nshort.example redirect',
)
const sha256 = 'a'.repeat(64)

const page = (value: string, platform?: string): Sighting => ({
  type: 'url',
  value,
  host: new URL(value).host,
  ...(platform === undefined ? {} : { platform }),
})
const domain = (value: string, more: Partial<Sighting> = {}): Sighting => ({
  type: 'domain',
  value,
  ...more,
})

const listed: readonly Sighting[] = [
  domain('evil.example'),
  domain('weak.example', { confidence: 30 }),
  domain('tenant.hosting.example', { platform: 'hosting.example' }),
  domain('weak.hosting.example', { platform: 'hosting.example', confidence: 30 }),
  domain('hosting.example', { doNotBlock: true }),
  domain('weak.evil.example', { confidence: 30 }),
  domain('allowed.example'),
  domain('sub.allowed.example'),
  { type: 'ip', value: '203.0.113.7' },
  { type: 'ip', value: '2001:db8::7' },
  page('http://pages.example/login?id=1'),
  page('https://pages.example/kit/'),
  page('http://front.example/'),
  page('https://docs.example/d/1', 'docs.example'),
  page('https://docs.example/forms/', 'docs.example'),
  page('https://docs.example/user/kit/', 'docs.example'),
  page('http://weakpage.example/x'),
  page('http://allowed.example/kit/'),
  domain('weakpage.example', { confidence: 40 }),
  page('http://198.51.100.9/x'),
  { type: 'sha256', value: sha256, threatType: 'malware', confidence: 95 },
  { type: 'md5', value: 'b'.repeat(32), confidence: 20 },
]

let db: TestStore
let checker: UrlChecker & UrlFinder
let catalog: Catalog

beforeAll(async () => {
  db = new TestStore()
  const run = await db.startRun(sourceNamed('feed'))
  await db.sight('feed', run, listed)
  const hidden = await db.startRun(sourceNamed('canary', false))
  await db.sight('canary', hidden, [domain('secret.example', { reference: 'https://c.example/' })])
  const decision = { reason: 'ours', by: 'ann', until: null } as const
  await db.store.write({
    at: db.now,
    operations: [
      { op: 'decide', type: 'domain', value: 'allowed.example', verdict: 'allow', ...decision },
      { op: 'decide', type: 'domain', value: 'good.evil.example', verdict: 'allow', ...decision },
    ],
  })
  const parts = { store: db.store, dataDir: db.dataDir, wake: () => {}, report: () => {} }
  catalog = Catalog.build(parts)
  checker = urlCheckerOver(catalog, platforms, 50)
})
afterAll(() => db.remove())

describe('checking a URL', () => {
  const rows: readonly [string, VerdictStatus, ReasonCode, (string | null)?][] = [
    ['evil.example', 'found', 'listed_host', 'evil.example'],
    ['https://EVIL.example:8443/any?x=1#y', 'found', 'listed_host', 'evil.example'],
    ['a.b.evil.example', 'found', 'listed_parent', 'evil.example'],
    ['notevil.example', 'not_found', 'not_listed', null],
    ['evil.example.com', 'not_found', 'not_listed', null],
    ['http://good.example@evil.example/', 'found', 'listed_host', 'evil.example'],
    ['http://evil.example\\@good.example', 'found', 'listed_host', 'evil.example'],
    ['weak.example', 'suspicious', 'listed_host', 'weak.example'],
    ['x.weak.evil.example', 'found', 'listed_parent', 'evil.example'],
    ['203.0.113.7', 'found', 'listed_address', '203.0.113.7'],
    ['http://0xcb007107/x', 'found', 'listed_address', '203.0.113.7'],
    ['http://[2001:db8:0::7]/', 'found', 'listed_address', '2001:db8::7'],
    ['113.7', 'not_found', 'not_listed', null],
    ['http://198.51.100.9/x', 'found', 'listed_page', 'http://198.51.100.9/x'],
    ['http://198.51.100.9/y', 'suspicious', 'other_pages_listed'],
    ['http://pages.example/login?id=1', 'found', 'listed_page', 'http://pages.example/login?id=1'],
    ['https://pages.example/login?id=1', 'found', 'listed_page', 'http://pages.example/login?id=1'],
    ['http://pages.example/login', 'suspicious', 'other_pages_listed'],
    ['http://pages.example/kit/a/b?c', 'found', 'listed_path', 'https://pages.example/kit/'],
    ['http://sub.pages.example/login?id=1', 'not_found', 'not_listed', null],
    ['http://front.example/anything', 'found', 'listed_path', 'http://front.example/'],
    ['front.example', 'found', 'listed_page', 'http://front.example/'],
    ['http://weakpage.example/x', 'found', 'listed_page', 'http://weakpage.example/x'],
    ['http://weakpage.example/y', 'suspicious', 'listed_host', 'weakpage.example'],
    ['hosting.example', 'shared_infrastructure', 'shared_platform', null],
    ['other.hosting.example', 'shared_infrastructure', 'shared_platform', null],
    ['tenant.hosting.example', 'found', 'listed_host', 'tenant.hosting.example'],
    ['x.tenant.hosting.example', 'found', 'listed_parent', 'tenant.hosting.example'],
    ['weak.hosting.example', 'suspicious', 'listed_host', 'weak.hosting.example'],
    ['https://docs.example/d/1?usp=sharing', 'found', 'listed_page', 'https://docs.example/d/1'],
    ['https://docs.example/d/2', 'shared_infrastructure', 'shared_platform', null],
    ['https://docs.example/forms/', 'found', 'listed_page', 'https://docs.example/forms/'],
    ['https://docs.example/forms/other', 'shared_infrastructure', 'shared_platform', null],
    ['https://docs.example/user/kit/a', 'found', 'listed_path', 'https://docs.example/user/kit/'],
    ['https://short.example/abc', 'shared_infrastructure', 'shared_platform', null],
    ['someone.github.io', 'shared_infrastructure', 'shared_platform', null],
    ['allowed.example', 'not_found', 'operator_allowed', null],
    ['x.allowed.example', 'not_found', 'operator_allowed', null],
    ['http://allowed.example/kit/a', 'not_found', 'operator_allowed', null],
    ['sub.allowed.example', 'found', 'listed_host', 'sub.allowed.example'],
    ['good.evil.example', 'not_found', 'operator_allowed', null],
    ['x.good.evil.example', 'not_found', 'operator_allowed', null],
    ['https://r.example/?url=https%3A%2F%2Fevil.example%2F', 'found', 'nested_url', 'evil.example'],
    ['https://docs.example/x?q=http://evil.example', 'found', 'nested_url', 'evil.example'],
    ['http://127.0.0.1/', 'not_found', 'not_listed', null],
    ['found.weir.test', 'found', 'self_test', null],
    ['https://suspicious.weir.test/x', 'suspicious', 'self_test', null],
    ['shared.weir.test', 'shared_infrastructure', 'self_test', null],
    ['clean.weir.test', 'not_found', 'self_test', null],
    ['secret.example', 'found', 'listed_host', null],
  ]
  for (const [input, status, code, match] of rows) {
    test(`${input} is ${status}`, () => {
      const answer = checker.check(input)
      const verdict = answer.ok ? answer.value.verdict : null
      expect(verdict?.status).toBe(status)
      expect(verdict?.reasons.map((reason) => reason.code)).toContain(code)
      if (match !== undefined) expect(verdict?.match?.value ?? null).toBe(match)
      const short = checker.find(input)
      expect(short.ok && short.value).toMatchObject({
        status,
        confidence: verdict?.confidence ?? -1,
        match: verdict?.match ?? null,
      })
    })
  }

  test('a platform always carries its note, found listings do not', () => {
    const findNote = (input: string) => {
      const answer = checker.check(input)
      return answer.ok ? answer.value.verdict.note : null
    }
    expect(findNote('other.hosting.example')).toContain('exact subdomain')
    expect(findNote('weak.hosting.example')).toContain('exact subdomain')
    expect(findNote('https://docs.example/d/2')).toContain('exact page')
    expect(findNote('tenant.hosting.example')).toBeNull()
    expect(findNote('weak.example')).toBeNull()
  })

  test('what may not be passed on is named nowhere', () => {
    expect(JSON.stringify(checker.check('secret.example'))).not.toContain('canary')
    expect(JSON.stringify(checker.check('secret.example'))).not.toContain('c.example')
  })

  test('a row that was delisted since is not found, though the view still lists it', async () => {
    const before = await db.startRun(sourceNamed('brief'))
    await db.sight('brief', before, [domain('brief.evil.example')])
    const late = urlCheckerOver(
      Catalog.build({ store: db.store, dataDir: db.dataDir, wake: () => {}, report: () => {} }),
      platforms,
      50,
    )
    await db.endRun(await db.startRun(sourceNamed('brief')))
    const answer = late.check('brief.evil.example')
    expect(answer.ok && answer.value.verdict.match?.value).toBe('evil.example')
  })
})

describe('checking many', () => {
  test('answers every list in its order, and the unreadable in its place', () => {
    const digests = createDigestChecker(catalog, 50)
    const answer = createBulkChecker(checker, digests, catalog).check({
      urls: ['http://evil.example/', '', 'clean.weir.test'],
      domains: ['https://docs.example/d/1', '__proto__', 'weak.example'],
      hashes: [sha256.toUpperCase(), 'b'.repeat(32), 'c'.repeat(40), 'zz'],
    })
    const statuses = (list: typeof answer.urls) =>
      list.map((item) => ('verdict' in item ? item.verdict.status : 'invalid'))
    expect(statuses(answer.urls)).toEqual(['found', 'invalid', 'not_found'])
    expect(statuses(answer.domains)).toEqual(['found', 'invalid', 'suspicious'])
    expect(statuses(answer.hashes)).toEqual(['found', 'suspicious', 'not_found', 'invalid'])
    expect(answer.counts).toEqual({
      found: 3,
      suspicious: 2,
      shared_infrastructure: 0,
      not_found: 2,
      invalid: 3,
    })
  })
})
