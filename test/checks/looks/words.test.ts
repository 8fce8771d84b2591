/**
 * The operator's word above every feed, the nearest word above those farther away: what is listed and
 * said, what is asked, and what must be answered.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createBulkChecker, createDigestChecker } from '../../../src/checks/bulk.ts'
import { parsePlatforms } from '../../../src/model/platform.ts'
import type { ReasonCode, VerdictStatus } from '../../../src/model/verdict.ts'
import type { DecisionVerdict, Sighting } from '../../../src/store/batch.ts'
import { urlCheckerOver } from '../url-checker.ts'
import { foundAt, toSubject, World } from '../world.ts'

const listed: readonly Sighting[] = [
  ...['evil.example', 'both.example', 'sub.wide.example', 'www.bad.example'].map(toSubject),
  ...['http://scheme.example/x', 'http://kit.example/a/b/c', 'http://kit.example/other'].map(
    toSubject,
  ),
  ...['http://fine.example/x', 'http://sub.fine.example/y', 'https://docs.example/d/1'].map(
    toSubject,
  ),
  ...['https://docs.example/d/2', 'tenant.hosting.example', 'weak.hosting.example'].map(toSubject),
  { ...toSubject('weak.barred.example'), confidence: 30 },
]

const said: readonly (readonly [DecisionVerdict, string])[] = [
  ['allow', 'http://evil.example/good'],
  ['allow', 'https://evil.example/part/'],
  ['block', 'https://evil.example/part/of/it'],
  ['allow', 'http://evil.example/shop?id=7'],
  ['allow', 'http://evil.example/go?url=http://both.example/'],
  ['allow', 'https://scheme.example/x'],
  ['allow', 'http://kit.example/a/'],
  ['allow', 'fine.example'],
  ['block', 'http://fine.example/bad'],
  ['block', 'http://fine.example/kit/'],
  ['block', 'http://sub.fine.example/bad?x=1'],
  ['allow', 'example.net'],
  ['block', 'http://www.example.net/'],
  ['block', 'barred.example'],
  ['allow', 'good.barred.example'],
  ['block', 'bad.good.barred.example'],
  ['allow', 'wide.example'],
  ['block', 'deep.sub.wide.example'],
  ['block', 'bare.example'],
  ['allow', 'www.bare.example'],
  ['allow', 'bad.example'],
  ['allow', 'https://docs.example/d/2'],
  ['allow', 'https://docs.example/forms/'],
  ['allow', 'tenant.hosting.example'],
  ['block', 'http://tenant.hosting.example/bad'],
  ['block', '203.0.113.5'],
  ['allow', 'http://203.0.113.5/fine'],
]

describe('the nearest word', () => {
  let world: World
  beforeAll(async () => {
    world = new World()
    await world.list(listed)
    for (const [verdict, value] of said) await world.say(verdict, value)
  })
  afterAll(() => world.db.remove())

  const rows: readonly [string, VerdictStatus, ReasonCode][] = [
    // A page allowed on a listed host.
    ['http://evil.example/good', 'not_found', 'operator_allowed'],
    ['https://evil.example/good', 'not_found', 'operator_allowed'],
    ['http://evil.example/good?any=1', 'not_found', 'operator_allowed'],
    ['http://evil.example/good/', 'found', 'listed_host'],
    ['http://evil.example/goodbye', 'found', 'listed_host'],
    ['http://evil.example/', 'found', 'listed_host'],
    ['evil.example', 'found', 'listed_host'],
    ['http://www.evil.example/good', 'found', 'listed_parent'],
    ['http://evil.example/shop?id=7', 'not_found', 'operator_allowed'],
    ['http://evil.example/shop?id=8', 'found', 'listed_host'],
    ['http://evil.example/shop', 'found', 'listed_host'],
    // A directory allowed there, and a page blocked in it.
    ['http://evil.example/part/', 'not_found', 'operator_allowed'],
    ['http://evil.example/part/a/b?c', 'not_found', 'operator_allowed'],
    ['http://evil.example/part/of/it', 'found', 'listed_page'],
    ['http://evil.example/part', 'found', 'listed_host'],
    // A page allowed under another scheme than it is listed with, and below a listed directory.
    ['http://scheme.example/x', 'not_found', 'operator_allowed'],
    ['http://kit.example/a/b/c', 'not_found', 'operator_allowed'],
    ['http://kit.example/other', 'found', 'listed_page'],
    ['http://kit.example/none', 'suspicious', 'other_pages_listed'],
    // A page blocked on an allowed host, and below an allowed parent.
    ['http://fine.example/bad', 'found', 'listed_page'],
    ['http://fine.example/kit/a', 'found', 'listed_path'],
    ['http://fine.example/x', 'not_found', 'operator_allowed'],
    ['fine.example', 'not_found', 'operator_allowed'],
    ['http://sub.fine.example/bad?x=1', 'found', 'listed_page'],
    ['http://sub.fine.example/bad', 'not_found', 'operator_allowed'],
    ['http://sub.fine.example/y', 'not_found', 'operator_allowed'],
    ['http://www.example.net/', 'found', 'listed_page'],
    ['http://www.example.net/any', 'found', 'listed_path'],
    ['http://example.net/', 'not_found', 'operator_allowed'],
    // Names above and below names.
    ['barred.example', 'found', 'listed_host'],
    ['weak.barred.example', 'found', 'listed_parent'],
    ['good.barred.example', 'not_found', 'operator_allowed'],
    ['x.good.barred.example', 'not_found', 'operator_allowed'],
    ['x.bad.good.barred.example', 'found', 'listed_parent'],
    ['wide.example', 'not_found', 'operator_allowed'],
    ['x.wide.example', 'not_found', 'operator_allowed'],
    ['sub.wide.example', 'found', 'listed_host'],
    ['deep.sub.wide.example', 'found', 'listed_host'],
    ['bare.example', 'found', 'listed_host'],
    ['x.bare.example', 'found', 'listed_parent'],
    ['www.bare.example', 'not_found', 'operator_allowed'],
    ['bad.example', 'not_found', 'operator_allowed'],
    ['www.bad.example', 'found', 'listed_host'],
    // On shared platforms.
    ['https://docs.example/d/1', 'found', 'listed_page'],
    ['https://docs.example/d/2', 'not_found', 'operator_allowed'],
    ['https://docs.example/d/3', 'shared_infrastructure', 'shared_platform'],
    ['https://docs.example/forms/a', 'not_found', 'operator_allowed'],
    ['tenant.hosting.example', 'not_found', 'operator_allowed'],
    ['http://tenant.hosting.example/bad', 'found', 'listed_page'],
    ['weak.hosting.example', 'found', 'listed_host'],
    ['other.hosting.example', 'shared_infrastructure', 'shared_platform'],
    // Addresses.
    ['203.0.113.5', 'found', 'listed_address'],
    ['http://203.0.113.5/fine', 'not_found', 'operator_allowed'],
    // Carried by others.
    ['https://r.example/?url=http://evil.example/good', 'not_found', 'not_listed'],
    ['https://r.example/?url=http://evil.example/x', 'found', 'nested_url'],
    ['https://r.example/?url=http://fine.example/bad', 'found', 'nested_url'],
    ['https://fine.example/?url=http://both.example/', 'found', 'nested_url'],
    ['http://evil.example/good?url=http://both.example/', 'found', 'nested_url'],
    ['http://evil.example/go?url=http://both.example/', 'not_found', 'operator_allowed'],
  ]
  for (const [input, status, code] of rows) {
    test(`${input} is ${status}`, () => {
      expect(world.ask(input)).toEqual([status, code])
    })
  }

  test('decides alike in a bulk check', () => {
    const digests = createDigestChecker(world.catalog, foundAt)
    const bulk = createBulkChecker(world.checker, digests, world.catalog)
    const inputs = rows.map(([input]) => input)
    const { urls, domains } = bulk.check({ urls: inputs, domains: inputs, hashes: [] })
    for (const items of [urls, domains]) {
      expect(items.map((item) => 'verdict' in item && item.verdict.status)).toEqual(
        rows.map(([, status]) => status),
      )
    }
  })

  test('is named in the reason', () => {
    const findMessage = (input: string): string | undefined => {
      const answer = world.checker.check(input)
      return answer.ok ? answer.value.verdict.reasons[0]?.message : undefined
    }
    expect(findMessage('http://evil.example/good')).toBe('The operator allows this page.')
    expect(findMessage('http://evil.example/part/a')).toBe(
      'The operator allows a directory above this page.',
    )
    expect(findMessage('http://fine.example/x')).toBe('The operator allows fine.example.')
  })

  test('that was said later decides between two about one page', async () => {
    const page = 'evil.example/twice'
    await world.say('allow', `http://${page}`)
    await world.say('block', `https://${page}`)
    expect(world.ask(page)).toEqual(['found', 'listed_page'])
    await world.say('allow', `http://${page}`)
    expect(world.ask(page)).toEqual(['not_found', 'operator_allowed'])
  })
})

describe('a word about a whole platform', () => {
  const asked = [
    'hosting.example',
    'www.hosting.example',
    'other.hosting.example',
    'weak.hosting.example',
    'http://tenant.hosting.example/x/y',
    'http://paged.hosting.example/listed',
    'http://paged.hosting.example/other',
  ] as const
  const isApex = (input: string): boolean => input === 'hosting.example'

  for (const isHarbouring of [true, false]) {
    const harbour = isHarbouring ? 'that harbours listings' : 'that harbours none'
    test(`blocks all of one ${harbour} but what is allowed, until it is taken back`, async () => {
      const world = new World()
      const listings = [
        { ...toSubject('weak.hosting.example'), confidence: 30 },
        toSubject('http://paged.hosting.example/listed'),
      ]
      await world.list(isHarbouring ? listings : [])
      const before = asked.map((input) => world.ask(input))
      await world.say('block', 'hosting.example')
      await world.say('allow', 'tenant.hosting.example')
      await world.say('allow', 'http://other.hosting.example/fine')
      for (const input of asked) {
        const isAllowed = input.includes('tenant')
        expect(world.ask(input)[0]).toBe(isAllowed ? 'not_found' : 'found')
      }
      expect(world.ask('hosting.example')).toEqual(['found', 'listed_host'])
      expect(world.ask('other.hosting.example')).toEqual(['found', 'listed_parent'])
      expect(world.ask('http://other.hosting.example/fine')[1]).toBe('operator_allowed')
      await world.list(isHarbouring ? listings : [])
      expect(world.ask('other.hosting.example')[0]).toBe('found')
      await world.say('clear', 'tenant.hosting.example')
      await world.say('clear', 'http://other.hosting.example/fine')
      expect(asked.map((input) => world.ask(input)[0])).toEqual(asked.map(() => 'found'))
      await world.say('clear', 'hosting.example')
      expect(asked.map((input) => world.ask(input))).toEqual(before)
      world.db.remove()
    })
  }

  test('allows all of it but what is listed by a nearer name', async () => {
    const world = new World()
    await world.list(['tenant.hosting.example', 'http://paged.hosting.example/x'].map(toSubject))
    await world.say('allow', 'hosting.example')
    expect(asked.filter((input) => world.ask(input)[0] === 'found')).toEqual([
      'http://tenant.hosting.example/x/y',
    ])
    expect(asked.filter(isApex).map((input) => world.ask(input)[1])).toEqual(['operator_allowed'])
    world.db.remove()
  })

  test('reaches through from a parent of the platform, listings on it or none', async () => {
    const world = new World()
    await world.list([toSubject('https://docs.example/d/1')])
    await world.say('allow', 'docs.example')
    const inner = parsePlatforms('inner.docs.example page')
    const checker = urlCheckerOver(world.catalog, inner, foundAt)
    const reasonFor = (input: string) => {
      const answer = checker.check(input)
      return answer.ok && answer.value.verdict.reasons[0]?.code
    }
    const page: Sighting = {
      type: 'url',
      value: 'https://inner.docs.example/x',
      host: 'inner.docs.example',
      platform: 'inner.docs.example',
    }
    for (const sightings of [[], [page]]) {
      await world.list(sightings)
      expect(reasonFor('https://inner.docs.example/x')).toBe('operator_allowed')
      expect(reasonFor('https://inner.docs.example/y')).toBe('operator_allowed')
    }
    world.db.remove()
  })
})
