/** GET /api/v1/export/stix (specification §4): indicators as a STIX 2.1 bundle. */

import { Type } from '@sinclair/typebox'
import { parseInstant } from '../../model/instant.ts'
import { stixMediaType } from '../../publish/stix/stix.ts'
import {
  type ExportQuery,
  readExportCursor,
  type StixExport,
} from '../../publish/stix/stix-export.ts'
import { timeText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import { stixExportExamples, wrongStixExportExamples } from '../contract/examples/stix-export.ts'
import {
  codingHeaders,
  contentEncoding,
  limitHeaders,
  nextExportLink,
  noStore,
  varyByCoding,
} from '../contract/headers.ts'
import { refusals, wrongRequest } from '../contract/problems.ts'
import { notBlank, pageSize, parsedBy, saying } from '../contract/schemas.ts'
import { stixBundle } from '../contract/stix-objects.ts'
import { endpoint } from '../endpoint.ts'
import { streamedAnswer } from '../streamed.ts'

const path = '/api/v1/export/stix'

/** Exports are written while they are sent, however slowly the client reads. */
const costly = { class: 'exports', inFlightMax: 4, clientInFlightMax: 2 } as const

interface StixExportServices {
  readonly stixExport: StixExport
  readonly publicUrl: string
}

/** Reads a time in milliseconds. */
function parseSince(text: string): number | null {
  const since = parseInstant(text, 'lenient')
  return since === null ? null : Math.floor(since.microseconds / 1000)
}

/** Returns the `Link` to what follows an export. */
function linkToNext(publicUrl: string, { campaign, since, limit }: ExportQuery, cursor: string) {
  const search = new URLSearchParams()
  if (campaign !== null) search.set('campaign', campaign)
  if (since !== null) search.set('since', timeText(since))
  search.set('limit', String(limit))
  search.set('cursor', cursor)
  return `<${publicUrl}${path}?${search}>; rel="next"`
}

export const stixExport = endpoint({
  id: 'exportStix',
  method: 'get',
  path,
  tag: 'STIX and TAXII',
  summary: 'Indicators as a STIX 2.1 bundle',
  description:
    'The published, active indicators, latest change first, each with the brand or malware family that it ' +
    'belongs to. Nothing in the bundle refers to an object outside it; the `Link` leads to what did not fit. ' +
    'To follow changes, ends of listings included, poll a TAXII collection: an export contains no ended listings.',
  policy: 'STIX',
  costly,
  query: Type.Object({
    campaign: Type.Optional(
      saying(
        'Give the name of a brand.',
        parsedBy(
          (text) => text.trim(),
          Type.String({
            description:
              'Only what imitates this brand: its name, an alias or a domain, in any case. A brand that nothing ' +
              'imitates has no objects.',
            pattern: notBlank,
            examples: ['PayPal'],
          }),
        ),
      ),
    ),
    since: Type.Optional(
      saying(
        'Give a time as 2026-03-12T08:00:00Z, or a day.',
        parsedBy(
          parseSince,
          Type.String({
            description:
              'Only what is new or has changed after this time (ISO 8601), or since a day.',
            examples: ['2026-03-12T08:00:00Z', '2026-03-12'],
          }),
        ),
      ),
    ),
    limit: pageSize(
      1_000,
      10_000,
      'Maximum number of indicators; the objects that they belong to are added to them.',
    ),
    cursor: Type.Optional(
      saying(
        'Give the cursor in the Link of an earlier answer.',
        parsedBy(
          readExportCursor,
          Type.String({ description: 'That of the `Link` of the export before. Opaque.' }),
        ),
      ),
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
  handler:
    ({ stixExport: source, publicUrl }: StixExportServices) =>
    ({ request, query: { campaign, since, limit, cursor } }) => {
      const asked = { campaign, since, limit, before: cursor }
      const { nextCursor, pieces } = source.bundle(asked, crypto.randomUUID())
      const headers = headersWith({
        'content-type': stixMediaType,
        'cache-control': 'no-store',
        vary: 'accept-encoding',
        ...(nextCursor === null ? {} : { link: linkToNext(publicUrl, asked, nextCursor) }),
      })
      return streamedAnswer(request, pieces, headers)
    },
})
