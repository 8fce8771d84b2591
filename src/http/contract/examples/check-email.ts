/** Examples of POST /api/check-email. */

import { postTo } from './requests.ts'

const path = '/api/check-email'

const ask = postTo(path)

/** What is answered with 200. */
export const emailExamples = {
  phishing: {
    summary: 'A mail from a listed domain that links to it',
    request: ask({
      emailFrom: '"Example Parcels" <service@paypa1-account.example>',
      claimedCompany: 'Example Parcels',
      urls: ['https://login.paypa1-account.example/confirm', 'mailto:someone@example.com'],
      emailBody: 'Verify your account within 24 hours.',
    }),
  },
  no_mail: {
    summary: 'A sender whose domain does not accept mail',
    request: ask({
      emailFrom: 'news@example.com',
      claimedCompany: 'Example',
      emailBody: 'Here is our newsletter.',
    }),
  },
  unreadable: {
    summary: 'A sender that cannot be read',
    request: ask({ emailFrom: 'service@@example' }),
  },
  nothing: {
    summary: 'No URL',
    request: ask({}),
  },
} as const

/** What is answered with 400. */
export const wrongEmailExamples = {
  misspelt: {
    summary: 'An unknown field, and a field that is not a string',
    request: ask({ from: 'someone@example.com', emailBody: 5 }),
  },
  too_many: {
    summary: 'More than ten URLs',
    request: ask({ urls: Array.from({ length: 11 }, (_, n) => `https://example.com/${n}`) }),
  },
  empty: {
    summary: 'An empty body',
    request: ask(''),
  },
} as const
