/** Refusals under the TAXII root: TAXII error messages (TAXII 2.1 §3.6.1), with what its paths share. */

import { Type } from '@sinclair/typebox'
import { taxiiMediaType } from '../../publish/taxii.ts'
import { taxiiErrorOf } from './examples/taxii.ts'
import { allow, limitHeaders, noStore, retryAfter, varyByAccept } from './headers.ts'
import type { Answer, Example, Header } from './operation.ts'

export const taxiiError = Type.Object(
  {
    title: Type.String(),
    description: Type.String({ description: 'What is wrong, in a sentence for people.' }),
    http_status: Type.String({ pattern: '^[45][0-9]{2}$', description: 'The status, as a text.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Every wrong parameter at once, by name.',
      }),
    ),
  },
  {
    $id: 'TaxiiError',
    description: 'The one shape of every refusal of a TAXII path.',
  },
)

const content = { [taxiiMediaType]: taxiiError } as const

type Examples = Readonly<Record<string, Example>>

/** Returns a refusal, its headers beside those that all have. */
const refusal = <const Own extends Examples>(
  description: string,
  headers: readonly Header[],
  examples: Own,
) => ({ description, headers: [noStore, varyByAccept, ...headers], content, examples })

/** Returns a refusal of one operation's own. */
export const taxiiRefusal = <const Own extends Examples>(description: string, examples: Own) =>
  refusal(description, limitHeaders, examples)

const otherMethodText = 'The path is known, and answers other methods; `Allow` names them.'

/** 405 of a path that answers other methods than the rest. */
export const otherTaxiiMethod = <const Own extends Examples>(examples: Own) =>
  refusal(otherMethodText, [allow, ...limitHeaders], examples)

const root = '/api/taxii/2.1'

/** 404, and whatever else may be refused. */
export const unknownTaxiiPath = {
  id: 'TaxiiNotFound',
  ...refusal(
    'Any other refusal has this shape too; 404, say, where nothing is at the path.',
    limitHeaders,
    {
      unknown_path: {
        summary: 'A path that weir does not know',
        request: { method: 'GET', path: `${root}/nothing` },
        body: taxiiErrorOf(
          404,
          'Not Found',
          'There is nothing at this path; /docs tells what there is.',
        ),
      },
    },
  ),
} as const satisfies Answer

const otherMethod = {
  id: 'TaxiiMethodNotAllowed',
  ...otherTaxiiMethod({
    other_method: {
      summary: 'A method that is none of the path’s',
      request: { method: 'PUT', path: root },
      body: taxiiErrorOf(405, 'Method Not Allowed', 'This path answers GET, HEAD only.'),
    },
  }),
} as const satisfies Answer

const notAcceptable = {
  id: 'TaxiiNotAcceptable',
  ...refusal('Only another version of TAXII is accepted.', limitHeaders, {
    other_version: {
      summary: 'A client of TAXII 2.0',
      request: {
        method: 'GET',
        path: root,
        headers: { accept: 'application/vnd.oasis.taxii+json; version=2.0' },
      },
      body: taxiiErrorOf(
        406,
        'Not acceptable',
        'Accept application/taxii+json;version=2.1: weir speaks no other version of TAXII.',
      ),
    },
  }),
} as const satisfies Answer

const limitUsedUp = {
  id: 'TaxiiTooManyRequests',
  ...refusal(
    'The limit is used up. A call that gets this answer does not count.',
    [retryAfter, ...limitHeaders],
    {
      limit_used_up: {
        summary: 'One call more than the limit',
        when: 'limit_used_up',
        request: { method: 'GET', path: root },
        body: taxiiErrorOf(
          429,
          'Too Many Requests',
          'The limit of this endpoint is used up; try again in 60 s.',
        ),
      },
    },
  ),
} as const satisfies Answer

const notNow = {
  id: 'TaxiiServiceUnavailable',
  ...refusal(
    'Not at this moment: the data is still being loaded, or too much is asked at once.',
    [retryAfter],
    {
      loading: {
        summary: 'Just after a start',
        when: 'loading',
        request: { method: 'GET', path: root },
        body: taxiiErrorOf(503, 'Service Unavailable', 'The data is still being loaded.'),
      },
    },
  ),
} as const satisfies Answer

/** 500. */
export const taxiiFailed = {
  id: 'TaxiiInternalServerError',
  ...refusal('Something went wrong inside; the operator can find it in the log.', limitHeaders, {
    failed: {
      summary: 'An error that nobody expected',
      when: 'failing',
      request: { method: 'GET', path: `${root}/collections/campaigns/objects` },
      body: taxiiErrorOf(
        500,
        'Internal Server Error',
        'Something went wrong inside weir. The operator can find it in the log.',
      ),
    },
  }),
} as const satisfies Answer

/** What every TAXII path may answer beside what it is for. */
export const taxiiRefusals = {
  405: otherMethod,
  406: notAcceptable,
  429: limitUsedUp,
  503: notNow,
} as const
