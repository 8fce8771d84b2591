/** GET /api/v1/export/stix (specification §4): indicators as a STIX 2.1 bundle. */

import { Elysia } from 'elysia'
import { parseInstant } from '../../model/instant.ts'
import { stixMediaType } from '../../publish/stix.ts'
import { type ExportQuery, readExportCursor, type StixExport } from '../../publish/stix-export.ts'
import { timeText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import { badRequest, type FieldError } from '../problem.ts'
import { parseDigits, readQuery } from '../query.ts'
import { streamedAnswer } from '../streamed.ts'

export const stixExportPath = '/api/v1/export/stix'

/** The query parameters that are read. */
export const stixExportParameters = ['campaign', 'since', 'limit', 'cursor'] as const

const limitDefault = 1_000
const limitMax = 10_000

export interface StixExportServices {
  readonly stixExport: StixExport
  readonly publicUrl: string
}

/** Reads the parameters; what is wrong with them goes to `errors`. */
function readParameters(url: string, errors: FieldError[]): ExportQuery {
  const { values, errors: queryErrors } = readQuery(url, stixExportParameters)
  errors.push(...queryErrors)
  const [campaign, sinceText, limitText, cursor] = values
  if (campaign?.trim() === '')
    errors.push({ field: 'campaign', message: 'Give the name of a brand.' })
  const since = sinceText === undefined ? null : parseInstant(sinceText, 'lenient')
  if (sinceText !== undefined && since === null) {
    errors.push({ field: 'since', message: 'Give a time as 2026-03-12T08:00:00Z, or a day.' })
  }
  const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
  if (limit === null || limit < 1) {
    errors.push({ field: 'limit', message: `Give a whole number from 1 to ${limitMax}.` })
  }
  const before = cursor === undefined ? null : readExportCursor(cursor)
  if (cursor !== undefined && before === null) {
    errors.push({ field: 'cursor', message: 'Give the cursor in the Link of an earlier answer.' })
  }
  return {
    campaign: campaign?.trim() ?? null,
    since: since === null ? null : Math.floor(since.microseconds / 1000),
    limit: Math.min(limit ?? limitDefault, limitMax),
    before,
  }
}

/** Returns the address of what comes behind an export. */
function linkToNext(publicUrl: string, { campaign, since, limit }: ExportQuery, cursor: string) {
  const search = new URLSearchParams()
  if (campaign !== null) search.set('campaign', campaign)
  if (since !== null) search.set('since', timeText(since))
  search.set('limit', String(limit))
  search.set('cursor', cursor)
  return `<${publicUrl}${stixExportPath}?${search}>; rel="next"`
}

/** The route; GET and HEAD. */
export function stixExportRoute({ stixExport, publicUrl }: StixExportServices) {
  const answer = async (request: Request): Promise<Response> => {
    const errors: FieldError[] = []
    const query = readParameters(request.url, errors)
    if (errors.length > 0) return badRequest(errors)
    const { nextCursor, pieces } = stixExport.bundle(query, crypto.randomUUID())
    const headers = headersWith({
      'content-type': stixMediaType,
      'cache-control': 'no-store',
      vary: 'accept-encoding',
      ...(nextCursor === null ? {} : { link: linkToNext(publicUrl, query, nextCursor) }),
    })
    return await streamedAnswer(request, pieces, headers)
  }

  return new Elysia({ name: 'route.stix-export', normalize: false })
    .get(stixExportPath, ({ request }) => answer(request))
    .head(stixExportPath, ({ request }) => answer(request))
}
