/**
 * Small stand-ins for what the app is given, over the fixture: enough to test what HTTP adds.
 */

import type { BulkChecker, BulkItemAnswer } from '../../src/checks/bulk.ts'
import { createEmailChecker } from '../../src/checks/email.ts'
import { indexBrands } from '../../src/checks/looks/brands.ts'
import { createMailDomains } from '../../src/checks/mail/domains.ts'
import { createPhoneChecker } from '../../src/checks/phone.ts'
import type { UrlChecker } from '../../src/checks/url.ts'
import { type AppServices, createApp } from '../../src/http/app.ts'
import type { Indicator } from '../../src/model/indicator.ts'
import { parsePublicUrl, urlRefusalMessages } from '../../src/model/url.ts'
import type { ReasonCode, Verdict, VerdictStatus } from '../../src/model/verdict.ts'
import type { BlacklistReader } from '../../src/publish/lists/blacklist.ts'
import type { TaxiiPage } from '../../src/publish/stix/taxii.ts'
import type { Limit } from '../../src/setting-values.ts'
import { checkRawAnswer, serveChecked } from './checked-answers.ts'
import { listedDomains } from './fixture.ts'

const listedAt = Date.UTC(2026, 10, 20, 8, 15, 30, 123)

/** A domain on the list. */
export function indicatorOf(value: string, changes: Partial<Indicator> = {}): Indicator {
  return {
    id: 1,
    type: 'domain',
    value,
    host: null,
    isActive: true,
    isPublished: true,
    doNotBlock: false,
    threatType: 'phishing',
    threatLevel: 'high',
    confidence: 80,
    targetBrand: null,
    targetBrandOrigin: null,
    malwareFamily: null,
    sources: ['fixture'],
    reference: null,
    firstSeen: listedAt - 86_400_000,
    lastSeen: listedAt,
    listedAt,
    seq: 4096,
    listedSeq: 4096,
    ...changes,
  }
}

function verdictOf(status: VerdictStatus, code: ReasonCode, match: Indicator | null): Verdict {
  return {
    status,
    confidence: match === null ? 0 : match.confidence,
    score: 0,
    reasons: [{ code, message: 'A sentence that says why.' }],
    match,
    note: status === 'shared_infrastructure' ? 'The page matters, not the platform.' : null,
  }
}

const selfTests: ReadonlyMap<string, VerdictStatus> = new Map([
  ['found.weir.test', 'found'],
  ['suspicious.weir.test', 'suspicious'],
  ['shared.weir.test', 'shared_infrastructure'],
  ['clean.weir.test', 'not_found'],
])

const listed: ReadonlyMap<string, Indicator> = new Map(
  listedDomains.map((domain) => [domain, indicatorOf(domain)]),
)

function verdictAbout(host: string): Verdict {
  const selfTest = selfTests.get(host)
  if (selfTest !== undefined) return verdictOf(selfTest, 'self_test', null)
  for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const match = listed.get(name)
    if (match !== undefined) return verdictOf('found', 'listed_host', match)
  }
  return verdictOf('not_found', 'not_listed', null)
}

const urls: UrlChecker = {
  check: (input) => {
    const url = parsePublicUrl(input)
    if (!url.ok) return url
    const { value, host } = url.value
    const verdict = verdictAbout(host)
    return {
      ok: true,
      value: { query: input, url: value, domain: host, verdict, updatedAt: listedAt },
    }
  },
}

function bulkItemOf(value: string): BulkItemAnswer {
  const answer = urls.check(value)
  if (answer.ok) return { value, verdict: answer.value.verdict }
  return { value, error: urlRefusalMessages[answer.reason] }
}

function hashItemOf(value: string): BulkItemAnswer {
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value)) {
    return { value, error: 'Send a digest in hexadecimal.' }
  }
  return { value, verdict: verdictOf('not_found', 'not_listed', null) }
}

const bulk: BulkChecker = {
  check: (request) => {
    const answer = {
      urls: request.urls.map(bulkItemOf),
      domains: request.domains.map(bulkItemOf),
      hashes: request.hashes.map(hashItemOf),
    }
    const counts = { found: 0, suspicious: 0, shared_infrastructure: 0, not_found: 0, invalid: 0 }
    for (const item of [...answer.urls, ...answer.domains, ...answer.hashes]) {
      counts['error' in item ? 'invalid' : item.verdict.status]++
    }
    return { ...answer, counts, updatedAt: listedAt }
  },
}

/** Judges mails by the stand-in for URLs, and asks no name server. */
const emails = createEmailChecker({
  urls,
  listings: { email: () => null },
  platforms: { findPlatform: () => null },
  mailDomains: createMailDomains('', ''),
  mailRoutes: { mail: async () => ({ status: 'unknown', records: [] }) },
  foundAt: 50,
  brands: indexBrands([]),
  letters: new Map(),
})

