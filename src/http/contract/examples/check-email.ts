/** Examples of POST /api/check-email. */

import { accountIoc, overLimit, postTo, wrongFields } from './records.ts'

const path = '/api/check-email'

const ask = postTo(path)

const isEmpty = 'The body is empty; send {} at least.'
const notChecked = { status: 'not_checked', records: [] } as const
const noProof =
  'Few signs are no proof that a mail is honest; if in doubt, ask the sender in another way that you know.'

const askForMore = "Send the sender's address, the links or the text of the mail."

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
    body: {
      riskLevel: 'critical',
      riskScore: 100,
      sender: {
        address: 'service@paypa1-account.example',
        domain: 'paypa1-account.example',
        status: 'found',
        mx: {
          status: 'ok',
          records: [{ priority: 10, exchange: 'mail.paypa1-account.example' }],
        },
      },
      company: { claimed: 'Example Parcels', matches: null, officialDomains: [] },
      urls: [
        {
          value: 'https://login.paypa1-account.example/confirm',
          status: 'found',
          confidence: 80,
          score: 0,
          reasons: [
            {
              code: 'listed_parent',
              message:
                'The parent domain paypa1-account.example is listed as phishing since 2026-03-12 by open-feed.',
            },
          ],
          match: accountIoc,
        },
        {
          value: 'mailto:someone@example.com',
          status: 'invalid',
          error: 'Send an http, https or ftp URL, or a bare domain.',
        },
      ],
      body: {
        flags: [
          {
            category: 'personal_data',
            phrase: 'verify your account',
            message: 'It asks the reader to confirm, update or unlock an account or details.',
          },
        ],
      },
      reasons: [
        {
          code: 'sender_domain_listed',
          points: 100,
          message:
            "The sender's domain paypa1-account.example is known to be bad. The host is listed as phishing since 2026-03-12 by open-feed.",
        },
        {
          code: 'company_unverified',
          points: 10,
          message:
            'Nothing in paypa1-account.example points to the company; weir cannot verify that the two belong together.',
        },
        {
          code: 'url_listed',
          points: 100,
          message: 'A link leads to login.paypa1-account.example, which is known to be bad.',
        },
        {
          code: 'personal_data',
          points: 12,
          message: 'The text asks for a sign-in or personal data.',
        },
      ],
      advice: [
        'Do not click its links, open its attachments or answer it; report it to your mail provider as phishing and delete it.',
        'Never give passwords, codes or card numbers because a mail asks for them.',
        'If you have entered a password on a page it led to, change it now; if it was about money, call your bank.',
      ],
    },
  },
  no_mail: {
    summary: 'A sender whose domain takes no mail',
    request: ask({
      emailFrom: 'news@example.com',
      claimedCompany: 'Example',
      emailBody: 'Here is our newsletter.',
    }),
    body: {
      riskLevel: 'low',
      riskScore: 30,
      sender: {
        address: 'news@example.com',
        domain: 'example.com',
        status: 'not_found',
        mx: { status: 'null', records: [] },
      },
      company: { claimed: 'Example', matches: null, officialDomains: [] },
      urls: [],
      body: { flags: [] },
      reasons: [
        {
          code: 'mx_null',
          points: 30,
          message:
            'example.com says of itself that it takes no mail, so nobody can answer this one.',
        },
        {
          code: 'company_plausible',
          points: 0,
          message:
            'example.com sounds like the company, which proves nothing: anybody may register such a name.',
        },
      ],
      advice: [noProof],
    },
  },
  unreadable: {
    summary: 'A sender that cannot be read',
    request: ask({ emailFrom: 'service@@example' }),
    body: {
      riskLevel: 'low',
      riskScore: 0,
      sender: {
        address: null,
        domain: null,
        status: 'invalid',
        mx: notChecked,
        error: 'Send one address with one @, such as name@example.com.',
      },
      company: null,
      urls: [],
      body: { flags: [] },
      reasons: [
        {
          code: 'sender_unreadable',
          points: 0,
          message:
            'The sender cannot be read. Send one address with one @, such as name@example.com.',
        },
      ],
      advice: [askForMore],
    },
  },
  nothing: {
    summary: 'Nothing to check',
    request: ask({}),
    body: {
      riskLevel: 'low',
      riskScore: 0,
      sender: null,
      company: null,
      urls: [],
      body: { flags: [] },
      reasons: [
        {
          code: 'nothing_to_check',
          points: 0,
          message: 'The request held nothing to check, so nothing was checked.',
        },
      ],
      advice: [askForMore],
    },
  },
} as const

/** What is answered with 400. */
export const wrongEmailExamples = {
  misspelt: {
    summary: 'A field that there is not, and one that is no text',
    request: ask({ from: 'someone@example.com', emailBody: 5 }),
    body: wrongFields(['from', 'Unknown field.'], ['emailBody', 'Send a text.']),
  },
  too_many: {
    summary: 'More than ten URLs',
    request: ask({ urls: Array.from({ length: 11 }, (_, n) => `https://example.com/${n}`) }),
    body: wrongFields(['urls', 'Send at most 10 URLs, not 11.']),
  },
  empty: {
    summary: 'A body without a byte',
    request: ask(''),
    body: { ...wrongFields(['body', isEmpty]), detail: isEmpty },
  },
} as const

/** What is answered with 405. */
export const readEmailExamples = {
  other_method: {
    summary: 'It is not to be read with GET',
    request: { method: 'GET', path },
    body: {
      type: 'about:blank',
      title: 'Method Not Allowed',
      status: 405,
      detail: 'This path answers POST only.',
      errors: [],
    },
  },
} as const

/** What is answered with 413. */
export const longEmailExamples = {
  too_long: {
    summary: 'A body over 1 MiB',
    ...overLimit(path, 1_048_576),
  },
} as const

/** What is answered with 415. */
export const otherEmailTypeExamples = {
  text: {
    summary: 'A body that is not called JSON',
    request: { path, headers: { 'content-type': 'text/plain' }, body: '{}' },
    body: {
      type: 'about:blank',
      title: 'Unsupported Media Type',
      status: 415,
      detail: 'Send the body as application/json.',
      errors: [],
    },
  },
} as const
