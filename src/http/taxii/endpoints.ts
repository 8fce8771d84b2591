/**
 * TAXII 2.1 under the API root of the specification (§4, `/api/taxii/2.1/`), which is discovery and API root in one and
 * sends a STIX bundle to a client that does not ask for TAXII. `standard-endpoints` has what the standard describes.
 */

import { Type } from '@sinclair/typebox'
import { stixMediaType } from '../../publish/stix/stix.ts'
import { type TaxiiPage, type TaxiiQuery, taxiiMediaType } from '../../publish/stix/taxii.ts'
import {
  discoveryExamples,
  objectsExamples,
  otherMethodExamples,
  writingExamples,
  wrongObjectsExamples,
} from '../contract/examples/taxii.ts'
import {
  addedFirst,
  addedLast,
  codingHeaders,
  contentEncoding,
  nextBundleLink,
} from '../contract/headers.ts'
import { stixBundle } from '../contract/stix-objects.ts'
import { type Answering, endpoint } from '../endpoint.ts'
import { streamedAnswer } from '../streamed.ts'
import { TaxiiDocuments } from './documents.ts'
import {
  accepting,
  addedHeaders,
  collectionsEndpoint,
  documentAnswer,
  documentAnswers,
  headers,
  inCollection,
  reading,
  streamedPage,
  type TaxiiServices,
  toHeaders,
  unknownCollection,
  withPage,
  wrongQuery,
} from './parts.ts'
import { taxiiParameters, toTaxiiQuery } from './query.ts'
import { discoveryWithApiRoot, envelope } from './records.ts'
import {
  otherTaxiiMethod,
  taxiiFailed,
  taxiiRefusal,
  taxiiRefusalAnswers,
} from './refusal-answers.ts'
import { taxiiRootPaths } from './refusals.ts'

const specificationBase = taxiiRootPaths.specification

/** Sends a page as a bundle. A bundle cannot state that there is more: a `Link` does. */
function bundleAnswer(
  { taxii, publicUrl }: TaxiiServices,
  request: Request,
  path: string,
  page: TaxiiPage,
  { limit }: TaxiiQuery,
): Answering {
  const bundleHeaders = toHeaders(stixMediaType, addedHeaders(page))
  if (page.next !== null) {
    const address = `${publicUrl}${path}?limit=${limit}&next=${page.next}`
    bundleHeaders.set('link', `<${address}>; rel="next"`)
  }
  return streamedAnswer(request, taxii.bundle(page, crypto.randomUUID()), bundleHeaders)
}

export const taxiiDiscovery = endpoint({
  ...reading,
  id: 'discoverTaxii',
  path: specificationBase,
  limitsBelow: specificationBase,
  summary: 'TAXII 2.1: discovery',
  description:
    'Discovery for TAXII clients. Clients that expect an API root of the standard, with collections by UUID, find it ' +
    'at `/taxii2/`.',
  answers: documentAnswers('The discovery document.', discoveryWithApiRoot, discoveryExamples),
  handler: ({ publicUrl }: TaxiiServices) => {
    const document = new TaxiiDocuments(publicUrl).apiRoot('specification')
    return ({ request }) => documentAnswer(request, document)
  },
})

export const taxiiCollections = collectionsEndpoint(
  'specification',
  'listTaxiiCollections',
  `${specificationBase}/collections`,
)

const acceptHeader = Type.Object({
  accept: Type.Optional(
    Type.String({
      description:
        `\`${taxiiMediaType}\`: an envelope, as TAXII clients expect. Only another version of TAXII: ` +
        'refused. Anything else, and nothing: a STIX bundle.',
      examples: [taxiiMediaType],
    }),
  ),
})

export const taxiiObjects = endpoint({
  ...reading,
  id: 'readTaxiiObjects',
  path: `${specificationBase}/collections/:collection/objects`,
  summary: 'TAXII 2.1: the objects of a collection',
  description:
    'What was added to a collection, oldest addition first; a new version of an object is a new addition. Follow ' +
    '`next`, or the `Link` of a bundle, until there is none, and the next time continue with `added_after` and ' +
    'the `X-TAXII-Date-Added-Last` of the last page: nothing is missed, and nothing is sent twice. What was ' +
    'added in the last second comes a second later.',
  pathParameters: inCollection,
  query: taxiiParameters('specification'),
  requestHeaders: Type.Composite([acceptHeader, codingHeaders]),
  answers: {
    200: {
      description: 'A page of objects.',
      headers: [...headers, addedFirst, addedLast, nextBundleLink, contentEncoding],
      content: { [stixMediaType]: stixBundle, [taxiiMediaType]: envelope },
      examples: objectsExamples,
    },
    400: wrongQuery(wrongObjectsExamples),
    403: taxiiRefusal('Nothing can be added.', writingExamples),
    404: unknownCollection,
    ...taxiiRefusalAnswers,
    405: otherTaxiiMethod(otherMethodExamples),
    500: taxiiFailed,
  },
  handler:
    (services: TaxiiServices) =>
    ({ request, path: { collection }, query: values }) =>
      accepting(request, (accepted) => {
        const query = toTaxiiQuery(values)
        return withPage(services, collection, query, (page) => {
          if (accepted === 'taxii')
            return streamedPage(request, page, services.taxii.envelope(page))
          const path = `${specificationBase}/collections/${collection.segment}/objects/`
          return bundleAnswer(services, request, path, page, query)
        })
      }),
})
