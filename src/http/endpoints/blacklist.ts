/** GET /api/v1/blacklist (specification §4): the active domain blacklist in pages and four formats. */

import { Type } from '@sinclair/typebox'
import type {
  BlacklistQuery,
  BlacklistReader,
  BlacklistRows,
  BlacklistState,
} from '../../publish/lists/blacklist.ts'
import {
  type BlacklistFormat,
  blacklistFormats,
  blacklistMediaTypes,
  renderBlacklist,
} from '../../publish/lists/blacklist-formats.ts'
import { timeText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import { cacheHeaders, createValidators, isNotModified } from '../conditional.ts'
import { blacklistExamples, wrongListExamples } from '../contract/examples/blacklist.ts'
import {
  cachedHeaders,
  conditionalHeaders,
  contentEncoding,
  lastUpdated,
  limitHeaders,
  listCursor,
  nextLink,
  totalCount,
} from '../contract/headers.ts'
import { refusals, unchanged, wrongRequest } from '../contract/problems.ts'
import { blacklistEntry, time } from '../contract/records.ts'
import {
  count,
  oneOf,
  orNull,
  pageSize,
  parsedBy,
  saying,
  withDefault,
} from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { type CachedPage, PageCache } from '../page-cache.ts'
import { PreparedBody } from '../prepared-body.ts'
import { badRequest } from '../problem.ts'
import { parseDay } from '../query.ts'

const path = '/api/v1/blacklist'
const limitDefault = 100
const limitMax = 1000
const cursorMessage = 'Give a cursor from next_cursor of an earlier answer.'

/** Long enough to save work, short compared with the life of a phishing page. */
const keptSeconds = 60

export const blacklistPage = Type.Object(
  {
    total: count('How many entries the filter matches.'),
    count: count('How many are in this page.'),
    limit: Type.Integer({
      minimum: 1,
      maximum: limitMax,
      description: 'The limit that was applied.',
    }),
    offset: count('The offset of the request.'),
    last_updated: time,
    next_cursor: orNull(Type.String(), { description: 'For the next page; null on the last.' }),
    domains: Type.Array(blacklistEntry, { description: 'Newest listing first, ties by domain.' }),
  },
  { $id: 'BlacklistPage' },
)

const listHeaders = [
  ...cachedHeaders(keptSeconds),
  totalCount,
  lastUpdated,
  listCursor,
  nextLink,
  ...limitHeaders,
] as const

interface BlacklistServices {
  readonly blacklist: BlacklistReader
  readonly publicUrl: string
  readonly version: string
  now(): number
}

interface ListRequest {
  readonly format: BlacklistFormat
  readonly query: BlacklistQuery
}

/** Returns the public address of a page, without parameters that have their default. */
function addressOf(publicUrl: string, { format, query }: ListRequest): string {
  const search = new URLSearchParams()
  if (format !== 'json') search.set('format', format)
  if (query.limit !== limitDefault) search.set('limit', String(query.limit))
  if (query.since !== null) search.set('since', timeText(query.since).slice(0, 10))
  if (query.cursor !== null) search.set('cursor', query.cursor)
  if (query.offset > 0) search.set('offset', String(query.offset))
  const text = search.toString()
  return `${publicUrl}${path}${text === '' ? '' : `?${text}`}`
}

function linkToNext(publicUrl: string, { format, query }: ListRequest, cursor: string): string {
  return `<${addressOf(publicUrl, { format, query: { ...query, cursor } })}>; rel="next"`
}

const versionOf = ({ epoch, seq, lastUpdated }: BlacklistState): string =>
  `${epoch} ${seq} ${lastUpdated}`

/** Returns the function that answers with a page; pages are cached by address. */
function createPages(services: BlacklistServices) {
  const { blacklist, publicUrl, version } = services
  const cache = new PageCache(services.now)

  const write = (list: ListRequest, page: BlacklistRows, address: string): CachedPage => {
    const now = services.now()
    const { limit, offset, cursor } = list.query
    return {
      version: versionOf(page),
      writtenAt: now,
      validators: createValidators(
        [versionOf(page), address, cursor, version],
        page.lastUpdated,
        now,
      ),
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
      ...cacheHeaders(keptSeconds, validators),
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

  return (request: Request, asked: ListRequest): Response | Promise<Response> => {
    const address = addressOf(publicUrl, asked)
    const state = blacklist.state()
    const known = cache.get(address, versionOf(state))
    if (known !== null) return answer(request, asked, known, state)
    const page = blacklist.page(asked.query)
    if (!page.ok) return badRequest([{ field: 'cursor', message: cursorMessage }])
    const written = write(asked, page.value, address)
    cache.set(address, written)
    return answer(request, asked, written, page.value)
  }
}

export const blacklist = endpoint({
  id: 'readBlacklist',
  method: 'get',
  path,
  tag: 'Lists',
  summary: 'The block list in pages',
  description:
    'The active, published domains, newest listing first, in one of four formats. `json` and `csv` hold ' +
    'shared platforms with `do_not_block: 1`; `txt` and `hosts` omit them, so that a page may be ' +
    'shorter than `limit`. To read the whole list without gaps, follow `next_cursor` or, in every format, the ' +
    '`Link` header: `offset` counts from the newest and shifts when something is listed meanwhile. To stay ' +
    'in sync from there on, call `/api/v1/blacklist/changes` with the `X-List-Cursor` of the first page.',
  policy: 'BLACKLIST',
  query: Type.Object({
    format: withDefault(
      'json',
      oneOf(blacklistFormats, { description: 'The format of the page.' }),
    ),
    limit: pageSize(limitDefault, limitMax, 'Entries in a page.'),
    offset: withDefault(
      0,
      Type.Integer({
        description: 'Entries to skip, counted from the newest. Ignored when a cursor is given.',
        minimum: 0,
      }),
    ),
    since: Type.Optional(
      saying(
        'Give a day as YYYY-MM-DD.',
        parsedBy(
          parseDay,
          Type.String({
            description: 'Only entries listed on or after this day (UTC).',
            format: 'date',
            pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
            examples: ['2026-03-01'],
          }),
        ),
      ),
    ),
    cursor: Type.Optional(
      saying(
        cursorMessage,
        Type.String({
          description: '`next_cursor` of the page before. Opaque.',
          minLength: 1,
          maxLength: 1024,
        }),
      ),
    ),
  }),
  requestHeaders: conditionalHeaders,
  answers: {
    200: {
      description: 'A page.',
      headers: [...listHeaders, contentEncoding],
      content: {
        'application/json': blacklistPage,
        'text/csv; charset=utf-8; header=present': Type.String({
          description:
            'RFC 4180 with a header row: the fields of `BlacklistEntry`, sources separated by spaces. A cell ' +
            'that a spreadsheet would evaluate as a formula begins with an apostrophe.',
        }),
        'text/plain; charset=utf-8': Type.String({
          description:
            '`txt`: one domain a line and nothing else. `hosts`: `0.0.0.0 domain` after a header of comments.',
        }),
      },
      examples: blacklistExamples,
    },
    304: unchanged(listHeaders, {
      path: `${path}?limit=2`,
      headers: { 'if-modified-since': 'Thu, 12 Mar 2026 09:02:00 GMT' },
    }),
    400: wrongRequest(wrongListExamples),
    ...refusals,
  },
  handler: (services: BlacklistServices) => {
    const answer = createPages(services)
    return ({ request, query: { format, limit, offset, since, cursor } }) => {
      // A cursor states where the page begins.
      const query = { limit, offset: cursor === null ? offset : 0, since, cursor }
      return answer(request, { format, query })
    }
  },
})
