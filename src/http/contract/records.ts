/**
 * The records that several answers share, under the names that the specification gives them. A schema
 * with an `$id` becomes a component of the OpenAPI document.
 */

import { Type } from '@sinclair/typebox'
import { indicatorTypes, threatLevels, threatTypes } from '../../model/indicator.ts'
import { reasonCodes, verdictStatuses } from '../../model/verdict.ts'
import { oneOf, orNull } from './schemas.ts'

export const time = Type.String({
  $id: 'Time',
  description: 'RFC 3339, UTC, with milliseconds.',
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
  examples: ['2026-03-12T09:01:00.000Z'],
})

export const confidence = Type.Integer({
  $id: 'Confidence',
  description:
    'The confidence of a listing, 0 to 100; each further source that lists the same raises it.',
  minimum: 0,
  maximum: 100,
})

const threatType = oneOf(threatTypes, {
  $id: 'ThreatType',
  description: 'The kind of harm.',
})

const threatLevel = oneOf(threatLevels, {
  $id: 'ThreatLevel',
  description:
    '`critical`: malware with confidence 90 or more; `high`: phishing or malware from 75; `medium`: from 50.',
})

const doNotBlock = Type.Unsafe<0 | 1>({
  $id: 'DoNotBlock',
  description: '1: a shared platform, listed with this flag so that it is not blocked as a whole.',
  type: 'integer',
  enum: [0, 1],
})

const sources = Type.Array(Type.String(), {
  $id: 'SourceNames',
  description:
    'The sources that list it, in the order of their listings. Private sources are not named.',
})

const targetBrand = orNull(Type.String(), {
  description: 'The brand that it imitates; null: unknown.',
})

export const ioc = Type.Object(
  {
    type: oneOf(indicatorTypes),
    value: Type.String({ description: 'The canonical form.' }),
    domain: orNull(Type.String(), {
      description:
        'The name itself, the host of a URL or the domain of an e-mail address; else null.',
    }),
    threat_type: threatType,
    threat_level: threatLevel,
    confidence,
    target_brand: targetBrand,
    malware_family: orNull(Type.String()),
    do_not_block: doNotBlock,
    sources,
    first_seen: time,
    last_seen: time,
    listed_at: time,
    reference: orNull(Type.String(), { description: 'The page of a source about it.' }),
  },
  {
    $id: 'Ioc',
    description:
      'An indicator of compromise. All fields are always present; an unknown value is null.',
  },
)

export const blacklistEntry = Type.Object(
  {
    domain: Type.String({ description: 'The name in A-labels, lower case.' }),
    domain_unicode: Type.Optional(
      Type.String({ description: 'The same name in Unicode, where that differs.' }),
    ),
    do_not_block: doNotBlock,
    threat_type: threatType,
    threat_level: threatLevel,
    target_brand: targetBrand,
    confidence,
    sources,
    first_seen: time,
    last_seen: time,
    listed_at: time,
  },
  { $id: 'BlacklistEntry', description: 'A listed domain. A listing covers every name below it.' },
)

export const verdictStatus = oneOf(verdictStatuses, {
  $id: 'VerdictStatus',
  description:
    '`found`: the page, its host or a parent domain is listed. `suspicious`: it looks like an imitation, is listed ' +
    'with low confidence, or other pages of the same host are listed. `shared_infrastructure`: a platform many people publish ' +
    'on; judge the exact subdomain or page. `not_found`: on none of the lists, which does not mean that it is safe.',
})

export const reason = Type.Object(
  {
    code: oneOf(reasonCodes, { description: 'Stable: programs may rely on it.' }),
    message: Type.String({ description: 'One plain sentence.' }),
  },
  { $id: 'Reason', description: 'Why the verdict is what it is.' },
)

export const match = orNull(ioc, {
  description:
    'The listing that the answer is based on; null: there is none, or none that may be redistributed.',
})
