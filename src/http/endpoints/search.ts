/**
 * GET /api/search (specification §4): addresses, news and reports that contain what was typed.
 *
 * A query is text, whatever characters it contains; only a query that is missing or far too long is refused.
 */

import { Type } from '@sinclair/typebox'
import { threatLevels } from '../../model/indicator.ts'
import { searchCategories } from '../../search/query.ts'
import type { SearchThread } from '../../search/search.ts'
import { ThreadError } from '../../threads/thread-error.ts'
import { headersWith } from '../answer.ts'
import { searchExamples, wrongSearchExamples } from '../contract/examples/search.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { refusals, wrongRequest } from '../contract/problems.ts'
import { time } from '../contract/records.ts'
import {
  count,
  notBlank,
  oneOf,
  orNull,
  pageSize,
  saying,
  withDefault,
} from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { unavailable } from '../problem.ts'

const limitMax = 50
/** One query is answered after the other, each within milliseconds. */
const inFlightMax = 64
const retrySeconds = 60

const searchResult = Type.Object(
  {
    type: oneOf(['url', 'news', 'scam'], {
      description:
        '`url`: a listed address. `news`: an article. `scam`: a report that was accepted.',
    }),
    id: Type.String({ description: 'Identifies the result; stable.' }),
    title: Type.String({ description: 'URLs in it are defanged.' }),
    url: orNull(Type.String(), {
      description:
        'The listed URL itself: never make it a link where `defanged` is not null. For news, the address of the article.',
    }),
    defanged: orNull(Type.String(), {
      description: 'The URL as it may be shown; null: there is none, or `url` may be opened.',
    }),
    summary: Type.String({ description: 'Plain text, with URLs defanged.' }),
    threat_level: orNull(oneOf(threatLevels)),
    target_brand: orNull(Type.String(), { description: 'The brand that it imitates.' }),
    published_at: time,
  },
  { $id: 'SearchResult' },
)

export const searchAnswer = Type.Object(
  {
    query: Type.String({ description: 'The query as it was sent.' }),
    category: oneOf(searchCategories),
    page: Type.Integer({ minimum: 1 }),
    limit: Type.Integer({
      minimum: 1,
      maximum: limitMax,
      description: 'The limit that was applied.',
    }),
    total: count('The number of matches in this category.'),
    counts: Type.Object({
      urls: count('Addresses that match.'),
      news: count('Articles that match.'),
      scams: count('Reports that match.'),
    }),
    results: Type.Array(searchResult, { description: 'Best match first.' }),
  },
  { $id: 'SearchAnswer' },
)

const answerHeaders = headersWith({
  'content-type': 'application/json',
  'cache-control': 'no-store',
})

export const search = endpoint({
  id: 'search',
  method: 'get',
  path: '/api/search',
  tag: 'News and reports',
  summary: 'Search addresses, news and reports',
  description:
    'Finds published addresses by any part of three or more characters, and by the beginning of a label for ' +
    'fewer; news and accepted reports by their words, regardless of endings. All words of the query must match. ' +
    'The query is text: no character has a special meaning. Addresses that equal the query, or begin with it, ' +
    'come first, then reports, news, and the other addresses, the newest listing first. What was listed ' +
    'seconds ago may be missing; `/ready` reports the lag (`searchLag`).',
  policy: 'SEARCH',
  costly: { class: 'search', inFlightMax },
  query: Type.Object({
    q: saying(
      { long: 'Give at most {maxLength} characters.', other: 'Give what to search for.' },
      Type.String({
        description: 'What to look for; an address may be defanged.',
        pattern: notBlank,
        maxLength: 2048,
        examples: ['paypal login'],
      }),
    ),
    category: withDefault('all', oneOf(searchCategories, { description: 'What to search in.' })),
    page: withDefault(1, Type.Integer({ description: 'From 1 on.', minimum: 1 })),
    limit: pageSize(20, limitMax, 'Results in a page.'),
  }),
  answers: {
    200: {
      description: 'A page of results.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': searchAnswer },
      examples: searchExamples,
    },
    400: wrongRequest(wrongSearchExamples),
    ...refusals,
  },
  handler:
    ({ search: thread }: { readonly search: Pick<SearchThread, 'ask'> }) =>
    async ({ query: { q: text, category, page, limit } }) => {
      try {
        const json = await thread.ask({ text, category, page, limit })
        return new Response(json, { headers: answerHeaders })
      } catch (error) {
        if (!(error instanceof ThreadError)) throw error
        return unavailable(
          'Search is temporarily unavailable; try again in a minute.',
          retrySeconds,
        )
      }
    },
})
