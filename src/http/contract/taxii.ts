/**
 * The contract of TAXII 2.1 under `/api/taxii/2.1`: the three paths that the specification names (§4). All
 * others, those of the root `/taxii2` too, are as the standard describes them.
 */

import { Type } from '@sinclair/typebox'
import { stixMediaType } from '../../publish/stix.ts'
import { taxiiMediaType } from '../../publish/taxii.ts'
import {
  collectionsExamples,
  discoveryExamples,
  objectsExamples,
  otherMethodExamples,
  unknownCollectionExamples,
  writingExamples,
  wrongObjectsExamples,
} from './examples/taxii.ts'
import {
  addedFirst,
  addedLast,
  codingHeaders,
  contentEncoding,
  limitHeaders,
  nextBundleLink,
  noStore,
  varyByAccept,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { count } from './records.ts'
import { stixBundle, stixObjects } from './stix-objects.ts'
import {
  otherTaxiiMethod,
  taxiiFailed,
  taxiiRefusal,
  taxiiRefusals,
  unknownTaxiiPath,
} from './taxii-errors.ts'

const base = {
  method: 'get',
  tag: 'STIX and TAXII',
  policy: 'TAXII',
  otherwise: unknownTaxiiPath,
} as const

const headers = [noStore, varyByAccept, ...limitHeaders] as const

const address = Type.String({ format: 'uri-reference' })
const mediaTypes = Type.Array(Type.String(), { minItems: 1 })

const discovery = Type.Object(
  {
    title: Type.String(),
    description: Type.String(),
    contact: Type.String({ description: 'Where there is more to read.' }),
    default: address,
    api_roots: Type.Array(address, { minItems: 1 }),
    versions: mediaTypes,
    max_content_length: count('Of no use: nothing can be sent.'),
  },
  {
    $id: 'TaxiiDiscovery',
    description:
      'A discovery document and an API root in one. Where weir is not reached by HTTPS, addresses are paths.',
  },
)

const collectionList = Type.Object(
  {
    collections: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'As it stands in addresses.' }),
          title: Type.String(),
          description: Type.String(),
          can_read: Type.Literal(true),
          can_write: Type.Literal(false),
          media_types: mediaTypes,
        },
        { $id: 'TaxiiCollection' },
      ),
    ),
  },
  { $id: 'TaxiiCollections' },
)

export const envelope = Type.Object(
  {
    more: Type.Boolean({ description: 'Is there anything behind this page?' }),
    next: Type.Optional(
      Type.String({ description: 'For the next page; only while there is one.' }),
    ),
    objects: Type.Optional(stixObjects),
  },
  { $id: 'TaxiiEnvelope' },
)

export const taxiiDiscovery = {
  ...base,
  id: 'discoverTaxii',
  path: '/api/taxii/2.1',
  summary: 'TAXII 2.1: discovery',
  description:
    'Says what there is, for TAXII clients. Clients that want a root of the standard, with collections by ' +
    'UUID, find it at `/taxii2/`.',
  answers: {
    200: {
      description: 'The discovery document.',
      headers,
      content: { [taxiiMediaType]: discovery },
      examples: discoveryExamples,
    },
    ...taxiiRefusals,
  },
} as const satisfies Operation

export const taxiiCollections = {
  ...base,
  id: 'listTaxiiCollections',
  path: '/api/taxii/2.1/collections',
  summary: 'TAXII 2.1: the collections',
  description: 'Lists the three collections, in the order of their ids. They are for reading only.',
  answers: {
    200: {
      description: 'The collections.',
      headers,
      content: { [taxiiMediaType]: collectionList },
      examples: collectionsExamples,
    },
    ...taxiiRefusals,
  },
} as const satisfies Operation

const several = 'Several, separated by commas, are alternatives.'

const match = (description: string, ...examples: readonly string[]) =>
  Type.Optional(Type.String({ description, minLength: 1, examples: [...examples] }))

const acceptHeader = Type.Object({
  accept: Type.Optional(
    Type.String({
      description:
        `\`${taxiiMediaType}\`: an envelope, as TAXII clients want it. Another version of TAXII alone is ` +
        'refused; anything else, and nothing, gets a STIX bundle.',
      examples: [taxiiMediaType],
    }),
  ),
})

export const taxiiObjects = {
  ...base,
  id: 'readTaxiiObjects',
  path: '/api/taxii/2.1/collections/:collection/objects',
  summary: 'TAXII 2.1: the objects of a collection',
  description:
    'What was added to a collection, oldest addition first; a new version of an object is added anew. Follow ' +
    '`next`, or the `Link` of a bundle, until there is none, and the next time go on with `added_after` and ' +
    'the `X-TAXII-Date-Added-Last` of the last page: nothing is missed, and nothing told twice. What was ' +
    'added in the last second comes a second later.',
  pathParameters: Type.Object({
    collection: Type.String({
      description: 'The id of a collection, or its UUID.',
      examples: ['domain-blacklist', 'phishing-urls', 'campaigns'],
    }),
  }),
  query: Type.Object({
    added_after: Type.Optional(
      Type.String({
        description: 'Only what was added after this time (ISO 8601), up to microseconds.',
        examples: ['2026-03-12T08:00:00.000000Z'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description: 'The most objects. A greater number counts as 10000.',
        default: 1000,
        minimum: 1,
        maximum: 10_000,
      }),
    ),
    next: Type.Optional(
      Type.String({
        description: '`next` of the page before, which holds its filters as well. Opaque.',
        maxLength: 16_384,
      }),
    ),
    'match[id]': match(
      `Only objects with this id. ${several}`,
      'identity--3c449b3d-586a-5eb4-ab07-d716a1895898',
    ),
    'match[type]': match(`Only objects of this type. ${several}`, 'indicator,malware'),
    'match[version]': match(
      `\`last\`, \`first\`, \`all\` or times of versions; of each object the last one is kept. ${several}`,
      'last',
    ),
    'match[spec_version]': match(`Versions of STIX; all that there is is 2.1. ${several}`, '2.1'),
  }),
  requestHeaders: Type.Composite([acceptHeader, codingHeaders]),
  answers: {
    200: {
      description: 'A page of objects.',
      headers: [...headers, addedFirst, addedLast, nextBundleLink, contentEncoding],
      content: { [stixMediaType]: stixBundle, [taxiiMediaType]: envelope },
      examples: objectsExamples,
    },
    400: taxiiRefusal(
      'Something in the request is wrong; `details` names every parameter that is.',
      wrongObjectsExamples,
    ),
    403: taxiiRefusal('Nothing can be added.', writingExamples),
    404: taxiiRefusal('There is no such collection.', unknownCollectionExamples),
    ...taxiiRefusals,
    405: otherTaxiiMethod(otherMethodExamples),
    500: taxiiFailed,
  },
} as const satisfies Operation
