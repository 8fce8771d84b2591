/** Stand-ins that put what they are asked into their answers, so that a test sees what a handler was given. */

import type { AppServices } from '../../../src/http/app.ts'
import type { TaxiiPage } from '../../../src/publish/stix/taxii.ts'
import { indicatorOf, limitsOf, standIns } from '../stand-ins.ts'

export const echoNow = Date.UTC(2026, 10, 22, 12)
const echoedAt = Date.UTC(2026, 10, 20, 8)
/** Calls that a client has in a window: few, so that a probe can use them up. */
export const quota = 5

/** Answers longer than this are compressed for a client that accepts that. */
const filler = 'weir '.repeat(2_000)

/** A page whose headers show what was asked for. */
const page = (asked: unknown): TaxiiPage => ({
  addedFirst: encodeURIComponent(JSON.stringify(asked)),
  addedLast: '2026-11-20T08:15:30.123000Z',
  next: null,
  objects: null,
})

async function* written({ addedFirst }: TaxiiPage): AsyncGenerator<string, undefined> {
  yield addedFirst
  yield filler
}

const taxii: AppServices['taxii'] = {
  object: (_collection, id) => ({ type: 'identity', id, date: 0, version: 0, text: () => '{}' }),
  objectPage: (...asked) => ({ ok: true, value: page(asked) }),
  page: (...asked) => ({ ok: true, value: page(asked) }),
  envelope: written,
  manifest: written,
  bundle: written,
}

const list: Awaited<ReturnType<AppServices['lists']['plain']>> = {
  name: 'domains.txt',
  version: { epoch: 'echo', number: 1, changedAt: echoedAt, sources: [] },
  path: import.meta.path,
  bytes: filler.length,
  coding: null,
}

const limit = { quota, windowMs: 60_000 }

const noRisk = {
  riskLevel: 'low',
  riskScore: 0,
  sender: null,
  company: null,
  urls: [],
  flags: [],
  reasons: [],
} as const

const listState = {
  totalActive: 1,
  lastUpdated: echoedAt,
  seq: 1,
  epoch: 'echo',
  changesCursor: 'cursor',
}

/** Returns services that echo, under limits of a few calls; `addressOf` names the caller. */
export function echoServices(addressOf: () => string): AppServices {
  const { urls, phones, ...others } = standIns()
  const aUrl = urls.check('clean.weir.test')
  const aPhone = phones.check('(202) 555-2368')
  return {
    ...others,
    urls: { check: (query) => (aUrl.ok ? { ok: true, value: { ...aUrl.value, query } } : aUrl) },
    phones: {
      check: (formatted) => {
        if (!aPhone.ok) return aPhone
        const number = { ...aPhone.value.number, formatted }
        return { ok: true, value: { ...aPhone.value, number } }
      },
    },
    addressOf,
    now: () => echoNow,
    report: () => {},
    limits: { ...limitsOf(limit), GENERAL: limit },
    blacklist: {
      state: () => listState,
      page: (query) => ({
        ok: true,
        value: {
          ...listState,
          entries: Array.from({ length: 20 }, (_, id) => indicatorOf(`name${id}.test`, { id })),
          total: 20,
          nextCursor: encodeURIComponent(JSON.stringify(query)),
        },
      }),
    },
    changes: {
      read: async ({ signal: _, ...query }) => ({
        ok: true,
        value: { json: JSON.stringify({ query, filler }) },
      }),
    },
    emails: {
      check: async (mail) => ({ ...noRisk, advice: [JSON.stringify(mail)] }),
    },
    feeds: { read: async (name) => ({ xml: name + filler, digest: name, changedAt: echoedAt }) },
    lists: {
      version: () => list.version,
      plain: async () => list,
      coded: async (plain, coding) => ({ ...plain, coding }),
    },
    pages: (['/docs', '/docs/reference'] as const).map((path) => ({
      path,
      render: () => filler,
      contentSecurityPolicy: "default-src 'none'",
    })),
    reports: {
      submit: async (fields) => ({
        ok: true,
        value: { id: JSON.stringify(fields), status: 'received', token: 'token' },
      }),
      status: (token) => ({
        id: token,
        status: 'received',
        reason: null,
        createdAt: echoedAt,
        updatedAt: echoedAt,
      }),
    },
    search: { ask: async (query) => JSON.stringify(query) },
    stixExport: {
      bundle: (query) => ({ nextCursor: null, pieces: written(page(query)) }),
    },
    taxii,
  }
}
