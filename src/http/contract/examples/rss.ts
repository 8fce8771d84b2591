/** Examples of GET /api/rss/:feed. */

/** What is answered with 200. */
export const feedExamples = {
  elder: {
    summary: 'What aims at older people',
    request: { path: '/api/rss/elder' },
  },
} as const

/** What is answered with 304. */
export const unchangedFeedExamples = {
  unchanged: {
    summary: 'What the client holds is still good',
    request: { path: '/api/rss/elder', headers: { 'if-none-match': '*' } },
  },
} as const

/** What is answered with 404. */
export const unknownFeedExamples = {
  unknown: {
    summary: 'A feed that weir does not have',
    request: { path: '/api/rss/all' },
  },
} as const
