/**
 * GET /api/search (specification §4): addresses, news and reports that hold what somebody has typed.
 *
 * A query is text, whatever characters it holds; only a query that is missing or far too long is refused.
 */

import { Elysia } from 'elysia'
import type { SearchThread } from '../../publish/search.ts'
import { type SearchCategory, searchCategories } from '../../publish/search-query.ts'
import { ThreadError } from '../../threads/thread-error.ts'
import { headersWith } from '../answer.ts'
import { badRequest, type FieldError, unavailable } from '../problem.ts'
import { parseDigits, readQuery } from '../query.ts'

export const searchPath = '/api/search'

const limitDefault = 20
const limitMax = 50
/** Long enough for an address that somebody has copied. */
const textLengthMax = 2_048
const retrySeconds = 2

export interface SearchServices {
  readonly search: Pick<SearchThread, 'ask'>
}

/** The query parameters that are read. */
export const searchParameters = ['q', 'category', 'page', 'limit'] as const

const isCategory = (text: string): text is SearchCategory =>
  searchCategories.some((category) => category === text)

/** Answers are about this moment. */
const answerHeaders = headersWith({
  'content-type': 'application/json',
  'cache-control': 'no-store',
})

/** The route; GET and HEAD. */
export function searchRoute({ search }: SearchServices) {
  const answer = async (request: Request): Promise<Response> => {
    const { values, errors: queryErrors } = readQuery(request.url, searchParameters)
    const [text = '', category = 'all', pageText = '1', limitText] = values
    const errors: FieldError[] = [...queryErrors]
    const refuse = (field: string, message: string): void => {
      errors.push({ field, message })
    }
    if (text.trim() === '' && errors.every(({ field }) => field !== 'q')) {
      refuse('q', 'Give what to search for.')
    }
    if (text.length > textLengthMax) refuse('q', `Give at most ${textLengthMax} characters.`)
    if (!isCategory(category)) {
      refuse('category', `Choose one of ${searchCategories.join(', ')}.`)
    }
    const page = parseDigits(pageText)
    if (page === null || page < 1) refuse('page', 'Give a whole number from 1 up.')
    const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
    if (limit === null || limit < 1) refuse('limit', `Give a whole number from 1 to ${limitMax}.`)
    if (errors.length > 0 || !isCategory(category)) return badRequest(errors)
    try {
      const json = await search.ask({
        text,
        category,
        page: Math.min(page ?? 1, Number.MAX_SAFE_INTEGER),
        limit: Math.min(limit ?? limitDefault, limitMax),
      })
      return new Response(json, { headers: answerHeaders })
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error
      return unavailable('Nothing can be searched at the moment.', retrySeconds)
    }
  }

  return new Elysia({ name: 'route.search', normalize: false })
    .get(searchPath, ({ request }) => answer(request))
    .head(searchPath, ({ request }) => answer(request))
}
