/** The query of a TAXII request: `added_after`, `limit`, `next` and `match[…]` (TAXII 2.1 §3.4, §3.5). */

import { parseInstant } from '../model/instant.ts'
import type { TaxiiQuery, TaxiiRefusal } from '../publish/taxii.ts'
import type { FieldError } from './problem.ts'
import { parseDigits, readQuery } from './query.ts'
import type { TaxiiRoot } from './taxii-error.ts'

/** The query parameters that are read. */
export const taxiiParameters = [
  'added_after',
  'limit',
  'next',
  'match[id]',
  'match[type]',
  'match[version]',
  'match[spec_version]',
] as const

const limitDefault = 1_000
const limitMax = 10_000
const cursorLengthMax = 16_384

/** Reads the parameters; what is wrong with them goes to `errors`. */
export function readTaxiiQuery(url: string, root: TaxiiRoot, errors: FieldError[]): TaxiiQuery {
  const { values, errors: queryErrors } = readQuery(url, taxiiParameters)
  errors.push(...queryErrors)
  const [addedText, limitText, next = null, id, type, version, specVersion] = values
  const limit = limitText === undefined ? limitDefault : parseDigits(limitText)
  if (limit === null || limit < 1) {
    errors.push({ field: 'limit', message: `Give a whole number from 1 to ${limitMax}.` })
  }
  const form = root === 'standard' ? 'strict' : 'lenient'
  const addedAfter = addedText === undefined ? null : parseInstant(addedText, form)
  if (addedText !== undefined && addedAfter === null) {
    errors.push({
      field: 'added_after',
      message: 'Give a time in UTC, as 2026-03-12T08:00:00.000000Z.',
    })
  }
  if (next !== null && next.length > cursorLengthMax) errors.push(refusedBy('bad_cursor'))
  return {
    limit: Math.min(limit ?? limitDefault, limitMax),
    addedAfter: addedAfter?.microseconds ?? null,
    isCut: addedAfter?.digits === 3,
    next,
    match: {
      id: id ?? null,
      type: type ?? null,
      version: version ?? null,
      spec_version: specVersion ?? null,
    },
  }
}

const messages: Readonly<Record<TaxiiRefusal, string>> = {
  bad_cursor: 'Give the next of an earlier page of this collection.',
  long_match: 'Ask for less at once: filters may have 8,192 characters together.',
  bad_id: 'Give ids, separated by commas.',
  bad_type: 'Give types of objects, separated by commas.',
  bad_version:
    'Give last, first, or at most 100 times of versions, separated by commas; or all, alone.',
  bad_spec_version: 'Give versions of STIX, separated by commas.',
  changed_id: 'With next, leave this out or give what the page before was asked for.',
  changed_type: 'With next, leave this out or give what the page before was asked for.',
  changed_version: 'With next, leave this out or give what the page before was asked for.',
  changed_spec_version: 'With next, leave this out or give what the page before was asked for.',
}

/** Says what is wrong with a request that was refused. */
export function refusedBy(reason: TaxiiRefusal): FieldError {
  if (reason === 'long_match') return { field: 'match', message: messages[reason] }
  const field = reason === 'bad_cursor' ? 'next' : `match[${reason.slice(reason.indexOf('_') + 1)}]`
  return { field, message: messages[reason] }
}
