/** Examples of GET /api/rss/:feed. */

/** What is answered with 200. */
export const feedExamples = {
  elder: {
    summary: 'Scams that target older people',
    request: { path: '/api/rss/elder' },
  },
} as const

/** What is answered with 404. */
export const unknownFeedExamples = {
  unknown: {
    summary: 'An unknown feed',
    request: { path: '/api/rss/all' },
  },
} as const
