/** The contract of POST /api/v1/check/bulk. */

import { Type } from '@sinclair/typebox'
import {
  bulkExamples,
  longBulkExamples,
  otherTypeExamples,
  readBulkExamples,
  wrongBulkExamples,
} from './examples/bulk.ts'
import { allow, limitHeaders, noStore } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusal, refusals, wrongRequest } from './problems.ts'
import { confidence, count, match, time, verdictStatus } from './records.ts'

const bulkBody = Type.Object(
  {
    urls: Type.Optional(Type.Array(Type.String(), { maxItems: 500 })),
    domains: Type.Optional(Type.Array(Type.String(), { maxItems: 500 })),
    hashes: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 500,
        description: 'SHA-256, SHA-1 and MD5 mixed, in hex of any case; the length tells which.',
      }),
    ),
  },
  {
    $id: 'BulkRequest',
    additionalProperties: false,
    description: 'What to look up: at most 500 items over the three lists together.',
  },
)

export const bulkItem = Type.Union(
  [
    Type.Object({
      value: Type.String({ description: 'The item as it came.' }),
      status: verdictStatus,
      confidence,
      match,
    }),
    Type.Object({
      value: Type.String({ description: 'The item as it came.' }),
      status: Type.Literal('invalid'),
      error: Type.String({
        description: 'Why it cannot be read; the rest is answered all the same.',
      }),
    }),
  ],
  { $id: 'BulkItem' },
)

export const bulkVerdicts = Type.Object(
  {
    total: count('How many items were asked for.'),
    counts: Type.Object({
      found: count('Items with this status.'),
      suspicious: count('Items with this status.'),
      shared_infrastructure: count('Items with this status.'),
      not_found: count('Items with this status.'),
      invalid: count('Items that cannot be read.'),
    }),
    urls: Type.Array(bulkItem, {
      description: 'In the order and length of the list in the request.',
    }),
    domains: Type.Array(bulkItem),
    hashes: Type.Array(bulkItem),
    updated: time,
  },
  { $id: 'BulkVerdicts', description: 'One answer for each item, each in its place.' },
)

export const checkBulk = {
  id: 'checkBulk',
  method: 'post',
  path: '/api/v1/check/bulk',
  tag: 'Checks',
  summary: 'Check up to 500 URLs, domains and digests',
  description:
    'Looks many indicators up in one call, from local data only. Every item gets its answer in its ' +
    'place; one that cannot be read is `invalid`, and the rest is answered all the same. URLs and names ' +
    'get the same status as from `/api/check-url`, and may stand in either list.',
  policy: 'BULK',
  body: bulkBody,
  answers: {
    200: {
      description: 'The verdicts.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': bulkVerdicts },
      examples: bulkExamples,
    },
    400: wrongRequest(wrongBulkExamples),
    ...refusals,
    405: refusal(
      'The path answers POST alone.',
      [noStore, allow, ...limitHeaders],
      readBulkExamples,
    ),
    413: refusal('The body is longer than 5 MiB.', [noStore, ...limitHeaders], longBulkExamples),
    415: refusal(
      'The body is not called `application/json`, or has a `Content-Encoding`.',
      [noStore, ...limitHeaders],
      otherTypeExamples,
    ),
  },
} as const satisfies Operation
