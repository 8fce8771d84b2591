/**
 * POST /api/report-scam: takes down what a stranger reports. GET /api/report-scam/:token: tells him, and
 * nobody else, how it fares. Nothing of it changes what weir says until an operator has accepted it.
 */

import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia, t } from 'elysia'
import {
  type ReportFields,
  type ReportStanding,
  type ReportStatus,
  reportTypes,
} from '../../model/report.ts'
import { timeText } from '../../publish/wire.ts'
import { uncachedAnswer } from '../answer.ts'
import { readJsonBody } from '../json-body.ts'
import { badRequest, type FieldError, problem, unavailable } from '../problem.ts'

export const reportScamPath = '/api/report-scam'
export const reportStatusPath = '/api/report-scam/:token'

/** A letter with all its escapes. */
export const reportBodyBytesMax = 128 * 1024

/** When so many reports wait that no more are taken, an operator has to read some first. */
const fullRetrySeconds = 3_600
const unwrittenRetrySeconds = 60

/** Whoever takes reports in, and tells how they fare. */
export interface ReportDesk {
  take(fields: ReportFields): Promise<
    | {
        readonly ok: true
        readonly value: {
          readonly id: string
          readonly status: ReportStatus
          readonly token: string
        }
      }
    | {
        readonly ok: false
        readonly reason:
          | { readonly kind: 'wrong'; readonly problems: readonly FieldError[] }
          | { readonly kind: 'full' }
          | { readonly kind: 'unwritten'; readonly cause: unknown }
      }
  >
  standing(token: string): ReportStanding | null
}

export interface ReportServices {
  readonly reports: ReportDesk
  readonly publicUrl: string
  /** Takes note of why a report could not be written. */
  report(error: unknown, route: string | null): void
}

const reportBody = t.Object(
  {
    type: t.String(),
    value: t.Optional(t.String()),
    description: t.Optional(t.String()),
    targetBrand: t.Optional(t.String()),
    contact: t.Optional(t.String()),
  },
  { additionalProperties: false },
)

const reportBodyCheck = TypeCompiler.Compile(reportBody)

/** The routes. */
export function reportScamRoutes({ reports, publicUrl, report }: ReportServices) {
  const take = async (request: Request): Promise<Response> => {
    const body = await readJsonBody(request, reportBodyBytesMax, reportBodyCheck)
    if (!body.ok) return body.refusal
    const { type: typeText, value = null, description = null } = body.value
    const { targetBrand = null, contact = null } = body.value
    const type = reportTypes.find((candidate) => candidate === typeText)
    if (type === undefined) {
      return badRequest([{ field: 'type', message: `Choose one of ${reportTypes.join(', ')}.` }])
    }
    const taken = await reports.take({ type, value, description, targetBrand, contact })
    if (taken.ok) {
      const { id, status, token } = taken.value
      const statusUrl = `${publicUrl}${reportScamPath}/${token}`
      return uncachedAnswer({ id, status, statusUrl }, 202)
    }
    switch (taken.reason.kind) {
      case 'wrong':
        return badRequest(taken.reason.problems)
      case 'full':
        return unavailable(
          'More reports wait than can be read; please come back.',
          fullRetrySeconds,
        )
      case 'unwritten':
        report(taken.reason.cause, reportScamPath)
        return unavailable('Nothing can be taken down at the moment.', unwrittenRetrySeconds)
    }
  }

  const tell = (token: string): Response => {
    const standing = reports.standing(token)
    if (standing === null) return problem(404, 'There is no such report.')
    const { id, status, reason, createdAt, updatedAt } = standing
    const times = { createdAt: timeText(createdAt), updatedAt: timeText(updatedAt) }
    return uncachedAnswer({ id, status, reason, ...times })
  }

  const options = { params: t.Object({ token: t.Any() }) }
  return new Elysia({ name: 'route.report-scam', normalize: false })
    .post(reportScamPath, ({ request }) => take(request), { parse: 'none' })
    .get(reportStatusPath, ({ params }) => tell(String(params.token)), options)
    .head(reportStatusPath, ({ params }) => tell(String(params.token)), options)
}
