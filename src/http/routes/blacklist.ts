/**
 * GET /api/v1/blacklist (specification §4): the active domain blacklist in pages and four formats.
 */

import { Elysia } from 'elysia'
import type { BlacklistPage, BlacklistQuery, BlacklistReader } from '../../publish/blacklist.ts'
import {
  type BlacklistFormat,
  blacklistFormats,
  blacklistMediaTypes,
  renderBlacklist,
} from '../../publish/blacklist-formats.ts'
import { timeText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import { compressedAnswer } from '../compression.ts'
import { isNotModified, validatorsOf } from '../conditional.ts'
import { badRequest, type FieldError } from '../problem.ts'
import { parseDay, parseDigits, readQuery } from '../query.ts'

export const blacklistPath = '/api/v1/blacklist'

const limitDefault = 100
const limitMax = 1000
const cursorLengthMax = 1024

/** Long enough to spare work, short against how long a phishing page lives. */
const cacheControl = 'public, max-age=60'

export interface BlacklistServices {
  readonly blacklist: BlacklistReader
  readonly publicUrl: string
  readonly version: string
  now(): number
}

interface ListRequest {
  readonly format: BlacklistFormat
  readonly query: BlacklistQuery
}

const parameters = ['format', 'limit', 'offset', 'since', 'cursor'] as const

const isFormat = (text: string): text is BlacklistFormat =>
  blacklistFormats.some((format) => format === text)

/** Reads the parameters; what is wrong with them goes to `errors`. */
function readParameters(url: string, errors: FieldError[]): ListRequest {
  const { values, errors: queryErrors } = readQuery(url, parameters)
  const [format = 'json', limitText, offsetText, sinceText, cursor = null] = values
  errors.push(...queryErrors)
  const refuse = (field: string, message: string): void => {
    errors.push({ field, message })
  }

  if (!isFormat(format)) refuse('format', `Choose one of ${blacklistFormats.join(', ')}.`)
  const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
  if (limit === null || limit < 1) refuse('limit', `Give a whole number from 1 to ${limitMax}.`)
  const offset = offsetText === undefined ? 0 : parseDigits(offsetText)
  if (offset === null) refuse('offset', 'Give a whole number from 0 up.')
  const since = sinceText === undefined ? null : parseDay(sinceText)
  if (sinceText !== undefined && since === null) refuse('since', 'Give a day as YYYY-MM-DD.')
  if (cursor !== null && (cursor === '' || cursor.length > cursorLengthMax)) refuseCursor(errors)

  return {
    format: isFormat(format) ? format : 'json',
    query: {
      limit: Math.min(limit ?? limitDefault, limitMax),
      offset: Math.min(offset ?? 0, Number.MAX_SAFE_INTEGER),
      since,
      cursor,
    },
  }
}

function refuseCursor(errors: FieldError[]): void {
  errors.push({ field: 'cursor', message: 'Give a cursor from next_cursor of an earlier answer.' })
}

/** Returns the public address of a list as asked for, its defaults left out. */
function addressOf(publicUrl: string, { format, query }: ListRequest): string {
  const search = new URLSearchParams()
  if (format !== 'json') search.set('format', format)
  if (query.limit !== limitDefault) search.set('limit', String(query.limit))
  if (query.since !== null) search.set('since', timeText(query.since).slice(0, 10))
  if (query.cursor !== null) search.set('cursor', query.cursor)
  else if (query.offset > 0) search.set('offset', String(query.offset))
  const text = search.toString()
  return `${publicUrl}${blacklistPath}${text === '' ? '' : `?${text}`}`
}

function linkToNext(publicUrl: string, { format, query }: ListRequest, cursor: string): string {
  return `<${addressOf(publicUrl, { format, query: { ...query, cursor } })}>; rel="next"`
}

/** The route; GET and HEAD. */
export function blacklistRoute(services: BlacklistServices) {
  const { blacklist, publicUrl, version } = services

  const answer = (
    request: Request,
    list: ListRequest,
    page: BlacklistPage,
  ): Response | Promise<Response> => {
    const address = addressOf(publicUrl, list)
    const validators = validatorsOf(
      [page.epoch, page.seq, page.lastUpdated, address, list.query.cursor, version],
      page.lastUpdated,
      services.now(),
    )
    const headers = headersWith({
      'content-type': blacklistMediaTypes[list.format],
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      etag: validators.etag,
      'last-modified': new Date(validators.lastModified).toUTCString(),
      'x-total-count': String(page.totalActive),
      'x-last-updated': timeText(page.lastUpdated),
    })
    if (page.nextCursor !== null) headers.set('link', linkToNext(publicUrl, list, page.nextCursor))
    if (isNotModified(request.headers, validators)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
    const { limit, offset } = list.query
    const text = renderBlacklist(list.format, page, { limit, offset, address })
    return compressedAnswer(request, text, headers)
  }

  const list = (request: Request): Response | Promise<Response> => {
    const errors: FieldError[] = []
    const asked = readParameters(request.url, errors)
    if (errors.length > 0) return badRequest(errors)
    const page = blacklist.page(asked.query)
    if (page.ok) return answer(request, asked, page.value)
    refuseCursor(errors)
    return badRequest(errors)
  }

  return new Elysia({ name: 'route.blacklist', normalize: false })
    .get(blacklistPath, ({ request }) => list(request))
    .head(blacklistPath, ({ request }) => list(request))
}
