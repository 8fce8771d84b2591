/** The cache of how domains receive mail. */

import { describe, expect, test } from 'bun:test'
import { CachedMailRoutes } from '../../src/net/mail-routes.ts'
import { Resolver } from '../../src/net/resolver.ts'
import { DnsServer, type Zone } from './dns-server.ts'

async function withRoutes(
  zone: Zone,
  use: (routes: CachedMailRoutes, asked: () => number, wait: (ms: number) => void) => Promise<void>,
): Promise<void> {
  await using dns = await DnsServer.start(zone)
  let now = 1_000_000
  const resolver = new Resolver({ servers: [dns.address] })
  const isMail = (question: string): boolean => question.startsWith('mx ')
  await use(
    new CachedMailRoutes(resolver, () => now),
    () => dns.asked.filter(isMail).length,
    (ms) => {
      now += ms
    },
  )
}

describe('CachedMailRoutes', () => {
  test('runs one lookup for concurrent calls, and one in ten minutes', () =>
    withRoutes({ 'a.test': { mx: ['10 mail.test'] } }, async (routes, asked, wait) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => routes.mail('a.test')))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['ok']))
      expect(asked()).toBe(1)
      wait(599_999)
      await routes.mail('a.test')
      expect(asked()).toBe(1)
      wait(1)
      await routes.mail('a.test')
      expect(asked()).toBe(2)
    }))

  test('asks again after a minute when the route is unknown', () =>
    withRoutes(
      { 'a.test': ['servfail', { mx: ['10 mail.test'] }] },
      async (routes, asked, wait) => {
        expect((await routes.mail('a.test')).status).toBe('unknown')
        wait(59_999)
        expect((await routes.mail('a.test')).status).toBe('unknown')
        expect(asked()).toBe(1)
        wait(1)
        expect((await routes.mail('a.test')).status).toBe('ok')
      },
    ))

  test('holds a bounded number of domains', async () => {
    const asked: string[] = []
    const resolver = {
      mail: async (domain: string) => {
        asked.push(domain)
        return { status: 'none', records: [] } as const
      },
    }
    const routes = new CachedMailRoutes(resolver, () => 0)
    for (let n = 0; n < 2_001; n++) await routes.mail(`${n}.test`)
    await routes.mail('2000.test')
    await routes.mail('1.test')
    expect(asked).toHaveLength(2_001)
    await routes.mail('0.test')
    expect(asked).toHaveLength(2_002)
  })
})
