/** Examples of GET /api/v1/blacklist. */

const path = '/api/v1/blacklist'

/** Where the first page of two entries ends. */
export const nextPageCursor = 'NWVlZDAxMjMgMTc3MzMwNjA2MDAwMCBwZXJoYXBzLXBoaXNoaW5nLmV4YW1wbGU'

/** What is answered with 200. */
export const blacklistExamples = {
  first_page: {
    summary: 'The two newest entries',
    request: { path: `${path}?limit=2` },
  },
  next_page: {
    summary: 'The next page, which ends with an internationalised name',
    request: { path: `${path}?limit=3&cursor=${nextPageCursor}` },
  },
  csv: {
    summary: 'As a CSV table',
    request: { path: `${path}?format=csv&limit=2` },
    mediaType: 'text/csv; charset=utf-8; header=present',
  },
  txt: {
    summary: 'One domain a line, without platforms',
    request: { path: `${path}?format=txt` },
    mediaType: 'text/plain; charset=utf-8',
  },
  hosts: {
    summary: 'As a hosts file',
    request: { path: `${path}?format=hosts&limit=1` },
    mediaType: 'text/plain; charset=utf-8',
  },
} as const

/** What is answered with 400. */
export const wrongListExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: { path: `${path}?format=xml&limit=0&since=2026-02-30` },
  },
  made_up_cursor: {
    summary: 'A cursor of another database',
    request: { path: `${path}?cursor=made-up` },
  },
} as const
