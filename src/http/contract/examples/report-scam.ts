/** Examples of POST /api/report-scam and GET /api/report-scam/:token. */

import { overLimit, postTo, wrongFields } from './records.ts'

const path = '/api/report-scam'

const send = postTo(path)

/** The report that the examples' world holds, and its token. */
export const exampleReportToken = '5eed0123-0000-4000-8000-000000000001.m-a30ZlkSlCiuuQbqR-54g'

/** What is answered with 202. */
export const reportExamples = {
  page: {
    summary: 'A page that asks for card details',
    request: send({
      type: 'url',
      value: 'hxxps://parcel-fee[.]example/pay',
      description: 'A text message said that a parcel waits and a fee is due.',
      targetBrand: 'Example Parcels',
    }),
    newEachTime: ['id', 'statusUrl'],
    body: {
      id: '0b1f7a52-9a0c-4b6e-8d0e-3f6d1c2b4a59',
      status: 'received',
      statusUrl:
        'https://weir.example.org/api/report-scam/0b1f7a52-9a0c-4b6e-8d0e-3f6d1c2b4a59.bq0zJ7m1mXx3yRzq0h8s4A',
    },
  },
  appeal: {
    summary: 'An appeal: a name is listed by mistake',
    request: send({
      type: 'false_positive',
      value: 'perhaps-phishing.example',
      description: 'This is the shop of our club.',
      contact: 'the club’s secretary, by telephone',
    }),
    newEachTime: ['id', 'statusUrl'],
    body: {
      id: '6d3f2c1e-4c5b-4a7d-9e8f-1a2b3c4d5e6f',
      status: 'received',
      statusUrl:
        'https://weir.example.org/api/report-scam/6d3f2c1e-4c5b-4a7d-9e8f-1a2b3c4d5e6f.Zk3o0b7c9d1e5f2g8h4i6A',
    },
  },
} as const

/** What is answered with 400. */
export const wrongReportExamples = {
  other_type: {
    summary: 'A type that there is not',
    request: send({ type: 'spam', description: 'An unwanted mail.' }),
    body: wrongFields(['type', 'Choose one of url, email, phone, message, other, false_positive.']),
  },
  no_url: {
    summary: 'A value that is no URL',
    request: send({ type: 'url', value: 'not a url' }),
    body: wrongFields(['value', 'Give a URL or a bare domain.']),
  },
  nothing_said: {
    summary: 'Neither value nor description',
    request: send({ type: 'message' }),
    body: wrongFields(['value', 'Send a value, a description, or both.']),
  },
} as const

/** What is answered with 413. */
export const longReportExamples = {
  long: {
    summary: 'A body of over 128 KiB',
    ...overLimit(path, 131_072),
  },
} as const

/** What is answered with 415. */
export const otherReportTypeExamples = {
  form: {
    summary: 'A form',
    request: {
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'type=url&value=parcel-fee.example',
    },
    body: {
      type: 'about:blank',
      title: 'Unsupported Media Type',
      status: 415,
      detail: 'Send the body as application/json.',
      errors: [],
    },
  },
} as const

/** What is answered with 200. */
export const reportStatusExamples = {
  accepted: {
    summary: 'A report that was accepted',
    request: { path: `${path}/${exampleReportToken}` },
    body: {
      id: '5eed0123-0000-4000-8000-000000000001',
      status: 'accepted',
      reason: 'Thank you; others were sent the same.',
      createdAt: '2026-03-12T09:03:00.000Z',
      updatedAt: '2026-03-12T09:03:00.000Z',
    },
  },
} as const

/** What is answered with 404. */
export const unknownReportExamples = {
  unknown: {
    summary: 'A token that weir has not given',
    request: { path: `${path}/nobody-has-this.token` },
    body: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no such report.',
      errors: [],
    },
  },
} as const
