/** Examples of POST /api/v1/check/bulk. */

import { postTo } from './requests.ts'

const path = '/api/v1/check/bulk'

const ask = postTo(path)

const listedDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** What is answered with 200. */
export const bulkExamples = {
  mixed: {
    summary: 'Three lists at once, with an item that cannot be read',
    request: ask({
      urls: ['https://paypa1-account.example/login', 'mailto:someone@example.com'],
      domains: ['example.com'],
      hashes: [listedDigest.toUpperCase()],
    }),
  },
  nothing: {
    summary: 'No items',
    request: ask({}),
  },
} as const

/** What is answered with 400. */
export const wrongBulkExamples = {
  misspelt: {
    summary: 'An unknown field, and an item that is not a string',
    request: ask({ url: ['example.com'], domains: ['example.com', 5] }),
  },
  too_many: {
    summary: 'More than 500 items',
    request: ask({ domains: Array.from({ length: 501 }, (_, index) => `name-${index}.example`) }),
  },
  empty: {
    summary: 'An empty body',
    request: ask(''),
  },
  no_json: {
    summary: 'A body that is not valid JSON',
    request: ask('{"urls":['),
  },
} as const
