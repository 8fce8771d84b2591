/**
 * POST /api/v1/check/bulk (specification §4): up to 500 indicators in one call, from local data.
 *
 * A body that is not plainly such a request is refused and never read as an empty one, whose answer
 * would look like a clean one.
 */

import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia, type Static, t } from 'elysia'
import {
  type BulkAnswer,
  type BulkChecker,
  type BulkItem,
  bulkItemsMax,
} from '../../checks/bulk.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { timeText } from '../../publish/wire.ts'
import { uncachedAnswer } from '../answer.ts'
import { readJsonBody } from '../json-body.ts'
import { badRequest, type FieldError } from '../problem.ts'

export const bulkPath = '/api/v1/check/bulk'

/** 500 URLs of 8 KiB are 4 MiB; the rest is for escapes. */
export const bulkBodyBytesMax = 5 * 1024 * 1024

const listOfTexts = t.Optional(t.Array(t.String()))

const bulkBody = t.Object(
  { urls: listOfTexts, domains: listOfTexts, hashes: listOfTexts },
  { additionalProperties: false },
)

const bulkBodyCheck = TypeCompiler.Compile(bulkBody)

function tooManyItems(lists: Readonly<Static<typeof bulkBody>>): FieldError[] {
  const counted = Object.entries(lists).filter(([, list]) => list.length > 0)
  const total = counted.reduce((sum, [, list]) => sum + list.length, 0)
  if (total <= bulkItemsMax) return []
  const message = `Send at most ${bulkItemsMax} items over all lists together, not ${total}.`
  return counted.map(([field]) => ({ field, message }))
}

function presentItem(item: BulkItem): object {
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

/** The route. */
export function bulkRoute({ bulk }: { readonly bulk: BulkChecker }) {
  const check = async (request: Request): Promise<Response> => {
    const body = await readJsonBody(request, bulkBodyBytesMax, bulkBodyCheck)
    if (!body.ok) return body.refusal
    const errors = tooManyItems(body.value)
    if (errors.length > 0) return badRequest(errors)
    const { urls = [], domains = [], hashes = [] } = body.value
    return uncachedAnswer(present(bulk.check({ urls, domains, hashes })))
  }
  return new Elysia({ name: 'route.bulk', normalize: false }).post(
    bulkPath,
    ({ request }) => check(request),
    { parse: 'none' },
  )
}
