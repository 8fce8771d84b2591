/** GET /api/v1/blacklist/changes: the delta feed of the block list. */

import { Type } from '@sinclair/typebox'
import { removalReasons } from '../../model/indicator.ts'
import { beginning, type ChangesReader } from '../../publish/lists/changes.ts'
import { headersWith } from '../answer.ts'
import { chooseCoding, compressedAnswer } from '../compression.ts'
import { changesExamples, wrongChangesExamples } from '../contract/examples/changes.ts'
import {
  codingHeaders,
  contentEncoding,
  limitHeaders,
  noStore,
  varyByCoding,
} from '../contract/headers.ts'
import { refusals, wrongRequest } from '../contract/problems.ts'
import { blacklistEntry, time } from '../contract/records.ts'
import { count, oneOf, orNull, pageSize } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'
import { badRequest } from '../problem.ts'

export const removal = Type.Object(
  {
    domain: Type.String(),
    reason: oneOf(removalReasons, {
      description:
        '`withdrawn`: its last source dropped it. `expired`: not seen for a long time. `appeal`: removed after an ' +
        'appeal. `operator`: the operator allows it. `unpublished`: no redistributable source lists it.',
    }),
    removed_at: time,
  },
  { $id: 'Removal', description: 'A domain that left the list.' },
)

export const changesAnswer = Type.Object(
  {
    cursor: Type.String({ description: 'For the next call. Opaque.' }),
    more: Type.Boolean({
      description: 'Call again at once with `cursor`: there are more changes.',
    }),
    resync: Type.Boolean({
      description:
        'The cursor is too old, or the database was restored: drop the copy, read the list again, and ' +
        'continue with `cursor`.',
    }),
    added: Type.Array(blacklistEntry, {
      description: 'New and changed entries: to be stored by their domain.',
    }),
    removed: Type.Array(removal, { description: 'To be applied before `added`.' }),
    total: count('How many domains are listed.'),
    set_hash: orNull(Type.String({ pattern: '^[0-9a-f]{32}$' }), {
      description:
        'The XOR of the first 16 bytes of the SHA-256 of every listed domain, after these changes: a client ' +
        'that maintains it can verify that its copy is in sync. Null while `more` is true.',
    }),
    min_wait_seconds: count('How long to wait before the next call; 0 while there is more.'),
  },
  {
    $id: 'Changes',
    description: 'What was added to the block list and what was removed, after a cursor.',
  },
)

/** An answer of 10,000 entries is four megabytes long. */
const inFlightMax = 16

/**
 * About the maximum number of characters of an answer: what a slow reader holds in memory. Compressed to an
 * eighth, 10,000 entries are shorter than that.
 */
const lengthMax = { plain: 1_048_576, compressed: 8_388_608 } as const

const cursorMessage = `Give a cursor of an earlier answer or of X-List-Cursor, or "${beginning}".`

export const changes = endpoint({
  id: 'readChanges',
  method: 'get',
  path: '/api/v1/blacklist/changes',
  tag: 'Lists',
  summary: 'What changed on the block list',
  description:
    'The delta feed, for keeping a copy of the list in sync. Begin with `cursor=begin` and an empty copy, or read ' +
    'the list and begin with its `X-List-Cursor`. Then, for each answer: drop the copy if `resync` says so, ' +
    'apply `removed`, then `added`, and keep `cursor`; call again at once while `more` is true, ' +
    'else after `min_wait_seconds`. When `more` is false, `set_hash` verifies the copy.',
  policy: 'BLACKLIST_CHANGES',
  costly: { class: 'changes', inFlightMax },
  query: Type.Object({
    cursor: Type.Optional(
      Type.String({
        description:
          '`cursor` of the answer before, `X-List-Cursor` of the list, or `begin`: everything, for an empty ' +
          'copy. If missing: from now on.',
        examples: ['begin'],
      }),
    ),
    limit: pageSize(1_000, 10_000, 'Maximum number of domains in an answer.'),
  }),
  requestHeaders: codingHeaders,
  answers: {
    200: {
      description: 'The changes, if any.',
      headers: [noStore, varyByCoding, ...limitHeaders, contentEncoding],
      content: { 'application/json': changesAnswer },
      examples: changesExamples,
    },
    400: wrongRequest(wrongChangesExamples),
    ...refusals,
  },
  handler:
    ({ changes: reader }: { readonly changes: ChangesReader }) =>
    async ({ request, query: { cursor, limit } }) => {
      const isPlain = chooseCoding(request.headers.get('accept-encoding')) === null
      const answer = await reader.read({
        cursor,
        limit,
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
    },
})
