/** GET /api/v1/export/stix (specification §4): indicators as a STIX 2.1 bundle. */

import { Elysia } from 'elysia'
import { parseInstant } from '../../model/instant.ts'
import { stixMediaType } from '../../publish/stix.ts'
import type { StixExport } from '../../publish/stix-export.ts'
import { headersWith } from '../answer.ts'
import { badRequest } from '../problem.ts'
import { parseDigits, readQuery } from '../query.ts'
import { streamedAnswer } from '../streamed.ts'

export const stixExportPath = '/api/v1/export/stix'

/** The query parameters that are read. */
export const stixExportParameters = ['campaign', 'since', 'limit'] as const

const limitDefault = 1_000
const limitMax = 10_000

export interface StixExportServices {
  readonly stixExport: StixExport
}

/** The route; GET and HEAD. */
export function stixExportRoute({ stixExport }: StixExportServices) {
  const answer = async (request: Request): Promise<Response> => {
    const { values, errors: queryErrors } = readQuery(request.url, stixExportParameters)
    const errors = [...queryErrors]
    const [campaign, sinceText, limitText] = values
    if (campaign?.trim() === '') {
      errors.push({ field: 'campaign', message: 'Give the name of a brand.' })
    }
    const since = sinceText === undefined ? null : parseInstant(sinceText, 'lenient')
    if (sinceText !== undefined && since === null) {
      errors.push({ field: 'since', message: 'Give a time as 2026-03-12T08:00:00Z, or a day.' })
    }
    const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
    if (limit === null || limit < 1) {
      errors.push({ field: 'limit', message: `Give a whole number from 1 to ${limitMax}.` })
    }
    if (errors.length > 0) return badRequest(errors)
    const query = {
      campaign: campaign?.trim() ?? null,
      since: since === null ? null : Math.floor(since.microseconds / 1000),
      limit: Math.min(limit ?? limitDefault, limitMax),
    }
    const headers = headersWith({
      'content-type': stixMediaType,
      'cache-control': 'no-store',
      vary: 'accept-encoding',
    })
    return await streamedAnswer(request, stixExport.bundle(query, crypto.randomUUID()), headers)
  }

  return new Elysia({ name: 'route.stix-export', normalize: false })
    .get(stixExportPath, ({ request }) => answer(request))
    .head(stixExportPath, ({ request }) => answer(request))
}
