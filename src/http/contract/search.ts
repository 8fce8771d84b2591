/** The contract of GET /api/search. */

import { Type } from '@sinclair/typebox'
import { threatLevels } from '../../model/indicator.ts'
import { searchCategories } from '../../publish/search-query.ts'
import { searchExamples, wrongSearchExamples } from './examples/search.ts'
import { limitHeaders, noStore } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals, wrongRequest } from './problems.ts'
import { count, oneOf, orNull, time } from './records.ts'

const searchResult = Type.Object(
  {
    type: oneOf(['url', 'news', 'scam'], {
      description:
        '`url`: a listed address. `news`: an article. `scam`: a report that was accepted.',
    }),
    id: Type.String({ description: 'Names it among all results, and stays.' }),
    title: Type.String({ description: 'Addresses in it are defanged.' }),
    url: orNull(Type.String(), {
      description:
        'The listed address itself: never make a link of it where `defanged` is not null. Of news, where to read it.',
    }),
    defanged: orNull(Type.String(), {
      description: 'The address as it may be shown; null: there is none, or `url` may be opened.',
    }),
    summary: Type.String({ description: 'Plain text, with addresses defanged.' }),
    threat_level: orNull(oneOf(threatLevels)),
    target_brand: orNull(Type.String(), { description: 'Whom it imitates.' }),
    published_at: time,
  },
  { $id: 'SearchResult' },
)

export const searchAnswer = Type.Object(
  {
    query: Type.String({ description: 'As it was asked.' }),
    category: oneOf(searchCategories),
    page: Type.Integer({ minimum: 1 }),
    limit: Type.Integer({ minimum: 1, maximum: 50, description: 'The limit that was applied.' }),
    total: count('How many match in this category.'),
    counts: Type.Object({
      urls: count('Addresses that match.'),
      news: count('Articles that match.'),
      scams: count('Reports that match.'),
    }),
    results: Type.Array(searchResult, { description: 'Best match first.' }),
  },
  { $id: 'SearchAnswer' },
)

export const search = {
  id: 'search',
  method: 'get',
  path: '/api/search',
  tag: 'News and reports',
  summary: 'Search addresses, news and reports',
  description:
    'Finds published addresses by any part of three characters or more, and by how their labels begin for ' +
    'less; news and accepted reports by their words, whatever the ending. All words of the query must be there. ' +
    'It is text: no character in it has a meaning of its own. Addresses that are the query, or begin with it, ' +
    'come first, then reports, news, and the other addresses, the newest listing first. What was listed ' +
    'seconds ago may be missing; `/ready` says by how much (`searchLag`).',
  policy: 'SEARCH',
  query: Type.Object({
    q: Type.String({
      description: 'What to look for; an address may be defanged.',
      minLength: 1,
      maxLength: 2048,
      examples: ['paypal login'],
    }),
    category: Type.Optional(
      oneOf(searchCategories, { description: 'What to look among.', default: 'all' }),
    ),
    page: Type.Optional(Type.Integer({ description: 'From 1 on.', default: 1, minimum: 1 })),
    limit: Type.Optional(
      Type.Integer({
        description: 'Results in a page. A greater number counts as 50.',
        default: 20,
        minimum: 1,
        maximum: 50,
      }),
    ),
  }),
  answers: {
    200: {
      description: 'A page of what was found.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': searchAnswer },
      examples: searchExamples,
    },
    400: wrongRequest(wrongSearchExamples),
    ...refusals,
  },
} as const satisfies Operation
