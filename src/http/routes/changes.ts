/** GET /api/v1/blacklist/changes: the delta feed of the block list. */

import { Elysia } from 'elysia'
import { beginning, type ChangesReader } from '../../publish/changes.ts'
import { headersWith } from '../answer.ts'
import { chooseCoding, compressedAnswer } from '../compression.ts'
import { badRequest } from '../problem.ts'
import { parseDigits, readQuery } from '../query.ts'

export const changesPath = '/api/v1/blacklist/changes'

/** The query parameters that are read. */
export const changesParameters = ['cursor', 'limit'] as const

const limitDefault = 1_000
const limitMax = 10_000

/**
 * How many characters an answer has about at most: what a slow reader holds in memory. Compressed to an
 * eighth, 10,000 entries are shorter than that.
 */
const lengthMax = { plain: 1_048_576, compressed: 8_388_608 } as const

const cursorMessage = `Give a cursor of an earlier answer or of X-List-Cursor, or "${beginning}".`

/** The route; GET and HEAD. */
export function changesRoute({ changes }: { readonly changes: ChangesReader }) {
  const list = async (request: Request): Promise<Response> => {
    const { values, errors: queryErrors } = readQuery(request.url, changesParameters)
    const errors = [...queryErrors]
    const [cursor = null, limitText] = values
    const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
    if (limit === null || limit < 1) {
      errors.push({ field: 'limit', message: `Give a whole number from 1 to ${limitMax}.` })
    }
    if (errors.length > 0) return badRequest(errors)
    const isPlain = chooseCoding(request.headers.get('accept-encoding')) === null
    const answer = await changes.read({
      cursor,
      limit: Math.min(limit ?? 1, limitMax),
      lengthMax: isPlain ? lengthMax.plain : lengthMax.compressed,
      signal: request.signal,
    })
    if (!answer.ok) return badRequest([{ field: 'cursor', message: cursorMessage }])
    const headers = headersWith({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      vary: 'accept-encoding',
    })
    return compressedAnswer(request, answer.value.json, headers)
  }

  return new Elysia({ name: 'route.changes', normalize: false })
    .get(changesPath, ({ request }) => list(request))
    .head(changesPath, ({ request }) => list(request))
}
