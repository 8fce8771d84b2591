/**
 * GET /api/v1/blacklist (specification §4): the active domain blacklist in pages and four formats.
 */

import { Elysia } from 'elysia'
import type {
  BlacklistPage,
  BlacklistQuery,
  BlacklistReader,
  BlacklistState,
} from '../../publish/blacklist.ts'
import {
  type BlacklistFormat,
  blacklistFormats,
  blacklistMediaTypes,
  renderBlacklist,
} from '../../publish/blacklist-formats.ts'
import { timeText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import { cacheHeaders, isNotModified, validatorsOf } from '../conditional.ts'
import { type CachedPage, PageCache } from '../page-cache.ts'
import { PreparedBody } from '../prepared-body.ts'
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

/** The query parameters that are read. */
export const blacklistParameters = ['format', 'limit', 'offset', 'since', 'cursor'] as const

const isFormat = (text: string): text is BlacklistFormat =>
  blacklistFormats.some((format) => format === text)

/** Reads the parameters; what is wrong with them goes to `errors`. */
function readParameters(url: string, errors: FieldError[]): ListRequest {
  const { values, errors: queryErrors } = readQuery(url, blacklistParameters)
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
      // A cursor says where to begin.
      offset: cursor === null ? Math.min(offset ?? 0, Number.MAX_SAFE_INTEGER) : 0,
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
  if (query.offset > 0) search.set('offset', String(query.offset))
  const text = search.toString()
  return `${publicUrl}${blacklistPath}${text === '' ? '' : `?${text}`}`
}

function linkToNext(publicUrl: string, { format, query }: ListRequest, cursor: string): string {
  return `<${addressOf(publicUrl, { format, query: { ...query, cursor } })}>; rel="next"`
}

/** The route; GET and HEAD. */
export function blacklistRoute(services: BlacklistServices) {
  const { blacklist, publicUrl, version } = services
  const cache = new PageCache(services.now)

  const write = (list: ListRequest, page: BlacklistPage, address: string): CachedPage => {
    const now = services.now()
    const { limit, offset, cursor } = list.query
    return {
      version: versionOf(page),
      writtenAt: now,
      validators: validatorsOf([versionOf(page), address, cursor, version], page.lastUpdated, now),
      nextLink: page.nextCursor === null ? null : linkToNext(publicUrl, list, page.nextCursor),
      body: new PreparedBody(renderBlacklist(list.format, page, { limit, offset, address })),
    }
  }

  const answer = (
    request: Request,
    { format }: ListRequest,
    page: CachedPage,
    state: BlacklistState,
  ): Response | Promise<Response> => {
    const { validators, nextLink, body } = page
    const headers = headersWith({
      'content-type': blacklistMediaTypes[format],
      ...cacheHeaders(cacheControl, validators),
      'x-total-count': String(state.totalActive),
      'x-last-updated': timeText(state.lastUpdated),
      'x-list-cursor': state.changesCursor,
      ...(nextLink === null ? {} : { link: nextLink }),
    })
    if (isNotModified(request.headers, validators)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
    return body.answer(request, headers)
  }

  const list = (request: Request): Response | Promise<Response> => {
    const errors: FieldError[] = []
    const asked = readParameters(request.url, errors)
    if (errors.length > 0) return badRequest(errors)
    const address = addressOf(publicUrl, asked)
    const state = blacklist.state()
    const known = cache.get(address, versionOf(state))
    if (known !== null) return answer(request, asked, known, state)
    const page = blacklist.page(asked.query)
    if (!page.ok) {
      refuseCursor(errors)
      return badRequest(errors)
    }
    const written = write(asked, page.value, address)
    cache.set(address, written)
    return answer(request, asked, written, page.value)
  }

  return new Elysia({ name: 'route.blacklist', normalize: false })
    .get(blacklistPath, ({ request }) => list(request))
    .head(blacklistPath, ({ request }) => list(request))
}

const versionOf = ({ epoch, seq, lastUpdated }: BlacklistState): string =>
  `${epoch} ${seq} ${lastUpdated}`
