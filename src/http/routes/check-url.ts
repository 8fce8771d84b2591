/**
 * GET /api/check-url (specification §4): one URL or bare domain, looked up and never fetched.
 */

import { Elysia } from 'elysia'
import type { UrlAnswer, UrlChecker } from '../../checks/url.ts'
import { urlRefusalMessages } from '../../model/url.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { timeText } from '../../publish/wire.ts'
import { uncachedAnswer } from '../answer.ts'
import { badRequest } from '../problem.ts'
import { readQuery } from '../query.ts'

export const checkUrlPath = '/api/check-url'

/** The query parameters that are read. */
export const checkUrlParameters = ['url'] as const

/** Returns the answer as it goes out (§4: `sharedInfrastructure` and `note` for a platform). */
export function presentUrlAnswer({ query, url, domain, verdict, updatedAt }: UrlAnswer): object {
  const { status, confidence, score, reasons, match, note } = verdict
  return {
    query,
    url,
    domain,
    status,
    confidence,
    score,
    reasons,
    match: match === null ? null : iocRecord(match),
    updated: timeText(updatedAt),
    ...(note === null ? undefined : { sharedInfrastructure: true, note }),
  }
}

/** The route; GET and HEAD. */
export function checkUrlRoute({ urls }: { readonly urls: UrlChecker }) {
  const check = ({ request }: { readonly request: Request }): Response => {
    const { values, errors } = readQuery(request.url, checkUrlParameters)
    const [url = ''] = values
    if (errors.length > 0) return badRequest(errors)
    if (url === '') return badRequest([{ field: 'url', message: 'Give a URL or a bare domain.' }])
    const answer = urls.check(url)
    if (answer.ok) return uncachedAnswer(presentUrlAnswer(answer.value))
    return badRequest([{ field: 'url', message: urlRefusalMessages[answer.reason] }])
  }
  // Elysia awaits a handler whose source calls a function; a bound one shows none, and a check is
  // answered at once.
  return new Elysia({ name: 'route.check-url', normalize: false })
    .get(checkUrlPath, check.bind(null))
    .head(checkUrlPath, check.bind(null))
}
