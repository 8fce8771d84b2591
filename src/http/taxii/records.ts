/** The records of TAXII 2.1. */

import { Type } from '@sinclair/typebox'
import { count } from '../contract/schemas.ts'
import { stixObjects } from '../contract/stix-objects.ts'

const address = Type.String({ format: 'uri-reference' })
const mediaTypes = Type.Array(Type.String(), { minItems: 1 })

const about = { title: Type.String(), description: Type.String() } as const

const discoveryMembers = {
  ...about,
  contact: Type.String({ description: 'The documentation.' }),
  default: address,
  api_roots: Type.Array(address, { minItems: 1 }),
} as const

const apiRootMembers = {
  ...about,
  versions: mediaTypes,
  max_content_length: count('Required by the standard; nothing can be sent.'),
} as const

export const discovery = Type.Object(discoveryMembers)
export const apiRoot = Type.Object(apiRootMembers)

export const discoveryWithApiRoot = Type.Object(
  { ...discoveryMembers, ...apiRootMembers },
  {
    $id: 'TaxiiDiscovery',
    description:
      'A discovery document and an API root in one. Where weir is not reached by HTTPS, addresses are paths.',
  },
)

export const taxiiCollection = Type.Object(
  {
    id: Type.String({ description: 'The id as it is written in addresses.' }),
    title: Type.String(),
    description: Type.String(),
    alias: Type.Optional(
      Type.String({ description: 'The name of a collection whose id is a UUID.' }),
    ),
    can_read: Type.Literal(true),
    can_write: Type.Literal(false),
    media_types: mediaTypes,
  },
  { $id: 'TaxiiCollection' },
)

export const collectionList = Type.Object(
  { collections: Type.Array(taxiiCollection) },
  { $id: 'TaxiiCollections' },
)

const more = Type.Boolean({ description: 'Whether another page follows.' })
const next = Type.Optional(
  Type.String({ description: 'For the next page; missing on the last one.' }),
)

export const envelope = Type.Object(
  { more, next, objects: Type.Optional(stixObjects) },
  { $id: 'TaxiiEnvelope' },
)

export const manifest = Type.Object({
  more,
  next,
  objects: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        date_added: Type.String(),
        version: Type.String(),
        media_type: Type.String(),
      }),
    ),
  ),
})

export const versions = Type.Object({
  more,
  versions: Type.Optional(Type.Array(Type.String())),
})
