/** Examples of POST /api/report-scam and GET /api/report-scam/:token. */

import { postTo } from './requests.ts'

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
  },
} as const

/** What is answered with 400. */
export const wrongReportExamples = {
  other_type: {
    summary: 'An unknown type',
    request: send({ type: 'spam', description: 'An unwanted mail.' }),
  },
  no_url: {
    summary: 'A value that is not a URL',
    request: send({ type: 'url', value: 'not a url' }),
  },
  nothing_said: {
    summary: 'Neither value nor description',
    request: send({ type: 'message' }),
  },
} as const

/** What is answered with 200. */
export const reportStatusExamples = {
  accepted: {
    summary: 'A report that was accepted',
    request: { path: `${path}/${exampleReportToken}` },
  },
} as const

/** What is answered with 404. */
export const unknownReportExamples = {
  unknown: {
    summary: 'An unknown token',
    request: { path: `${path}/unknown.token` },
  },
} as const
