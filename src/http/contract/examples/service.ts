/** Examples of /health and /ready. */

/** What /health answers. */
export const healthExamples = {
  ok: { summary: 'It is running', request: { path: '/health' } },
} as const

/** What /ready answers with 200. */
export const readyExamples = {
  ready: { summary: 'Everything is in order', request: { path: '/ready' } },
} as const

/** What /ready answers with 503. */
export const unreadyExamples = {
  loading: {
    summary: 'Just after a start',
    when: 'loading',
    request: { path: '/ready' },
  },
  stopping: {
    summary: 'While the service stops',
    when: 'stopping',
    request: { path: '/ready' },
  },
} as const
