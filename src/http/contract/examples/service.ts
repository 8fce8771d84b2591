/** Examples of /health and /ready. */

/** What /health answers. */
export const healthExamples = {
  ok: { summary: 'It runs', request: { path: '/health' } },
} as const

/** What /ready answers with 200. */
export const readyExamples = {
  ready: { summary: 'All is well', request: { path: '/ready' } },
} as const

/** What /ready answers with 503. */
export const unreadyExamples = {
  loading: {
    summary: 'Just after a start',
    when: 'loading',
    request: { path: '/ready' },
  },
  stopping: {
    summary: 'After the signal to stop',
    when: 'stopping',
    request: { path: '/ready' },
  },
} as const