/** A reader over a list in memory; its cursors are offsets. */
export function readerOf(entries: readonly Indicator[]): BlacklistReader {
  const state = {
    totalActive: entries.length,
    lastUpdated: listedAt,
    seq: 4096,
    epoch: 'fixture',
    changesCursor: 'cursor',
  }
  return {
    state: () => state,
    page: ({ limit, offset, since, cursor }) => {
      if (cursor !== null && !/^c\d+$/.test(cursor)) return { ok: false, reason: 'bad_cursor' }
      const start = cursor === null ? offset : Number(cursor.slice(1))
      const matching = entries.filter((entry) => entry.listedAt >= (since ?? 0))
      const end = start + limit
      return {
        ok: true,
        value: {
          ...state,
          entries: matching.slice(start, end),
          total: matching.length,
          nextCursor: end < matching.length ? `c${end}` : null,
        },
      }
    },
  }
}

const noList = (): never => {
  throw new Error('the stand-ins have no full lists')
}
const noLists: AppServices['lists'] = { version: noList, plain: noList, coded: noList }

const nothingAdded: TaxiiPage = {
  addedFirst: '2026-11-20T08:15:30.123000Z',
  addedLast: '2026-11-20T08:15:30.123000Z',
  next: null,
  objects: null,
}

/** Collections without objects. */
const emptyCollections: AppServices['taxii'] = {
  object: () => null,
  objectPage: () => ({ ok: true, value: nothingAdded }),
  page: () => ({ ok: true, value: nothingAdded }),
  async *envelope() {
    yield '{"more":false}'
  },
  async *manifest() {
    yield '{"more":false}'
  },
  async *bundle(_page, uuid) {
    yield `{"type":"bundle","id":"bundle--${uuid}"}`
  },
}

const noNetworks = { text: '', has: () => false }
/** Returns the same limit for every policy, and none over all of them together. */
export function limitsOf(limit: Limit | null): AppServices['limits'] {
  return {
    GENERAL: null,
    BLACKLIST: limit,
    BLACKLIST_CHANGES: limit,
    CHECK_URL: limit,
    BULK: limit,
    CHECK_EMAIL: limit,
    CHECK_PHONE: limit,
    LISTS: limit,
    STIX: limit,
    TAXII: limit,
    SEARCH: limit,
    RSS: limit,
    REPORT_SCAM: limit,
    MANAGE: limit,
  }
}

const manyCalls = { quota: 100_000, windowMs: 60_000 }

/** Everything the app needs, with what a test wants to be different. */
export function standIns(changes: Partial<AppServices> = {}): AppServices {
  return {
    urls,
    bulk,
    emails,
    phones: createPhoneChecker({ phone: () => null }, 50),
    blacklist: readerOf([...listed.values()]),
    changes: { read: async () => ({ ok: true, value: { json: '{}' } }) },
    lists: noLists,
    stixExport: {
      bundle: (_query, uuid) => ({
        nextCursor: null,
        pieces: emptyCollections.bundle(nothingAdded, uuid),
      }),
    },
    taxii: emptyCollections,
    search: { ask: async () => '{}' },
    feeds: { read: async () => ({ xml: '<rss/>', digest: 'none', changedAt: 0 }) },
    reports: {
      submit: async () => ({
        ok: true,
        value: { id: 'report', status: 'received', token: 'report.token' },
      }),
      status: () => null,
    },
    pages: [],
    readiness: () => ({
      status: 'ready',
      seq: 4096,
      indicators: listed.size,
      viewLag: { rows: 0, seconds: 0 },
      searchLag: { rows: 0, seconds: 0 },
      sources: [{ name: 'fixture', ageSeconds: 5, overdue: false }],
      walBytes: 0,
      version: '0.0.0',
    }),
    limits: limitsOf(manyCalls),
    limitExempt: noNetworks,
    limitIpv6Prefix: 64,
    trustedProxies: noNetworks,
    publicUrl: 'https://weir.example.org',
    version: '0.0.0',
    now: Date.now,
    isLoading: () => false,
    addressOf: () => '127.0.0.1',
    report: (error) => {
      throw error
    },
    ...changes,
  }
}

/** Serves the app with stand-ins on a free port of 127.0.0.1. */
export function serveStandIns(changes: Partial<AppServices> = {}) {
  return serveChecked(createApp(standIns(changes)))
}

type Server = ReturnType<typeof serveStandIns>

/** Serves the app with `changes` while `use` runs. */
export async function serving(
  changes: Partial<AppServices>,
  use: (base: string, server: Server) => Promise<void>,
): Promise<void> {
  const server = serveStandIns(changes)
  try {
    await use(server.url.origin, server)
  } finally {
    await server.stop(true)
  }
}

/** Sends bytes as they are and returns what comes back until the server closes. */
export async function sendRaw(server: Server, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port ?? 0,
    socket: {
      open: (socket) => {
        socket.write(request)
      },
      data: (_socket, bytes) => {
        answer += bytes.toString('latin1')
      },
      close: () => resolve(answer),
      error: (_socket, error) => reject(error),
    },
  })
  checkRawAnswer(request, Buffer.from(await promise, 'latin1'))
  return promise
}
