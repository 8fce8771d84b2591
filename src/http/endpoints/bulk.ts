/**
 * POST /api/v1/check/bulk (specification §4): up to 500 indicators in one call, from local data.
 *
 * A body that is not such a request is refused and never read as an empty one, whose answer would look like a clean
 * one.
 */

import { type Static, Type } from '@sinclair/typebox'
import {
  type BulkAnswer,
  type BulkChecker,
  type BulkItemAnswer,
  bulkItemsMax,
} from '../../checks/bulk.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { timeText } from '../../publish/wire.ts'
import { uncachedAnswer } from '../answer.ts'
import { bulkExamples, wrongBulkExamples } from '../contract/examples/bulk.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { bodyRefusals, refusals, wrongRequest } from '../contract/problems.ts'
import { confidence, match, time, verdictStatus } from '../contract/records.ts'
import { count, saying } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import type { FieldError } from '../problem.ts'

const path = '/api/v1/check/bulk'

/** 500 URLs of 8 KiB are 4 MiB; the rest is for escapes. */
const bodyBytesMax = 5 * 1024 * 1024
/** Bodies of 5 MiB are held in memory while they arrive. */
const inFlightMax = 32

const itemList = (description?: string) =>
  Type.Optional(
    saying(
      'Send at most {maxItems} items in a list, not {length}.',
      Type.Array(Type.String(), {
        maxItems: bulkItemsMax,
        ...(description === undefined ? {} : { description }),
      }),
    ),
  )

const bulkBody = Type.Object(
  {
    urls: itemList(),
    domains: itemList(),
    hashes: itemList(
      'SHA-256, SHA-1 and MD5 mixed, in hex of any case; the length determines which.',
    ),
  },
  {
    $id: 'BulkRequest',
    additionalProperties: false,
    description: 'The items to look up: at most 500 in the three lists together.',
  },
)

export const bulkItem = Type.Union(
  [
    Type.Object({
      value: Type.String({ description: 'The item as it was sent.' }),
      status: verdictStatus,
      confidence,
      match,
    }),
    Type.Object({
      value: Type.String({ description: 'The item as it was sent.' }),
      status: Type.Literal('invalid'),
      error: Type.String({
        description: 'Why it cannot be read; the other items are answered.',
      }),
    }),
  ],
  { $id: 'BulkItem' },
)

export const bulkVerdicts = Type.Object(
  {
    total: count('The number of items sent.'),
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
  { $id: 'BulkVerdicts', description: 'One answer for each item, in the same position.' },
)

function tooManyItems(lists: Readonly<Static<typeof bulkBody>>): FieldError[] {
  const counted = Object.entries(lists).filter(([, list]) => list.length > 0)
  const total = counted.reduce((sum, [, list]) => sum + list.length, 0)
  if (total <= bulkItemsMax) return []
  const message = `Send at most ${bulkItemsMax} items over all lists together, not ${total}.`
  return counted.map(([field]) => ({ field, message }))
}

function presentItem(item: BulkItemAnswer): object {
  if ('error' in item) return { value: item.value, status: 'invalid', error: item.error }
  const { status, confidence, match } = item.verdict
  return {
    value: item.value,
    status,
    confidence,
    match: match === null ? null : iocRecord(match),
  }
}

function present({ counts, urls, domains, hashes, updatedAt }: BulkAnswer): object {
  return {
    total: urls.length + domains.length + hashes.length,
    counts,
    urls: urls.map(presentItem),
    domains: domains.map(presentItem),
    hashes: hashes.map(presentItem),
    updated: timeText(updatedAt),
  }
}

export const checkBulk = endpoint({
  id: 'checkBulk',
  method: 'post',
  path,
  tag: 'Checks',
  summary: 'Check up to 500 URLs, domains and digests',
  description:
    'Looks up many indicators in one call, from local data only. Each answer has the position of its item; ' +
    'an item that cannot be read is `invalid`, and the others are answered. URLs and names ' +
    'get the same status as from `/api/check-url`, and may be sent in either list.',
  policy: 'BULK',
  costly: { class: 'bulk', inFlightMax },
  body: bulkBody,
  bodyBytesMax,
  rules: tooManyItems,
  answers: {
    200: {
      description: 'The verdicts.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': bulkVerdicts },
      examples: bulkExamples,
    },
    400: wrongRequest(wrongBulkExamples),
    ...refusals,
    ...bodyRefusals(path, bodyBytesMax),
  },
  handler:
    ({ bulk }: { readonly bulk: BulkChecker }) =>
    ({ body: { urls = [], domains = [], hashes = [] } }) =>
      uncachedAnswer(present(bulk.check({ urls, domains, hashes }))),
})
