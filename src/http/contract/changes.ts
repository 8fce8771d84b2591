/** The contract of GET /api/v1/blacklist/changes. */

import { Type } from '@sinclair/typebox'
import { removalReasons } from '../../model/indicator.ts'
import { changesExamples, wrongChangesExamples } from './examples/changes.ts'
import { codingHeaders, contentEncoding, limitHeaders, noStore, varyByCoding } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals, wrongRequest } from './problems.ts'
import { blacklistEntry, count, oneOf, orNull, time } from './records.ts'

export const removal = Type.Object(
  {
    domain: Type.String(),
    reason: oneOf(removalReasons, {
      description:
        '`withdrawn`: its last source dropped it. `expired`: not seen for long. `appeal`: taken off after an ' +
        'appeal. `operator`: the operator allows it. `unpublished`: no source that may be passed on lists it.',
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
        'The cursor is too old, or the database was restored: drop the copy, read the list again, and go ' +
        'on with `cursor`.',
    }),
    added: Type.Array(blacklistEntry, {
      description:
        'New entries and those of which something changed: to be put under their domain.',
    }),
    removed: Type.Array(removal, { description: 'To be carried out before `added`.' }),
    total: count('How many domains are listed.'),
    set_hash: orNull(Type.String({ pattern: '^[0-9a-f]{32}$' }), {
      description:
        'The XOR of the first 16 bytes of the SHA-256 of every listed domain, after these changes: whoever ' +
        'keeps it up as domains come and go knows whether the copy is level. Null while `more` is true.',
    }),
    min_wait_seconds: count('How long to wait before the next call; 0 while there is more.'),
  },
  { $id: 'Changes', description: 'What came to the block list and what left it, after a cursor.' },
)

export const changes = {
  id: 'readChanges',
  method: 'get',
  path: '/api/v1/blacklist/changes',
  tag: 'Lists',
  summary: 'What changed on the block list',
  description:
    'The delta feed, to keep a copy of the list level. Begin with `cursor=begin` and an empty copy, or read ' +
    'the list and begin with its `X-List-Cursor`. Then, for each answer: drop the copy if `resync` says so, ' +
    'take out `removed`, put in `added` by domain, keep `cursor`; call again at once while `more` is true, ' +
    'else after `min_wait_seconds`. When `more` is false, `set_hash` tells whether the copy is level.',
  policy: 'BLACKLIST_CHANGES',
  query: Type.Object({
    cursor: Type.Optional(
      Type.String({
        description:
          '`cursor` of the answer before, `X-List-Cursor` of the list, or `begin`: everything, for an empty ' +
          'copy. Without it: from now on.',
        examples: ['begin'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description: 'The most domains in an answer. A greater number counts as 10000.',
        default: 1000,
        minimum: 1,
        maximum: 10_000,
      }),
    ),
  }),
  requestHeaders: codingHeaders,
  answers: {
    200: {
      description: 'The changes; none is an answer too.',
      headers: [noStore, varyByCoding, ...limitHeaders, contentEncoding],
      content: { 'application/json': changesAnswer },
      examples: changesExamples,
    },
    400: wrongRequest(wrongChangesExamples),
    ...refusals,
  },
} as const satisfies Operation
