/** The contract of GET /api/rss/:feed. */

import { Type } from '@sinclair/typebox'
import { feedNames } from '../../model/audience.ts'
import { feedExamples, unchangedFeedExamples, unknownFeedExamples } from './examples/rss.ts'
import {
  conditionalHeaders,
  contentEncoding,
  etag,
  keptFor,
  lastModified,
  limitHeaders,
  noStore,
  varyByCoding,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { refusal, refusals } from './problems.ts'

const feedHeaders = [keptFor(60), varyByCoding, etag, lastModified, ...limitHeaders] as const

export const rss = {
  id: 'readFeed',
  method: 'get',
  path: '/api/rss/:feed',
  tag: 'News and reports',
  summary: 'The newest of what concerns some readers, as RSS 2.0',
  description:
    '`professional`: high-threat listings, brands that are newly imitated, security news. `elder`: scams and ' +
    'news that aim at older people, in plain words. `general`: fake pages of well-known brands, accepted ' +
    'reports, consumer news. `blacklist`: newly listed domains. Each has its 50 newest items. Addresses in ' +
    'them are defanged text, and never a link. The four have one limit together.',
  policy: 'RSS',
  pathParameters: Type.Object({
    feed: Type.Union(
      feedNames.map((name) => Type.Literal(name)),
      { description: 'Which feed.', examples: [...feedNames] },
    ),
  }),
  requestHeaders: conditionalHeaders,
  answers: {
    200: {
      description: 'The feed.',
      headers: [...feedHeaders, contentEncoding],
      content: { 'application/rss+xml; charset=utf-8': Type.String() },
      examples: feedExamples,
    },
    304: {
      description: 'The feed that the client holds is still good.',
      headers: feedHeaders,
      content: {},
      examples: unchangedFeedExamples,
    },
    404: refusal('There is no such feed.', [noStore, ...limitHeaders], unknownFeedExamples),
    ...refusals,
  },
} as const satisfies Operation
