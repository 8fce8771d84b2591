/** Examples of GET /api/search. */

/** What is answered with 200. */
export const searchExamples = {
  address: {
    summary: 'Part of a listed name',
    request: { path: '/api/search?q=paypa1&limit=2' },
  },
  words: {
    summary: 'Words of a report and an article',
    request: { path: '/api/search?q=parcel+fees' },
  },
  nothing: {
    summary: 'Nothing matches',
    request: { path: '/api/search?q=%22%2A%29+OR&category=news&page=7' },
  },
} as const

/** What is answered with 400. */
export const wrongSearchExamples = {
  wrong: {
    summary: 'Several parameters are wrong',
    request: { path: '/api/search?category=urls,news&page=0&limit=ten' },
  },
} as const
