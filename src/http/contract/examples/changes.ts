/** Examples of GET /api/v1/blacklist/changes. */

import { mailboxEntry, perhapsEntry, wrongFields } from './records.ts'

const path = '/api/v1/blacklist/changes'

/** From before the latest changes, as an answer of then gave it. */
const earlierCursor = 'NWVlZDAxMjMgODE5OA'
/** Of a database that this one has taken the place of. */
const foreignCursor = 'MDEyM2FiY2QgNDA5Ng'
const cursor = 'NWVlZDAxMjMgMzY4NjQ'
const setHash = '213bceb5abd13b27c23becb26fe5b46a'

/** The answer to whoever is level. */
const level = {
  cursor,
  more: false,
  resync: false,
  added: [],
  removed: [],
  total: 5,
  set_hash: setHash,
  min_wait_seconds: 30,
} as const

/** What is answered with 200. */
export const changesExamples = {
  changes: {
    summary: 'Two domains came, one left',
    request: { path: `${path}?cursor=${earlierCursor}` },
    body: {
      ...level,
      added: [perhapsEntry, mailboxEntry],
      removed: [
        {
          domain: 'parcel-fee.example',
          reason: 'withdrawn',
          removed_at: '2026-03-12T09:02:00.000Z',
        },
      ],
    },
  },
  more: {
    summary: 'The first of several answers',
    request: { path: `${path}?cursor=${earlierCursor}&limit=1` },
    body: {
      ...level,
      cursor: 'NWVlZDAxMjMgMjA0ODAgODE5OA',
      more: true,
      added: [perhapsEntry],
      set_hash: null,
      min_wait_seconds: 0,
    },
  },
  nothing_new: {
    summary: 'From now on',
    request: { path },
    body: level,
  },
  resync: {
    summary: 'A cursor of another database',
    request: { path: `${path}?cursor=${foreignCursor}` },
    body: { ...level, resync: true, min_wait_seconds: 0 },
  },
} as const

/** What is answered with 400. */
export const wrongChangesExamples = {
  made_up_cursor: {
    summary: 'A cursor that is none',
    request: { path: `${path}?cursor=made-up` },
    body: wrongFields([
      'cursor',
      'Give a cursor of an earlier answer or of X-List-Cursor, or "begin".',
    ]),
  },
} as const
