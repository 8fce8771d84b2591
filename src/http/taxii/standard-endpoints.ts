import { taxiiMediaType, versionsText } from '../../publish/stix/taxii.ts'
import { endpoint } from '../endpoint.ts'
import { TaxiiDocuments } from './documents.ts'
import {
  accepting,
  addedHeaders,
  base,
  collectionsEndpoint,
  documentAnswer,
  documentAnswers,
  inCollection,
  noExamples,
  ofObject,
  pageAnswers,
  reading,
  streamedPage,
  type TaxiiServices,
  toHeaders,
  unknownCollection,
  unknownObject,
  withObject,
  withPage,
} from './parts.ts'
import { taxiiParameters, toTaxiiQuery } from './query.ts'
import { apiRoot, discovery, envelope, manifest, taxiiCollection, versions } from './records.ts'
import { taxiiFailed, taxiiRefusal, taxiiRefusalAnswers } from './refusal-answers.ts'
import { type TaxiiRoot, taxiiDiscoveryPath, taxiiError, taxiiRootPaths } from './refusals.ts'

const standardBase = taxiiRootPaths.standard

const standardDiscovery = endpoint({
  ...reading,
  id: 'discoverStandardTaxii',
  path: taxiiDiscoveryPath,
  limitsBelow: taxiiDiscoveryPath,
  summary: 'TAXII 2.1: discovery',
  description: 'The discovery document of the standard.',
  answers: documentAnswers('The discovery document.', discovery, noExamples),
  handler: ({ publicUrl }: TaxiiServices) => {
    const document = new TaxiiDocuments(publicUrl).discovery('standard')
    return ({ request }) => documentAnswer(request, document)
  },
})

const standardApiRoot = endpoint({
  ...reading,
  id: 'readTaxiiApiRoot',
  path: standardBase,
  summary: 'TAXII 2.1: the API root',
  description: 'The API root of the standard.',
  answers: documentAnswers('The API root.', apiRoot, noExamples),
  handler: ({ publicUrl }: TaxiiServices) => {
    const document = new TaxiiDocuments(publicUrl).apiRoot('standard')
    return ({ request }) => documentAnswer(request, document)
  },
})

const standardObjects = endpoint({
  ...reading,
  id: 'readStandardTaxiiObjects',
  path: `${standardBase}/collections/:collection/objects`,
  summary: 'TAXII 2.1: the objects of a collection',
  description: 'A page of a collection, as an envelope.',
  pathParameters: inCollection,
  query: taxiiParameters('standard'),
  answers: pageAnswers('A page of objects.', { [taxiiMediaType]: envelope }),
  handler:
    (services: TaxiiServices) =>
    ({ request, path: { collection }, query }) =>
      accepting(request, () =>
        withPage(services, collection, toTaxiiQuery(query), (page) =>
          streamedPage(request, page, services.taxii.envelope(page)),
        ),
      ),
})

/** Returns the endpoints that the standard describes and the specification does not name. */
function furtherEndpoints(root: TaxiiRoot) {
  const path = `${taxiiRootPaths[root]}/collections/:collection` as const
  const query = taxiiParameters(root)
  const about = { summary: 'TAXII 2.1', description: 'As the standard describes.', query }
  const writing = {
    ...base,
    summary: 'TAXII 2.1: writing',
    description: 'Refused: the collections are read-only.',
    answers: {
      403: taxiiRefusal('The collections are read-only.', noExamples),
      404: unknownObject,
      ...taxiiRefusalAnswers,
      500: taxiiFailed,
    },
    handler: () => () => taxiiError(403, 'The collections are read-only: can_write is false.'),
  } as const
  return [
    endpoint({
      ...reading,
      id: `readTaxiiCollection-${root}`,
      path,
      summary: about.summary,
      description: about.description,
      pathParameters: inCollection,
      answers: {
        ...documentAnswers('The collection.', taxiiCollection, noExamples),
        404: unknownCollection,
      },
      handler: ({ publicUrl }: TaxiiServices) => {
        const documents = new TaxiiDocuments(publicUrl)
        return ({ request, path: { collection: named } }) =>
          documentAnswer(request, documents.collection(named.collection, named.segment))
      },
    }),
    endpoint({
      ...reading,
      ...about,
      id: `readTaxiiManifest-${root}`,
      path: `${path}/manifest`,
      pathParameters: inCollection,
      answers: pageAnswers('A page of the manifest.', { [taxiiMediaType]: manifest }),
      handler:
        (services: TaxiiServices) =>
        ({ request, path: { collection }, query: values }) =>
          accepting(request, () =>
            withPage(services, collection, toTaxiiQuery(values), (page) =>
              streamedPage(request, page, services.taxii.manifest(page)),
            ),
          ),
    }),
    endpoint({
      ...reading,
      ...about,
      id: `readTaxiiObject-${root}`,
      path: `${path}/objects/:object`,
      pathParameters: ofObject,
      answers: pageAnswers('The object.', { [taxiiMediaType]: envelope }),
      handler:
        (services: TaxiiServices) =>
        ({ request, path: { collection, object: id }, query: values }) =>
          accepting(request, () =>
            withObject(services, collection, id, toTaxiiQuery(values), (page) =>
              streamedPage(request, page, services.taxii.envelope(page)),
            ),
          ),
    }),
    endpoint({
      ...reading,
      ...about,
      id: `readTaxiiVersions-${root}`,
      path: `${path}/objects/:object/versions`,
      pathParameters: ofObject,
      answers: pageAnswers('The versions of the object.', { [taxiiMediaType]: versions }),
      handler:
        (services: TaxiiServices) =>
        ({ request, path: { collection, object: id }, query: values }) =>
          accepting(request, () =>
            withObject(services, collection, id, toTaxiiQuery(values), (page, object) => {
              const answered = toHeaders(taxiiMediaType, addedHeaders(page))
              return new Response(versionsText(page, object), { headers: answered })
            }),
          ),
    }),
    endpoint({
      ...writing,
      id: `addTaxiiObjects-${root}`,
      method: 'post',
      path: `${path}/objects`,
      pathParameters: inCollection,
    }),
    endpoint({
      ...writing,
      id: `deleteTaxiiObject-${root}`,
      method: 'delete',
      path: `${path}/objects/:object`,
      pathParameters: ofObject,
    }),
  ]
}

/** The endpoints of TAXII that the OpenAPI document leaves to the standard. */
export const furtherTaxiiEndpoints = [
  standardDiscovery,
  standardApiRoot,
  collectionsEndpoint('standard', 'listStandardTaxiiCollections', `${standardBase}/collections`),
  standardObjects,
  ...furtherEndpoints('standard'),
  ...furtherEndpoints('specification'),
]
