/** The refusals of TAXII endpoints: error messages (TAXII 2.1 §3.6.1), and what all endpoints share. */

import { Type } from '@sinclair/typebox'
import { taxiiMediaType } from '../../publish/stix/taxii.ts'
import type { AnswerDescription, Example, HeaderDescription } from '../contract/description.ts'
import { allow, limitHeaders, noStore, retryAfter, varyByAccept } from '../contract/headers.ts'

export const taxiiErrorMessage = Type.Object(
  {
    title: Type.String(),
    description: Type.String({ description: 'What is wrong, in a sentence.' }),
    http_status: Type.String({ pattern: '^[45][0-9]{2}$', description: 'The status, as a text.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Every wrong parameter at once, by name.',
      }),
    ),
  },
  {
    $id: 'TaxiiError',
    description: 'The format of every refusal of a TAXII endpoint.',
  },
)

const content = { [taxiiMediaType]: taxiiErrorMessage } as const

type Examples = Readonly<Record<string, Example>>

/** Returns a refusal with its own headers and those that all refusals have. */
const refusal = <const Own extends Examples>(
  description: string,
  headers: readonly HeaderDescription[],
  examples: Own,
) => ({ description, headers: [noStore, varyByAccept, ...headers], content, examples })

/** Returns a refusal that one endpoint has. */
export const taxiiRefusal = <const Own extends Examples>(description: string, examples: Own) =>
  refusal(description, limitHeaders, examples)

const otherMethodText =
  'The path does not accept this method; `Allow` names the methods that it accepts.'

/** 405 of a path whose methods differ from those of the others. */
export const otherTaxiiMethod = <const Own extends Examples>(examples: Own) =>
  refusal(otherMethodText, [allow, ...limitHeaders], examples)

const root = '/api/taxii/2.1'

/** 404, and any other refusal. */
export const unknownTaxiiPath = {
  id: 'TaxiiNotFound',
  ...refusal(
    'Any other refusal has this format too: 404 of an unknown path for one.',
    limitHeaders,
    {
      unknown_path: {
        summary: 'An unknown path',
        request: { method: 'GET', path: `${root}/nothing` },
      },
    },
  ),
} as const satisfies AnswerDescription

const otherMethod = {
  id: 'TaxiiMethodNotAllowed',
  ...otherTaxiiMethod({
    other_method: {
      summary: 'A method that the path does not accept',
      request: { method: 'PUT', path: root },
    },
  }),
} as const satisfies AnswerDescription

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
    },
  }),
} as const satisfies AnswerDescription

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
      },
    },
  ),
} as const satisfies AnswerDescription

const notNow = {
  id: 'TaxiiServiceUnavailable',
  ...refusal(
    'Temporarily unavailable: the data is still being loaded, or too many calls are in flight.',
    [retryAfter],
    {
      loading: {
        summary: 'Just after a start',
        when: 'loading',
        request: { method: 'GET', path: root },
      },
    },
  ),
} as const satisfies AnswerDescription

/** 500. */
export const taxiiFailed = {
  id: 'TaxiiInternalServerError',
  ...refusal(
    'Something went wrong inside weir; the operator can find it in the log.',
    limitHeaders,
    {
      failed: {
        summary: 'An unexpected error',
        when: 'failing',
        request: { method: 'GET', path: `${root}/collections/campaigns/objects` },
      },
    },
  ),
} as const satisfies AnswerDescription

/** The refusals of every TAXII endpoint. */
export const taxiiRefusalAnswers = {
  405: otherMethod,
  406: notAcceptable,
  429: limitUsedUp,
  503: notNow,
} as const
