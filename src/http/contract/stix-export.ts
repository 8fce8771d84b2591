/** The contract of GET /api/v1/export/stix. */

import { Type } from '@sinclair/typebox'
import { stixMediaType } from '../../publish/stix.ts'
import { stixExportExamples, wrongStixExportExamples } from './examples/stix-export.ts'
import {
  codingHeaders,
  contentEncoding,
  limitHeaders,
  nextExportLink,
  noStore,
  varyByCoding,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals, wrongRequest } from './problems.ts'
import { stixBundle } from './stix-objects.ts'

export const stixExport = {
  id: 'exportStix',
  method: 'get',
  path: '/api/v1/export/stix',
  tag: 'STIX and TAXII',
  summary: 'Indicators as a STIX 2.1 bundle',
  description:
    'The published indicators that stand, changed last first, each with the brand or malware family that it ' +
    'belongs to. Nothing in the bundle refers to anything that is not in it; what does not fit in is behind the ' +
    '`Link`. To follow what changes, ends of ' +
    'listings included, poll a TAXII collection: an export never tells of what has ended.',
  policy: 'STIX',
  query: Type.Object({
    campaign: Type.Optional(
      Type.String({
        description:
          'Only what imitates this brand: its name, an alias or a domain, in any case. A brand that nothing imitates has ' +
          'no objects.',
        minLength: 1,
        examples: ['PayPal'],
      }),
    ),
    since: Type.Optional(
      Type.String({
        description: 'Only what is new or has changed after this time (ISO 8601), or since a day.',
        examples: ['2026-03-12T08:00:00Z', '2026-03-12'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description:
          'The most indicators; what they belong to comes on top. A greater number counts as 10000.',
        default: 1000,
        minimum: 1,
        maximum: 10_000,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description: 'That of the `Link` of the export before. Opaque.',
        minLength: 1,
      }),
    ),
  }),
  requestHeaders: codingHeaders,
  answers: {
    200: {
      description: 'The bundle.',
      headers: [noStore, varyByCoding, nextExportLink, ...limitHeaders, contentEncoding],
      content: { [stixMediaType]: stixBundle },
      examples: stixExportExamples,
    },
    400: wrongRequest(wrongStixExportExamples),
    ...refusals,
  },
} as const satisfies Operation
