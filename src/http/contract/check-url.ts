/** The contract of GET /api/check-url. */

import { Type } from '@sinclair/typebox'
import { verdictExamples, wrongCheckExamples } from './examples/check-url.ts'
import { limitHeaders, noStore } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals, wrongRequest } from './problems.ts'
import { confidence, match, reason, time, verdictStatus } from './records.ts'

export const urlVerdict = Type.Object(
  {
    query: Type.String({ description: 'What was asked, as it came.' }),
    url: Type.String({ description: 'The URL as weir reads it.' }),
    domain: Type.String({ description: 'Its host: a name in A-labels, or an address.' }),
    status: verdictStatus,
    confidence,
    score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'How much an address that is not listed looks like an imitation; 0 for one that is listed or allowed.',
    }),
    reasons: Type.Array(reason, { minItems: 1 }),
    match,
    updated: time,
    sharedInfrastructure: Type.Optional(
      Type.Literal(true, { description: 'The host is, or stands on, a shared platform.' }),
    ),
    note: Type.Optional(Type.String({ description: 'What to keep in mind about that platform.' })),
  },
  { $id: 'UrlVerdict', description: 'The answer about one URL or name.' },
)

export const checkUrl = {
  id: 'checkUrl',
  method: 'get',
  path: '/api/check-url',
  tag: 'Checks',
  summary: 'Check a URL or a domain',
  description:
    'Looks one URL or bare domain up. It is read as a browser would: any case, Unicode or punycode, ' +
    'ports, user names and escapes, and also defanged (`hxxps://evil[.]example`). It is never fetched, ' +
    'logged or stored. An address that is not listed answers 200 with `not_found`, which does not make ' +
    'it safe. `found.weir.test`, `suspicious.weir.test`, `shared.weir.test` and `clean.weir.test` always ' +
    'answer with that verdict, so that a client can prove its wiring.',
  policy: 'CHECK_URL',
  query: Type.Object({
    url: Type.String({
      description:
        'The URL or domain, at most 8,192 bytes, percent-encoded: a bare `&` would end it.',
      minLength: 1,
      maxLength: 8192,
      examples: ['hxxps://login.paypa1-account[.]example/confirm'],
    }),
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
} as const satisfies Operation
