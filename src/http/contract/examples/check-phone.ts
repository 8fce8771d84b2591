/** Examples of GET /api/check-phone. */

import type { Example } from '../description.ts'

const check = (phone: string): Example['request'] => ({
  path: `/api/check-phone?phone=${encodeURIComponent(phone)}`,
})

/** What is answered with 200. */
export const phoneExamples = {
  found: {
    summary: 'A number that people reported',
    request: check('(202) 555-2368'),
  },
  one_ring: {
    summary: 'A number abroad that looks domestic, not listed',
    request: check('+1 876 555 2368'),
  },
  forbidden: {
    summary: 'An unassignable phone number',
    request: check('212.555.0100'),
  },
  not_found: {
    summary: 'A number that is not listed',
    request: check('1-416-555-2368 x12'),
  },
} as const

/** What is answered with 400. */
export const wrongPhoneExamples = {
  nothing: {
    summary: 'No URL',
    request: { path: '/api/check-phone' },
  },
  nine_digits: {
    summary: 'A digit is missing',
    request: check('212-555-010'),
  },
  other_country: {
    summary: 'A number of another country',
    request: check('+44 20 7946 0958'),
  },
  letters: {
    summary: 'Letters instead of digits',
    request: check('1-800-FLOWERS'),
  },
} as const
