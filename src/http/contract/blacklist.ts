/** The contract of GET /api/v1/blacklist. */

import { Type } from '@sinclair/typebox'
import { blacklistFormats } from '../../publish/blacklist-formats.ts'
import {
  blacklistExamples,
  unchangedListExamples,
  wrongListExamples,
} from './examples/blacklist.ts'
import {
  conditionalHeaders,
  contentEncoding,
  etag,
  keptFor,
  lastModified,
  lastUpdated,
  limitHeaders,
  listCursor,
  nextLink,
  totalCount,
  varyByCoding,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals, wrongRequest } from './problems.ts'
import { blacklistEntry, count, oneOf, orNull, time } from './records.ts'

export const blacklistPage = Type.Object(
  {
    total: count('How many entries the filter matches.'),
    count: count('How many are in this page.'),
    limit: Type.Integer({ minimum: 1, maximum: 1000, description: 'The limit that was applied.' }),
    offset: count('The offset that was asked for.'),
    last_updated: time,
    next_cursor: orNull(Type.String(), { description: 'For the next page; null on the last.' }),
    domains: Type.Array(blacklistEntry, { description: 'Newest listing first, ties by domain.' }),
  },
  { $id: 'BlacklistPage' },
)

const listHeaders = [
  keptFor(60),
  varyByCoding,
  etag,
  lastModified,
  totalCount,
  lastUpdated,
  listCursor,
  nextLink,
  ...limitHeaders,
] as const

export const blacklist = {
  id: 'readBlacklist',
  method: 'get',
  path: '/api/v1/blacklist',
  tag: 'Lists',
  summary: 'The block list in pages',
  description:
    'The active, published domains, newest listing first, in one of four formats. `json` and `csv` hold ' +
    'shared platforms with `do_not_block: 1`; `txt` and `hosts` leave them out, so that a page may be ' +
    'shorter than `limit`. To read all of it without gaps, follow `next_cursor` or, in every format, the ' +
    '`Link` header: `offset` counts from the newest and shifts when something is listed meanwhile. To stay ' +
    'level from there on, ask `/api/v1/blacklist/changes` with `X-List-Cursor` of the first page.',
  policy: 'BLACKLIST',
  query: Type.Object({
    format: Type.Optional(
      oneOf(blacklistFormats, { description: 'How the page is written.', default: 'json' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description: 'Entries in a page. A greater number counts as 1000.',
        default: 100,
        minimum: 1,
        maximum: 1000,
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        description:
          'Entries to pass over, counted from the newest. Ignored when a cursor is given.',
        default: 0,
        minimum: 0,
      }),
    ),
    since: Type.Optional(
      Type.String({
        description: 'Only entries listed on or after this day (UTC).',
        format: 'date',
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
        examples: ['2026-03-01'],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description: '`next_cursor` of the page before. Opaque.',
        minLength: 1,
        maxLength: 1024,
      }),
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
            'RFC 4180 with a header row: the fields of `BlacklistEntry`, sources joined by a blank. A cell ' +
            'that a spreadsheet would run as a formula begins with an apostrophe.',
        }),
        'text/plain; charset=utf-8': Type.String({
          description:
            '`txt`: one domain a line and nothing else. `hosts`: `0.0.0.0 domain` after a header of comments.',
        }),
      },
      examples: blacklistExamples,
    },
    304: {
      description: 'The page that the client holds is still good.',
      headers: listHeaders,
      content: {},
      examples: unchangedListExamples,
    },
    400: wrongRequest(wrongListExamples),
    ...refusals,
  },
} as const satisfies Operation
