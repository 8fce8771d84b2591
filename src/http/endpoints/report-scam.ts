/**
 * POST /api/report-scam accepts a report; GET /api/report-scam/:token returns its status to the reporter alone. A report
 * changes no answer until an operator has accepted it.
 */

import { Type } from '@sinclair/typebox'
import { reportLengthsMax, reportStatuses, reportTypes } from '../../model/report.ts'
import { timeText } from '../../publish/wire.ts'
import type { ReportIntake } from '../../reports/intake.ts'
import { uncachedAnswer } from '../answer.ts'
import {
  exampleReportToken,
  reportExamples,
  reportStatusExamples,
  unknownReportExamples,
  wrongReportExamples,
} from '../contract/examples/report-scam.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { bodyRefusals, refusal, refusals, wrongRequest } from '../contract/problems.ts'
import { time } from '../contract/records.ts'
import { oneOf, orNull } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { badRequest, notFound, unavailable } from '../problem.ts'

const path = '/api/report-scam'

/** The longest report with all its escapes. */
const bodyBytesMax = 128 * 1024

/** While the queue is full, reports are accepted again only after an operator has read some. */
const fullRetrySeconds = 3_600
const writeFailedRetrySeconds = 60

interface ReportServices {
  readonly reports: Pick<ReportIntake, 'submit' | 'status'>
  readonly publicUrl: string
  /** Reports why a report could not be written. */
  report(error: unknown, route: string | null): void
}

const text = (field: keyof typeof reportLengthsMax, description: string, ...examples: string[]) =>
  Type.Optional(Type.String({ description, maxLength: reportLengthsMax[field], examples }))

const reportBody = Type.Object(
  {
    type: oneOf(reportTypes, {
      description:
        'What is reported. `false_positive` appeals a listing: `value` names what is listed.',
    }),
    value: text(
      'value',
      'The URL or domain, e-mail address or phone number (ten digits after an optional +1); of a ' +
        '`message` or `other` any text. Addresses may be defanged.',
      'hxxps://parcel-fee[.]example/pay',
    ),
    description: text('description', 'What happened. This or `value` is required.'),
    targetBrand: text('targetBrand', 'The brand or organisation that it imitates.'),
    contact: text(
      'contact',
      'How the operator can reach you; never published, and erased after a time.',
    ),
  },
  { $id: 'Report', additionalProperties: false },
)

const takenReport = Type.Object(
  {
    id: Type.String({
      description: 'The id of the report; of one that repeats another report, the id of that one.',
    }),
    status: oneOf(reportStatuses, {
      description: '`received`; of a report that repeats another, the status of that one.',
    }),
    statusUrl: Type.String({
      description: 'Returns the status of the report to anyone who has this address.',
    }),
  },
  { $id: 'TakenReport' },
)

const reportStatusAnswer = Type.Object(
  {
    id: Type.String(),
    status: oneOf(reportStatuses),
    reason: orNull(Type.String(), { description: 'The reason that the operator gave.' }),
    createdAt: time,
    updatedAt: time,
  },
  { $id: 'ReportStatus' },
)

export const reportScam = endpoint({
  id: 'reportScam',
  method: 'post',
  path,
  tag: 'News and reports',
  summary: 'Report a scam, or appeal a listing',
  description:
    'Saves a report for the operator of this service to read. Until it has been accepted it changes no ' +
    'answer and is not shown to anyone else. E-mail addresses, phone numbers, card and social-security numbers ' +
    'and tokens in addresses are masked before it is stored, except for the number or address that is ' +
    'reported. The same report sent again is counted with the first.',
  policy: 'REPORT_SCAM',
  body: reportBody,
  bodyBytesMax,
  answers: {
    202: {
      description: 'The report has been saved.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': takenReport },
      examples: reportExamples,
    },
    400: wrongRequest(wrongReportExamples),
    ...refusals,
    ...bodyRefusals(path, bodyBytesMax),
  },
  handler:
    ({ reports, publicUrl, report }: ReportServices) =>
    async ({ body: { type, ...texts } }) => {
      const { value = null, description = null, targetBrand = null, contact = null } = texts
      const submitted = await reports.submit({ type, value, description, targetBrand, contact })
      if (submitted.ok) {
        const { id, status, token } = submitted.value
        return uncachedAnswer({ id, status, statusUrl: `${publicUrl}${path}/${token}` }, 202)
      }
      switch (submitted.reason.kind) {
        case 'invalid':
          return badRequest(submitted.reason.problems)
        case 'full':
          return unavailable(
            'Too many reports are waiting to be read; try again later.',
            fullRetrySeconds,
          )
        case 'write_failed':
          report(submitted.reason.cause, path)
          return unavailable(
            'Reports cannot be saved right now; try again later.',
            writeFailedRetrySeconds,
          )
      }
    },
})

const unknownReport = 'There is no such report.'

export const reportStatus = endpoint({
  id: 'readReportStatus',
  method: 'get',
  path: `${path}/:token`,
  tag: 'News and reports',
  summary: 'The status of a report',
  description: 'Returns the status to anyone who has the `statusUrl` of the report.',
  policy: 'MANAGE',
  limitsBelow: path,
  pathParameters: Type.Object({
    token: Type.String({
      description: 'From the `statusUrl`. Opaque.',
      examples: [exampleReportToken],
    }),
  }),
  answers: {
    200: {
      description: 'The status of the report.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': reportStatusAnswer },
      examples: reportStatusExamples,
    },
    404: refusal(
      'There is no report of this token.',
      [noStore, ...limitHeaders],
      unknownReportExamples,
    ),
    ...refusals,
  },
  handler:
    ({ reports }: ReportServices) =>
    ({ path: { token } }) => {
      const found = reports.status(token)
      if (found === null) return notFound(unknownReport)
      const { id, status, reason, createdAt, updatedAt } = found
      const times = { createdAt: timeText(createdAt), updatedAt: timeText(updatedAt) }
      return uncachedAnswer({ id, status, reason, ...times })
    },
})
