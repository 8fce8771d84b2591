/** Examples of POST /api/v1/check/bulk. */

import { accountIoc, overLimit, postTo, updated, wrongFields } from './records.ts'

const path = '/api/v1/check/bulk'

const ask = postTo(path)

const nothingCounted = {
  found: 0,
  suspicious: 0,
  shared_infrastructure: 0,
  not_found: 0,
  invalid: 0,
} as const

const listedDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const isEmpty = 'The body is empty; send {} at least.'
const isNoJson = 'The body is not valid JSON.'

/** What is answered with 200. */
export const bulkExamples = {
  mixed: {
    summary: 'Three lists at once, with an item that cannot be read',
    request: ask({
      urls: ['https://paypa1-account.example/login', 'mailto:someone@example.com'],
      domains: ['example.com'],
      hashes: [listedDigest.toUpperCase()],
    }),
    body: {
      total: 4,
      counts: { ...nothingCounted, found: 2, not_found: 1, invalid: 1 },
      urls: [
        {
          value: 'https://paypa1-account.example/login',
          status: 'found',
          confidence: 80,
          match: accountIoc,
        },
        {
          value: 'mailto:someone@example.com',
          status: 'invalid',
          error: 'Send an http, https or ftp URL, or a bare domain.',
        },
      ],
      domains: [{ value: 'example.com', status: 'not_found', confidence: 0, match: null }],
      hashes: [
        {
          value: listedDigest.toUpperCase(),
          status: 'found',
          confidence: 95,
          match: {
            type: 'sha256',
            value: listedDigest,
            domain: null,
            threat_type: 'malware',
            threat_level: 'critical',
            confidence: 95,
            target_brand: null,
            malware_family: 'ExampleStealer',
            do_not_block: 0,
            sources: ['open-feed'],
            first_seen: '2026-03-12T08:01:00.000Z',
            last_seen: '2026-03-12T09:02:00.000Z',
            listed_at: '2026-03-12T08:01:00.000Z',
            reference: null,
          },
        },
      ],
      updated,
    },
  },
  nothing: {
    summary: 'Nothing to look up',
    request: ask({}),
    body: { total: 0, counts: nothingCounted, urls: [], domains: [], hashes: [], updated },
  },
} as const

/** What is answered with 400. */
export const wrongBulkExamples = {
  misspelt: {
    summary: 'A field that there is not, and an item that is no text',
    request: ask({ url: ['example.com'], domains: ['example.com', 5] }),
    body: wrongFields(['url', 'Unknown field.'], ['domains[1]', 'Send a text.']),
  },
  too_many: {
    summary: 'More than 500 items',
    request: ask({ domains: Array.from({ length: 501 }, (_, index) => `name-${index}.example`) }),
    body: wrongFields(['domains', 'Send at most 500 items over all lists together, not 501.']),
  },
  empty: {
    summary: 'A body without a byte',
    request: ask(''),
    body: { ...wrongFields(['body', isEmpty]), detail: isEmpty },
  },
  no_json: {
    summary: 'A body that is no JSON',
    request: ask('{"urls":['),
    body: { ...wrongFields(['body', isNoJson]), detail: isNoJson },
  },
} as const

/** What is answered with 405. */
export const readBulkExamples = {
  other_method: {
    summary: 'It is not to be read with GET',
    request: { method: 'GET', path },
    body: {
      type: 'about:blank',
      title: 'Method Not Allowed',
      status: 405,
      detail: 'This path answers POST only.',
      errors: [],
    },
  },
} as const

/** What is answered with 413. */
export const longBulkExamples = {
  too_long: {
    summary: 'A body over 5 MiB',
    ...overLimit(path, 5_242_880),
  },
} as const

/** What is answered with 415. */
export const otherTypeExamples = {
  text: {
    summary: 'A body that is not called JSON',
    request: { path, headers: { 'content-type': 'text/plain' }, body: '{}' },
    body: {
      type: 'about:blank',
      title: 'Unsupported Media Type',
      status: 415,
      detail: 'Send the body as application/json.',
      errors: [],
    },
  },
} as const
