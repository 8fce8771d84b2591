/** The query of a TAXII request: `added_after`, `limit`, `next` and `match[…]` (TAXII 2.1 §3.4, §3.5). */

import { Type } from '@sinclair/typebox'
import { parseInstant } from '../../model/instant.ts'
import type { TaxiiQuery, TaxiiRefusal } from '../../publish/stix/taxii.ts'
import { pageSize, parsedBy, saying } from '../contract/schemas.ts'
import type { ParameterValues } from '../parameter-reader.ts'
import type { FieldError } from '../problem.ts'
import type { TaxiiRoot } from './refusals.ts'

const changedFilter = 'With next, leave this out or give the same value as for the page before.'

const messages: Readonly<Record<TaxiiRefusal, string>> = {
  bad_cursor: 'Give the next of an earlier page of this collection.',
  long_match: 'Ask for less at once: filters may have 8,192 characters together.',
  bad_id: 'Give ids, separated by commas.',
  bad_type: 'Give types of objects, separated by commas.',
  bad_version:
    'Give last, first, or at most 100 times of versions, separated by commas; or all, alone.',
  bad_spec_version: 'Give versions of STIX, separated by commas.',
  changed_id: changedFilter,
  changed_type: changedFilter,
  changed_version: changedFilter,
  changed_spec_version: changedFilter,
}

const several = 'Several, separated by commas, are alternatives.'

const filter = (message: string, description: string, example: string) =>
  Type.Optional(
    saying(
      message,
      Type.String({ description: `${description} ${several}`, minLength: 1, examples: [example] }),
    ),
  )

/** Returns the parameters of a root; that of the standard accepts times only as the standard writes them. */
export const taxiiParameters = (root: TaxiiRoot) =>
  Type.Object({
    added_after: Type.Optional(
      saying(
        'Give a time in UTC, as 2026-03-12T08:00:00.000000Z.',
        parsedBy(
          (text) => parseInstant(text, root === 'standard' ? 'strict' : 'lenient'),
          Type.String({
            description: 'Only what was added after this time (ISO 8601), up to microseconds.',
            examples: ['2026-03-12T08:00:00.000000Z'],
          }),
        ),
      ),
    ),
    limit: pageSize(1_000, 10_000, 'Maximum number of objects.'),
    next: Type.Optional(
      saying(
        messages.bad_cursor,
        Type.String({
          description: '`next` of the page before, which contains its filters as well. Opaque.',
          maxLength: 16_384,
        }),
      ),
    ),
    'match[id]': filter(
      messages.bad_id,
      'Only objects with this id.',
      'identity--3c449b3d-586a-5eb4-ab07-d716a1895898',
    ),
    'match[type]': filter(messages.bad_type, 'Only objects of this type.', 'indicator,malware'),
    'match[version]': filter(
      messages.bad_version,
      '`last`, `first`, `all` or times of versions; of each object only the last version is kept.',
      'last',
    ),
    'match[spec_version]': filter(
      messages.bad_spec_version,
      'Versions of STIX; all objects have 2.1.',
      '2.1',
    ),
  })

/** Returns parameters as the collections are asked. */
export function toTaxiiQuery(
  values: ParameterValues<ReturnType<typeof taxiiParameters>>,
): TaxiiQuery {
  const { added_after: addedAfter, limit, next } = values
  return {
    limit,
    addedAfter: addedAfter?.microseconds ?? null,
    isCut: addedAfter?.digits === 3,
    next,
    match: {
      id: values['match[id]'],
      type: values['match[type]'],
      version: values['match[version]'],
      spec_version: values['match[spec_version]'],
    },
  }
}

/** Returns the parameter that a refusal is about, and the message. */
export function refusedParameter(reason: TaxiiRefusal): FieldError {
  if (reason === 'long_match') return { field: 'match', message: messages[reason] }
  const field = reason === 'bad_cursor' ? 'next' : `match[${reason.slice(reason.indexOf('_') + 1)}]`
  return { field, message: messages[reason] }
}
