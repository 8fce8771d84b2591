/** GET /api/rss/:feed (specification §4): the four feeds as RSS 2.0. */

import { Type } from '@sinclair/typebox'
import { type FeedName, feedNames } from '../../model/audience.ts'
import type { RssFeeds, WrittenFeed } from '../../publish/rss/rss.ts'
import { headersWith } from '../answer.ts'
import { cacheHeaders, createValidators, isNotModified } from '../conditional.ts'
import { feedExamples, unknownFeedExamples } from '../contract/examples/rss.ts'
import {
  cachedHeaders,
  conditionalHeaders,
  contentEncoding,
  limitHeaders,
  noStore,
} from '../contract/headers.ts'
import { refusal, refusals, unchanged } from '../contract/problems.ts'
import { oneOf, saying } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { PreparedBody } from '../prepared-body.ts'

/** Short compared with the 15 minutes that a feed asks its readers to wait. */
const keptSeconds = 60

const feedHeaders = [...cachedHeaders(keptSeconds), ...limitHeaders] as const

interface RssServices {
  readonly feeds: Pick<RssFeeds, 'read'>
  readonly publicUrl: string
  now(): number
}

export const rss = endpoint({
  id: 'readFeed',
  method: 'get',
  path: '/api/rss/:feed',
  tag: 'News and reports',
  summary: 'The newest items for one audience, as RSS 2.0',
  description:
    '`professional`: high-threat listings, newly imitated brands, security news. `elder`: scams that target ' +
    'older people and news about them, in plain words. `general`: fake pages of well-known brands, accepted ' +
    'reports, consumer news. `blacklist`: newly listed domains. Each has its 50 newest items. URLs in ' +
    'them are defanged text, never links. The four feeds share one limit.',
  policy: 'RSS',
  limitsBelow: '/api/rss',
  pathParameters: Type.Object({
    feed: saying(
      `There is no such feed; there are ${feedNames.join(', ')}.`,
      oneOf(feedNames, { description: 'Which feed.', examples: feedNames }),
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
    304: unchanged(feedHeaders, { path: '/api/rss/elder', headers: { 'if-none-match': '*' } }),
    404: refusal('There is no such feed.', [noStore, ...limitHeaders], unknownFeedExamples),
    ...refusals,
  },
  handler: ({ feeds, publicUrl, now }: RssServices) => {
    /** The body that was sent last, with the codings that were asked for. */
    const bodies = new Map<FeedName, { readonly feed: WrittenFeed; readonly body: PreparedBody }>()

    const bodyFor = (name: FeedName, feed: WrittenFeed): PreparedBody => {
      const known = bodies.get(name)
      if (known?.feed.digest === feed.digest) return known.body
      const body = new PreparedBody(feed.xml)
      bodies.set(name, { feed, body })
      return body
    }

    return async ({ request, path: { feed: name } }) => {
      const at = now()
      const feed = await feeds.read(name, publicUrl, at)
      const validators = createValidators([name, feed.digest], feed.changedAt, at)
      const headers = headersWith(cacheHeaders(keptSeconds, validators))
      if (isNotModified(request.headers, validators)) {
        return new Response(null, { status: 304, headers })
      }
      headers.set('content-type', 'application/rss+xml; charset=utf-8')
      return bodyFor(name, feed).answer(request, headers)
    }
  },
})
