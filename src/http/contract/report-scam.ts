/** The contract of POST /api/report-scam and GET /api/report-scam/:token. */

import { Type } from '@sinclair/typebox'
import { reportStatuses, reportTypes } from '../../model/report.ts'
import {
  exampleReportToken,
  longReportExamples,
  otherReportTypeExamples,
  reportExamples,
  reportStatusExamples,
  unknownReportExamples,
  wrongReportExamples,
} from './examples/report-scam.ts'
import { allow, limitHeaders, noStore } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusal, refusals, wrongRequest } from './problems.ts'
import { oneOf, orNull, time } from './records.ts'

const reportBody = Type.Object(
  {
    type: oneOf(reportTypes, {
      description:
        'What is reported. `false_positive` appeals a listing: `value` names what is listed.',
    }),
    value: Type.Optional(
      Type.String({
        description:
          'The URL or domain, e-mail address or phone number (ten digits after an optional +1); of a ' +
          '`message` or `other` any text. Addresses may be defanged.',
        maxLength: 8192,
        examples: ['hxxps://parcel-fee[.]example/pay'],
      }),
    ),
    description: Type.Optional(
      Type.String({
        description: 'What happened. This or `value` must be there.',
        maxLength: 10_000,
      }),
    ),
    targetBrand: Type.Optional(
      Type.String({ description: 'Whom it pretends to be.', maxLength: 100 }),
    ),
    contact: Type.Optional(
      Type.String({
        description: 'How the operator can reach you; never published, and erased in time.',
        maxLength: 300,
      }),
    ),
  },
  { $id: 'Report', additionalProperties: false },
)

export const takenReport = Type.Object(
  {
    id: Type.String({ description: 'Of a report that repeats another, the id of that one.' }),
    status: oneOf(reportStatuses, {
      description: '`received`; of a report that repeats another, how that one fares.',
    }),
    statusUrl: Type.String({ description: 'Tells how it fares; whoever has it may ask.' }),
  },
  { $id: 'TakenReport' },
)

export const reportStanding = Type.Object(
  {
    id: Type.String(),
    status: oneOf(reportStatuses),
    reason: orNull(Type.String(), { description: 'What the operator says of it.' }),
    createdAt: time,
    updatedAt: time,
  },
  { $id: 'ReportStanding' },
)

export const reportScam = {
  id: 'reportScam',
  method: 'post',
  path: '/api/report-scam',
  tag: 'News and reports',
  summary: 'Report a scam, or appeal a listing',
  description:
    'Takes a report down for the operator of this service to read. Until it has been accepted it changes no ' +
    'answer and is shown to nobody. E-mail addresses, phone numbers, card and social-security numbers ' +
    'and tokens in addresses are masked before it is stored, but for the number or address that is ' +
    'reported. The same report sent again is counted with the first.',
  policy: 'REPORT_SCAM',
  body: reportBody,
  answers: {
    202: {
      description: 'It has been taken down.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': takenReport },
      examples: reportExamples,
    },
    400: wrongRequest(wrongReportExamples),
    ...refusals,
    405: refusal('The path answers POST alone.', [noStore, allow, ...limitHeaders], {
      read: {
        summary: 'It was asked with GET',
        request: { method: 'GET', path: '/api/report-scam' },
        body: {
          type: 'about:blank',
          title: 'Method Not Allowed',
          status: 405,
          detail: 'This path answers POST only.',
          errors: [],
        },
      },
    }),
    413: refusal(
      'The body is longer than 128 KiB.',
      [noStore, ...limitHeaders],
      longReportExamples,
    ),
    415: refusal(
      'The body is not called `application/json`, or has a `Content-Encoding`.',
      [noStore, ...limitHeaders],
      otherReportTypeExamples,
    ),
  },
} as const satisfies Operation

export const reportStatus = {
  id: 'readReportStatus',
  method: 'get',
  path: '/api/report-scam/:token',
  tag: 'News and reports',
  summary: 'How a report fares',
  description: 'Answers whoever has the `statusUrl` that came with a report.',
  policy: 'MANAGE',
  pathParameters: Type.Object({
    token: Type.String({
      description: 'From the `statusUrl`. Opaque.',
      minLength: 1,
      examples: [exampleReportToken],
    }),
  }),
  answers: {
    200: {
      description: 'How it fares.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': reportStanding },
      examples: reportStatusExamples,
    },
    404: refusal(
      'There is no report of this token.',
      [noStore, ...limitHeaders],
      unknownReportExamples,
    ),
    ...refusals,
  },
} as const satisfies Operation
