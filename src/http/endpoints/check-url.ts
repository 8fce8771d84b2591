/**
 * GET /api/check-url (specification §4): one URL or bare domain, looked up and never fetched.
 */

import { Type } from '@sinclair/typebox'
import type { UrlAnswer, UrlChecker } from '../../checks/url.ts'
import { urlBytesMax, urlRefusalMessages } from '../../model/url.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { timeText } from '../../publish/wire.ts'
import { uncachedAnswer } from '../answer.ts'
import { verdictExamples, wrongCheckExamples } from '../contract/examples/check-url.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { refusals, wrongRequest } from '../contract/problems.ts'
import { confidence, match, reason, time, verdictStatus } from '../contract/records.ts'
import { saying } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { badRequest } from '../problem.ts'

export const urlVerdict = Type.Object(
  {
    query: Type.String({ description: 'The query as it was sent.' }),
    url: Type.String({ description: 'The canonical URL.' }),
    domain: Type.String({ description: 'Its host: a name in A-labels, or an address.' }),
    status: verdictStatus,
    confidence,
    score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'The look-alike score of a URL that is not listed; 0 for one that is listed or allowed.',
    }),
    reasons: Type.Array(reason, { minItems: 1 }),
    match,
    updated: time,
    sharedInfrastructure: Type.Optional(
      Type.Literal(true, { description: 'The host is a shared platform, or on one.' }),
    ),
    note: Type.Optional(Type.String({ description: 'A note about that platform.' })),
  },
  { $id: 'UrlVerdict', description: 'The answer about one URL or name.' },
)

/** Returns the answer as JSON (§4: `sharedInfrastructure` and `note` for a platform). */
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

export const checkUrl = endpoint({
  id: 'checkUrl',
  method: 'get',
  path: '/api/check-url',
  tag: 'Checks',
  summary: 'Check a URL or a domain',
  description:
    'Looks up one URL or bare domain. It is read as a browser would read it: any case, Unicode or punycode, ' +
    'ports, user names and escapes, and also defanged (`hxxps://evil[.]example`). It is never fetched, ' +
    'logged or stored. A URL that is not listed answers 200 with `not_found`, which does not mean that ' +
    'it is safe. `found.weir.test`, `suspicious.weir.test`, `shared.weir.test` and `clean.weir.test` always ' +
    'answer with that verdict, for testing a client.',
  policy: 'CHECK_URL',
  query: Type.Object({
    url: saying(
      { short: 'Give a URL or a bare domain.', long: urlRefusalMessages.too_long },
      Type.String({
        description:
          'The URL or domain, at most 8,192 bytes, percent-encoded: a bare `&` would end it.',
        minLength: 1,
        maxLength: urlBytesMax,
        examples: ['hxxps://login.paypa1-account[.]example/confirm'],
      }),
    ),
  }),
  answers: {
    200: {
      description: 'The verdict.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': urlVerdict },
      examples: verdictExamples,
    },
    400: wrongRequest(wrongCheckExamples),
    ...refusals,
  },
  handler:
    ({ urls }: { readonly urls: UrlChecker }) =>
    ({ query }) => {
      const answer = urls.check(query.url)
      if (answer.ok) return uncachedAnswer(presentUrlAnswer(answer.value))
      return badRequest([{ field: 'url', message: urlRefusalMessages[answer.reason] }])
    },
})
