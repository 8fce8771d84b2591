/** GET /api/rss/:feed (specification §4): the four feeds as RSS 2.0. */

import { Elysia, t } from 'elysia'
import { type FeedName, feedNames, isFeedName } from '../../model/audience.ts'
import type { FeedReader, WrittenFeed } from '../../publish/rss.ts'
import { headersWith } from '../answer.ts'
import { cacheHeaders, isNotModified, validatorsOf } from '../conditional.ts'
import { PreparedBody } from '../prepared-body.ts'
import { problem } from '../problem.ts'

export const rssPath = '/api/rss/:feed'

/** The path below which all feeds lie. */
export const rssPrefix = '/api/rss'

/** Short against the 15 minutes that a feed asks its readers to wait. */
const cacheControl = 'public, max-age=60'

export interface RssServices {
  readonly feeds: Pick<FeedReader, 'read'>
  readonly publicUrl: string
  now(): number
}

/** The route; GET and HEAD. */
export function rssRoute({ feeds, publicUrl, now }: RssServices) {
  /** What was sent last, compressed as far as somebody has asked for it. */
  const bodies = new Map<FeedName, { readonly feed: WrittenFeed; readonly body: PreparedBody }>()

  const bodyOf = (name: FeedName, feed: WrittenFeed): PreparedBody => {
    const known = bodies.get(name)
    if (known?.feed.digest === feed.digest) return known.body
    const body = new PreparedBody(feed.xml)
    bodies.set(name, { feed, body })
    return body
  }

  const answer = async (request: Request, name: string): Promise<Response> => {
    if (!isFeedName(name)) {
      return problem(404, `There is no such feed; there are ${feedNames.join(', ')}.`)
    }
    const at = now()
    const feed = await feeds.read(name, publicUrl, at)
    const validators = validatorsOf([name, feed.digest], feed.changedAt, at)
    const headers = headersWith(cacheHeaders(cacheControl, validators))
    if (isNotModified(request.headers, validators)) {
      return new Response(null, { status: 304, headers })
    }
    headers.set('content-type', 'application/rss+xml; charset=utf-8')
    return bodyOf(name, feed).answer(request, headers)
  }

  // An undecodable name is none, and not a failure of Elysia's.
  const options = { params: t.Object({ feed: t.Any() }) }
  return new Elysia({ name: 'route.rss', normalize: false })
    .get(rssPath, ({ request, params }) => answer(request, String(params.feed)), options)
    .head(rssPath, ({ request, params }) => answer(request, String(params.feed)), options)
}
