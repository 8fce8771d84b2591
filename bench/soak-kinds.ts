/**
 * What a soak asks for: each kind of call with its share of the load, and what it must be answered.
 */

import { nameAt } from './fixture.ts'
import {
  type Answer,
  blacklistPath,
  type Call,
  ChangesFollower,
  from,
  Tags,
  turn,
  Walker,
} from './soak-clients.ts'
import { namesListed } from './soak-server.ts'

/** A kind of call. */
export interface Kind {
  readonly name: string
  /** How many of them a second. */
  readonly perSecond: number
  /** Asked for once at the start: a weir that has no such path is not asked again. */
  readonly probe?: string
  /** Makes the `index`th call of the kind; null when all who would make it still wait for an answer. */
  call(index: number): Call | null
}

const checkPath = (value: string): string => `/api/check-url?url=${encodeURIComponent(value)}`

/** Returns what is wrong when an answer does not hold `text`. */
const holding =
  (text: string) =>
  (answer: Answer): string | null =>
    answer.text().includes(text) ? null : `it does not hold ${text}`

const clean = (index: number): string => `https://clean-${nameAt(index)}/page?id=${index}`
const listed = (index: number): string => `https://www.${nameAt(index % namesListed)}/login`

function bulkCall(index: number): Call {
  const urls = Array.from({ length: 60 }, (_, n) =>
    n % 2 === 0 ? listed(index * 61 + n) : clean(index * 61 + n),
  )
  const domains = Array.from({ length: 30 }, (_, n) => nameAt(index * 31 + n))
  const hashes = Array.from({ length: 10 }, (_, n) => String(index * 10 + n).padStart(64, 'a'))
  return {
    path: '/api/v1/check/bulk',
    method: 'POST',
    headers: { ...from(index), 'content-type': 'application/json' },
    body: JSON.stringify({ urls, domains, hashes }),
    expected: [200],
    take: holding('"total":100'),
  }
}

const formats = ['json', 'csv', 'txt', 'hosts'] as const
const limits = [10, 100, 1_000] as const

const listNames = [
  'domains.txt',
  'domains.hosts',
  'domains.adblock',
  'domains.dnsmasq',
  'domains.unbound',
  'domains.rpz',
  'urls.txt',
] as const

/** How many copies of the list are kept. */
const followerCount = 12

/** Makes every kind of call, with what they remember between calls. */
export function soakKinds(): Kind[] {
  const tags = new Tags()
  const walker = new Walker()
  const followers = Array.from({ length: followerCount }, () => new ChangesFollower())
  const simple = (name: string, perSecond: number, path: string): Kind => ({
    name,
    perSecond,
    probe: path,
    call: (index) => ({ path, headers: from(index), expected: [200] }),
  })
  return [
    {
      name: 'check-url, listed',
      perSecond: 40,
      call: (index) => ({
        path: checkPath(listed(index)),
        headers: from(index),
        expected: [200],
        take: holding('"status":"found"'),
      }),
    },
    {
      name: 'check-url, not listed',
      perSecond: 40,
      call: (index) => ({
        path: checkPath(clean(index)),
        headers: from(index),
        expected: [200],
        take: holding('"status":"not_found"'),
      }),
    },
    {
      name: 'check-url, refused',
      perSecond: 5,
      call: (index) => {
        const wrong = ['', 'javascript:alert(1)', 'data:,a', 'x'.repeat(9_000), '%00'] as const
        const path = index % 7 === 0 ? '/api/check-url' : checkPath(turn(wrong, index))
        return { path, headers: from(index), expected: [400] }
      },
    },
    {
      name: 'check-url, over the limit',
      perSecond: 5,
      call: (index) => ({
        path: checkPath(listed(index)),
        headers: { 'x-forwarded-for': '192.0.2.1' },
        expected: [200, 429],
      }),
    },
    { name: 'bulk', perSecond: 2, call: bulkCall },
    {
      name: 'bulk, refused',
      perSecond: 1,
      call: (index) => ({
        path: '/api/v1/check/bulk',
        method: 'POST',
        headers: {
          ...from(index),
          'content-type': index % 2 === 0 ? 'text/plain' : 'application/json',
        },
        body: turn(['[]', '{"url":[]}', '', '[['.repeat(5_000)], index),
        expected: [400, 415],
      }),
    },
    {
      name: 'blacklist',
      perSecond: 10,
      call: (index) => {
        const limit = turn(limits, index)
        const format = turn(formats, Math.floor(index / limits.length))
        return tags.call(`${blacklistPath}?format=${format}&limit=${limit}`, index)
      },
    },
    { name: 'blacklist, by cursor', perSecond: 1, call: (index) => walker.call(index) },
    {
      name: 'changes',
      perSecond: 10,
      probe: `${blacklistPath}/changes`,
      call: (index) => followers[index % followerCount]?.call(index) ?? null,
    },
    {
      name: 'full lists',
      perSecond: 0.2,
      probe: '/lists/domains.txt',
      call: (index) => tags.call(`/lists/${turn(listNames, index)}`, index),
    },
    simple('health', 1, '/health'),
    simple('ready', 1, '/ready'),
    simple('metrics', 0.2, '/metrics'),
    simple('openapi.json', 0.5, '/openapi.json'),
    simple('docs', 0.5, '/docs'),
    {
      name: 'unknown paths',
      perSecond: 3,
      call: (index) => ({
        path: turn(['/wp-login.php', `/${index}`, '/api', '/%E0%A4%A', '/api/v2/blacklist'], index),
        headers: from(index),
        expected: [404],
      }),
    },
    {
      name: 'wrong methods',
      perSecond: 2,
      call: (index) => ({
        path: turn(['/api/check-url?url=a.example', blacklistPath, '/health'], index),
        method: turn(['PUT', 'DELETE', 'POST'], index),
        headers: from(index),
        expected: [405],
      }),
    },
  ]
}
