/** Examples of /health and /ready. */

/** What /health answers. */
export const healthExamples = {
  ok: { summary: 'It runs', request: { path: '/health' }, body: { status: 'ok' } },
} as const

const level = {
  status: 'ready',
  seq: 36_864,
  indicators: 8,
  viewLag: { rows: 0, seconds: 0 },
  searchLag: { rows: 0, seconds: 0 },
  sources: [
    { name: 'open-feed', ageSeconds: 780, overdue: false },
    { name: 'second-feed', ageSeconds: 840, overdue: false },
  ],
  walBytes: 0,
  version: '0.1.0',
} as const

/** What /ready answers with 200. */
export const readyExamples = {
  ready: { summary: 'All is well', request: { path: '/ready' }, body: level },
} as const

/** What /ready answers with 503. */
export const unreadyExamples = {
  loading: {
    summary: 'Just after a start',
    when: 'loading',
    request: { path: '/ready' },
    body: { ...level, status: 'loading' },
  },
  stopping: {
    summary: 'After the signal to stop',
    when: 'stopping',
    request: { path: '/ready' },
    body: { ...level, status: 'stopping' },
  },
} as const
