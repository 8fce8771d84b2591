import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import addressFacts from '../../data/protected-addresses.txt' with { type: 'text' }
import { loadStoredGuards } from '../../src/ingest/guards.ts'
import { type OperatorValue, readOperatorValue } from '../../src/ingest/operator.ts'
import {
  findProtections,
  formatDecisionNote,
  type Protection,
} from '../../src/ingest/protection.ts'
import type { GuardEntry, SourceDescription } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'

const resolver = /^\d\S*$/m.exec(addressFacts)?.[0] ?? ''
const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const world = new TestStore()
afterAll(() => world.remove())

const guardNamed = (name: string): SourceDescription => ({ ...sourceNamed(name), role: 'guard' })

async function guard(name: string, entries: readonly GuardEntry[]): Promise<void> {
  const run = await world.startRun(guardNamed(name))
  const operations = [{ op: 'guard', source: name, run, entries }] as const
  await world.store.write({ at: world.now, operations })
  await world.endRun(run)
}

beforeAll(async () => {
  await guard('popular', [
    { kind: 'name', value: 'bank.example' },
    { kind: 'network', value: '198.51.100.0/24' },
    { kind: 'digest', value: digest },
  ])
  await guard('hosts', [
    { kind: 'platform', value: 'hosting.example', mode: 'tenant' },
    { kind: 'name', value: 'bank.example' },
    { kind: 'network', value: '2001:db8::/32' },
    { kind: 'network', value: '198.51.100.7/32' },
  ])
})

function read(text: string): OperatorValue {
  const named = readOperatorValue(text, loadStoredGuards(world.store).platforms)
  if (!named.ok) throw new Error(`${text}: ${named.reason}`)
  return named.value
}

describe('findProtections', () => {
  const byNames: Protection[] = [
    { kind: 'name', source: 'popular' },
    { kind: 'name', source: 'hosts' },
  ]
  const rows: readonly [string, string, readonly Protection[]][] = [
    ['a name', 'bank.example', byNames],
    ['a name with www', 'www.bank.example', byNames],
    ['a name below a protected one', 'evil.bank.example', []],
    ['a section of a protected site', 'https://bank.example/login', byNames],
    ['a page deep in a protected site', 'https://bank.example/hacked/login.php', []],
    ['a platform', 'hosting.example', [{ kind: 'platform', source: 'hosts' }]],
    ['a tenant', 'evil.hosting.example', []],
    [
      'an address in two networks',
      '198.51.100.7',
      [
        { kind: 'network', source: 'popular' },
        { kind: 'network', source: 'hosts' },
      ],
    ],
    ['an IPv6 address', '2001:db8::7', [{ kind: 'network', source: 'hosts' }]],
    ['an address outside', '203.0.113.7', []],
    ['an address that weir protects itself', resolver, [{ kind: 'network', source: 'weir' }]],
    ['a digest', digest, [{ kind: 'digest', source: 'popular' }]],
    ['another digest', digest.slice(0, 32), []],
    ['an e-mail address', 'evil@bank.example', []],
    ['an unprotected name', 'evil.example', []],
  ]

  test.each(rows)('names the guards of %s', (_, text, expected) => {
    const guards = loadStoredGuards(world.store)
    expect(findProtections(world.store, read(text), guards)).toEqual(expected)
  })

  test('forgets a guard that was withdrawn', async () => {
    await world.withdraw(guardNamed('hosts'), true)
    const guards = loadStoredGuards(world.store)
    expect(findProtections(world.store, read('bank.example'), guards)).toEqual([
      { kind: 'name', source: 'popular' },
    ])
    await world.withdraw(guardNamed('hosts'), false)
  })
})

describe('formatDecisionNote', () => {
  const rows: readonly [string, 'block' | 'allow', RegExp | null][] = [
    [
      'bank.example',
      'block',
      /^bank\.example is protected from feeds; your decision overrides that$/,
    ],
    ['bank.example', 'allow', /^bank\.example is protected from feeds already$/],
    ['https://bank.example/login', 'block', /is protected from feeds; your decision/],
    ['https://bank.example/hacked/login.php', 'block', null],
    ['198.51.100.7', 'block', /is protected from feeds; your decision/],
    [digest, 'block', /is protected from feeds; your decision/],
    [
      'hosting.example',
      'block',
      /^hosting\.example hosts pages of many people; your decision blocks/,
    ],
    ['hosting.example', 'allow', /^hosting\.example hosts pages of many people; no feed can/],
    ['www.hosting.example', 'block', /^www\.hosting\.example covers everything on hosting/],
    ['evil.hosting.example', 'block', null],
    [
      'za.com',
      'block',
      /^names are registered directly below za\.com; your decision applies to all/,
    ],
    ['evil.example', 'block', null],
    ['evil@bank.example', 'allow', null],
  ]

  test.each(rows)('of a decision on %s to %s is %p', (text, verdict, expected) => {
    const note = formatDecisionNote(read(text), verdict, loadStoredGuards(world.store))
    if (expected === null) expect(note).toBeNull()
    else expect(note).toMatch(expected)
  })
})
