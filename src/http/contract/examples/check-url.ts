/** Examples of GET /api/check-url. */

import type { Example } from '../description.ts'

const check = (query: string): Example['request'] => ({
  path: `/api/check-url?url=${encodeURIComponent(query)}`,
})

/** What is answered with 200. */
export const verdictExamples = {
  found: {
    summary: 'A defanged name below a listed domain',
    request: check('hxxps://login.paypa1-account[.]example/confirm'),
  },
  suspicious: {
    summary: 'A listing with low confidence',
    request: check('perhaps-phishing.example'),
  },
  shared_infrastructure: {
    summary: 'A page of a platform on which other pages are listed',
    request: check('https://spring.hosting.example/'),
  },
  not_found: {
    summary: 'A URL that is not listed',
    request: check('https://example.com/'),
  },
  self_test: {
    summary: 'A name for testing a client',
    request: check('found.weir.test'),
  },
} as const

/** What is answered with 400. */
export const wrongCheckExamples = {
  nothing: {
    summary: 'No URL',
    request: { path: '/api/check-url' },
  },
  other_scheme: {
    summary: 'A scheme that is not supported',
    request: check('javascript:alert(1)'),
  },
  repeated: {
    summary: 'A parameter that is given twice',
    request: { path: '/api/check-url?url=a.example&url=b.example' },
  },
} as const
