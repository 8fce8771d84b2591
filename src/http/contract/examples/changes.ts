/** Examples of GET /api/v1/blacklist/changes. */

const path = '/api/v1/blacklist/changes'

/** From before the latest changes, as an answer of then gave it. */
const earlierCursor = 'NWVlZDAxMjMgODE5OA'
/** Of a database that this one has taken the place of. */
const foreignCursor = 'MDEyM2FiY2QgNDA5Ng'
/** What is answered with 200. */
export const changesExamples = {
  changes: {
    summary: 'Two domains were added, one was removed',
    request: { path: `${path}?cursor=${earlierCursor}` },
  },
  more: {
    summary: 'The first of several answers',
    request: { path: `${path}?cursor=${earlierCursor}&limit=1` },
  },
  nothing_new: {
    summary: 'Changes from now on',
    request: { path },
  },
  resync: {
    summary: 'A cursor of another database',
    request: { path: `${path}?cursor=${foreignCursor}` },
  },
} as const

/** What is answered with 400. */
export const wrongChangesExamples = {
  made_up_cursor: {
    summary: 'An invalid cursor',
    request: { path: `${path}?cursor=made-up` },
  },
} as const
