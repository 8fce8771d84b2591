/** What the TAXII endpoints of both API roots share: parameters, answers, and the steps from a path to a page. */

import { Type } from '@sinclair/typebox'
import type { Pieces } from '../../publish/stix/object-writing.ts'
import type { StixRecord } from '../../publish/stix/stix.ts'
import {
  type CollectionDescription,
  collectionNamed,
  type TaxiiPage,
  type TaxiiQuery,
  type TaxiiReader,
  taxiiMediaType,
} from '../../publish/stix/taxii.ts'
import { jsonText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import {
  collectionsExamples,
  unknownCollectionExamples,
  type wrongObjectsExamples,
} from '../contract/examples/taxii.ts'
import {
  addedFirst,
  addedLast,
  contentEncoding,
  limitHeaders,
  noStore,
  varyByAccept,
} from '../contract/headers.ts'
import { parsedBy, saying } from '../contract/schemas.ts'
import { type Answering, endpoint } from '../endpoint.ts'
import { streamedAnswer } from '../streamed.ts'
import { type Accepted, acceptedBy } from './accept.ts'
import { TaxiiDocuments } from './documents.ts'
import { refusedParameter } from './query.ts'
import { collectionList } from './records.ts'
import {
  taxiiFailed,
  taxiiRefusal,
  taxiiRefusalAnswers,
  unknownTaxiiPath,
} from './refusal-answers.ts'
import { type TaxiiRoot, taxiiError, taxiiRefusals } from './refusals.ts'

export interface TaxiiServices {
  readonly taxii: Pick<
    TaxiiReader,
    'object' | 'objectPage' | 'page' | 'envelope' | 'manifest' | 'bundle'
  >
  readonly publicUrl: string
  now(): number
}

export const base = {
  tag: 'STIX and TAXII',
  policy: 'TAXII',
  costly: { class: 'taxii', inFlightMax: 32 },
  refusals: taxiiRefusals,
  otherwise: unknownTaxiiPath,
} as const

export const reading = { ...base, method: 'get' } as const

export const headers = [noStore, varyByAccept, ...limitHeaders] as const
const pageHeaders = [...headers, addedFirst, addedLast, contentEncoding] as const

export const toHeaders = (
  mediaType: string,
  others: Readonly<Record<string, string>> = {},
): Headers =>
  headersWith({
    'content-type': mediaType,
    'cache-control': 'no-store',
    vary: 'accept, accept-encoding',
    ...others,
  })

export const addedHeaders = ({ addedFirst: first, addedLast: last }: TaxiiPage) => ({
  'x-taxii-date-added-first': first,
  'x-taxii-date-added-last': last,
})

/** Returns the answer of a request that accepts one of weir's media types; else 406. */
export function accepting(request: Request, answer: (accepted: Accepted) => Answering): Answering {
  const accepted = acceptedBy(request.headers.get('accept'))
  if (accepted !== 'none') return answer(accepted)
  return taxiiError(406, `Accept ${taxiiMediaType}: weir supports no other version of TAXII.`)
}

export const documentAnswer = (request: Request, value: unknown): Answering =>
  accepting(request, () => new Response(jsonText(value), { headers: toHeaders(taxiiMediaType) }))

/** A collection, and how the path of the request names it: by id or by UUID. */
export interface NamedCollection {
  readonly collection: CollectionDescription
  readonly segment: string
}

function parseCollection(segment: string): NamedCollection | null {
  const collection = collectionNamed(segment)
  return collection === null ? null : { collection, segment }
}

const collectionParameter = saying(
  'There is no such collection; collections/ lists the existing ones.',
  parsedBy(
    parseCollection,
    Type.String({
      description: 'The id of a collection, or its UUID.',
      examples: ['domain-blacklist', 'phishing-urls', 'campaigns'],
    }),
  ),
)

export const inCollection = Type.Object({ collection: collectionParameter })

export const ofObject = Type.Object({
  collection: collectionParameter,
  object: Type.String({
    description: 'The id of an object.',
    examples: ['identity--3c449b3d-586a-5eb4-ab07-d716a1895898'],
  }),
})

/** Returns the answers of an endpoint that sends one document. */
export const documentAnswers = <const Content, const Examples>(
  description: string,
  schema: Content,
  examples: Examples,
) =>
  ({
    200: { description, headers, content: { [taxiiMediaType]: schema }, examples },
    ...taxiiRefusalAnswers,
  }) as const

export const noExamples = {} as const

export const unknownCollection = taxiiRefusal(
  'There is no such collection.',
  unknownCollectionExamples,
)
export const unknownObject = taxiiRefusal('There is no such collection or object.', noExamples)
export const wrongQuery = (examples: typeof wrongObjectsExamples | typeof noExamples) =>
  taxiiRefusal(
    'Something in the request is wrong; `details` names every wrong parameter.',
    examples,
  )

/** Returns the answers of an endpoint that sends a page of a collection. */
export const pageAnswers = <const Content>(description: string, content: Content) =>
  ({
    200: { description, headers: pageHeaders, content, examples: noExamples },
    400: wrongQuery(noExamples),
    404: unknownObject,
    ...taxiiRefusalAnswers,
    500: taxiiFailed,
  }) as const

/** Sends the pieces of a page. */
export const streamedPage = (request: Request, page: TaxiiPage, pieces: Pieces): Answering =>
  streamedAnswer(request, pieces, toHeaders(taxiiMediaType, addedHeaders(page)))

/** Reads a page of a collection and answers with it. */
export function withPage(
  { taxii, now }: TaxiiServices,
  { collection }: NamedCollection,
  query: TaxiiQuery,
  answer: (page: TaxiiPage) => Answering,
): Answering {
  const page = taxii.page(collection.name, query, now())
  return page.ok ? answer(page.value) : taxiiRefusals.badRequest([refusedParameter(page.reason)])
}

/** Reads the versions of one object, which has to be in the collection, and answers with them. */
export function withObject(
  { taxii }: TaxiiServices,
  { collection: { name } }: NamedCollection,
  id: string,
  query: TaxiiQuery,
  answer: (page: TaxiiPage, object: StixRecord) => Answering,
): Answering {
  const object = taxii.object(name, id)
  if (object === null) return taxiiError(404, 'The collection has no object with this id.')
  const page = taxii.objectPage(name, object, query)
  return page.ok
    ? answer(page.value, object)
    : taxiiRefusals.badRequest([refusedParameter(page.reason)])
}

export const collectionsEndpoint = <const Path extends `/${string}`>(
  root: TaxiiRoot,
  id: string,
  path: Path,
) =>
  endpoint({
    ...reading,
    id,
    path,
    summary: 'TAXII 2.1: the collections',
    description: 'Lists the three collections, in the order of their ids. They are read-only.',
    answers: documentAnswers('The collections.', collectionList, collectionsExamples),
    handler: ({ publicUrl }: TaxiiServices) => {
      const document = new TaxiiDocuments(publicUrl).collections(root)
      return ({ request }) => documentAnswer(request, document)
    },
  })
